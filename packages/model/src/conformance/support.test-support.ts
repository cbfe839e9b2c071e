// What the conformance suite needs to know about a dialect, and how it reads streams and continues conversations.

import { ModelError, type ModelEvent, type ModelRequest } from "@keelson/engine";
import {
  readField,
  tryParse,
  type BlockDelta,
  type ContentBlock,
  type JsonObject,
  type ModelMessage,
  type Usage,
} from "@keelson/protocol";
import type { DialectScript, DialectServer, DialectServerOptions } from "@keelson/testkit";
import type { ModelTraits } from "../dialect.ts";
import type { PlainProvider } from "../wrappers/retry.ts";
import type { Credentials } from "../http/server.ts";

/** A dialect and its strict server. */
export interface DialectUnderTest {
  readonly name: string;
  /** The id that requests use. */
  readonly model: string;
  /** Starts the server and makes a provider for it, with `SECRET` as its key. */
  start(script: DialectScript, options?: DialectServerOptions): Promise<StartedDialect>;
  /** What the server expects back for a thinking block. Absent if the dialect shows no thinking, or keeps no state. */
  readonly thinkingState?: (text: string, reply: number, block: number) => string;
  /** Cases that the dialect cannot express. */
  readonly lacks?: readonly Ability[];
}

export type Ability =
  /** Calls whose pieces arrive in turn. */
  | "interleaved calls"
  /** Arguments that are text, and so can be no JSON. */
  | "broken arguments"
  /** Replies without usage. */
  | "untold usage"
  /** Ids of calls. */
  | "call ids"
  /** Tokens written to the cache. */
  | "cache writes"
  /** A prompt directly after results: the assistant says something between. */
  | "prompts after results"
  | "images"
  | "documents"
  | "billing errors"
  | "timeouts";

export interface StartedDialect {
  readonly server: DialectServer;
  readonly provider: PlainProvider;
}

/** The key that no error may contain. */
export const SECRET = "sk-test-0123456789abcdef";

export const bearerCredentials: Credentials = {
  authorize: ({ headers }) => headers.set("authorization", `Bearer ${SECRET}`),
  secrets: () => [SECRET],
};

export const anyTraits: ModelTraits = {
  contextWindow: 100_000,
  maxTokens: 8_000,
  images: true,
  documents: true,
  thinking: "none",
  efforts: [],
  reasons: false,
};

/** Everything a stream brought. */
export interface Collected {
  readonly events: readonly ModelEvent[];
  /** Finished blocks. The input of a call is its text if that is no JSON. */
  readonly blocks: readonly any[];
  readonly stop: string | null;
  readonly usage: Partial<Usage>;
  readonly model: string;
  readonly callState: Readonly<Record<string, JsonObject>>;
  readonly losses: readonly string[];
  readonly error?: ModelError;
  /** What is wrong with the order of the events. */
  readonly problems: readonly string[];
}

export async function collect(
  provider: PlainProvider,
  request: ModelRequest,
  { how = "stream", signal = new AbortController().signal }: { how?: "stream" | "plain"; signal?: AbortSignal } = {},
): Promise<Collected> {
  const events: ModelEvent[] = [];
  try {
    for await (const event of provider[how](request, signal)) events.push(event);
  } catch (error) {
    if (!(error instanceof ModelError)) throw error;
    return { ...summary(events), error };
  }
  const done = summary(events);
  return events.at(-1)?.type === "message_stop" ? done : { ...done, problems: [...done.problems, "no message_stop"] };
}

function summary(events: readonly ModelEvent[]): Collected {
  const blocks: any[] = [];
  const problems: string[] = [];
  const losses: string[] = [];
  const callState: Record<string, JsonObject> = {};
  let open: { readonly index: number; readonly block: ContentBlock; readonly deltas: BlockDelta[] } | undefined;
  let next = 0;
  let stop: string | null = null;
  let model = "";
  let usage: Partial<Usage> = {};
  let started = false;
  for (const event of events) {
    if (event.type === "notice") {
      if (event.notice.type === "loss") losses.push(event.notice.text);
      continue;
    }
    if (event.type === "ping") continue;
    if ((event.type === "message_start") === started) problems.push(`${event.type} is out of place`);
    if (event.type === "message_start") {
      started = true;
      ({ model, usage } = event.message);
    } else if (event.type === "content_block_start") {
      if (open || event.index !== next) problems.push(`block ${event.index} starts out of place`);
      next++;
      open = { index: event.index, block: event.content_block, deltas: [] };
      if (event.callState) callState[String(readField(event.content_block, "id"))] = event.callState;
    } else if (event.type === "content_block_delta") {
      if (open?.index === event.index) open.deltas.push(event.delta);
      else problems.push(`a delta of block ${event.index} is out of place`);
    } else if (event.type === "content_block_stop") {
      if (open?.index === event.index) blocks.push(assembled(open.block, open.deltas));
      else problems.push(`block ${event.index} ends out of place`);
      open = undefined;
    } else if (event.type === "message_delta") {
      if (open) problems.push("message_delta inside a block");
      stop = event.delta.stop_reason;
      usage = { ...usage, ...event.usage };
    } else if (stop === null) problems.push("no stop reason");
  }
  return { events, blocks, stop, usage, model, callState, losses, problems };
}

function assembled(start: any, deltas: readonly BlockDelta[]): object {
  const joined = (type: BlockDelta["type"], key: string) =>
    deltas.flatMap((delta) => (delta.type === type ? [Reflect.get(delta, key) as string] : [])).join("");
  if (start.type === "text") return { ...start, text: start.text + joined("text_delta", "text") };
  if (start.type === "thinking") {
    const signature = joined("signature_delta", "signature") || start.signature;
    return { ...start, thinking: start.thinking + joined("thinking_delta", "thinking"), signature };
  }
  if (start.type !== "tool_use") return start;
  const json = joined("input_json_delta", "partial_json");
  return { ...start, input: json === "" ? start.input : (tryParse(json) ?? json) };
}

/** The conversation after a reply and the results of its calls. */
export function continued(request: ModelRequest, reply: Collected, results: readonly ContentBlock[]): ModelRequest {
  const { blocks, model, callState } = reply;
  const said: ModelMessage = { role: "assistant", content: blocks, reply: { model, callState } };
  return { ...request, messages: [...request.messages, said, { role: "user", content: results }] };
}

export const PNG = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
export const PDF = Buffer.from("%PDF-1.4 nothing").toString("base64");

export const image: ContentBlock = { type: "image", source: { type: "base64", media_type: "image/png", data: PNG } };
export const pdf: ContentBlock = {
  type: "document",
  source: { type: "base64", media_type: "application/pdf", data: PDF },
};
