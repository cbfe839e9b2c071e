// Reports what a model would refuse in the messages of a request. Stricter than the API where that is cheap.

import { isObject } from "@keelson/protocol";

interface Message {
  readonly role: string;
  readonly content: string | readonly Record<string, unknown>[];
}

/** One sentence each; empty if the conversation is well formed. */
export function messageProblems(messages: readonly Message[]): string[] {
  const problems: string[] = [];
  if (messages[0]?.role !== "user") problems.push("the first message is not the user's");
  if (messages.at(-1)?.role !== "user") problems.push("the last message is not the user's");

  const made = new Set<unknown>();
  let open: readonly unknown[] = [];
  messages.forEach(({ role, content }, at) => {
    const blocks = typeof content === "string" ? [{ type: "text", text: content }] : content;
    const said = (what: string) => problems.push(`message ${at} (${role}) ${what}`);
    // A paused turn continues with a second reply in a row.
    if (role === "user" && messages[at - 1]?.role === "user") said("follows one of the same role");
    if (blocks.length === 0) said("is empty");
    if (blocks.some(isBlank)) said("has a blank text");
    if (role === "assistant" && THOUGHTS.has(blocks.at(-1)?.["type"])) said("ends in a thought");

    const results = blocks.filter(({ type }) => type === "tool_result").map((block) => block["tool_use_id"]);
    const leading = blocks.slice(0, results.length);
    if (leading.some(({ type }) => type !== "tool_result")) said("has something before its results");
    if (results.join() !== open.join()) said(`answers [${results.join()}] where [${open.join()}] was called`);

    const calls = blocks.filter(({ type }) => type === "tool_use");
    if (role === "user" && calls.length > 0) said("makes a call");
    if (calls.some(({ input }) => !isObject(input))) said("has a call without an input");
    open = calls.map(({ id }) => id);
    for (const id of open) {
      if (made.has(id)) said(`repeats call ${String(id)}`);
      made.add(id);
    }
  });
  if (open.length > 0) problems.push(`nobody answers [${open.join()}]`);
  return problems;
}

const THOUGHTS = new Set<unknown>(["thinking", "redacted_thinking"]);

/** A text the API refuses, on its own or inside a result. */
function isBlank({ type, text, content }: Record<string, unknown>): boolean {
  if (type === "tool_result" && Array.isArray(content)) return content.some(isBlank);
  return type === "text" && (typeof text !== "string" || text.trim() === "");
}
