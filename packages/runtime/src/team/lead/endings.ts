// What a member leaves behind when it ends: its tasks are free again, and the lead is told.

import { TEAM_LEAD } from "@keelson/store/team";
import type { Storage } from "../../session/storage.ts";
import { entryOf, mailText } from "../messages.ts";
import { post, type TeamFiles } from "../team-world.ts";

/** How often to try to write it down, once a second: a full disk may have room again. */
const MOST_ATTEMPTS = 30;
const PAUSE_MS = 1_000;

interface MemberEndingsParts {
  readonly files: TeamFiles;
  readonly storage: Storage;
  /** The lead ends the team. */
  isClosed(): boolean;
  /** Its process has ended. */
  ends(name: string): void;
  /** From now on, another can have the name. */
  gone(name: string): void;
  /** There may be news for the lead. */
  look(): Promise<void>;
  /** An ending began or is over. */
  changed(): void;
  complain(error: unknown): void;
}

export class MemberEndings {
  readonly #parts: MemberEndingsParts;
  readonly #open = new Set<Promise<void>>();

  constructor(parts: MemberEndingsParts) {
    this.#parts = parts;
  }

  get areOpen(): boolean {
    return this.#open.size > 0;
  }

  settled(): Promise<unknown> {
    return Promise.all(this.#open);
  }

  /** The process of a member has ended; `how` is a sentence. */
  begin(name: string, how: string): void {
    const ending = this.#tidyUp(name, how);
    this.#open.add(ending);
    this.#parts.changed();
    void ending.finally(() => {
      this.#open.delete(ending);
      this.#parts.changed();
    });
  }

  async #tidyUp(name: string, how: string): Promise<void> {
    this.#parts.ends(name);
    for (let attempt = 1; ; attempt++) {
      try {
        return await this.#writeDown(name, how);
      } catch (error) {
        if (attempt === MOST_ATTEMPTS || this.#parts.isClosed()) return this.#giveUp(name, how, error);
        await Bun.sleep(PAUSE_MS);
      }
    }
  }

  async #writeDown(name: string, how: string): Promise<void> {
    const { files, storage, isClosed, gone, look } = this.#parts;
    const asked = files.file.read()?.members.find((member) => member.name === name)?.ended === "stopped";
    await files.file.changeMember(name, { isActive: false, ended: asked || isClosed() ? "stopped" : "crashed" });
    const free = await files.tasks.release(name);
    gone(name);
    if (isClosed()) return;
    const unread = files.boxes.unread(name);
    const hasMore = files.boxes.unread(name, new Set(unread.map(({ id }) => id))).length > 0;
    const text = [
      asked ? `${name} has ended, as asked.` : `${name} has crashed. ${how}.`,
      ...(free.length > 0
        ? [`Unassigned again: ${free.map(({ id, subject }) => `#${id} ${subject}`).join(", ")}.`]
        : []),
      ...(unread.length > 0 ? [`It has not read ${hasMore ? "more than " : ""}${unread.length} of its messages.`] : []),
      ...(asked ? [] : ["To replace it, start a teammate with the same name; it gets the messages."]),
    ].join(" ");
    const problem = await post(files, storage, TEAM_LEAD, { from: name, text: terminated(text) });
    if (problem !== undefined) this.#tell(name, text);
    await look();
  }

  /** What cannot be written must not end the session, nor let it wait for one that is gone. */
  #giveUp(name: string, how: string, error: unknown): void {
    const { gone, complain, isClosed } = this.#parts;
    gone(name);
    complain(error);
    if (isClosed()) return;
    this.#tell(name, `${name} has ended. ${how}. Its tasks could not be unassigned: ${(error as Error).message}`);
  }

  /** Without its mailbox. */
  #tell(name: string, text: string): void {
    const { storage } = this.#parts;
    const entry = entryOf(storage.newId(), mailText({ from: name, text: terminated(text) }));
    storage.inbox.notify(entry, { wakes: true });
  }
}

const terminated = (message: string) => JSON.stringify({ type: "teammate_terminated", message });
