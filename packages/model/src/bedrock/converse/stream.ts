// Turns the events of Converse into those of the Messages API: blocks one after another, however they arrive.

import {
  isObject,
  NO_USAGE,
  type BlockDelta,
  type ContentBlock,
  type StreamEvent,
  type Usage,
} from "@keelson/protocol";
import { newCallId } from "../../fit/ids.ts";
import type { FittedNames } from "../../fit/names.ts";
import { sealThinking } from "../../thinking-envelope.ts";
import { CONVERSE_API } from "./messages.ts";
import { converseUsage, usageEstimate } from "./usage.ts";

export interface ConverseContext {
  readonly id: string;
  readonly model: string;
  readonly names: FittedNames;
  /** Ids that the conversation has already. Grows. */
  readonly usedIds: Set<string>;
}

type Kind = "text" | "reasoning" | "redacted" | "call";

interface OpenBlock {
  readonly kind: Kind;
  readonly start: ContentBlock;
  /** Arrived, but not passed on: an earlier block is still open. */
  readonly held: BlockDelta[];
  signature: string;
  redacted: string;
  stopped: boolean;
}

const REASONS: ReadonlyMap<string, string> = new Map([
  ["max_tokens", "max_tokens"],
  ["content_filtered", "refusal"],
  ["guardrail_intervened", "refusal"],
  ["model_context_window_exceeded", "model_context_window_exceeded"],
]);

export class ConverseReply {
  readonly #context: ConverseContext;
  /** Blocks that are not finished, in the order of their start; only the first one is passed on. */
  readonly #open: OpenBlock[] = [];
  /** By the service's index: the block that gets its deltas. */
  readonly #byIndex = new Map<number, OpenBlock>();
  #started = false;
  #announced: OpenBlock | undefined;
  #next = 0;
  #calls = 0;
  #length = 0;
  #reason: string | undefined;
  #usage: Usage | undefined;

  constructor(context: ConverseContext) {
    this.#context = context;
  }

  /** The service told everything: `metadata` comes after the end of the message. */
  get isComplete(): boolean {
    return this.#reason !== undefined && this.#usage !== undefined;
  }

  /** The message ended, though perhaps without its usage. */
  get isEnded(): boolean {
    return this.#reason !== undefined;
  }

  /** The model's call could not be read by the service, and nothing is in use yet. */
  get isWorthAnother(): boolean {
    return (this.#reason ?? "").startsWith("malformed_") && this.#next === 0;
  }

  get hasStarted(): boolean {
    return this.#started;
  }

  *push(name: string, payload: unknown): Generator<StreamEvent> {
    const event = isObject(payload) ? payload : {};
    const place = event["contentBlockIndex"];
    const at = typeof place === "number" ? place : 0;
    switch (name) {
      case "messageStart":
        return yield* this.#start();
      case "contentBlockStart":
        yield* this.#start();
        return yield* this.#startBlock(at, isObject(event["start"]) ? event["start"] : {});
      case "contentBlockDelta":
        yield* this.#start();
        return yield* this.#delta(at, isObject(event["delta"]) ? event["delta"] : {});
      case "contentBlockStop":
        return yield* this.#stop(at);
      case "messageStop":
        this.#reason = textOf(event["stopReason"]) ?? "end_turn";
        return;
      case "metadata":
        this.#usage = converseUsage(event["usage"]);
    }
  }

  /** The end of the reply. `inputLength` is the text of the request, for an estimate if there is no usage. */
  *end(inputLength: () => number): Generator<StreamEvent> {
    yield* this.#start();
    for (const index of [...this.#byIndex.keys()]) yield* this.#stop(index);
    const stop_reason = this.#calls > 0 ? "tool_use" : (REASONS.get(this.#reason ?? "") ?? "end_turn");
    const usage = this.#usage ?? usageEstimate(inputLength(), this.#length);
    yield { type: "message_delta", delta: { stop_reason, stop_sequence: null }, usage };
    yield { type: "message_stop" };
  }

  *#start(): Generator<StreamEvent> {
    if (this.#started) return;
    this.#started = true;
    const { id, model } = this.#context;
    yield {
      type: "message_start",
      message: {
        id,
        type: "message",
        role: "assistant",
        model,
        content: [],
        stop_reason: null,
        stop_sequence: null,
        usage: NO_USAGE,
      },
    };
  }

  *#startBlock(at: number, { toolUse }: Readonly<Record<string, unknown>>): Generator<StreamEvent> {
    if (!isObject(toolUse)) return;
    const { usedIds, names } = this.#context;
    const given = toolUse["toolUseId"];
    const id = typeof given === "string" && given !== "" && !usedIds.has(given) ? given : newCallId();
    usedIds.add(id);
    this.#calls++;
    const name = names.in(textOf(toolUse["name"]) ?? "unknown");
    yield* this.#replace(at, "call", { type: "tool_use", id, name, input: {} });
  }

  *#delta(at: number, delta: Readonly<Record<string, unknown>>): Generator<StreamEvent> {
    const { text, toolUse, reasoningContent } = delta;
    if (typeof text === "string") return yield* this.#add(at, "text", text);
    if (isObject(toolUse)) {
      const { input } = toolUse;
      return yield* this.#add(at, "call", typeof input === "string" ? input : JSON.stringify(input ?? {}));
    }
    if (!isObject(reasoningContent)) return;
    const { text: thought, signature, redactedContent } = reasoningContent;
    if (typeof thought === "string") yield* this.#add(at, "reasoning", thought);
    if (typeof signature === "string") {
      if (this.#byIndex.get(at)?.kind !== "reasoning") yield* this.#replace(at, "reasoning", thinkingBlock());
      this.#byIndex.get(at)!.signature += signature;
    }
    if (typeof redactedContent === "string") {
      if (this.#byIndex.get(at)?.kind !== "redacted") yield* this.#replace(at, "redacted", thinkingBlock());
      this.#byIndex.get(at)!.redacted += redactedContent;
    }
  }

  /** Text and reasoning start with their first delta, and may follow each other under one index. */
  *#add(at: number, kind: "text" | "reasoning" | "call", piece: string): Generator<StreamEvent> {
    if (piece === "") return;
    this.#length += piece.length;
    if (this.#byIndex.get(at)?.kind !== kind) {
      // Arguments without a call say nothing.
      if (kind === "call") return;
      yield* this.#replace(at, kind, kind === "text" ? { type: "text", text: "" } : thinkingBlock());
    }
    const block = this.#byIndex.get(at)!;
    const delta: BlockDelta =
      kind === "text"
        ? { type: "text_delta", text: piece }
        : kind === "reasoning"
          ? { type: "thinking_delta", thinking: piece }
          : { type: "input_json_delta", partial_json: piece };
    if (block === this.#announced) yield { type: "content_block_delta", index: this.#next, delta };
    else block.held.push(delta);
  }

  *#replace(at: number, kind: Kind, start: ContentBlock): Generator<StreamEvent> {
    yield* this.#stop(at);
    const block: OpenBlock = { kind, start, held: [], signature: "", redacted: "", stopped: false };
    this.#byIndex.set(at, block);
    this.#open.push(block);
    yield* this.#flush();
  }

  *#stop(at: number): Generator<StreamEvent> {
    const block = this.#byIndex.get(at);
    if (!block) return;
    this.#byIndex.delete(at);
    block.stopped = true;
    yield* this.#flush();
  }

  /** Passes on the first open block, and every later one that is finished by then. */
  *#flush(): Generator<StreamEvent> {
    for (let first = this.#open[0]; first; first = this.#open[0]) {
      const index = this.#next;
      if (this.#announced !== first) {
        this.#announced = first;
        yield { type: "content_block_start", index, content_block: first.start };
        for (const delta of first.held.splice(0)) yield { type: "content_block_delta", index, delta };
      }
      if (!first.stopped) return;
      const delta = this.#stateOf(first);
      if (delta) yield { type: "content_block_delta", index, delta };
      yield { type: "content_block_stop", index };
      this.#open.shift();
      this.#next++;
    }
  }

  #stateOf({ kind, signature, redacted }: OpenBlock): BlockDelta | undefined {
    if (kind !== "reasoning" && kind !== "redacted") return undefined;
    const state = kind === "redacted" ? { redacted } : signature === "" ? {} : { signature };
    return {
      type: "signature_delta",
      signature: sealThinking({ api: CONVERSE_API, model: this.#context.model, ...state }),
    };
  }
}

const textOf = (value: unknown) => (typeof value === "string" && value !== "" ? value : undefined);

const thinkingBlock = (): ContentBlock => ({ type: "thinking", thinking: "", signature: "" });
