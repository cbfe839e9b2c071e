// This session as a member of a team: it reads its mailbox, takes tasks when it has nothing to do, tells the lead when there
// is nothing left, and ends when the lead wants it to.

import type { EndReason, NewEntry } from "@keelson/protocol";
import { freeTasks, type ListedTask } from "@keelson/store/task-list";
import { isRunning, TEAM_LEAD, type Mail } from "@keelson/store/team";
import type { SendMessageOutput } from "@keelson/tools";
import type { TeamOfSession } from "../../task-list/shared-list.ts";
import { entryOf, mailText, type TeamSignal } from "../messages.ts";
import { othersIn, sendToTeam } from "../send-to-team.ts";
import { Deliveries, post, type TeammateIdentity, type TeamFiles, type TeamSession } from "../team-world.ts";
import { watchFolders } from "../watch-folders.ts";

/** A hook that always sends it back to work must not keep it working forever. */
const MOST_RETURNS = 8;
/** How often to ask whether the lead still runs. */
const LEAD_EVERY_MS = 900;

export interface MemberOptions extends TeamSession {
  readonly identity: TeammateIdentity;
  readonly files: TeamFiles;
  end(reason: EndReason): void;
}

export class Member {
  readonly team: TeamOfSession;
  readonly #options: MemberOptions;
  readonly #deliveries: Deliveries;
  readonly #unwatch: () => void;
  readonly #nudged = new Set<string>();
  #looking = false;
  #again = false;
  /** False from the moment it told the lead that it is idle. */
  #isActive = true;
  /** The id of the message that it is idle, while it is about to be. */
  #idleNotice: string | undefined;
  #hasPrompt = false;
  #returns = 0;
  #isEnding = false;
  #isStopped = false;
  /** Why the last look failed. */
  #problem: string | undefined;
  /** When the lead was last seen running. */
  #leadSeen = 0;

  constructor(options: MemberOptions) {
    const { identity, files } = options;
    this.#options = options;
    this.#deliveries = new Deliveries(identity.name, files);
    this.team = {
      name: identity.team,
      self: identity.name,
      assigned: ({ id, subject, description }, to) =>
        void this.#post(
          to,
          JSON.stringify({ type: "task_assignment", taskId: id, subject, description, assignedBy: identity.name }),
        ),
    };
    this.#unwatch = watchFolders(files.folders, () => void this.#look());
  }

  recorded(entries: readonly NewEntry[]): void {
    this.#deliveries.recorded(entries);
  }

  /** The session waits for input. */
  idle(): void {
    void this.#look();
  }

  async send(
    to: string,
    message: string | Readonly<Record<string, unknown>>,
    summary?: string,
  ): Promise<SendMessageOutput | undefined> {
    const { identity, files, storage } = this.#options;
    const answer = await sendToTeam(
      { files, storage, self: identity.name, color: identity.color },
      to,
      message,
      summary,
    );
    const isApproval =
      typeof message !== "string" && message["type"] === "shutdown_response" && message["approve"] === true;
    if (answer?.success && isApproval) {
      this.#isEnding = true;
      await files.file.changeMember(identity.name, { ended: "stopped", isActive: false });
    }
    return answer;
  }

  others(): readonly string[] {
    const { files, identity } = this.#options;
    return othersIn(files, identity.name);
  }

  close(): void {
    this.#isEnding = true;
    this.#unwatch();
  }

  /** One look at a time; a change during a look causes another. */
  async #look(): Promise<void> {
    if (this.#looking) return void (this.#again = true);
    this.#looking = true;
    try {
      do {
        this.#again = false;
        await this.#lookOnce();
      } while (this.#again);
      this.#problem = undefined;
    } catch (error) {
      // It is tried again every second.
      const { message } = error as Error;
      if (message !== this.#problem) this.#options.storage.options.warn(`The team cannot be reached: ${message}`);
      this.#problem = message;
    } finally {
      this.#looking = false;
    }
  }

  async #lookOnce(): Promise<void> {
    const { storage, end, identity } = this.#options;
    if (!this.#hasLead()) return this.#stop();
    if (this.#deliveries.isWaiting) {
      // First of all: what is taken has to be delivered, and this may fail.
      await this.#setActive(true);
      this.#returns = 0;
      return this.#deliveries.take().forEach((mail) => this.#deliver(mail));
    }
    // A run is under way or about to begin.
    if (storage.runState.running || storage.inbox.hasWork) return;
    if (this.#isEnding) return end("end_of_input");
    // An agent of its own works in the background, and its end starts a run.
    if (!this.#hasPrompt || storage.inbox.goesOn) return;
    await this.#deliveries.settle();
    if (await this.#continueTask()) return;
    if (!this.#isActive) return;
    await this.#goIdle(identity.name);
  }

  /** No one can use what it does once the lead is gone, or has ended the team. */
  #hasLead(): boolean {
    const lead = this.#options.files.file.read()?.members.find(({ name }) => name === TEAM_LEAD);
    if (!lead) return false;
    const now = this.#options.storage.now();
    // Asking the system may cost a process.
    if (Math.abs(now - this.#leadSeen) < LEAD_EVERY_MS) return true;
    this.#leadSeen = now;
    return isRunning({ pid: lead.pid ?? 0, procStart: lead.procStart ?? "" });
  }

  #stop(): void {
    if (this.#isStopped) return;
    this.#isStopped = this.#isEnding = true;
    this.#options.end("terminate");
  }

  #deliver(mail: Mail): void {
    const { inbox } = this.#options.storage;
    const content = mailText(mail);
    // The id of the entry is the message's: that tells when it is stored.
    if (this.#hasPrompt) return inbox.notify(entryOf(mail.id, content), { wakes: true });
    this.#hasPrompt = true;
    inbox.push({ type: "user", message: { role: "user", content }, parent_tool_use_id: null, uuid: mail.id });
  }

  /** Goes on with a task of its own, or takes the next one. Resolves to whether there is something to do. */
  async #continueTask(): Promise<boolean> {
    const { files, identity, storage } = this.#options;
    const all = files.tasks.all();
    const mine = all.filter(({ owner, status }) => owner === identity.name && status !== "completed");
    for (const task of mine) {
      const why = await this.#mayStop(task);
      if (why !== undefined) return this.#work(why);
    }
    if (mine.some(({ status }) => status === "in_progress")) return false;
    if (freeTasks(all, identity.name).length === 0) return false;
    // The lead must not take it for idle once the task is no longer free.
    await this.#setActive(true);
    const task = await files.tasks.claim(identity.name);
    if (!task) return false;
    this.#returns = 0;
    storage.inbox.notify(entryOf(storage.newId(), taskText(task)), { wakes: true });
    return true;
  }

  /** Why it should continue with this task; undefined if it may stop. */
  async #mayStop(task: ListedTask): Promise<string | undefined> {
    if (!this.#isActive || task.status !== "in_progress") return undefined;
    if (this.#nudged.has(task.id)) return undefined;
    this.#nudged.add(task.id);
    const { fire, identity } = this.#options;
    const outcome = await fire("TaskCompleted", {
      task_id: task.id,
      task_subject: task.subject,
      ...(task.description === "" ? {} : { task_description: task.description }),
      teammate_name: identity.name,
      team_name: identity.team,
    });
    if (outcome.verdict === "deny") return outcome.reasons.join("\n");
    return `Task #${task.id} is still in progress. Mark it as completed with TaskUpdate if it is done; otherwise continue with it, or tell team-lead what is blocking it.`;
  }

  async #goIdle(name: string): Promise<void> {
    const { fire, identity, files, storage } = this.#options;
    if (this.#idleNotice === undefined) {
      const said = await fire("TeammateIdle", { teammate_name: name, team_name: identity.team });
      if (said.stop !== undefined) {
        await files.file.changeMember(name, { ended: "stopped", isActive: false });
        await this.#tellLead({ type: "teammate_terminated", message: `${name} was stopped by a hook: ${said.stop}` });
        return this.#stop();
      }
      if (said.verdict === "deny" && ++this.#returns <= MOST_RETURNS) return void this.#work(said.reasons.join("\n"));
      this.#idleNotice = storage.newId();
    }
    const open = files.tasks.all().filter((task) => task.owner === name && task.status === "in_progress");
    const notice: TeamSignal = {
      type: "idle_notification",
      from: name,
      timestamp: new Date(storage.now()).toISOString(),
      idleReason: "available",
      ...(open.length > 0 ? { unfinishedTasks: open.map(({ id }) => id) } : {}),
    };
    // Until the lead has heard of it, it waits for this member. So this is tried again, as the same message.
    const problem = await this.#tellLead(notice, this.#idleNotice);
    if (problem !== undefined) throw new Error(problem);
    await this.#setActive(false);
    // What came in between did not wake it.
    this.#again = true;
  }

  #work(text: string): true {
    const { storage } = this.#options;
    storage.inbox.notify(entryOf(storage.newId(), text), { wakes: true });
    return true;
  }

  /** The lead knows it when this resolves. */
  async #setActive(isActive: boolean): Promise<void> {
    if (this.#isActive === isActive) return;
    const { files, identity } = this.#options;
    await files.file.changeMember(identity.name, { isActive });
    this.#isActive = isActive;
    this.#idleNotice = undefined;
  }

  #tellLead(signal: TeamSignal, id?: string): Promise<string | undefined> {
    return this.#post(TEAM_LEAD, JSON.stringify(signal), id);
  }

  #post(to: string, text: string, id?: string): Promise<string | undefined> {
    const { files, storage, identity } = this.#options;
    const { name, color } = identity;
    const mail = { from: name, text, ...(color === undefined ? {} : { color }), ...(id === undefined ? {} : { id }) };
    return post(files, storage, to, mail);
  }
}

function taskText({ id, subject, description }: ListedTask): string {
  return [
    `You have taken task #${id} of the team's list: ${subject}`,
    ...(description === "" ? [] : ["", description]),
    "",
    "It is in progress and yours. When it is really done, mark it as completed with TaskUpdate.",
  ].join("\n");
}
