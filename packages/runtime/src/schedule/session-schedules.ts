// The jobs and the wake-up of one session, and the jobs of its project. What is due becomes a prompt of the session when
// nothing else is going on; one at a time. Jobs and the wake-up of the session are noted in the transcript, for a resume.

import {
  createZone,
  cronOf,
  describeCron,
  DueQueue,
  firingAfter,
  firingAfterThis,
  firingSince,
  impossibleCron,
  invalidCron,
  isExpired,
  nextTime,
  parseCron,
  type Zone,
} from "@keelson/engine/schedule";
import { ToolError } from "@keelson/engine";
import type { Tasks } from "@keelson/host";
import {
  isPermissionMode,
  withoutReminderTags,
  type JsonObject,
  type PermissionMode,
  type PromptOrigin,
  type ScheduledJob,
  type ScheduledWakeup,
} from "@keelson/protocol";
import { enqueued, scheduled, unscheduled } from "@keelson/store";
import type { LoadedSession } from "@keelson/store/past";
import type { ListedJob, NewJob, NewWakeup, ScheduleKeeper, WaitingWakeup } from "@keelson/tools";
import type { Storage } from "../session/storage.ts";
import { cutForHook } from "../tasks/tasks.lazy.ts";
import { ProjectJobs, type JobTrust } from "./project-jobs.ts";
import { systemTimer, type StartTimer } from "./timer.ts";
import { CANCELLED, FIRED, startWakeup, STOPPED, type Wakeup } from "./wakeup.ts";

export interface ScheduleParts extends Pick<Storage, "place" | "outbox" | "inbox" | "runState" | "now" | "newId"> {
  /** The folder that holds `.claude`. */
  readonly project: string;
  /** A wake-up is a row of it. */
  readonly tasks: Tasks;
  /** Why the jobs in the project's file do not fire; undefined if they do. */
  whyNotDurable(): string | undefined;
  /** The permission mode of the session or of one of its subagents. */
  modeOf(owner?: string): PermissionMode;
  readonly jobTrust?: JobTrust;
  warn(text: string): void;
  /** For tests. */
  readonly startTimer?: StartTimer;
  readonly zone?: Zone;
}

/** The clock of a computer that slept does not tell; so the time is looked at this often. */
const TICK_MS = 1_000;
const MOST_JOBS = 50;
/** What a wake-up was for is over by then. */
const OLDEST_WAKEUP_MS = 24 * 60 * 60_000;

export class SessionSchedules implements ScheduleKeeper {
  readonly #parts: ScheduleParts;
  readonly #zone: Zone;
  readonly #own = new Map<string, ScheduledJob>();
  readonly #durable: ProjectJobs;
  readonly #reported = new Set<string>();
  readonly #queue = new DueQueue();
  #wakeup: Wakeup | undefined;
  #stopTimer: (() => void) | undefined;
  #firing = false;
  #closed = false;

  constructor(parts: ScheduleParts) {
    this.#parts = parts;
    this.#zone = parts.zone ?? localZone();
    this.#durable = new ProjectJobs({
      project: parts.project,
      sessionId: parts.place.id,
      queue: this.#queue,
      zone: this.#zone,
      isOwn: (id) => this.#own.has(id),
      whyNotDurable: () => parts.whyNotDurable(),
      trust: parts.jobTrust,
      report: (problem) => this.#report(problem),
    });
  }

  /** What was due before the conversation ended has fired. */
  resume({ entries, schedules, wakeup }: Pick<LoadedSession, "entries" | "schedules" | "wakeup">): void {
    const last = Date.parse(entries.at(-1)?.timestamp ?? "");
    this.restore(schedules, Number.isNaN(last) ? this.#parts.now() : last, wakeup);
  }

  /** Continues the jobs and the wake-up of an earlier session, which ended at `since`. */
  restore(jobs: readonly ScheduledJob[], since: number, wakeup?: ScheduledWakeup): void {
    for (const job of jobs) {
      const at = firingSince(job, since, this.#zone);
      if (at === undefined || isExpired(job, this.#parts.now())) continue;
      this.#own.set(job.id, job);
      this.#queue.set(job.id, at);
    }
    const { inbox, now } = this.#parts;
    if (wakeup && inbox.takesPrompts && now() - wakeup.at < OLDEST_WAKEUP_MS) this.#await(wakeup);
  }

  async checkNew(cron: string): Promise<void> {
    const parsed = parseCron(cron);
    if (!parsed) throw new ToolError(invalidCron(cron));
    if (nextTime(parsed, this.#parts.now(), this.#zone) === undefined) throw new ToolError(impossibleCron(cron));
    this.#durable.refresh();
    if (this.#own.size + this.#durable.list().length >= MOST_JOBS)
      throw new ToolError(`There are already ${MOST_JOBS} scheduled jobs. Cancel one with CronDelete first.`);
  }

  async create({ cron, prompt, recurring, durable }: NewJob, owner?: string): Promise<ListedJob> {
    const { now, outbox, place, modeOf } = this.#parts;
    const made = { createdAt: now(), permissionMode: modeOf(owner) };
    const job: ScheduledJob = { id: this.#newId(), cron: cron.trim(), prompt, ...made, recurring };
    if (durable) await this.#durable.add(job);
    else {
      outbox.note(scheduled(place.id, job));
      this.#own.set(job.id, job);
      this.#queue.set(job.id, firingAfter(job, job.createdAt, this.#zone)!);
    }
    return this.#listed(job, durable);
  }

  async list(): Promise<{ readonly jobs: readonly ListedJob[]; readonly problem?: string }> {
    this.#durable.refresh();
    const own = [...this.#own.values()].map((job) => this.#listed(job, false));
    const jobs = [...own, ...this.#durable.list().map((job) => this.#listed(job, true))];
    const { problem } = this.#durable;
    return { jobs, ...(problem === undefined ? {} : { problem }) };
  }

  async delete(id: string): Promise<boolean> {
    if (!this.#own.has(id)) return this.#durable.remove(id);
    this.#forget(id);
    return true;
  }

  async wake({ delayMs, ...asked }: NewWakeup): Promise<WaitingWakeup | undefined> {
    const { inbox, now, newId, outbox, place, modeOf } = this.#parts;
    if (!inbox.takesPrompts) return undefined;
    const at = now() + delayMs;
    this.#dropWakeup(CANCELLED);
    const id = `w${newId().slice(0, 8)}`;
    const wakeup = { id, at, ...asked, permissionMode: modeOf() };
    outbox.note({ type: "keelson-schedule", id, wakeup, sessionId: place.id });
    this.#await(wakeup);
    return { id, at };
  }

  async cancelWake(): Promise<void> {
    this.#dropWakeup(CANCELLED);
  }

  hookFields(): JsonObject {
    const jobs = [...this.#own.values()].map(({ id, cron, recurring, prompt }) => ({
      id,
      schedule: cutForHook(cron),
      recurring,
      prompt: cutForHook(prompt),
    }));
    return { session_crons: [...jobs, ...this.#wakeupForHooks()] };
  }

  /** Jobs in the project's file are done by any session. */
  get hasJobs(): boolean {
    return this.#own.size > 0 || this.#wakeup !== undefined;
  }

  /** The session waits for input. */
  idle(): void {
    this.#durable.refresh();
    this.#startTimer();
  }

  /** Another conversation begins. The jobs stay in the transcript of this one. */
  clear(): void {
    for (const id of this.#own.keys()) this.#queue.delete(id);
    this.#own.clear();
    this.#endWakeup(CANCELLED);
  }

  close(): void {
    this.#closed = true;
    this.#stopTimer?.();
    this.#endWakeup(CANCELLED);
  }

  /** Only while something is scheduled and the session waits: otherwise nothing happens at all. */
  #startTimer(): void {
    const first = this.#queue.first();
    if (this.#stopTimer || this.#firing || !first || !this.#mayFire()) return;
    const wait = first.at - this.#parts.now();
    // What is due waits, too: a client that has its result may be about to close the session.
    const delay = wait <= 0 ? TICK_MS : Math.min(wait, TICK_MS);
    this.#stopTimer = (this.#parts.startTimer ?? systemTimer)(delay, () => {
      this.#stopTimer = undefined;
      // Whatever is wrong with a job, the session goes on.
      this.#tick().catch((error: Error) => this.#report(`A scheduled job cannot fire: ${error.message}`));
    });
  }

  #mayFire(): boolean {
    const { inbox, runState } = this.#parts;
    return !this.#closed && inbox.takesPrompts && inbox.waiting === 0 && !runState.running;
  }

  async #tick(): Promise<void> {
    // The session is idle again after the run.
    if (!this.#mayFire()) return;
    this.#durable.refresh();
    const first = this.#queue.first();
    if (first && first.at <= this.#parts.now()) {
      this.#firing = true;
      await this.#fire(first.id).finally(() => (this.#firing = false));
    }
    this.#startTimer();
  }

  async #fire(id: string): Promise<void> {
    const now = this.#parts.now();
    if (this.#wakeup?.id === id) {
      const wakeup = this.#wakeup;
      this.#dropWakeup(FIRED);
      return this.#send(wakeup, { kind: "task-notification", subkind: "wakeup", taskId: id });
    }
    const own = this.#own.get(id);
    const job = own ?? this.#durable.get(id)!;
    const next = firingAfterThis(job, now, this.#zone);
    if (own && next === undefined) this.#forget(id);
    else if (own) this.#queue.set(id, next!);
    else if (!(await this.#durable.claim(job, now, next === undefined))) return;
    this.#send(job, { kind: "task-notification", subkind: "cron", taskId: id, schedule: describeCron(job.cron) });
  }

  #send({ prompt, permissionMode }: Pick<ScheduledJob, "prompt" | "permissionMode">, origin: PromptOrigin): void {
    const { inbox, outbox, place, now } = this.#parts;
    outbox.note(enqueued(place.id, prompt, now()));
    inbox.push({
      type: "user",
      message: { role: "user", content: withoutReminderTags(prompt) },
      parent_tool_use_id: null,
      isSynthetic: true,
      // Nobody typed it: a slash in it grants nothing, and an `@` reads nothing.
      client_composed: true,
      origin,
      // Transcripts and files of other versions say nothing of it.
      mostMode: isPermissionMode(permissionMode) ? permissionMode : "default",
    });
  }

  #await({ id, at, ...asked }: ScheduledWakeup): void {
    this.#wakeup = startWakeup(id, asked, { tasks: this.#parts.tasks, stop: () => this.#dropWakeup(STOPPED) });
    this.#queue.set(id, at);
  }

  /** Ends it for good: a resume does not find it. */
  #dropWakeup(how: typeof FIRED): void {
    const { outbox, place } = this.#parts;
    if (this.#wakeup) outbox.note(unscheduled(place.id, this.#wakeup.id));
    this.#endWakeup(how);
  }

  #endWakeup(how: typeof FIRED): void {
    const wakeup = this.#wakeup;
    if (!wakeup) return;
    this.#wakeup = undefined;
    this.#queue.delete(wakeup.id);
    wakeup.end(how);
  }

  /** As a job that fires once, as in the reference. */
  #wakeupForHooks(): readonly JsonObject[] {
    const wakeup = this.#wakeup;
    const at = wakeup && this.#queue.at(wakeup.id);
    if (at === undefined) return [];
    const { id, prompt } = wakeup!;
    return [{ id, schedule: cronOf(at, this.#zone), recurring: false, prompt: cutForHook(prompt) }];
  }

  #forget(id: string): void {
    const { outbox, place } = this.#parts;
    outbox.note(unscheduled(place.id, id));
    this.#own.delete(id);
    this.#queue.delete(id);
  }

  #report(problem: string): void {
    if (this.#reported.has(problem)) return;
    this.#reported.add(problem);
    this.#parts.warn(problem);
  }

  #listed({ id, cron, prompt, recurring }: ScheduledJob, durable: boolean): ListedJob {
    const nextFireAt = this.#queue.at(id);
    const inactive = durable ? (this.#parts.whyNotDurable() ?? this.#durable.whyHeld(id)) : undefined;
    return {
      id,
      cron,
      humanSchedule: describeCron(cron),
      prompt,
      recurring,
      durable,
      ...(nextFireAt === undefined ? {} : { nextFireAt }),
      ...(inactive === undefined ? {} : { inactive }),
    };
  }

  #newId(): string {
    const id = this.#parts.newId().slice(0, 8);
    return this.#own.has(id) || this.#durable.get(id) ? this.#newId() : id;
  }
}

function localZone(): Zone {
  try {
    return createZone(new Intl.DateTimeFormat().resolvedOptions().timeZone);
  } catch {
    // A name in TZ that is none.
    return createZone("UTC");
  }
}
