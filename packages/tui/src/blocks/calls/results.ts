// What came of a call, by tool.

import type { CallItem, ShownResult } from "@keelson/client";
import { isList, isObject } from "@keelson/protocol";
import { renderMarkdown } from "../../markdown/render-markdown.ts";
import { cleanRow } from "../../screen/clean.ts";
import { fit } from "../../screen/rows.ts";
import { counted, elapsed } from "../amounts.ts";
import { editRows } from "./edits.ts";
import { errorRows, folded, foldedEnds, newestRows, type FoldEnds } from "../fold.ts";
import type { ItemLook } from "../look.ts";

type Rows = (call: CallItem, result: ShownResult, columns: number, look: ItemLook) => string[];

export const resultRows: Rows = (call, result, columns, look) => {
  if (call.denied !== undefined) return deniedRows(call.denied || result.text, columns, look);
  if (call.instead !== undefined) return errorRows(call.instead, columns, look);
  if (call.state === "denied" || call.state === "interrupted") {
    const said = call.state === "interrupted" ? "Interrupted" : refusal(call);
    // What it had printed was on the screen; it does not vanish.
    const printed = call.printed ? newestRows(call.printed.text, columns, OF_FAILURE.tail) : [];
    return [...printed, look.theme.paint("warning", fit(said, columns))];
  }
  if (call.inBackground) return backgroundRows(call, result, columns, look);
  const rows = BY_TOOL[call.name] ?? BY_KIND[call.label.kind];
  if (rows) return rows(call, result, columns, look);
  return result.isError ? errorRows(result.text, columns, look) : plainRows(call, result, columns, look);
};

/** What a no means for this tool. */
function refusal({ name, input }: CallItem): string {
  if (name === "ExitPlanMode") return "You did not approve the plan";
  if (name !== "AskUserQuestion") return "You said no";
  const questions = isList(input["questions"]) ? input["questions"] : [];
  const asked = questions.flatMap((each) => (isObject(each) ? [cleanRow(String(each["question"] ?? ""))] : []));
  return ["You did not answer", ...(asked.length > 0 ? [asked.join(" ")] : [])].join(": ");
}

function deniedRows(reason: string, columns: number, look: ItemLook): string[] {
  return folded(`Denied: ${reason}`, columns, look).map((row) => look.theme.paint("warning", row));
}

function backgroundRows({ taskId }: CallItem, { output }: ShownResult, columns: number, look: ItemLook): string[] {
  const fields = isObject(output) ? output : {};
  const id = fields["backgroundTaskId"] ?? fields["agentId"] ?? taskId;
  const name = typeof id === "string" ? ` as ${cleanRow(id)}` : "";
  return [look.theme.paint("dim", fit(`Running in the background${name} (/tasks shows it)`, columns))];
}

/** Of what went well, how it began and how it ended; of what failed, the end says why. */
const OF_SUCCESS: FoldEnds = { head: 1, tail: 1 };
const OF_FAILURE: FoldEnds = { head: 0, tail: 8 };

const plainRows: Rows = (_call, { text, images }, columns, look) => {
  const rows = foldedEnds(text, columns, look, OF_SUCCESS);
  if (images > 0) rows.push(look.theme.paint("dim", `[${counted(images, "image")}]`));
  return rows.length === 0 ? [look.theme.paint("dim", "No output")] : rows;
};

/** A file with the numbers of its lines, one below the other. */
const readRows: Rows = (call, result, columns, look) => {
  if (result.isError) return errorRows(result.text, columns, look);
  let digits = 0;
  for (const [, number] of result.text.matchAll(/^ *(\d+)\t/gm)) digits = Math.max(digits, number!.length);
  const text = result.text.replace(/^ *(\d+)\t/gm, (_, number: string) => `${number.padStart(digits)}  `);
  return plainRows(call, { ...result, text }, columns, look);
};

const shellRows: Rows = (call, result, columns, look) => {
  const { theme } = look;
  if (result.isError) {
    const [, code, rest] = /^(?:Error: )?Exit code (\d+)\n?([\s\S]*)$/.exec(result.text) ?? [];
    if (code === undefined) return failureRows(result.text, columns, look);
    return [theme.paint("error", `Exit code ${code}`), ...foldedEnds(rest!, columns, look, OF_FAILURE)];
  }
  const output = isObject(result.output) ? result.output : {};
  const { stdout, stderr, returnCodeInterpretation: meaning } = output;
  const both = [stdout, stderr].filter((text) => typeof text === "string" && text !== "").join("\n");
  const printed = both === "" ? (typeof stdout === "string" ? "" : result.text) : both;
  const rows = foldedEnds(printed, columns, look, OF_SUCCESS);
  if (typeof meaning === "string") rows.push(theme.paint("dim", fit(cleanRow(meaning), columns)));
  if (output["interrupted"] === true) rows.push(theme.paint("warning", "Interrupted"));
  if (output["isImage"] === true) return [theme.paint("dim", "[1 image]")];
  return rows.length === 0 ? [theme.paint("dim", "No output")] : rows;
};

/** A command that did not run to its end: why, then the end of what it printed. */
function failureRows(text: string, columns: number, look: ItemLook): string[] {
  const [why = "", ...printed] = text.split("\n");
  return [...errorRows(why, columns, look), ...foldedEnds(printed.join("\n"), columns, look, OF_FAILURE)];
}

const fetchRows: Rows = (_call, { isError, text, output }, columns, look) => {
  if (isError) return errorRows(text, columns, look);
  const { code, codeText, bytes } = isObject(output) ? output : {};
  if (typeof code !== "number" || typeof bytes !== "number") return folded(text, columns, look);
  const size = bytes < 1024 ? `${bytes} bytes` : `${Math.round(bytes / 1024)} KB`;
  const head = fit(cleanRow(`${code} ${String(codeText)}, ${size}`), columns);
  return look.whole ? [head, ...folded(text, columns, look)] : [head];
};

const searchRows: Rows = (_call, { isError, text, output }, columns, look) => {
  if (isError) return errorRows(text, columns, look);
  const { results, durationSeconds: seconds } = isObject(output) ? output : {};
  if (!isList(results)) return folded(text, columns, look);
  const links = results.flatMap((each) =>
    isObject(each) && isList(each["content"]) ? each["content"].filter(isObject) : [],
  );
  const time = typeof seconds === "number" ? ` in ${elapsed(seconds * 1000)}` : "";
  const head = `${counted(links.length, "result")}${time}`;
  const titles = links.map(({ title, url }) => `${String(title)} · ${String(url)}`).join("\n");
  return [head, ...folded(titles, columns, look).map((row) => look.theme.paint("dim", row))];
};

const skillRows: Rows = (_call, { isError, text, output }, columns, look) => {
  if (isError) return errorRows(text, columns, look);
  const { status, result } = isObject(output) ? output : {};
  if (status === "forked" && typeof result === "string") return folded(result, columns, look);
  return [look.theme.paint("dim", "Loaded")];
};

const questionRows: Rows = (_call, { isError, text, output }, columns, look) => {
  if (isError) return errorRows(text, columns, look);
  const answers = isObject(output) && isObject(output["answers"]) ? Object.entries(output["answers"]) : [];
  if (answers.length === 0) return [look.theme.paint("dim", "Not answered")];
  return answers.flatMap(([question, answer]) => folded(`${question} → ${String(answer)}`, columns, look));
};

const findingRows: Rows = (_call, { isError, text, output }, columns, look) => {
  if (isError) return errorRows(text, columns, look);
  const findings = isObject(output) && isList(output["findings"]) ? output["findings"].filter(isObject) : [];
  if (findings.length === 0) return folded(text, columns, look);
  return findings.flatMap(({ file, line, summary, outcome }) => {
    const place = typeof line === "number" ? `${String(file)}:${line}` : String(file);
    const end = typeof outcome === "string" ? ` (${outcome.replaceAll("_", " ")})` : "";
    return folded(`${place} · ${String(summary)}${end}`, columns, look);
  });
};

const MOST_PLAN_ROWS = 60;

const planRows: Rows = ({ input }, { isError, text, output }, columns, look) => {
  if (isError) return errorRows(text, columns, look);
  const { theme } = look;
  const plan = isObject(output) && typeof output["plan"] === "string" ? output["plan"] : input["plan"];
  const head = theme.paint("planMode", "Plan approved");
  if (typeof plan !== "string") return [head];
  const rows = renderMarkdown(plan, columns, theme);
  return [head, ...(look.whole ? rows : rows.slice(0, MOST_PLAN_ROWS))];
};

const BY_KIND: Partial<Record<CallItem["label"]["kind"], Rows>> = { execute: shellRows, edit: editRows };

/** Tools whose output has a form of its own. */
const BY_TOOL: Readonly<Record<string, Rows>> = {
  Read: readRows,
  WebFetch: fetchRows,
  WebSearch: searchRows,
  Skill: skillRows,
  AskUserQuestion: questionRows,
  ExitPlanMode: planRows,
  ReportFindings: findingRows,
};
