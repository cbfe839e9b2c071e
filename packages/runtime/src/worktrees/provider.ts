// Makes and removes worktrees: with git, or with the WorktreeCreate and WorktreeRemove hooks if there are any, which stand
// for another system.

import { existsSync, realpathSync, statSync } from "node:fs";
import { isAbsolute } from "node:path";
import type { Snapshot } from "@keelson/config";
import {
  checkoutAround,
  createWorktree,
  describeChanges,
  findCheckout,
  folderStamp,
  generateName,
  isUnchanged,
  pathFor,
  registeredWorktrees,
  releaseWorktree,
  removeWorktree,
  sweepStale,
  useWorktree,
  type GitEnvironment,
  WorktreeError,
  worktreeNameProblem,
  worktreeState,
} from "@keelson/host/worktrees";
import type { HookEvent, HookOutcome, JsonObject } from "@keelson/protocol";

export interface ProviderOptions {
  snapshot(): Snapshot;
  /** Where the session was opened. */
  readonly root: string;
  fire(event: HookEvent, input: JsonObject): Promise<HookOutcome>;
  hasHooksFor(event: HookEvent): boolean;
  /** For a git that commands could replace. */
  readonly confine?: GitEnvironment["confine"];
  random(): number;
  now(): number;
}

export interface ProvidedWorktree {
  readonly path: string;
  /** The folders that it is a copy of: the main checkout, and the one that the session was opened in. */
  readonly copyOf: readonly string[];
  readonly name: string;
  readonly branch?: string;
  readonly isExisting: boolean;
  readonly notices: readonly string[];
  /** A hook made it. */
  readonly hookBased: boolean;
  /** It may be removed: it was made by name, not entered by path. */
  readonly isOwn: boolean;
  /** What a hook's worktree was like when it was made; undefined if that is not known. */
  readonly stamp?: string;
}

/** What would be lost with a worktree. */
export interface WorktreeWork {
  readonly text: string;
  readonly files: number;
  readonly commits: number;
}

export interface WorktreeProvider {
  /** Throws WorktreeError. Without a name, one is made up. */
  make(name: string | undefined, signal: AbortSignal): Promise<ProvidedWorktree>;
  /** Takes up an existing worktree of the repository. Throws WorktreeError. */
  take(path: string): Promise<ProvidedWorktree>;
  /** Undefined if nothing would be lost. */
  workIn(worktree: ProvidedWorktree): Promise<WorktreeWork | undefined>;
  /** False if no one can remove it. Throws WorktreeError if work would be lost. */
  remove(worktree: ProvidedWorktree, options?: { readonly force: boolean }): Promise<boolean>;
  /** It is not used any more. */
  release(worktree: ProvidedWorktree): void;
  /** Cleans up after processes that were killed. Never rejects. */
  sweep(): Promise<void>;
}

const DAY_MS = 24 * 60 * 60_000;
const DEFAULT_DAYS = 30;

export function openProvider(options: ProviderOptions): WorktreeProvider {
  const { root, snapshot, fire, hasHooksFor } = options;
  /** Also of this process, one worktree has one user. */
  const inUse = new Set<string>();
  const { confine } = options;
  const environment = () => ({ env: snapshot().env, home: snapshot().home, ...(confine ? { confine } : {}) });
  const copied = (main: string) => [...new Set([main, checkoutAround(root) ?? root])];

  /** Why a hook that would have made the worktree did not. */
  function unusedHook(): readonly string[] {
    const unused = snapshot().hooks.off.find(({ registration }) => registration.event === "WorktreeCreate");
    return unused ? [`The WorktreeCreate hook was not used: ${unused.why}`] : [];
  }

  async function byHook(name: string): Promise<ProvidedWorktree> {
    const outcome = await fire("WorktreeCreate", { name });
    const why = outcome.verdict === "deny" ? outcome.reasons.join("\n") : outcome.stop;
    if (why !== undefined) throw new WorktreeError("refused", why || "A WorktreeCreate hook failed");
    const path = existingFolder(outcome.fields?.["worktreePath"]);
    const stamp = folderStamp(path);
    const made = { path, copyOf: copied(root), name, isExisting: false, notices: [], hookBased: true, isOwn: true };
    return { ...made, ...(stamp === undefined ? {} : { stamp }) };
  }

  async function byGit(name: string, signal: AbortSignal): Promise<ProvidedWorktree> {
    const { baseRef, symlinkDirectories, sparsePaths } = worktreeSettings(snapshot());
    const made = await createWorktree({
      root,
      name,
      baseRef: baseRef === "head" ? "head" : "fresh",
      symlinkDirectories,
      sparsePaths,
      signal,
      ...environment(),
    });
    const { path, branch, isExisting } = made;
    const notices = [...made.notices, ...unusedHook()];
    return { path, copyOf: copied(made.root), name, branch, isExisting, notices, hookBased: false, isOwn: true };
  }

  /** From before it is made, so that two do not make the same one. */
  async function using(path: string, make: () => Promise<ProvidedWorktree>): Promise<ProvidedWorktree> {
    if (inUse.has(path)) throw new WorktreeError("refused", `'${path}' is in use by another agent of this session`);
    inUse.add(path);
    try {
      return await make();
    } catch (error) {
      inUse.delete(path);
      throw error;
    }
  }

  return {
    async make(given, signal) {
      const name = given ?? newName(root, hasHooksFor("WorktreeCreate"), options.random);
      const problem = worktreeNameProblem(name);
      if (problem !== undefined) throw new WorktreeError("refused", problem);
      if (hasHooksFor("WorktreeCreate")) return byHook(name);
      try {
        return await using(pathFor(findCheckout(root), name), () => byGit(name, signal));
      } catch (error) {
        if (!(error instanceof WorktreeError)) throw error;
        throw new WorktreeError(error.kind, [error.message, ...unusedHook()].join(". "));
      }
    },

    take: (path) =>
      using(path, async () => {
        const taken = await useWorktree({ root, path, ...environment() });
        const { branch, notices } = taken;
        const place = { path, copyOf: copied(taken.root), name: branch.replace(/^worktree-/, ""), branch };
        return { ...place, isExisting: true, notices, hookBased: false, isOwn: false };
      }),

    async workIn({ path, branch, hookBased, stamp }) {
      if (hookBased) {
        const isSame = stamp !== undefined && folderStamp(path) === stamp;
        return isSame ? undefined : { text: "changed files", files: 0, commits: 0 };
      }
      // Deleted meanwhile: only git's memory of it is left, and the branch, which is never deleted with commits.
      if (!existsSync(path)) return undefined;
      const state = await worktreeState({ path, branch }, environment());
      if (isUnchanged(state)) return undefined;
      return {
        text: describeChanges(state, branch ?? "HEAD"),
        files: state.files.length,
        commits: state.commits,
      };
    },

    async remove({ path, branch, hookBased }, { force } = { force: false }) {
      if (!hookBased) {
        await removeWorktree({ root, path, branch: branch!, force, ...environment() });
        inUse.delete(path);
        return true;
      }
      if (!hasHooksFor("WorktreeRemove")) return false;
      await fire("WorktreeRemove", { worktree_path: path });
      return true;
    },

    release({ path, hookBased }) {
      inUse.delete(path);
      if (!hookBased) releaseWorktree(path);
    },

    async sweep() {
      const days = snapshot().settings["cleanupPeriodDays"];
      const maxAgeMs = Math.max(1, typeof days === "number" ? days : DEFAULT_DAYS) * DAY_MS;
      try {
        await sweepStale({ root, maxAgeMs, now: options.now(), ...environment() });
      } catch (error) {
        // Not our repository to clean, or git failed: the next session tries again.
        if (!(error instanceof WorktreeError)) throw error;
      }
    },
  };
}

function existingFolder(path: unknown): string {
  if (typeof path !== "string" || !isAbsolute(path)) {
    throw new WorktreeError("refused", `The WorktreeCreate hook must print an absolute path, not "${String(path)}"`);
  }
  try {
    if (statSync(path).isDirectory()) return realpathSync(path);
  } catch {
    // Reported below.
  }
  throw new WorktreeError("refused", `The WorktreeCreate hook printed '${path}', which is not a folder`);
}

/** A name that no worktree of the repository has. */
function newName(root: string, byHook: boolean, random: () => number): string {
  if (byHook) return generateName(random, () => false);
  const checkout = findCheckout(root);
  const taken = new Set(registeredWorktrees(checkout).map(({ path }) => path));
  return generateName(random, (name) => taken.has(pathFor(checkout, name)));
}

interface WorktreeSettings {
  readonly baseRef?: string;
  readonly symlinkDirectories?: readonly string[];
  readonly sparsePaths?: readonly string[];
}

const worktreeSettings = ({ settings }: Snapshot) => (settings["worktree"] ?? {}) as WorktreeSettings;
