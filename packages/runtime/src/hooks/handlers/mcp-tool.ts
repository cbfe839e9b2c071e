// An MCP tool hook: calls a tool of a connected server and reads its text like a command's output. Never starts a
// server or signs in.

import { isObject, type HookRun, type Json, type JsonObject, type McpToolHook } from "@keelson/protocol";
import { runWithTimeout, timeoutReport, type HandlerLimit } from "./timeout.ts";

/** Resolves to undefined if the server is not connected or has no such tool. */
export type CallMcpTool = (
  server: string,
  tool: string,
  input: JsonObject,
  signal: AbortSignal,
) => Promise<{ readonly text: string; readonly isError: boolean } | undefined> | undefined;

const MAX_TEXT = 1024 * 1024;
const MAX_ERROR = 500;

/** Never rejects. */
export async function runMcpToolHook(
  { server, tool, input: template = {} }: McpToolHook,
  input: JsonObject,
  call: CallMcpTool | undefined,
  limit: HandlerLimit,
): Promise<HookRun> {
  const started = performance.now();
  const end = (run: Omit<HookRun, "durationMs">): HookRun => ({ ...run, durationMs: performance.now() - started });
  const fail = (problem: string) => end({ outcome: "error", stdout: "", stderr: "", problem });
  try {
    const result = await runWithTimeout(limit, async (signal) =>
      call?.(server, tool, fillTemplate(template, input), signal),
    );
    if (result.ended !== "done") return end(timeoutReport(result.ended, limit));
    if (!result.value) return fail(`the MCP server "${server}" is not connected, or has no tool "${tool}"`);
    const { text, isError } = result.value;
    if (isError) return fail(`the tool "${tool}" of "${server}" failed: ${text.slice(0, MAX_ERROR)}`);
    // What is not read may be a no.
    if (text.length > MAX_TEXT)
      return { ...fail(`the tool "${tool}" of "${server}" answered with more than 1 MiB`), prevented: "unread" };
    return end({ outcome: "success", exitCode: 0, stdout: text, stderr: "" });
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    return fail(`the tool "${tool}" of "${server}" could not be called: ${why.slice(0, MAX_ERROR)}`);
  }
}

/** Replaces `${tool_input.command}` and the like with the event's values: strings as they are, others as JSON. */
function fillTemplate(template: JsonObject, event: JsonObject): JsonObject {
  const fill = (value: Json | undefined): Json | undefined => {
    if (typeof value === "string") return value.replace(/\$\{([^{}]+)\}/g, (_, path: string) => textAt(event, path));
    if (Array.isArray(value)) return value.map((each: Json) => fill(each) ?? null);
    if (!isObject(value)) return value;
    return Object.fromEntries(Object.entries(value as JsonObject).map(([key, each]) => [key, fill(each)]));
  };
  return fill(template) as JsonObject;
}

function textAt(event: JsonObject, path: string): string {
  let value: unknown = event;
  for (const key of path.trim().split(".")) {
    if (typeof value !== "object" || value === null || !Object.hasOwn(value, key)) return "";
    value = (value as Record<string, unknown>)[key];
  }
  if (value === undefined || value === null) return "";
  return typeof value === "string" ? value : JSON.stringify(value);
}
