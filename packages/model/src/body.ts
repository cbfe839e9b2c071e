// The bytes of a request body. Put together from the remembered JSON of blocks and tools, so that what a turn costs
// hardly grows with the conversation behind it.

import { jsonOf, type JsonObject, type ModelMessage } from "@keelson/protocol";
import type { ModelRequest } from "@keelson/engine";

/** The body of `/v1/messages`. `extra` wins over the request's own fields, except over `stream`. */
export function bodyBytes(
  request: ModelRequest,
  options: { readonly stream: boolean; readonly extra?: JsonObject },
): Uint8Array<ArrayBuffer> {
  const { betas: _, model, messages, system, tools, ...rest } = request;
  const fields = new Map<string, readonly string[]>([["model", [JSON.stringify(model)]]]);
  fields.set("messages", listParts(messages, messageParts));
  if (system.length > 0)
    fields.set(
      "system",
      listParts(system, (block) => [jsonOf(block)]),
    );
  if (tools.length > 0)
    fields.set(
      "tools",
      listParts(tools, (tool) => [jsonOf(tool)]),
    );
  for (const [key, value] of [...Object.entries(rest), ...Object.entries(options.extra ?? {})])
    if (value !== undefined) fields.set(key, [JSON.stringify(value)]);
  fields.delete("stream");
  if (options.stream) fields.set("stream", ["true"]);

  const parts = ["{"];
  for (const [key, value] of fields) {
    if (parts.length > 1) parts.push(",");
    parts.push(`${JSON.stringify(key)}:`);
    for (const part of value) parts.push(part);
  }
  parts.push("}");
  return encode(parts);
}

/** The body of `/v1/messages/count_tokens`, which knows fewer fields. */
export function countBodyBytes({ model, messages, system, tools, thinking }: ModelRequest): Uint8Array<ArrayBuffer> {
  const request = { model, messages, system, tools, ...(thinking ? { thinking } : {}), betas: [] };
  return bodyBytes(request as unknown as ModelRequest, { stream: false });
}

function messageParts(message: ModelMessage): string[] {
  const { role, content } = message;
  if (typeof content === "string") return [jsonOf(message)];
  return [`{"role":"${role}","content":`, ...listParts(content, (block) => [jsonOf(block)]), "}"];
}

function listParts<T>(values: readonly T[], partsOf: (value: T) => readonly string[]): string[] {
  const parts = ["["];
  for (const value of values) {
    if (parts.length > 1) parts.push(",");
    for (const part of partsOf(value)) parts.push(part);
  }
  parts.push("]");
  return parts;
}

/** Written piece by piece into one buffer: joining 20 MB of text first takes twice as long. */
function encode(parts: readonly string[]): Uint8Array<ArrayBuffer> {
  let size = 0;
  for (const part of parts) size += Buffer.byteLength(part);
  const bytes = Buffer.allocUnsafeSlow(size);
  let at = 0;
  for (const part of parts) at += bytes.write(part, at);
  return bytes;
}
