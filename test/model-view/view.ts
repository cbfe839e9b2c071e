// What a model gets, as text for people: a request with its bytes by section, or the results of calls. What differs from
// run to run is replaced, so that a change to a text is all that a comparison shows.

import { release } from "node:os";
import type { RecordedRequest, TemporaryHome } from "@keelson/testkit";

export interface Sections {
  readonly system: number;
  readonly tools: number;
  readonly messages: number;
  readonly total: number;
}

type Body = RecordedRequest["body"];

/** Everything that the model reads of a request, in bytes of its JSON. */
export function bytesOf(body: Body): Sections {
  const size = (part: unknown) => Buffer.byteLength(JSON.stringify(part ?? []));
  const [system, tools, messages] = [size(body.system), size(body.tools), size(body.messages)];
  return { system, tools, messages, total: size(body) };
}

/** The request; of its messages, those from `from` on. */
export function viewOf(body: Body, { from = 0 }: { readonly from?: number } = {}): string {
  const { system, tools, messages, total } = bytesOf(body);
  return [
    `${total} bytes: system ${system}, tools ${tools}, messages ${messages}`,
    ...(from > 0 ? [] : [`=== system`, ...body.system.map(({ text }: any) => text)]),
    `=== tools`,
    ...(body.tools ?? []).map(
      (tool: any) => `${String(Buffer.byteLength(JSON.stringify(tool))).padStart(5)} ${tool.name}`,
    ),
    `=== messages${from > 0 ? ` from ${from}` : ""}`,
    ...body.messages.slice(from).map(messageText),
  ].join("\n");
}

/** Each tool with its description and its fields. */
export const toolTexts = (body: Body): string =>
  body.tools
    .map(
      ({ name, description, input_schema }: any) =>
        `=== ${name}\n${description.trim()}\n${JSON.stringify(input_schema)}`,
    )
    .join("\n");

export function messageText({ role, content }: any): string {
  const blocks = typeof content === "string" ? [{ type: "text", text: content }] : content;
  return [`--- ${role}`, ...blocks.map(blockText)].join("\n");
}

export function blockText(block: any): string {
  if (block.type === "text") return block.text;
  if (block.type === "tool_use") return `${block.name} ${JSON.stringify(block.input)}`;
  if (block.type !== "tool_result") return `[${block.type}]`;
  const text = typeof block.content === "string" ? block.content : block.content.map(blockText).join("\n");
  return `${block.is_error ? "failed" : "result"}: ${text}`;
}

/** The same on every machine and every day. */
export function stable<T>(value: T, home: TemporaryHome): T {
  const slug = home.project.replace(/[^a-zA-Z0-9]/g, "-");
  const text = JSON.stringify(value)
    .replaceAll(slug, "SLUG")
    .replaceAll(home.root, "/ROOT")
    .replaceAll(release(), "OS")
    .replace(/\b\d{4}-\d\d-\d\d\b/g, "DATE")
    .replace(/\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b/g, "UUID")
    .replace(/\ba[0-9a-f]{16}\b/g, "AGENT")
    .replace(/(duration_ms|tool_uses|subagent_tokens): \d+/g, "$1: N")
    .replace(/\/plans\/[a-z-]+\.md/g, "/plans/PLAN.md");
  return JSON.parse(text) as T;
}
