// The jobs of a project that outlive a session: `.claude/scheduled_tasks.json`, in the format of the reference. Several
// processes share it; each change is made under a lock, and a job is fired by the one that claims it.

import { lstatSync } from "node:fs";
import { join } from "node:path";
import { FileLockedError, withFileLock } from "@keelson/disk/lock";
import { isRunning } from "@keelson/disk/process-identity";
import { replaceFile } from "@keelson/disk/replace-file";
import { isObject, isPermissionMode, tryParse, type ScheduledJob } from "@keelson/protocol";
import type { HeldFolder } from "@keelson/disk/own-files";
import { holdConfig, readRegular, ScheduleFileError } from "./held-config.ts";
import type { JobOwner } from "./job-owner.ts";

export interface DurableJob extends ScheduledJob {
  /** Of a recurring job. */
  readonly lastFiredAt?: number;
  /** Undefined if no one is named. */
  readonly owner?: JobOwner;
}

export interface DurableJobs {
  readonly jobs: readonly DurableJob[];
  /** Why the file cannot be used; a sentence without a full stop that names it. */
  readonly problem?: string;
}

export interface DurableStore {
  /** For people. */
  readonly file: string;
  read(): DurableJobs;
  /** Changes whenever the file does; empty without one. */
  stamp(): string;
  /** Throws ScheduleFileError, as the other changes do; the file is then as it was. */
  add(job: ScheduledJob): Promise<void>;
  /** False if there is none with this id. */
  remove(id: string): Promise<boolean>;
  /**
   * Takes one firing of a job. False if another process has done so, or if the job belongs to one that runs. `isOver`:
   * it was the last one.
   */
  claim(job: DurableJob, firing: { readonly now: number; readonly isOver: boolean }): Promise<boolean>;
}

const FILE = "scheduled_tasks.json";
const MAX_BYTES = 4 * 1024 * 1024;
const LONGEST_PROMPT = 100_000;
const PATIENCE_MS = 10_000;

/** `project` is the folder that holds `.claude`, with links resolved. */
export function openDurableJobs(project: string, owner: () => JobOwner): DurableStore {
  const file = join(project, ".claude", FILE);

  /** Reads, changes and writes under the lock. `change` returns undefined to leave the file as it is. */
  async function update(change: (tasks: readonly unknown[]) => readonly unknown[] | undefined): Promise<boolean> {
    try {
      using folder = holdConfig(project, { create: true })!;
      const make = () => {
        const whole = readWhole(folder);
        const next = change(whole.tasks);
        if (next === undefined) return false;
        replaceRegular(folder.at(FILE), `${JSON.stringify({ ...whole, tasks: next }, null, 2)}\n`);
        return true;
      };
      return await withFileLock(folder.at(`${FILE}.lock`), make, { isTemporary: true, patienceMs: PATIENCE_MS });
    } catch (error) {
      throw new ScheduleFileError(problemOf(file, error));
    }
  }

  return {
    file,
    read() {
      try {
        using folder = holdConfig(project, { create: false });
        const tasks = folder ? readWhole(folder).tasks : [];
        const jobs = new Map<string, DurableJob>();
        for (const job of tasks.flatMap((task) => jobOf(task) ?? [])) if (!jobs.has(job.id)) jobs.set(job.id, job);
        return { jobs: [...jobs.values()] };
      } catch (error) {
        return { jobs: [], problem: problemOf(file, error) };
      }
    },

    stamp() {
      try {
        const found = lstatSync(file, { throwIfNoEntry: false });
        return found ? `${found.ino} ${found.mtimeMs} ${found.size}` : "";
      } catch {
        return "";
      }
    },

    async add(job) {
      await update((tasks) => [...tasks, { ...asTask(job), ...ownedBy(owner()) }]);
    },

    remove: (id) => update((tasks) => (tasks.some(hasId(id)) ? tasks.filter((task) => !hasId(id)(task)) : undefined)),

    claim: ({ id, lastFiredAt }, { now, isOver }) =>
      update((tasks) => {
        const found = tasks.find(hasId(id));
        const job = jobOf(found);
        if (!job || job.lastFiredAt !== lastFiredAt || !isFree(job, owner())) return undefined;
        if (isOver) return tasks.filter((task) => !hasId(id)(task));
        const claimed = { ...(found as object), lastFiredAt: now, ...ownedBy(owner()) };
        return tasks.map((task) => (task === found ? claimed : task));
      }),
  };
}

/** Whether a job is ours, no one's, or that of a process which is gone. Sessions of one process share its jobs. */
function isFree({ owner }: DurableJob, us: JobOwner): boolean {
  return owner === undefined || owner.pid === us.pid || !isRunning(owner);
}

/** Unknown fields and tasks that cannot be read stay in the file. */
function readWhole(folder: HeldFolder): { readonly tasks: readonly unknown[] } {
  const text = readRegular(folder.at(FILE), MAX_BYTES);
  if (text === undefined || text.trim() === "") return { tasks: [] };
  const value = tryParse(text);
  if (!isObject(value) || !Array.isArray(value["tasks"])) {
    throw new ScheduleFileError('is not a JSON object with a list "tasks"; fix or remove it');
  }
  return value as { tasks: unknown[] };
}

function replaceRegular(path: string, text: string): void {
  const old = lstatSync(path, { throwIfNoEntry: false });
  if (old && !old.isFile()) throw new ScheduleFileError("is not a regular file");
  replaceFile(path, text, old && old.mode & 0o777);
}

function jobOf(task: unknown): DurableJob | undefined {
  if (!isObject(task)) return undefined;
  const { id, cron, prompt, createdAt, recurring, permissionMode, lastFiredAt } = task;
  if (typeof id !== "string" || !/^[\w-]{1,64}$/.test(id) || typeof cron !== "string") return undefined;
  if (typeof prompt !== "string" || prompt.length > LONGEST_PROMPT || !Number.isFinite(createdAt)) return undefined;
  const owner = ownerOf(task);
  return {
    id,
    cron,
    prompt,
    createdAt: createdAt as number,
    recurring: recurring === true,
    ...(isPermissionMode(permissionMode) ? { permissionMode } : {}),
    ...(Number.isFinite(lastFiredAt) ? { lastFiredAt: lastFiredAt as number } : {}),
    ...(owner ? { owner } : {}),
  };
}

function ownerOf(task: Record<string, unknown>): JobOwner | undefined {
  const { createdBySessionId: session, createdByPid: pid, createdByProcStart: start } = task;
  if (typeof pid !== "number") return undefined;
  return {
    sessionId: typeof session === "string" ? session : "",
    pid,
    procStart: typeof start === "string" ? start : "",
  };
}

const asTask = ({ id, cron, prompt, createdAt, recurring, permissionMode }: ScheduledJob) => ({
  id,
  cron,
  prompt,
  createdAt,
  recurring,
  ...(permissionMode === undefined ? {} : { permissionMode }),
});

const ownedBy = ({ sessionId, pid, procStart }: JobOwner) => ({
  createdBySessionId: sessionId,
  createdByPid: pid,
  createdByProcStart: procStart,
});

const hasId = (id: string) => (task: unknown) => isObject(task) && task["id"] === id;

function problemOf(file: string, error: unknown): string {
  if (error instanceof ScheduleFileError)
    return error.message.startsWith(file) ? error.message : `${file} ${error.message}`;
  if (error instanceof FileLockedError) return `${file} is being written by another process; try again`;
  const { code, message } = error as NodeJS.ErrnoException;
  return `${file} cannot be used (${code ?? message})`;
}
