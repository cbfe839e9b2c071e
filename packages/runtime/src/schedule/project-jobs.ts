// The jobs in the project's file, as one session sees them. Other processes change the file, too.

import { firingAfter, parseCron, type DueQueue, type Zone } from "@keelson/engine/schedule";
import { ToolError } from "@keelson/engine";
import type { ScheduledJob } from "@keelson/protocol";
import {
  jobOwner,
  openDurableJobs,
  ScheduleFileError,
  type DurableJob,
  type DurableStore,
} from "@keelson/store/schedules";

interface ProjectJobsParts {
  readonly project: string;
  readonly sessionId: string;
  readonly queue: DueQueue;
  readonly zone: Zone;
  /** Whether this id is taken by a job of the session. */
  isOwn(id: string): boolean;
  /** Why these jobs do not fire; undefined if they do. */
  whyNotDurable(): string | undefined;
  readonly trust?: JobTrust | undefined;
  report(problem: string): void;
}

/** Which jobs of the file count as the user's. */
export interface JobTrust {
  /** The ids of those that do not fire, each with the reason. */
  held(jobs: readonly DurableJob[], file: string): ReadonlyMap<string, string>;
  /** The session made it. */
  record(job: ScheduledJob, file: string): void;
}

/** How long the job of another process is left to it before that process is looked for again. */
const LEAVE_MS = 60_000;

export class ProjectJobs {
  readonly #parts: ProjectJobsParts;
  readonly #store: DurableStore;
  #jobs = new Map<string, DurableJob>();
  #held: ReadonlyMap<string, string> = new Map();
  /** Of the file and of whether its jobs fire, when it was read. */
  #stamp: string | undefined;
  #problem: string | undefined;

  constructor(parts: ProjectJobsParts) {
    this.#parts = parts;
    this.#store = openDurableJobs(parts.project, () => jobOwner(parts.sessionId));
  }

  get(id: string): DurableJob | undefined {
    return this.#jobs.get(id);
  }

  list(): readonly DurableJob[] {
    return [...this.#jobs.values()];
  }

  /** Why jobs may be missing. */
  get problem(): string | undefined {
    return this.#problem;
  }

  async add(job: ScheduledJob): Promise<void> {
    await asToolError(this.#store.add(job));
    this.#parts.trust?.record(job, this.#store.file);
    this.refresh();
  }

  async remove(id: string): Promise<boolean> {
    const removed = await asToolError(this.#store.remove(id));
    this.refresh();
    return removed;
  }

  /** One process fires a job of the project; the file says which. */
  async claim(job: DurableJob, now: number, isOver: boolean): Promise<boolean> {
    const { queue } = this.#parts;
    queue.set(job.id, now + LEAVE_MS);
    try {
      if (!(await this.#store.claim(job, { now, isOver }))) return false;
    } catch (error) {
      if (!(error instanceof ScheduleFileError)) throw error;
      this.#reportUnreadable(error.message);
      return false;
    }
    this.refresh();
    return true;
  }

  /** Takes up what other processes changed. */
  refresh(): void {
    const { queue, zone, isOwn, whyNotDurable } = this.#parts;
    const fires = whyNotDurable() === undefined;
    const stamp = `${fires} ${this.#store.stamp()}`;
    if (stamp === this.#stamp) return;
    const { jobs, problem } = this.#store.read();
    this.#stamp = stamp;
    this.#problem = problem;
    for (const id of this.#jobs.keys()) queue.delete(id);
    this.#jobs = new Map(jobs.filter(({ id, cron }) => !isOwn(id) && parseCron(cron)).map((job) => [job.id, job]));
    if (problem !== undefined) this.#reportUnreadable(problem);
    if (!fires) return;
    const { file } = this.#store;
    this.#held = this.#parts.trust?.held(jobs, file) ?? new Map();
    for (const job of this.#jobs.values()) {
      if (this.#held.has(job.id)) continue;
      const at = firingAfter(job, job.lastFiredAt ?? job.createdAt, zone);
      if (at !== undefined) queue.set(job.id, at);
    }
    const [first, ...others] = this.#held;
    if (first === undefined) return;
    const more = others.length > 0 ? ` and ${others.length} more` : "";
    this.#parts.report(`${file}: scheduled job ${first[0]}${more} ignored: ${first[1]}`);
  }

  /** Why this job does not fire, though others do. */
  whyHeld(id: string): string | undefined {
    return this.#held.get(id);
  }

  #reportUnreadable(problem: string): void {
    this.#parts.report(`${problem}; its scheduled jobs do not fire`);
  }
}

async function asToolError<T>(change: Promise<T>): Promise<T> {
  try {
    return await change;
  } catch (error) {
    throw error instanceof ScheduleFileError ? new ToolError(error.message) : error;
  }
}
