// Writes the calls of a reply as blocks: gives each an id and the full name of its tool, and splits calls that a model
// put into one. Pure apart from new ids.

import { isObject, tryParse, type JsonObject } from "@keelson/protocol";
import { newCallId } from "../../fit/ids.ts";
import { MAX_BLOCKS, tooManyBlocks } from "../../wrappers/bounds.ts";
import type { FittedNames } from "../../fit/names.ts";
import { ArgumentsReader, argumentsText } from "./arguments.ts";
import type { BlockQueue, QueuedBlock } from "./block-queue.ts";

export interface CallWriterOptions {
  readonly names: FittedNames;
  /** Ids that are taken. New ones are added. */
  readonly ids: Set<string>;
}

/** A name that OpenAI's models make up when they want several calls at once. */
const PARALLEL = /^multi_tool_use[._]parallel$/;

export class CallWriter {
  readonly #queue: BlockQueue;
  readonly #options: CallWriterOptions;
  #count = 0;
  #characters = 0;

  constructor(queue: BlockQueue, options: CallWriterOptions) {
    this.#queue = queue;
    this.#options = options;
  }

  get count(): number {
    return this.#count;
  }

  /** Characters of names and arguments, for estimates. */
  get characters(): number {
    return this.#characters;
  }

  /** Throws ModelError if there are too many: each one is a block, an entry and a result. */
  start(id: string | undefined, name: string, callState?: JsonObject): OpenCall {
    if (++this.#count > MAX_BLOCKS) throw tooManyBlocks();
    this.#characters += name.length;
    const known = this.#options.names.in(name);
    if (known === name && PARALLEL.test(name)) return new ParallelCall(this);
    const block = this.#queue.open(
      { type: "tool_use", id: this.#ownId(id), name: withoutPrefix(known, this.#options.names), input: {} },
      callState,
    );
    const startNext = (rest: string) => {
      const next = this.start(undefined, name);
      next.add(rest);
      return next;
    };
    return new SingleCall(block, startNext, (size) => void (this.#characters += size));
  }

  #ownId(id: string | undefined): string {
    const { ids } = this.#options;
    const own = id && !ids.has(id) ? id : newCallId();
    ids.add(own);
    return own;
  }
}

export interface OpenCall {
  /** Adds a piece. */
  add(piece: string): void;
  finish(): void;
  readonly isFinished: boolean;
}

class SingleCall implements OpenCall {
  readonly #reader = new ArgumentsReader();
  readonly #block: QueuedBlock;
  readonly #startNext: (rest: string) => OpenCall;
  readonly #count: (size: number) => void;
  #next: OpenCall | undefined;

  constructor(block: QueuedBlock, startNext: (rest: string) => OpenCall, count: (size: number) => void) {
    this.#block = block;
    this.#startNext = startNext;
    this.#count = count;
  }

  get isFinished(): boolean {
    return this.#block.isFinished && (this.#next?.isFinished ?? true);
  }

  add(piece: string): void {
    if (this.#next) return this.#next.add(piece);
    this.#count(piece.length);
    if (this.#block.isFinished) {
      const rest = piece.trimStart();
      if (rest.startsWith("{")) this.#next = this.#startNext(rest);
      return;
    }
    const { text, isComplete, rest } = this.#reader.push(piece);
    if (text !== "") this.#block.add({ type: "input_json_delta", partial_json: text });
    if (!isComplete) return;
    this.#block.finish();
    if (rest !== "") this.#next = this.#startNext(rest);
  }

  finish(): void {
    if (!this.#block.isFinished) {
      const text = this.#reader.end();
      if (text !== "") this.#block.add({ type: "input_json_delta", partial_json: text });
      this.#block.finish();
    }
    this.#next?.finish();
  }
}

/** One call that contains others. */
class ParallelCall implements OpenCall {
  readonly #writer: CallWriter;
  #text = "";
  isFinished = false;

  constructor(writer: CallWriter) {
    this.#writer = writer;
  }

  add(piece: string): void {
    this.#text += piece;
  }

  finish(): void {
    if (this.isFinished) return;
    this.isFinished = true;
    const value = tryParse(this.#text);
    const uses = isObject(value) && Array.isArray(value["tool_uses"]) ? value["tool_uses"] : [];
    for (const use of uses) {
      if (!isObject(use) || typeof use["recipient_name"] !== "string") continue;
      const call = this.#writer.start(undefined, use["recipient_name"]);
      call.add(argumentsText(use["parameters"]));
      call.finish();
    }
  }
}

/** Models write `functions.Read` for `Read`. */
function withoutPrefix(name: string, names: FittedNames): string {
  const bare = /^functions[.:](.+)$/.exec(name)?.[1];
  return bare === undefined ? name : names.in(bare);
}
