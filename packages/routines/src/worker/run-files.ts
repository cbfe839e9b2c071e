// The files of a run: its checkouts, what another attempt finds of them, and what is pushed in the end.

import { mkdirSync } from "node:fs";
import { basename, join } from "node:path";
import type { RoutineDefinition } from "../records/routine.ts";
import type { RoutineRun } from "../records/run.ts";
import type { RunEnvironment } from "../records/team.ts";
import { checkOut, GitAccessError, pushWork, type CheckoutTools, type RunCheckout } from "./checkout/checkout.ts";
import { GitError, type Git, type GitCredential } from "./checkout/git.ts";
import { readSource } from "./checkout/source.ts";
import { keepWorkspace, restoreWorkspace, type WorkspaceKeeper } from "./checkout/workspace.ts";
import { LeaseLost, type RunLease } from "./lease.ts";
import type { RunPlace } from "./places.ts";
import { workspaceLines, type RestoredRun } from "./restore.ts";

export interface RunFilesOptions {
  readonly run: RoutineRun;
  readonly routine: RoutineDefinition;
  readonly place: RunPlace;
  readonly mirrors: string;
  readonly git: Git;
  readonly draining: AbortSignal;
  /** Another one after the run has waited. */
  lease(): RunLease;
  gitCredential(url: string, operation: "read" | "write"): Promise<GitCredential | undefined>;
  /** A line of the transcript, as it is kept. */
  keep(line: object): Promise<void>;
  log(text: string): Promise<void>;
}

export class RunFiles {
  readonly branch: string;
  /** Code of somebody else: no secrets, and no push. */
  readonly isFork: boolean;
  /** That of the sources of the routine: not of a branch or pull request that caused the run, and nothing that a run committed. */
  hasUsualCode = true;
  checkouts: readonly RunCheckout[] = [];
  readonly #keepers = new Map<string, WorkspaceKeeper>();
  #snapshots = 0;
  readonly #options: RunFilesOptions;

  constructor(options: RunFilesOptions) {
    this.#options = options;
    this.branch = branchOf(options.routine.name, options.run.id);
    this.isFork = options.run.origin["fork"] === true;
  }

  /** Where the run works. */
  get cwd(): string {
    return this.checkouts.length === 1 ? this.checkouts[0]!.folder : this.#options.place.checkout;
  }

  /** Throws SourceError, GitAccessError and GitError. */
  async checkOut(): Promise<void> {
    const { run, routine, place } = this.#options;
    const sources = routine.sources.map(readSource);
    mkdirSync(place.checkout, { recursive: true, mode: 0o700 });
    const checkouts: RunCheckout[] = [];
    const taken = new Set<string>();
    for (const source of sources) {
      let { name } = source;
      for (let number = 2; taken.has(name); number++) name = `${source.name}-${number}`;
      taken.add(name);
      // In a pull request, the ref is a fact of the cause.
      const ref = refOf(run, source.url) ?? source.ref;
      const wanted = ref === undefined ? source : readSource({ url: source.url, ref });
      const made = await checkOut(wanted, join(place.checkout, name), this.branch, this.#tools());
      this.hasUsualCode &&= !made.isContinued && (ref ?? made.defaultBranch) === (source.ref ?? made.defaultBranch);
      checkouts.push(made);
    }
    this.checkouts = checkouts;
  }

  /** The files of an attempt before, and from now on those of this one. False: they are gone. */
  async restore({ isStarted, workspaces }: RestoredRun): Promise<boolean> {
    const { git, place, lease, log } = this.#options;
    const tools = { git, scratch: place.private, signal: lease().signal };
    let isWhole = isStarted;
    for (const checkout of this.checkouts) {
      const name = basename(checkout.folder);
      this.#keepers.set(name, await keepWorkspace(checkout, tools));
      const bundle = workspaces.get(name);
      if (bundle === undefined) {
        // Nothing was changed, or too much.
        isWhole &&= !workspaces.has(name);
        continue;
      }
      try {
        await restoreWorkspace(checkout, bundle, tools);
      } catch (error) {
        if (!(error instanceof GitError)) throw error;
        isWhole = false;
        await log(`The files of ${name} could not be restored: ${error.message}`);
      }
    }
    return isWhole;
  }

  /** Before the result of a call is stored, so are the files that it left: who resumes the run finds both, or neither. */
  async keep(sessionId: string): Promise<void> {
    const { keep, log } = this.#options;
    for (const [name, keeper] of this.#keepers) {
      try {
        const bundle = await keeper.bundle();
        if (bundle === undefined) continue;
        for (const line of workspaceLines(name, sessionId, ++this.#snapshots, bundle)) await keep(line);
      } catch (error) {
        if (!(error instanceof GitError)) throw error;
        this.#keepers.delete(name);
        for (const line of workspaceLines(name, sessionId, 0, undefined)) await keep(line);
        await log(`The files of ${name} are not kept any more: ${error.message}`);
      }
    }
  }

  /** Returns what could not be pushed although it may be. */
  async push(environment: RunEnvironment | undefined): Promise<readonly string[]> {
    const { run, routine, draining, lease, log } = this.#options;
    const { branch } = this;
    if (this.isFork) return [];
    const problems: string[] = [];
    const listed = namesIn(routine.extra["push_branches"]);
    const protectedBranches = [
      ...namesIn(routine.extra["protected_branches"]),
      ...namesIn(environment?.extra["protected_branches"]),
    ];
    const wanted = { branch, otherwise: `${branch}-${run.attempt}`, listed, protectedBranches };
    // What is done is pushed, also by a worker that ends: but it does not wait for ever.
    using limit = abortedAfter(draining, PUSH_MS);
    for (const checkout of this.checkouts) {
      const pushed = await pushWork(checkout, wanted, this.#tools(limit.signal)).catch((error: unknown) => {
        if (error instanceof LeaseLost || lease().signal.aborted || limit.signal.aborted) throw error;
        return [{ branch, commit: "", refused: error instanceof Error ? error.message : String(error) }];
      });
      for (const { branch: name, commit, refused } of pushed) {
        const isRefused = refused !== undefined;
        await log(isRefused ? `Did not push ${name}: ${refused}` : `Pushed ${commit.slice(0, 12)} to ${name}`);
        if (isRefused && name === branch) problems.push(`The branch ${name} was not pushed: ${refused}`);
      }
    }
    return problems;
  }

  #tools(limit = this.#options.draining): CheckoutTools {
    const { git, mirrors, place, gitCredential } = this.#options;
    const lease = this.#options.lease();
    return {
      git,
      mirrors,
      scratch: place.private,
      signal: AbortSignal.any([lease.signal, limit]),
      credential: async (url, operation) => {
        await lease.assertHeld();
        if (operation === "write" && this.isFork) throw new GitAccessError("A run for a fork pushes nothing");
        return gitCredential(url, operation);
      },
    };
  }
}

/** How long a worker that ends may take for a push. */
const PUSH_MS = 30_000;

function abortedAfter(signal: AbortSignal, ms: number): Disposable & { readonly signal: AbortSignal } {
  const limit = new AbortController();
  let timer: ReturnType<typeof setTimeout> | undefined;
  const begin = () => {
    timer = setTimeout(() => limit.abort(signal.reason), ms);
  };
  if (signal.aborted) begin();
  else signal.addEventListener("abort", begin, { once: true });
  return {
    signal: limit.signal,
    [Symbol.dispose]() {
      clearTimeout(timer);
      signal.removeEventListener("abort", begin);
    },
  };
}

/** Made from the id of the run: a second attempt pushes to the same branch. */
function branchOf(routine: string, runId: string): string {
  const slug = routine
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "-")
    .slice(0, 40)
    .replace(/^-+|-+$/g, "");
  return `claude/${slug === "" ? "routine" : slug}-${runId.replace(/^run_/, "").slice(0, 12)}`;
}

/** What the cause says about this repository. */
function refOf({ origin }: RoutineRun, url: string): string | undefined {
  const { repository, ref } = origin;
  if (typeof ref !== "string" || typeof repository !== "string") return undefined;
  const path = url.replace(/\.git$/, "").toLowerCase();
  return path.endsWith(`/${repository.toLowerCase()}`) ? ref : undefined;
}

function namesIn(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.filter((each): each is string => typeof each === "string") : [];
}
