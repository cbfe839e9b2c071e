// Builds request bodies. A request usually starts with the same messages as the one before, so their bytes are kept and
// only new messages are written: the cost of a turn does not grow with the conversation.

import { jsonOf, type JsonObject, type ModelMessage } from "@keelson/protocol";
import type { ModelRequest } from "@keelson/engine";

/** A body to send. After dispose, the next body may overwrite its bytes. */
export interface MessagesBody extends Disposable {
  readonly bytes: Uint8Array<ArrayBuffer>;
}

export interface BodyOptions extends BodyChanges {
  readonly stream: boolean;
}

/** How a server's body differs from the API's own. */
export interface BodyChanges {
  /** Fields that the server does not accept. */
  readonly omit?: readonly string[];
  /** Overrides the request's own fields, except `messages` and `stream`. */
  readonly extra?: JsonObject;
}

export class BodyPool {
  #free: ReusableBody | undefined;

  /** The body for `/v1/messages`. Bodies in use at the same time never share bytes. */
  lease(request: ModelRequest, options: BodyOptions): MessagesBody {
    const kept = this.#free ?? new ReusableBody();
    this.#free = undefined;
    const bytes = kept.write(replaceLoneSurrogates(headText(request, options)), request.messages);
    return { bytes, [Symbol.dispose]: () => void (this.#free = kept) };
  }
}

/** The body for `/v1/messages/count_tokens`, which accepts fewer fields. */
export function countTokensBody(
  { model, messages, system, tools, thinking }: ModelRequest,
  changes: BodyChanges = {},
): Uint8Array<ArrayBuffer> {
  const request = { model, messages, system, tools, ...(thinking ? { thinking } : {}) };
  return new ReusableBody().write(replaceLoneSurrogates(headText(request, { ...changes, stream: false })), messages);
}

/** Everything before the messages, which come last. */
function headText(
  request: Partial<ModelRequest> & Pick<ModelRequest, "system" | "tools">,
  options: BodyOptions,
): string {
  const { betas: _, agent: __, messages: ___, system, tools: own, serverTools = [], ...rest } = request;
  const tools = [...own, ...serverTools];
  const fields = new Map<string, string>();
  for (const [key, value] of Object.entries(rest)) if (value !== undefined) fields.set(key, JSON.stringify(value));
  if (system.length > 0) fields.set("system", `[${system.map(jsonOf).join(",")}]`);
  if (tools.length > 0) fields.set("tools", `[${tools.map(jsonOf).join(",")}]`);
  for (const key of options.omit ?? []) fields.delete(key);
  for (const [key, value] of Object.entries(options.extra ?? {}))
    if (value !== undefined) fields.set(key, JSON.stringify(value));
  fields.delete("messages");
  fields.delete("stream");
  if (options.stream) fields.set("stream", "true");
  return `{${Array.from(fields, ([key, text]) => `${JSON.stringify(key)}:${text},`).join("")}"messages":[`;
}

const END = "]}";

class ReusableBody {
  #buffer = Buffer.allocUnsafeSlow(0);
  #head = "";
  #messages: readonly ModelMessage[] = [];
  /** The offset where each message starts; the last entry is where the last message ends. */
  #ends: number[] = [];

  write(head: string, messages: readonly ModelMessage[]): Uint8Array<ArrayBuffer> {
    const same = head === this.#head ? commonStart(messages, this.#messages) : 0;
    const fresh = messages.slice(same).map((message, index) => messageParts(message, same + index === 0));
    const used = head === this.#head ? this.#ends[same]! : 0;
    this.#reserve(used, byteLength([head, END]) + fresh.reduce((sum, parts) => sum + byteLength(parts), 0));

    this.#ends.length = same + 1;
    if (head !== this.#head) this.#ends = [this.#write(0, [head])];
    for (const parts of fresh) this.#ends.push(this.#write(this.#ends.at(-1)!, parts));
    this.#head = head;
    this.#messages = messages;
    return this.#buffer.subarray(0, this.#write(this.#ends.at(-1)!, [END]));
  }

  #write(at: number, parts: readonly string[]): number {
    for (const part of parts) at += this.#buffer.write(part, at);
    return at;
  }

  #reserve(used: number, more: number): void {
    if (used + more <= this.#buffer.length) return;
    const larger = Buffer.allocUnsafeSlow(Math.max(used + more, Math.floor(this.#buffer.length * 1.5)));
    this.#buffer.copy(larger, 0, 0, used);
    this.#buffer = larger;
  }
}

function commonStart(a: readonly ModelMessage[], b: readonly ModelMessage[]): number {
  const shorter = Math.min(a.length, b.length);
  for (let index = 0; index < shorter; index++) if (a[index] !== b[index]) return index;
  return shorter;
}

function messageParts(message: ModelMessage, isFirst: boolean): string[] {
  const { role, content } = message;
  const parts = isFirst ? [] : [","];
  if (typeof content === "string") return [...parts, replaceLoneSurrogates(jsonOf(message))];
  parts.push(`{"role":"${role}","content":[`);
  for (const [index, block] of content.entries())
    parts.push(index === 0 ? "" : ",", replaceLoneSurrogates(jsonOf(block)));
  parts.push("]}");
  return parts;
}

const ESCAPE = /\\(u[dD][89aAbB][\da-fA-F]{2}\\u[dD][c-fC-F][\da-fA-F]{2}|u[dD][89a-fA-F][\da-fA-F]{2}|[^])/g;
const LONE_SURROGATE = 5;

/** For JSON text. The API rejects a request with a lone surrogate, and would reject every later one too. */
export function replaceLoneSurrogates(json: string): string {
  if (!json.includes("\\ud") && !json.includes("\\uD")) return json;
  return json.replace(ESCAPE, (escape, what: string) => (what.length === LONE_SURROGATE ? "\\ufffd" : escape));
}

function byteLength(parts: readonly string[]): number {
  let size = 0;
  for (const part of parts) size += Buffer.byteLength(part);
  return size;
}
