// Keeps the lead's session open while the team works, or while the lead has not heard everything.

import { freeTasks, type ListedTask } from "@keelson/store/task-list";
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
    const first = atWork();
    if (first.length === 0) return false;
    if (first.some(works)) return true;
    // A member says that it works before it reads a message or takes a task. So who works is looked up once more, after what
    // waits for them: otherwise both could seem to be nobody's.
    const addressed = new Set(first.flatMap(({ name }) => (files.boxes.unread(name).length > 0 ? [name] : [])));
    const all = files.tasks.all();
    return atWork().some((member) => works(member) || addressed.has(member.name) || couldStart(member.name, all));
  }
}

/** One that said it would end is about to. */
const works = ({ isActive, ended }: TeamMember) => isActive || ended !== undefined;

function couldStart(name: string, all: readonly ListedTask[]): boolean {
  const hasWork = all.some(({ owner, status }) => owner === name && status === "in_progress");
  return !hasWork && freeTasks(all, name).length > 0;
}
