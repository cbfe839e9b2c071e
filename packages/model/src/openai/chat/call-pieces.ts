// Tells which call a streamed piece belongs to. Servers disagree about `index`, `id` and `name`: each may be missing,
// empty, repeated or always the same. Pure.

import { isObject } from "@keelson/protocol";
import { MAX_BLOCKS, tooManyBlocks } from "../../wrappers/bounds.ts";
import { argumentsText } from "../shared/arguments.ts";
import type { CallWriter, OpenCall } from "../shared/call-writer.ts";

interface Known {
  id: string | undefined;
  name: string | undefined;
  /** Absent until the name is known. */
  call: OpenCall | undefined;
  /** Arguments that came before the name. */
  early: string;
}

export class CallPieces {
  readonly #writer: CallWriter;
  readonly #known: Known[] = [];
  readonly #byIndex = new Map<number, Known>();

  constructor(writer: CallWriter) {
    this.#writer = writer;
  }

  add(piece: Record<string, unknown>): void {
    const called = isObject(piece["function"]) ? piece["function"] : {};
    const id = textOrNothing(piece["id"]);
    const name = textOrNothing(called["name"]);
    const index = typeof piece["index"] === "number" ? piece["index"] : undefined;
    const text = argumentsText(called["arguments"]);
    const known = this.#find(id, name, index) ?? this.#start(index);
    known.id ??= id;
    known.name ??= name;
    if (!known.call && known.name !== undefined) {
      known.call = this.#writer.start(known.id, known.name);
      if (known.early !== "") known.call.add(known.early);
    }
    if (text === "") return;
    if (known.call) known.call.add(text);
    else known.early += text;
  }

  finish(): void {
    for (const known of this.#known) {
      known.call ??= this.#writer.start(known.id, "");
      known.call.finish();
    }
  }

  #find(id: string | undefined, name: string | undefined, index: number | undefined): Known | undefined {
    const here = index === undefined ? undefined : this.#byIndex.get(index);
    if (id !== undefined) {
      const same = this.#known.find((known) => known.id === id);
      // Some servers give all calls the same id; then only a new index tells them apart.
      const isAnother = name !== undefined && index !== undefined && here !== same;
      if (same) return isAnother ? undefined : same;
      // The id of a call whose first piece came without one.
      return here && here.id === undefined && (name === undefined || here.name === undefined) ? here : undefined;
    }
    if (name !== undefined) {
      // The name is repeated in every piece; but a call that is complete, or of another tool, is over.
      return here && (here.name ?? name) === name && !here.call?.isFinished ? here : undefined;
    }
    return here ?? this.#known.at(-1);
  }

  #start(index: number | undefined): Known {
    if (this.#known.length >= MAX_BLOCKS) throw tooManyBlocks();
    const known: Known = { id: undefined, name: undefined, call: undefined, early: "" };
    this.#known.push(known);
    if (index !== undefined) this.#byIndex.set(index, known);
    return known;
  }
}

/** Empty means absent. */
const textOrNothing = (value: unknown) => (typeof value === "string" && value !== "" ? value : undefined);
