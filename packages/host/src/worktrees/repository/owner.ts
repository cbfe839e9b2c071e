// Who uses a worktree: the lock of git, with a reason that names our process. A process is known by its id and start
// time, because ids are used again.

import { join } from "node:path";
import { hasEnded, isRunning, processStart } from "@keelson/disk/process-identity";
import { firstLineOf } from "../../git/branch.ts";
import { writeFile } from "../../files/write-file.ts";

export interface WorktreeOwner {
  readonly pid: number;
  readonly start: string;
}

export interface WorktreeLock {
  readonly reason: string;
  /** Undefined if the lock is not ours: then it is left alone. */
  readonly owner?: WorktreeOwner;
  /** The worktree was still being made; no one has worked in it. */
  readonly isUnfinished: boolean;
}

const REASON = /^keelson (making|using) \(pid (\d+), started (\S+)\)$/;

export function lockReason(owner: WorktreeOwner, doing: "making" | "using"): string {
  return `keelson ${doing} (pid ${owner.pid}, started ${owner.start})`;
}

export function readLock(gitFolder: string): WorktreeLock | undefined {
  const reason = firstLineOf(join(gitFolder, "locked"));
  if (reason === null) return undefined;
  const [, doing, pid, start] = REASON.exec(reason) ?? [];
  if (pid === undefined || start === undefined) return { reason, isUnfinished: false };
  return { reason, owner: { pid: Number(pid), start }, isUnfinished: doing === "making" };
}

/** Replaces the lock in one step, so the worktree is locked all the time. */
export function writeLock(gitFolder: string, owner: WorktreeOwner): void {
  const file = join(gitFolder, "locked");
  writeFile(file, new TextEncoder().encode(lockReason(owner, "using")), file);
}

/** This process. */
export const ownProcess = (): WorktreeOwner => ({ pid: process.pid, start: startOf(process.pid) ?? "unknown" });

/** Whether the process still runs. If that is not known, it does. */
export function isOwnerRunning({ pid, start }: WorktreeOwner): boolean {
  const now = startOf(pid);
  if (now === undefined) return process.platform !== "linux" && isRunning({ pid, procStart: "" });
  return now === start || start === "unknown";
}

/** In one word, as the reason has it; undefined if there is no such process. */
export function startOf(pid: number): string | undefined {
  return hasEnded(pid) ? undefined : processStart(pid, "UTC")?.replaceAll(/\s+/g, "_");
}
