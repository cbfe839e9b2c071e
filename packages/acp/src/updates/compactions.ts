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

  constructor({ capabilities, newId }: { readonly capabilities: ClientCapabilities; newId(): string }) {
    this.areShown = isObject(capabilities.session?.compaction);
    this.#newId = newId;
  }

  status({ status, compact_result: result, compact_error: error }: SystemMessage<"status">): CompactionUpdate[] {
    if (!this.areShown) return [];
    const running = this.#running;
    if (status === "compacting" && running === undefined) {
      this.#running = this.#newId();
      return [update(this.#running, { status: "in_progress" })];
    }
    if (result !== "failed" || running === undefined) return [];
    this.#running = undefined;
    return [update(running, { status: "failed", ...(error === undefined ? {} : { error }) })];
  }

  /** `id`: for one whose beginning was not seen. */
  done(id: string): CompactionUpdate[] {
    if (!this.areShown) return [];
    this.#done = this.#running ?? id;
    this.#running = undefined;
    return [update(this.#done, { status: "completed" })];
  }

  summary(text: string): CompactionUpdate[] {
    const id = this.#done;
    this.#done = undefined;
    if (id === undefined) return [];
    return [update(id, { status: "completed", summary: [{ type: "text", text: boundedText(text) }] })];
  }
}

const update = (
  compactionId: string,
  fields: Omit<CompactionUpdate, "sessionUpdate" | "compactionId">,
): CompactionUpdate => ({ sessionUpdate: "compaction_update", compactionId, ...fields });
