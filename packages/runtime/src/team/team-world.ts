// What both sides of a team work with: the session around it, and the team's files.

import { join } from "node:path";
import type { HookEvent, HookOutcome, JsonObject, NewEntry } from "@keelson/protocol";
import {
  markTasks,
  openMailboxes,
  removeTasks,
  removeTeamFiles,
  type Mail,
  type Mailboxes,
  type TeamFile,
} from "@keelson/store/team";
import { openTaskList, type SharedTasks } from "@keelson/store/task-list";
import type { Storage } from "../session/storage.ts";

/** How a session was started as a member of a team: what the hidden flags say. */
export interface TeammateIdentity {
  /** `name@team`. */
  readonly agentId: string;
  readonly name: string;
  readonly team: string;
  readonly color?: string;
  readonly leadSessionId?: string;
  /** It starts in plan mode, and the lead has to approve its plan. */
  readonly planModeRequired: boolean;
  /** Hooks inside the lead's client, as `initialize` has them. The lead calls them. */
  readonly clientHooks?: JsonObject;
}

export interface TeamSession {
  readonly storage: Storage;
  fire(event: HookEvent, input: JsonObject): Promise<HookOutcome>;
}

export interface TeamFiles {
  readonly file: TeamFile;
  readonly boxes: Mailboxes;
  readonly tasks: SharedTasks;
  /** Changes in these may matter to a member. */
  readonly folders: readonly string[];
  /** The session with this id finds the task list again. */
  keepTasksFor(sessionId: string): void;
  /** Removes the team's own files. The task list stays. */
  remove(): void;
  removeTasks(): void;
}

export function openTeamFiles({ options, state }: Storage, file: TeamFile): TeamFiles {
  const { configDir } = state.snapshot;
  const name = file.read()!.name;
  const inboxes = join(file.folder, "inboxes");
  const tasks = openTaskList(configDir, name, options.warn);
  return {
    file,
    boxes: openMailboxes(inboxes, options.warn),
    tasks,
    folders: [inboxes, file.folder, tasks.folder],
    keepTasksFor: (sessionId) => markTasks(configDir, name, sessionId),
    remove: () => removeTeamFiles(file.folder),
    removeTasks: () => removeTasks(configDir, name),
  };
}

/** Sends one message. Resolves to why it could not be sent. */
export async function post(
  { boxes }: TeamFiles,
  { now, newId }: Pick<Storage, "now" | "newId">,
  to: string,
  mail: Pick<Mail, "from" | "text" | "summary" | "color"> & Partial<Pick<Mail, "id">>,
): Promise<string | undefined> {
  try {
    await boxes.send(to, { id: newId(), ...mail, timestamp: new Date(now()).toISOString() });
    return undefined;
  } catch (error) {
    return (error as Error).message;
  }
}

const MOST_UNDER_WAY = 100;
const MOST_TEXT_UNDER_WAY = 100_000;

/** Messages on their way into the conversation: each is handed over once, and marked as read when it is stored. */
export class Deliveries {
  readonly #box: string;
  readonly #files: TeamFiles;
  readonly #handedOver = new Set<string>();
  /** Of those, the ones that are still on their way. More are not taken than a person or a model can read at once. */
  readonly #underWay = new Map<string, { readonly length: number }>();
  readonly #marking = new Set<Promise<void>>();
  /** Used, but the file still says that they are unread. */
  readonly #unmarked = new Set<string>();

  constructor(box: string, files: TeamFiles) {
    this.#box = box;
    this.#files = files;
  }

  get isWaiting(): boolean {
    return this.#waiting().length > 0;
  }

  /** Unread messages that were not handed over yet. */
  take(): readonly Mail[] {
    const news = this.#waiting();
    for (const { id, text } of news) {
      this.#handedOver.add(id);
      this.#underWay.set(id, text);
    }
    return news;
  }

  #waiting(): readonly Mail[] {
    let room = MOST_TEXT_UNDER_WAY;
    for (const { length } of this.#underWay.values()) room -= length;
    if (room <= 0 || this.#underWay.size >= MOST_UNDER_WAY) return [];
    const news = this.#files.boxes.unread(this.#box, this.#handedOver);
    const end = news.findIndex(({ text }, at) => (room -= text.length) < 0 && at > 0);
    return news.slice(0, Math.min(end < 0 ? news.length : end, MOST_UNDER_WAY - this.#underWay.size));
  }

  /** Whether there is a message that was not used yet. */
  get hasNews(): boolean {
    return this.#files.boxes.unread(this.#box, this.#unmarked).length > 0;
  }

  recorded(entries: readonly NewEntry[]): void {
    const ids = entries.flatMap(({ uuid }) => (this.#handedOver.has(uuid) ? [uuid] : []));
    if (ids.length > 0) this.done(ids);
  }

  /** Nobody needs to see them again. */
  done(ids: readonly string[]): void {
    for (const id of ids) this.#underWay.delete(id);
    const marking = this.#files.boxes.markRead(this.#box, ids).then(
      () => ids.forEach((id) => this.#handedOver.delete(id)),
      // They stay marked as delivered, so no one gets them twice.
      () => ids.forEach((id) => this.#unmarked.add(id)),
    );
    this.#marking.add(marking);
    void marking.finally(() => this.#marking.delete(marking));
  }

  /** Call when everything handed over was used. Also marks what never got into the conversation: a hook refused it. */
  async settle(): Promise<void> {
    await Promise.all(this.#marking);
    if (this.#handedOver.size > 0) this.done([...this.#handedOver]);
    await Promise.all(this.#marking);
  }
}
