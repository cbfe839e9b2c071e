// This session as the lead of a team: it starts members, hears from them, answers for them, and ends them. While one of them
// works, the session does not end.

import { ControlChannel } from "@keelson/client/requests";
import { ToolError } from "@keelson/engine";
import type { HookRegistration, NewEntry } from "@keelson/protocol";
import { processStart, TEAM_LEAD, type Mail, type TeamMember } from "@keelson/store/team";
import type { SendMessageOutput } from "@keelson/tools";
import type { TeamDeleteOutput } from "@keelson/tools/team";
import type { AskPerson } from "../../gate/ask.ts";
import type { RuleBook } from "../../gate/rule-book.ts";
import type { TeamOfSession } from "../../task-list/shared-list.ts";
import { clientHook } from "./client-hooks.ts";
import { isApproval, MemberQuestions } from "./member-questions.ts";
import { ModeFollowers } from "./mode-followers.ts";
import { entryOf, mailText, signalOf } from "../messages.ts";
import { othersIn, sendToTeam } from "../send-to-team.ts";
import { Deliveries, post, type TeamFiles, type TeamSession } from "../team-world.ts";
import { memberUsage, type Backend, type StartedSession } from "./backends/backend.ts";
import { MemberEndings } from "./endings.ts";
import { newMember, newName, type TeammateOrder } from "./new-member.ts";
import { SessionHold } from "./session-hold.ts";
import { watchFolders } from "../watch-folders.ts";

export interface StartedMember {
  readonly teammateId: string;
  readonly name: string;
  readonly team: string;
}

export interface LeadOptions extends TeamSession {
  readonly files: TeamFiles;
  readonly backend: Backend;
  readonly ruleBook: RuleBook;
  /** The hooks of the session. */
  registered(): readonly HookRegistration[];
  /** Undefined if nobody answers permission questions. */
  person(): Promise<AskPerson | undefined>;
}

const STILL_PLANNING =
  "You are in plan mode yourself, so you cannot approve plans. Present your own plan first; the member waits.";

export class Lead {
  readonly team: TeamOfSession;
  readonly #options: LeadOptions;
  readonly #deliveries: Deliveries;
  readonly #questions: MemberQuestions;
  readonly #sessionHold: SessionHold;
  readonly #unwatch: () => void;
  readonly #running = new Map<string, StartedSession>();
  /** Questions of members to the lead, and of the lead to members. */
  readonly #channels = new Map<string, ControlChannel>();
  readonly #followers: ModeFollowers;
  readonly #endings: MemberEndings;
  /** Names that were given out. */
  readonly #starting = new Set<string>();
  /** News that the model has not heard yet, and that can wait while others work. */
  readonly #routine = new Set<string>();
  #looking = false;
  #again = false;
  #isClosed = false;
  #problem: string | undefined;

  constructor(options: LeadOptions) {
    const { files, storage } = options;
    this.#options = options;
    this.#deliveries = new Deliveries(TEAM_LEAD, files);
    const { name } = files.file.read()!;
    this.#questions = new MemberQuestions({
      person: options.person,
      showPlan: (from, plan) =>
        post(files, storage, TEAM_LEAD, {
          from,
          text: JSON.stringify({ type: "plan_approval_request", from, ...plan }),
        }),
      team: name,
      callHook: (id, input, signal) =>
        storage.requests.get().callHook(clientHook(id, options.registered()), input, signal),
    });
    this.team = {
      name,
      self: TEAM_LEAD,
      assigned: ({ id, subject, description }, to) =>
        void this.#post(
          to,
          JSON.stringify({ type: "task_assignment", taskId: id, subject, description, assignedBy: TEAM_LEAD }),
        ),
    };
    this.#endings = new MemberEndings({
      files,
      storage,
      isClosed: () => this.#isClosed,
      ends: (name) => this.#channels.get(name)?.end(),
      gone: (name) => {
        this.#running.delete(name);
        this.#channels.delete(name);
        this.#followers.delete(name);
      },
      look: () => this.#look(),
      changed: () => this.#hold(),
      complain: (error) => this.#complain(error),
    });
    this.#sessionHold = new SessionHold({
      files,
      inbox: storage.inbox,
      // One whose plan the lead has heard of goes on when the lead says so.
      atWork: () =>
        this.#members().filter(
          ({ name }) => (this.#running.has(name) || this.#starting.has(name)) && !this.#questions.awaitsJudgement(name),
        ),
      owesNews: () => this.#endings.areOpen || this.#deliveries.hasNews,
      hasRoutine: () => this.#routine.size > 0,
    });
    this.#unwatch = watchFolders(files.folders, () => void this.#look());
    this.#followers = new ModeFollowers();
    options.ruleBook.onMode((mode) => this.#followers.switch(mode));
    files.keepTasksFor(storage.place.id);
    storage.onClear(async () => {
      if (this.#isClosed) return;
      files.keepTasksFor(storage.place.id);
      await files.file.change((team) => ({ ...team, leadSessionId: storage.place.id }));
    });
  }

  /** The file that says who is in the team. */
  get path(): string {
    return this.#options.files.file.path;
  }

  /** Throws ToolError if it cannot be started. */
  async spawn(order: TeammateOrder): Promise<StartedMember> {
    const { files, backend, ruleBook, storage } = this.#options;
    const name = newName(order.name, new Set([...this.#running.keys(), ...this.#starting]));
    this.#starting.add(name);
    const promptId = storage.newId();
    try {
      const number = this.#members().length;
      const { mode } = ruleBook;
      const { member, choice } = newMember(order, { name, team: this.team.name, number }, this.#options);
      // Before anyone else can write to it: what it reads first is its prompt.
      const problem = await this.#post(name, order.prompt, promptId);
      if (problem !== undefined) throw new ToolError(`The teammate cannot be given its task: ${problem}`);
      await files.file.change((team) => ({
        ...team,
        members: [...team.members.filter((each) => each.name !== name), member],
      }));
      const channel = new ControlChannel({
        send: (message) => this.#running.get(name)?.send(message),
        newId: storage.newId,
        asked: (question) => this.#questions.hear(name, question),
      });
      const program = await backend.start({ choice, cwd: member.cwd }, (message) => {
        const usage = channel.take(message) ? undefined : memberUsage(message);
        if (usage) storage.cost.absorb(choice.sessionId, usage, member.agentType);
      });
      this.#running.set(name, program);
      this.#channels.set(name, channel);
      this.#followers.add(name, channel, order);
      if (ruleBook.mode !== mode) this.#followers.switch(ruleBook.mode);
      void program.exited.then((how) => this.#endings.begin(name, how));
      const start = processStart(program.pid);
      const identity = { pid: program.pid, ...(start === undefined ? {} : { procStart: start }) };
      // It runs, whatever becomes of the file.
      await files.file.changeMember(name, identity).catch((error) => this.#complain(error));
      this.#hold();
      return { teammateId: member.agentId, name, team: this.team.name };
    } catch (error) {
      const undo = [
        files.file.changeMember(name, { isActive: false, ended: "crashed" }),
        // The next one of this name gets a prompt of its own.
        files.boxes.markRead(name, [promptId]),
      ];
      await Promise.allSettled(undo);
      throw error instanceof ToolError
        ? error
        : new ToolError(`The teammate cannot be started: ${(error as Error).message}`);
    } finally {
      this.#starting.delete(name);
    }
  }

  async send(
    to: string,
    message: string | Readonly<Record<string, unknown>>,
    summary?: string,
  ): Promise<SendMessageOutput | undefined> {
    const { files, storage, ruleBook } = this.#options;
    await this.#followers.settled();
    const judged = typeof message !== "string" && message["type"] === "plan_approval_response" ? message : undefined;
    const member = judged && this.#members().find(({ name, agentId }) => name === to || agentId === to);
    if (!judged || !member) return sendToTeam({ files, storage, self: TEAM_LEAD }, to, message, summary);
    // Who may only plan cannot let others do more.
    if (ruleBook.mode === "plan" && isApproval(judged)) return { success: false, message: STILL_PLANNING };
    return this.#questions.judged(member.name, judged, ruleBook.mode)
      ? { success: true, message: `${member.name} has received your decision on its plan` }
      : { success: false, message: `No plan of ${member.name} waits for approval under this request_id` };
  }

  others(): readonly string[] {
    return othersIn(this.#options.files, TEAM_LEAD);
  }

  recorded(entries: readonly NewEntry[]): void {
    this.#deliveries.recorded(entries);
    for (const { uuid } of entries) this.#routine.delete(uuid);
  }

  idle(): void {
    void this.#look();
  }

  /** Ends the team if nobody works any more. */
  async delete(): Promise<TeamDeleteOutput> {
    const working = this.#members().filter(({ name, isActive }) => isActive && this.#running.has(name));
    const { name } = this.team;
    if (working.length > 0) {
      const names = working.map((member) => member.name).join(", ");
      const message = `The team cannot be deleted while members work: ${names}. Ask them to end with a shutdown_request first.`;
      return { success: false, message, team_name: name };
    }
    await this.close();
    this.#options.files.removeTasks();
    return { success: true, message: `The team "${name}" and its tasks are deleted`, team_name: name };
  }

  /** Ends every member and removes the team's files. The task list stays. */
  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#unwatch();
    for (const channel of this.#channels.values()) channel.end();
    await this.#options.backend.close();
    await this.#endings.settled();
    await this.#deliveries.settle();
    try {
      this.#options.files.remove();
    } catch (error) {
      this.#complain(error);
    }
    this.#sessionHold.end();
  }

  #members(): readonly TeamMember[] {
    return (this.#options.files.file.read()?.members ?? []).filter(({ name }) => name !== TEAM_LEAD);
  }

  async #look(): Promise<void> {
    if (this.#isClosed) return;
    if (this.#looking) return void (this.#again = true);
    this.#looking = true;
    try {
      do {
        this.#again = false;
        this.#hold();
        const { inbox, runState } = this.#options.storage;
        if (inbox.isEmpty && !runState.running) await this.#forgetDropped();
        const news = this.#deliveries.take();
        // Mailboxes may be faster than the streams of the members, and with them what their runs have cost.
        const idle = news.filter(isRoutine).map(({ from }) => from);
        await Promise.all([...new Set(idle)].map((name) => this.#followers.heardOf(name)));
        for (const mail of news) this.#receive(mail);
        this.#hold();
      } while (this.#again);
    } catch (error) {
      this.#complain(error);
    } finally {
      this.#looking = false;
    }
  }

  /** A cleared conversation drops what it was about to hear. */
  async #forgetDropped(): Promise<void> {
    this.#routine.clear();
    await this.#deliveries.settle();
  }

  #receive(mail: Mail): void {
    if (isRoutine(mail)) this.#routine.add(mail.id);
    this.#options.storage.inbox.notify(entryOf(mail.id, mailText(mail)), { wakes: !isRoutine(mail) });
  }

  /** The session does not end while the team works or the lead has not heard everything. */
  #hold(): void {
    if (!this.#isClosed) this.#sessionHold.update();
  }

  /** Once for each problem in a row. */
  #complain(error: unknown): void {
    const { message } = error as Error;
    if (message !== this.#problem) this.#options.storage.options.warn(`The team cannot be reached: ${message}`);
    this.#problem = message;
  }

  async #post(to: string, text: string, id?: string): Promise<string | undefined> {
    const { files, storage } = this.#options;
    await this.#followers.settled();
    return post(files, storage, to, { ...(id === undefined ? {} : { id }), from: TEAM_LEAD, text });
  }
}

/** While others work, the news that one is idle can wait for the next turn. */
const isRoutine = (mail: Mail) => signalOf(mail)?.type === "idle_notification";
