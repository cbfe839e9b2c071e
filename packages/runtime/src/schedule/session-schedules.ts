// The jobs of one session and of its project. A job that is due becomes a prompt of the session when nothing else is going
// on; one at a time. Jobs of the session are noted in the transcript, for a resume; the project's are in its file.

import {
  createZone,
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
import type { JsonObject, PromptOrigin, ScheduledJob } from "@keelson/protocol";
import { enqueued, scheduled, unscheduled } from "@keelson/store";
import {
  jobOwner,
  openDurableJobs,
  ScheduleFileError,
  type DurableJob,
  type DurableStore,
} from "@keelson/store/schedules";
import type { ListedJob, NewJob, ScheduleKeeper } from "@keelson/tools";
import type { Storage } from "../session/storage.ts";
import { systemTimer, type StartTimer } from "./timer.ts";

export interface ScheduleParts extends Pick<Storage, "place" | "outbox" | "inbox" | "runState" | "now" | "newId"> {
  /** The folder that holds `.claude`. */
  readonly project: string;
  /** Why the jobs in the project's file do not fire; undefined if they do. */
  whyNotDurable(): string | undefined;
  warn(text: string): void;
  /** For tests. */
  readonly startTimer?: StartTimer;
  readonly zone?: Zone;
}

/** The clock of a computer that slept does not tell; so the time is looked at this often. */
const TICK_MS = 1_000;
/** How long the job of another process is left to it before that process is looked for again. */
const LEAVE_MS = 60_000;
const MOST_JOBS = 50;
const LONGEST_IN_HOOK = 1_000;
const WAKEUP = "wakeup";

export class SessionSchedules implements ScheduleKeeper {
  readonly #parts: ScheduleParts;
  readonly #zone: Zone;
  readonly #store: DurableStore;
  readonly #own = new Map<string, ScheduledJob>();
  #durable = new Map<string, DurableJob>();
  /** Of the project's file and of whether its jobs fire, when it was read. */
  #stamp: string | undefined;
  #problem: string | undefined;
  readonly #reported = new Set<string>();
  readonly #queue = new DueQueue();
  #wakeup: string | undefined;
  #stopTimer: (() => void) | undefined;
  #firing = false;
  #closed = false;

  constructor(parts: ScheduleParts) {
    this.#parts = parts;
    this.#zone = parts.zone ?? localZone();
    this.#store = openDurableJobs(parts.project, () => jobOwner(parts.place.id));
  }

  /** Continues the jobs of an earlier session, which ended at `since`. */
  restore(jobs: readonly ScheduledJob[], since: number): void {
    for (const job of jobs) {
      const at = firingSince(job, since, this.#zone);
      if (at === undefined || isExpired(job, this.#parts.now())) continue;
      this.#own.set(job.id, job);
      this.#queue.set(job.id, at);
    }
  }

  async checkNew(cron: string): Promise<void> {
    const parsed = parseCron(cron);
    if (!parsed) throw new ToolError(invalidCron(cron));
    if (nextTime(parsed, this.#parts.now(), this.#zone) === undefined) throw new ToolError(impossibleCron(cron));
    this.#readFile();
    if (this.#own.size + this.#durable.size >= MOST_JOBS)
      throw new ToolError(`There are already ${MOST_JOBS} scheduled jobs. Cancel one with CronDelete first.`);
  }

  async create({ cron, prompt, recurring, durable }: NewJob): Promise<ListedJob> {
    const { now, outbox, place } = this.#parts;
    const job: ScheduledJob = { id: this.#newId(), cron: cron.trim(), prompt, createdAt: now(), recurring };
    if (durable) {
      await asToolError(this.#store.add(job));
      this.#readFile();
    } else {
      outbox.note(scheduled(place.id, job));
      this.#own.set(job.id, job);
      this.#queue.set(job.id, firingAfter(job, job.createdAt, this.#zone)!);
    }
    return this.#listed(job, durable);
  }

  async list(): Promise<{ readonly jobs: readonly ListedJob[]; readonly problem?: string }> {
    this.#readFile();
    const own = [...this.#own.values()].map((job) => this.#listed(job, false));
    const jobs = [...own, ...[...this.#durable.values()].map((job) => this.#listed(job, true))];
    return { jobs, ...(this.#problem === undefined ? {} : { problem: this.#problem }) };
  }

  async delete(id: string): Promise<boolean> {
    if (this.#own.has(id)) {
      this.#forget(id);
      return true;
    }
    const removed = await asToolError(this.#store.remove(id));
    this.#readFile();
    return removed;
  }

  async wake(delayMs: number, prompt: string): Promise<number | undefined> {
    const { inbox, now } = this.#parts;
    if (!inbox.takesPrompts) return undefined;
    const at = now() + delayMs;
    this.#wakeup = prompt;
    this.#queue.set(WAKEUP, at);
    return at;
  }

  async cancelWake(): Promise<void> {
    this.#wakeup = undefined;
    this.#queue.delete(WAKEUP);
  }

  hookFields(): JsonObject {
    const jobs = [...this.#own.values()];
    const cut = (text: string) => text.slice(0, LONGEST_IN_HOOK).toWellFormed();
    return {
      session_crons: jobs.map(({ id, cron, recurring, prompt }) => ({
        id,
        schedule: cut(cron),
        recurring,
        prompt: cut(prompt),
      })),
    };
  }

  /** The session waits for input. */
  idle(): void {
    this.#readFile();
    this.#startTimer();
  }

  /** Another conversation begins. The jobs stay in the transcript of this one. */
  clear(): void {
    for (const id of this.#own.keys()) this.#queue.delete(id);
    this.#own.clear();
    void this.cancelWake();
  }

  close(): void {
    this.#closed = true;
    this.#stopTimer?.();
  }

  /** Only while there are jobs and the session waits: otherwise nothing happens at all. */
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
    this.#readFile();
    const first = this.#queue.first();
    if (first && first.at <= this.#parts.now()) {
      this.#firing = true;
      await this.#fire(first.id).finally(() => (this.#firing = false));
    }
    this.#startTimer();
  }

  async #fire(id: string): Promise<void> {
    const now = this.#parts.now();
    if (id === WAKEUP) {
      const prompt = this.#wakeup!;
      await this.cancelWake();
      return this.#send(prompt, { kind: "task-notification", subkind: "wakeup" });
    }
    const own = this.#own.get(id);
    const job = own ?? this.#durable.get(id)!;
    const next = firingAfterThis(job, now, this.#zone);
    if (own && next === undefined) this.#forget(id);
    else if (own) this.#queue.set(id, next!);
    else if (!(await this.#claim(job, now, next === undefined))) return;
    const { cron, prompt } = job;
    this.#send(prompt, { kind: "task-notification", subkind: "cron", taskId: id, schedule: describeCron(cron) });
  }

  /** One process fires a job of the project; the file says which. */
  async #claim(job: DurableJob, now: number, isOver: boolean): Promise<boolean> {
    this.#queue.set(job.id, now + LEAVE_MS);
    try {
      if (!(await this.#store.claim(job, { now, isOver }))) return false;
    } catch (error) {
      if (!(error instanceof ScheduleFileError)) throw error;
      this.#report(`${error.message}; its scheduled jobs do not fire`);
      return false;
    }
    this.#readFile();
    return true;
  }

  #send(prompt: string, origin: PromptOrigin): void {
    const { inbox, outbox, place, now } = this.#parts;
    outbox.note(enqueued(place.id, prompt, now()));
    inbox.push({
      type: "user",
      message: { role: "user", content: prompt },
      parent_tool_use_id: null,
      isSynthetic: true,
      // Nobody typed it: a slash in it grants nothing, and an `@` reads nothing.
      client_composed: true,
      origin,
    });
  }

  #forget(id: string): void {
    const { outbox, place } = this.#parts;
    outbox.note(unscheduled(place.id, id));
    this.#own.delete(id);
    this.#queue.delete(id);
  }

  /** Takes up what other processes changed. */
  #readFile(): void {
    const fires = this.#parts.whyNotDurable() === undefined;
    const stamp = `${fires} ${this.#store.stamp()}`;
    if (stamp === this.#stamp) return;
    const { jobs, problem } = this.#store.read();
    this.#stamp = stamp;
    this.#problem = problem;
    for (const id of this.#durable.keys()) this.#queue.delete(id);
    this.#durable = new Map(
      jobs.filter(({ id, cron }) => !this.#own.has(id) && parseCron(cron)).map((job) => [job.id, job]),
    );
    if (problem !== undefined) this.#report(`${problem}; its scheduled jobs do not fire`);
    if (!fires) return;
    for (const job of this.#durable.values()) {
      const at = firingAfter(job, job.lastFiredAt ?? job.createdAt, this.#zone);
      if (at !== undefined) this.#queue.set(job.id, at);
    }
  }

  #report(problem: string): void {
    if (this.#reported.has(problem)) return;
    this.#reported.add(problem);
    this.#parts.warn(problem);
  }

  #listed({ id, cron, prompt, recurring }: ScheduledJob, durable: boolean): ListedJob {
    const nextFireAt = this.#queue.at(id);
    const inactive = durable ? this.#parts.whyNotDurable() : undefined;
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
    return this.#own.has(id) || this.#durable.has(id) ? this.#newId() : id;
  }
}

async function asToolError<T>(change: Promise<T>): Promise<T> {
  try {
    return await change;
  } catch (error) {
    throw error instanceof ScheduleFileError ? new ToolError(error.message) : error;
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
