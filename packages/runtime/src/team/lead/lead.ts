// This session as the lead of a team: it starts members, hears from them, answers for them, and ends them. While one of them
// works, the session does not end.

import type { Snapshot } from "@keelson/config";
import { ToolError } from "@keelson/engine";
import { narrowerMode } from "@keelson/engine/agents";
import type { NewEntry, PermissionMode } from "@keelson/protocol";
import { freeTasks } from "@keelson/store/task-list";
import { removeTeam, TEAM_LEAD, type Mail, type TeamMember } from "@keelson/store/team";
import type { SendMessageOutput } from "@keelson/tools";
import type { TeamDeleteOutput } from "@keelson/tools/team";
import type { AskPerson } from "../../gate/ask.ts";
import type { RuleBook } from "../../gate/rule-book.ts";
import type { TeamOfSession } from "../../task-list/shared-list.ts";
import { isApproval, MemberQuestions } from "./member-questions.ts";
import { entryOf, mailText, signalOf } from "../messages.ts";
import { processStart } from "../process-identity.ts";
import { sendToTeam } from "../send-to-team.ts";
import { Deliveries, post, type TeamFiles, type TeamSession } from "../team-world.ts";
import type { Backend, StartedSession } from "./backend.ts";
import { watchFolders } from "../watch-folders.ts";

export interface TeammateOrder {
  readonly name: string;
  readonly prompt: string;
  readonly agentType: string;
  readonly model?: string;
  readonly mode?: PermissionMode;
  readonly planModeRequired?: boolean;
}

export interface StartedMember {
  readonly teammateId: string;
  readonly name: string;
  readonly team: string;
}

export interface LeadOptions extends TeamSession {
  readonly files: TeamFiles;
  readonly backend: Backend;
  readonly ruleBook: RuleBook;
  /** Undefined if nobody answers permission questions. */
  person(): Promise<AskPerson | undefined>;
}

interface RunningMember extends StartedSession {
  /** The mode that its order names. */
  readonly wanted: PermissionMode | undefined;
  readonly isPlanned: boolean;
}

const COLORS = ["blue", "green", "yellow", "purple", "orange", "pink", "cyan", "red"];
const MOST_AT_ONCE = 64;
const MOST_FOLLOW_MS = 5_000;
const aWhile = () => new Promise<void>((resolve) => void setTimeout(resolve, MOST_FOLLOW_MS).unref());
const configRoot = ({ flags, cwd }: Snapshot) => flags.projectConfigRoot ?? cwd;
const STILL_PLANNING =
  "You are in plan mode yourself, so you cannot approve plans. Present your own plan first; the member waits.";

export class Lead {
  readonly team: TeamOfSession;
  readonly #options: LeadOptions;
  readonly #deliveries: Deliveries;
  readonly #questions: MemberQuestions;
  readonly #unwatch: () => void;
  readonly #running = new Map<string, RunningMember>();
  /** Members whose end is being dealt with. */
  readonly #ending = new Set<Promise<void>>();
  /** Names that were given out. */
  readonly #starting = new Set<string>();
  /** Switches of the mode that members have not confirmed, and when they all have. */
  readonly #followers = new Map<string, () => void>();
  #following: Promise<unknown> = Promise.resolve();
  /** News that the model has not heard yet, and that can wait while others work. */
  readonly #routine = new Set<string>();
  #release: (() => void) | undefined;
  #looking = false;
  #again = false;
  #isClosed = false;

  constructor(options: LeadOptions) {
    const { files, storage } = options;
    this.#options = options;
    this.#deliveries = new Deliveries(TEAM_LEAD, files);
    const { name } = files.file.read()!;
    this.#questions = new MemberQuestions({
      person: options.person,
      send: (member, message) => this.#running.get(member)?.send(message),
      showPlan: (from, plan) =>
        post(files, storage, TEAM_LEAD, {
          from,
          text: JSON.stringify({ type: "plan_approval_request", from, ...plan }),
        }),
      team: name,
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
    this.#unwatch = watchFolders(files.folders, () => void this.#look());
    options.ruleBook.onMode((mode) => this.#follow(mode));
    storage.onClear(() => files.file.change((team) => ({ ...team, leadSessionId: storage.place.id })));
  }

  /** The file that says who is in the team. */
  get path(): string {
    return this.#options.files.file.path;
  }

  /** Throws ToolError if it cannot be started. */
  async spawn(order: TeammateOrder): Promise<StartedMember> {
    const { files, storage, ruleBook, backend } = this.#options;
    const name = this.#newName(order.name);
    this.#starting.add(name);
    try {
      const agentId = `${name}@${this.team.name}`;
      const { snapshot } = storage.state;
      const members = files.file.read()?.members ?? [];
      const isPlanned = order.planModeRequired === true || order.mode === "plan";
      const sessionId = storage.newId();
      const member: TeamMember = {
        agentId,
        name,
        agentType: order.agentType,
        ...(order.model === undefined ? {} : { model: order.model }),
        color: COLORS[(members.length - 1) % COLORS.length]!,
        planModeRequired: isPlanned,
        joinedAt: storage.now(),
        cwd: storage.folders.workspace.root,
        sessionId,
        backend: backend.kind,
        isActive: true,
      };
      await files.file.change((team) => ({
        ...team,
        members: [...team.members.filter((each) => each.name !== name), member],
      }));
      const problem = await post(files, storage, name, { from: TEAM_LEAD, text: order.prompt });
      if (problem !== undefined) throw new ToolError(`The teammate cannot be given its task: ${problem}`);
      const { maxBudgetUsd } = snapshot.flags;
      const identity = {
        agentId,
        name,
        team: this.team.name,
        color: member.color!,
        leadSessionId: storage.place.id,
        planModeRequired: isPlanned,
      };
      const choice = {
        identity,
        sessionId,
        agentType: order.agentType,
        model: order.model,
        mode: narrowerMode(ruleBook.mode, order.mode),
        rules: ruleBook.rules,
        configRoot: member.cwd === snapshot.cwd ? snapshot.flags.projectConfigRoot : configRoot(snapshot),
        budgetUsd: maxBudgetUsd === undefined ? undefined : Math.max(0.01, maxBudgetUsd - (storage.cost.totalUsd ?? 0)),
      };
      const started = await backend.start({ choice, cwd: member.cwd }, (question) => {
        if (question.type === "control_response") this.#followers.get(question.request_id)?.();
        else this.#questions.hear(name, question);
      });
      const program = { ...started, wanted: order.mode, isPlanned };
      this.#running.set(name, program);
      // It may have been switched meanwhile.
      if (narrowerMode(ruleBook.mode, order.mode) !== choice.mode) this.#follow(ruleBook.mode);
      const start = processStart(program.pid);
      await files.file.changeMember(name, {
        pid: program.pid,
        ...(start === undefined ? {} : { processStart: start }),
      });
      void program.exited.then((how) => this.#track(this.#ended(name, program, how)));
      this.#hold();
      return { teammateId: agentId, name, team: this.team.name };
    } catch (error) {
      await files.file.changeMember(name, { isActive: false, ended: "crashed" });
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
    const { files, storage } = this.#options;
    await this.#following;
    const judged = typeof message !== "string" && message["type"] === "plan_approval_response" ? message : undefined;
    const member = judged && this.#members().find(({ name, agentId }) => name === to || agentId === to);
    if (!judged || !member) return sendToTeam({ files, storage, self: TEAM_LEAD }, to, message, summary);
    const { mode } = this.#options.ruleBook;
    // Who may only plan cannot let others do more.
    if (mode === "plan" && isApproval(judged)) return { success: false, message: STILL_PLANNING };
    return this.#questions.judged(member.name, judged, mode)
      ? { success: true, message: `${member.name} knows what you think of its plan` }
      : { success: false, message: `No plan of ${member.name} waits for approval under this request_id` };
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
    removeTeam(this.#options.storage.state.snapshot.configDir, name);
    return { success: true, message: `The team "${name}" and its tasks are deleted`, team_name: name };
  }

  /** Ends every member and removes the team's files. The task list stays. */
  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#unwatch();
    this.#questions.close();
    await this.#options.backend.close();
    await Promise.all(this.#ending);
    await this.#deliveries.settle();
    this.#options.files.remove();
    this.#release?.();
  }

  /** Members do not keep rights that the lead gave up. One whose plan has to be approved gets none back this way. */
  #follow(mode: PermissionMode): void {
    for (const { send, wanted, isPlanned } of this.#running.values()) {
      if (isPlanned && mode !== "plan") continue;
      const id = this.#options.storage.newId();
      const done = new Promise<void>((resolve) => this.#followers.set(id, resolve));
      const request = { subtype: "set_permission_mode", mode: narrowerMode(mode, wanted) };
      send({ type: "control_request", request_id: id, request });
      // One that does not answer holds nobody up for long.
      const soon = Promise.race([done, aWhile()]).finally(() => this.#followers.delete(id));
      this.#following = Promise.all([this.#following, soon]);
    }
  }

  /** A name that no member has that is still there. A member that ended can be replaced under its name. */
  #newName(wanted: string): string {
    const base = wanted
      .trim()
      .replaceAll(/[^\p{L}\p{N}._-]+/gu, "-")
      .slice(0, 60);
    if (!/[\p{L}\p{N}]/u.test(base))
      throw new ToolError(`"${wanted}" cannot be the name of a teammate; use letters and digits`);
    const taken = new Set([TEAM_LEAD, ...this.#running.keys(), ...this.#starting]);
    if (this.#running.size + this.#starting.size >= MOST_AT_ONCE) {
      throw new ToolError(`The team already has ${MOST_AT_ONCE} members at work; end one first`);
    }
    for (let number = 2, name = base; ; name = `${base}-${number++}`) if (!taken.has(name)) return name;
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
        for (const mail of this.#deliveries.take()) this.#receive(mail);
        this.#hold();
      } while (this.#again);
    } catch (error) {
      this.#options.storage.options.warn(`The team cannot be reached: ${(error as Error).message}`);
    } finally {
      this.#looking = false;
    }
  }

  #receive(mail: Mail): void {
    // While others work, the news that one is idle can wait for the next turn.
    const isRoutine = signalOf(mail)?.type === "idle_notification";
    if (isRoutine) this.#routine.add(mail.id);
    this.#options.storage.inbox.notify(entryOf(mail.id, mailText(mail)), { wakes: !isRoutine });
  }

  /** Whether a member works, or will without another word from the lead. */
  #isBusy(): boolean {
    const { files } = this.#options;
    // One whose plan the lead has heard of goes on when the lead says so.
    const there = this.#members().filter(
      ({ name }) => (this.#running.has(name) || this.#starting.has(name)) && !this.#questions.awaitsJudgement(name),
    );
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

  /** The session does not end while the team works or the lead has not heard everything. */
  #hold(): void {
    const { storage, files } = this.#options;
    const isBusy = this.#isBusy();
    if (!isBusy && this.#routine.size > 0) storage.inbox.wake();
    const isNeeded = !this.#isClosed && (isBusy || this.#ending.size > 0 || files.boxes.unread(TEAM_LEAD).length > 0);
    if (isNeeded) this.#release ??= storage.inbox.hold();
    else {
      this.#release?.();
      this.#release = undefined;
    }
  }

  /** What a member leaves behind when it ends: its tasks are free again, and the lead is told. */
  async #ended(name: string, program: RunningMember, how: string): Promise<void> {
    const { files, storage } = this.#options;
    if (this.#running.get(name) === program) this.#running.delete(name);
    this.#questions.drop(name);
    const asked = files.file.read()?.members.find((member) => member.name === name)?.ended === "stopped";
    await files.file.changeMember(name, { isActive: false, ended: asked || this.#isClosed ? "stopped" : "crashed" });
    const free = await files.tasks.release(name);
    if (this.#isClosed) return;
    const unread = files.boxes.unread(name).length;
    const text = [
      asked ? `${name} has ended, as asked.` : `${name} has crashed. ${how}.`,
      ...(free.length > 0 ? [`Free again: ${free.map(({ id, subject }) => `#${id} ${subject}`).join(", ")}.`] : []),
      ...(unread > 0 ? [`It has not read ${unread} of its messages.`] : []),
      ...(asked ? [] : ["To replace it, start a teammate with the same name; it gets the messages."]),
    ].join(" ");
    const signal = JSON.stringify({ type: "teammate_terminated", message: text });
    await post(files, storage, TEAM_LEAD, { from: name, text: signal });
    await this.#look();
  }

  #track(work: Promise<void>): void {
    this.#ending.add(work);
    this.#hold();
    void work.finally(() => {
      this.#ending.delete(work);
      this.#hold();
    });
  }

  async #post(to: string, text: string): Promise<string | undefined> {
    const { files, storage } = this.#options;
    await this.#following;
    return post(files, storage, to, { from: TEAM_LEAD, text });
  }
}
