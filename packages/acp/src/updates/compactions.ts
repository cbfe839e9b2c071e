// Compactions of the conversation, for editors that show them.

import { isObject, type SystemMessage } from "@keelson/protocol";
import type { ClientCapabilities, SessionUpdate } from "../schema/types.ts";
import { boundedText } from "./bounded.ts";

type CompactionUpdate = SessionUpdate<"compaction_update">;

export class Compactions {
  readonly areShown: boolean;
  readonly #newId: () => string;
  #running: string | undefined;
  /** The summary that follows is of this one. */
  #done: string | undefined;
  /** Read from a transcript, in which the command comes after the compaction it asked for. */
  #held: CompactionUpdate[] | undefined;

  constructor({ capabilities, newId }: { readonly capabilities: ClientCapabilities; newId(): string }) {
    this.areShown = isObject(capabilities.session?.compaction);
    this.#newId = newId;
  }

  status(message: SystemMessage<"status">): CompactionUpdate[] {
    const { status, compact_boundary_uuid: id, compact_result: result, compact_error: error } = message;
    if (!this.areShown) return [];
    const running = this.#running;
    if (status === "compacting" && running === undefined) {
      this.#running = id ?? this.#newId();
      return [update(this.#running, { status: "in_progress" })];
    }
    if (result !== "failed" || running === undefined) return [];
    this.#running = undefined;
    return [update(running, { status: "failed", ...(error === undefined ? {} : { error }) })];
  }

  done({ uuid, compact_metadata: metadata }: SystemMessage<"compact_boundary">): CompactionUpdate[] {
    if (!this.areShown) return [];
    if (this.#running === undefined && metadata?.trigger === "manual") this.#held = [];
    this.#done = this.#running ?? uuid;
    this.#running = undefined;
    return this.#orHeld(update(this.#done, { status: "completed" }));
  }

  summary(text: string): CompactionUpdate[] {
    const id = this.#done;
    this.#done = undefined;
    if (id === undefined) return [];
    return this.#orHeld(update(id, { status: "completed", summary: [{ type: "text", text: boundedText(text) }] }));
  }

  /** To be shown behind the command if that is what comes next, otherwise before what comes next. */
  takeHeld(): readonly CompactionUpdate[] {
    const held = this.#held ?? [];
    this.#held = undefined;
    return held;
  }

  #orHeld(made: CompactionUpdate): CompactionUpdate[] {
    if (this.#held === undefined) return [made];
    this.#held.push(made);
    return [];
  }
}

const update = (
  compactionId: string,
  fields: Omit<CompactionUpdate, "sessionUpdate" | "compactionId">,
): CompactionUpdate => ({ sessionUpdate: "compaction_update", compactionId, ...fields });
