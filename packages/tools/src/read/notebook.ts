// Reads notebooks: cells with their ids, sources and outputs.

import { isObject, tryParse, type ContentBlock } from "@keelson/protocol";
import { ToolError } from "@keelson/engine";
import { decode } from "../text-file/encoding.ts";
import type { Cell, CellOutput, NotebookRead } from "./output.ts";

/** Longer output of a cell is omitted; it is usually a log or a large table. */
const MAX_OUTPUT_LENGTH = 10_000;
const MAX_IMAGES = 20;
const MAX_IMAGE_LENGTH = 5_000_000;

export function readNotebook(filePath: string, bytes: Uint8Array): NotebookRead {
  const notebook = tryParse(decode(bytes).text);
  if (!isObject(notebook) || !Array.isArray(notebook.cells)) {
    throw new ToolError(`'${filePath}' is not a notebook: it is not a JSON object with a list of cells`);
  }
  const language = languageOf(notebook);
  let images = 0;
  const cells = notebook.cells.filter(isObject).map((cell, index): Cell => {
    const isCode = cell.cell_type === "code";
    const raw = isCode && Array.isArray(cell.outputs) ? cell.outputs.filter(isObject) : [];
    const outputs = raw.map(readOutput).map((output) => {
      if (!output.image || ++images <= MAX_IMAGES) return output;
      return { output_type: output.output_type, text: "(image omitted: too many in this notebook)" };
    });
    return {
      cellType: String(cell.cell_type),
      source: joinLines(cell.source),
      ...(typeof cell.execution_count === "number" ? { execution_count: cell.execution_count } : {}),
      cell_id: typeof cell.id === "string" ? cell.id : `cell-${index}`,
      ...(isCode ? { language } : {}),
      ...(outputs.length > 0 ? { outputs: limitOutputs(outputs, index) } : {}),
    };
  });
  return { type: "notebook", file: { filePath, cells } };
}

/** Adjacent texts become one block; images are separate blocks. */
export function showNotebook({ file }: NotebookRead): ContentBlock[] {
  const blocks: ContentBlock[] = [];
  let text: string[] = [];
  const flush = () => {
    if (text.length > 0) blocks.push({ type: "text", text: text.join("\n") });
    text = [];
  };
  for (const cell of file.cells) {
    text.push(showCell(cell));
    for (const { text: printed, image } of cell.outputs ?? []) {
      if (printed) text.push(`\n${printed}`);
      if (!image) continue;
      flush();
      blocks.push({ type: "image", source: { type: "base64", media_type: image.media_type, data: image.image_data } });
    }
  }
  flush();
  return blocks.length > 0 ? blocks : [{ type: "text", text: "The notebook has no cells." }];
}

export function languageOf(notebook: Record<string, unknown>): string {
  const metadata = isObject(notebook.metadata) ? notebook.metadata : {};
  const info = isObject(metadata.language_info) ? metadata.language_info : {};
  return typeof info.name === "string" ? info.name : "python";
}

/** nbformat stores long texts as lists of lines. */
export function joinLines(value: unknown): string {
  return Array.isArray(value) ? value.join("") : typeof value === "string" ? value : "";
}

function showCell({ cell_id, cellType, language, source }: Cell): string {
  const isPython = language === undefined || language === "python";
  const about =
    cellType !== "code" ? `<cell_type>${cellType}</cell_type>` : isPython ? "" : `<language>${language}</language>`;
  return `<cell id="${cell_id}">${about}${source}</cell id="${cell_id}">`;
}

function readOutput(output: Record<string, unknown>): CellOutput {
  const output_type = String(output.output_type);
  if (output_type === "stream") return { output_type, text: joinLines(output.text) };
  if (output_type === "error") {
    const trace = Array.isArray(output.traceback) ? `\n${output.traceback.join("\n")}` : "";
    return { output_type, text: Bun.stripANSI(`${output.ename}: ${output.evalue}${trace}`) };
  }
  const data = isObject(output.data) ? output.data : {};
  const text = joinLines(data["text/plain"]);
  const image = findImage(data);
  return { output_type, ...(text ? { text } : {}), ...(image ? { image } : {}) };
}

function findImage(data: Record<string, unknown>): CellOutput["image"] {
  for (const media_type of ["image/png", "image/jpeg"]) {
    const image_data = joinLines(data[media_type]).replaceAll(/\s/g, "");
    if (image_data && image_data.length <= MAX_IMAGE_LENGTH) return { image_data, media_type };
  }
  return undefined;
}

function limitOutputs(outputs: readonly CellOutput[], index: number): readonly CellOutput[] {
  const size = outputs.reduce((sum, { text }) => sum + (text?.length ?? 0), 0);
  if (size <= MAX_OUTPUT_LENGTH) return outputs;
  const text = `(${size} characters of output omitted; to see them: jq '.cells[${index}].outputs' <notebook>)`;
  return [{ output_type: "stream", text }, ...outputs.filter(({ image }) => image).map(({ text: _, ...rest }) => rest)];
}
