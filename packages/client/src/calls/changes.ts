// How a call changes a file: the patch that came with its question or its result, and the texts of it.

import { isList, isObject, type FilePatch, type JsonObject, type PatchHunk } from "@keelson/protocol";

/** Of a finished edit, from what its tool reported. Undefined if it reported no change of a file. */
export function patchOfResult(input: JsonObject, output: unknown): FilePatch | undefined {
  if (!isObject(output)) return undefined;
  const path = output["filePath"] ?? input["file_path"];
  if (typeof path !== "string") return undefined;
  const content = output["content"] ?? input["content"];
  if (output["type"] === "create" && typeof content === "string")
    return { path, isNew: true, hunks: [addedLines(content)] };
  const hunks = output["structuredPatch"];
  return isList(hunks) ? { path, hunks: hunks.filter(isHunk) } : undefined;
}

/** The patch that came with a permission question. Undefined if it has none, or not what it should be. */
export function readPatch(value: unknown): FilePatch | undefined {
  if (!isObject(value) || typeof value["path"] !== "string" || !isList(value["hunks"])) return undefined;
  const hunks = value["hunks"].filter(isHunk);
  if (hunks.length < value["hunks"].length) return undefined;
  return { path: value["path"], hunks, ...(value["isNew"] === true ? { isNew: true } : {}) };
}

/** The lines of a hunk as they are before and after it. */
export function textsOfHunk({ lines }: PatchHunk): { readonly oldText: string; readonly newText: string } {
  const side = (other: string) =>
    lines
      .filter((line) => !line.startsWith(other) && !line.startsWith("\\"))
      .map((line) => line.slice(1))
      .join("\n");
  return { oldText: side("+"), newText: side("-") };
}

function addedLines(content: string): PatchHunk {
  const lines = content.replace(/\n$/, "").split("\n");
  return { oldStart: 0, oldLines: 0, newStart: 1, newLines: lines.length, lines: lines.map((line) => `+${line}`) };
}

function isHunk(value: unknown): value is PatchHunk {
  if (!isObject(value) || !isList(value["lines"])) return false;
  return (
    NUMBERS.every((key) => typeof value[key] === "number") && value["lines"].every((line) => typeof line === "string")
  );
}

const NUMBERS = ["oldStart", "oldLines", "newStart", "newLines"];
