// What is shown inside a call: how it changes files, what it printed, what its subagent does.

import { resolve } from "node:path";
import { callLine, isAgentCall, patchOfResult, textsOfHunk, type AgentCall, type CallItem } from "@keelson/client";
import { blocksOf, isList, isObject, type ContentBlock, type FilePatch, type JsonObject } from "@keelson/protocol";
import type { ContentPart, ToolCallContent } from "../schema/types.ts";
import { boundedText } from "./bounded.ts";
import { fencedText } from "./fence.ts";

export const textContent = (text: string): ToolCallContent => ({ type: "content", content: { type: "text", text } });

/** One diff for each place that changes: the texts stand in the old file and in the new one. */
export function diffsOf({ path, isNew, hunks }: FilePatch, cwd: string, whole?: string): readonly ToolCallContent[] {
  const absolute = resolve(cwd, path);
  if (isNew) {
    const newText = whole ?? hunks.map((hunk) => textsOfHunk(hunk).newText).join("\n");
    return [{ type: "diff", path: absolute, oldText: null, newText }];
  }
  return hunks.map((hunk) => ({ type: "diff", path: absolute, ...textsOfHunk(hunk) }));
}

/** Before a call ran: what its input says that it will do. */
export function plannedContent(name: string, input: JsonObject, cwd: string): readonly ToolCallContent[] {
  if (name === "ExitPlanMode") return typeof input["plan"] === "string" ? [textContent(input["plan"])] : [];
  const path = input["file_path"];
  if (typeof path !== "string" || path === "") return [];
  const edits: readonly unknown[] = name === "MultiEdit" && Array.isArray(input["edits"]) ? input["edits"] : [input];
  return edits.flatMap((edit): ToolCallContent[] => {
    const { old_string: oldText, new_string: newText } = isObject(edit) ? edit : {};
    // Without an old text it is a new file, or an error: the patch will tell.
    if (typeof oldText !== "string" || typeof newText !== "string" || oldText === "") return [];
    return [{ type: "diff", path: resolve(cwd, path), oldText, newText }];
  });
}

/** Whose results are written for people to read. */
const MARKDOWN = new Set(["Agent", "Task", "WebFetch", "WebSearch", "ExitPlanMode", "AskUserQuestion", "Skill"]);

/** After a call. `blocks`: of its result. The patch of an edit is all there is to show. */
export function resultContent(
  item: CallItem,
  blocks: readonly ContentBlock[],
  cwd: string,
): readonly ToolCallContent[] {
  const { name, input, result, state, denied } = item;
  if (state === "interrupted" && result === undefined) return [textContent("Stopped before it was done")];
  if (state === "denied") return [textContent(denied ?? result?.text ?? "Not allowed")];
  if (result === undefined) return [];
  if (!result.isError) {
    const patch = patchOfResult(input, result.output);
    const whole = input["content"];
    if (patch) return diffsOf(patch, cwd, typeof whole === "string" ? whole : undefined);
    const plan = name === "ExitPlanMode" && isObject(result.output) ? result.output["plan"] : undefined;
    if (typeof plan === "string") return [textContent(plan)];
    const report = isAgentCall(name) ? agentReport(result.output) : undefined;
    if (report !== undefined) return [textContent(boundedText(report))];
  }
  const text = boundedText(result.text.trimEnd());
  const asText = MARKDOWN.has(name) && !result.isError ? text : fencedText(text);
  return [...(text === "" ? [] : [textContent(asText)]), ...blocks.flatMap(imageContent)];
}

/** The final report of a subagent, without what is added for the model. */
function agentReport(output: unknown): string | undefined {
  const content = isObject(output) ? output["content"] : undefined;
  if (!isList(content)) return undefined;
  const texts = content.flatMap((block) =>
    isObject(block) && typeof block["text"] === "string" ? [block["text"].trimEnd()] : [],
  );
  return texts.length === 0 ? undefined : texts.join("\n");
}

const imageContent = (block: ContentBlock): ToolCallContent[] => {
  const content = imagePart(block);
  return content ? [{ type: "content", content }] : [];
};

export function imagePart(block: ContentBlock): ContentPart | undefined {
  const source: unknown = block.type === "image" ? Reflect.get(block, "source") : undefined;
  const { data, media_type: mimeType } = isObject(source) ? source : {};
  return typeof data === "string" && typeof mimeType === "string" ? { type: "image", data, mimeType } : undefined;
}

/** What a subagent has done so far: its steps, and the last line that it wrote. */
export function agentContent(item: CallItem, lastLine: string | undefined): readonly ToolCallContent[] {
  const { agent } = item;
  if (agent === undefined) return [];
  const earlier = agent.seen - agent.calls.length;
  const lines = [
    ...(earlier > 0 ? [`… ${earlier} earlier`] : []),
    ...agent.calls.flatMap((call) => stepLines(call, "")),
  ];
  return [
    ...(lines.length === 0 ? [] : [textContent(fencedText(lines.join("\n")))]),
    ...(lastLine === undefined ? [] : [textContent(lastLine)]),
  ];
}

const MARKS = { running: "…", done: "✓", failed: "✗" } as const;

function stepLines(call: AgentCall, indent: string): string[] {
  const line = titleLine(callLine(call, call.label));
  return [
    `${indent}${MARKS[call.state]} ${line}`,
    ...(call.run?.calls ?? []).flatMap((inner) => stepLines(inner, `${indent}  `)),
  ];
}

const MOST_TITLE = 240;

export function titleLine(text: string): string {
  const line = text.replace(/\s+/g, " ").trim();
  return line.length > MOST_TITLE ? `${line.slice(0, MOST_TITLE)}…` : line;
}

/** The blocks of the result of a call. */
export function resultBlocks(content: Parameters<typeof blocksOf>[0], callId: string): readonly ContentBlock[] {
  const result = blocksOf(content).find(
    (block) => block.type === "tool_result" && Reflect.get(block, "tool_use_id") === callId,
  );
  const inner: unknown = result === undefined ? undefined : Reflect.get(result, "content");
  return Array.isArray(inner) ? inner.filter((block): block is ContentBlock => isObject(block)) : [];
}

/** Where a file changed first. */
export function firstLine({ result }: CallItem): number | undefined {
  const output = result?.output;
  const hunks = isObject(output) ? output["structuredPatch"] : undefined;
  const first: unknown = Array.isArray(hunks) ? hunks[0] : undefined;
  const line = isObject(first) ? first["newStart"] : undefined;
  return Number.isInteger(line) && Number(line) > 0 ? Number(line) : undefined;
}
