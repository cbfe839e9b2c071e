// Keeps the lead's session open while the team works, or while the lead has not heard everything.

import { freeTasks } from "@keelson/store/task-list";
import type { TeamMember } from "@keelson/store/team";
import type { Inbox } from "../../stream/inbox.ts";
import type { TeamFiles } from "../team-world.ts";

interface SessionHoldParts {
  readonly files: TeamFiles;
  readonly inbox: Inbox;
  /** The members that run or are being started, except those whose plan waits for the lead. */
  atWork(): readonly TeamMember[];
  /** Whether there is news that the lead has not heard. */
  owesNews(): boolean;
  /** Whether there is news that can wait while others work. */
  hasRoutine(): boolean;
}

export class SessionHold {
  readonly #parts: SessionHoldParts;
  #release: (() => void) | undefined;

  constructor(parts: SessionHoldParts) {
    this.#parts = parts;
  }

  /** Call when anything changed. */
  update(): void {
    const { inbox, owesNews, hasRoutine } = this.#parts;
    const isBusy = this.#isBusy();
    if (!isBusy && hasRoutine()) inbox.wake();
    if (isBusy || owesNews()) this.#release ??= inbox.hold();
    else this.end();
  }

  /** The team is over. */
  end(): void {
    this.#release?.();
    this.#release = undefined;
  }

  /** Whether a member works, or will without another word from the lead. */
  #isBusy(): boolean {
    const { files, atWork } = this.#parts;
    const there = atWork();
    if (there.length === 0) return false;
    // One that said it would end is about to.
    const works = ({ isActive, ended, name }: TeamMember) =>
      isActive || ended !== undefined || files.boxes.unread(name).length > 0;
    if (there.some(works)) return true;
    const all = files.tasks.all();
    return there.some(({ name }) => {
      const hasWork = all.some(({ owner, status }) => owner === name && status === "in_progress");
      return !hasWork && freeTasks(all, name).length > 0;
    });
  }
}
