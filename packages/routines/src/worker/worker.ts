// A worker: claims runs, so many at a time, and performs them. Any number of workers may share a store.

import { uptimeMs } from "@keelson/disk/uptime";
import { pauseFor } from "../pause.ts";
import type { RunClaim, WorkerStore } from "../store/run-store.ts";
import { credentialIn } from "./checkout/credentials.ts";
import { createGit, type GitCredential, type GitPrograms } from "./checkout/git.ts";
import { openPlaces } from "./places.ts";
import { runOutbox } from "./outbox.ts";
import { performRun, type AttemptSpan, type HeldRun, type RunLimits, type RunTools } from "./run.ts";

export interface WorkerOptions {
  readonly store: WorkerStore;
  /** Unique, such as `HOST-PID`. */
  readonly name: string;
  readonly version: string;
  /** How many runs at a time. */
  readonly slots?: number;
  /** For mirrors, checkouts and caches. Workers of one machine may share it. */
  readonly folder: string;
  /** The program that a run is, with its first arguments. */
  readonly program: readonly string[];
  readonly programs: GitPrograms;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Files and folders that no run may read, such as the database. */
  readonly hidden?: readonly string[];
  readonly leaseMs?: number;
  readonly pollMs?: number;
  readonly limits?: Partial<RunLimits>;
  /** Commands for notifications, by the names that routines use. */
  readonly notifyCommands?: Readonly<Record<string, readonly string[]>>;
  /** Where people see a run; `{run}` stands for its id. */
  readonly runUrl?: string;
  /** Asked before each operation on a repository, while the run is held. Default: the file in KEELSON_GIT_CREDENTIALS. */
  gitCredential?(url: string, operation: "read" | "write"): Promise<GitCredential | undefined>;
  /** An attempt at a run is over here. */
  attempted?(attempt: AttemptSpan): void;
  note?(text: string): void;
}

export interface RoutineWorker {
  /** Takes no more runs, gives back those it has, and resolves when nothing of them is left. */
  drain(): Promise<void>;
  /** How many runs it performs now. */
  readonly running: number;
}

const LEASE_MS = 30_000;
const POLL_MS = 5_000;
const SLOTS = 4;
const MOST_TRIES = 12;
const SEEN_MS = 30_000;
/** How often a program that stays for an answer is looked after. */
const LOOK_MS = 1_000;

const LIMITS: RunLimits = {
  maxTurns: 200,
  silenceMs: 15 * 60_000,
  answerMs: 24 * 3_600_000,
  stayMs: 60_000,
  quietMs: 500,
  // Schedulers take a run away after two minutes without a sign.
  signMs: 30_000,
  retryMs: 10_000,
};

/** Where the program finds a model, and what any program needs. A star at the end stands for anything. */
const VARIABLES = [
  ...["PATH", "LANG", "LC_*", "TZ", "USER", "LOGNAME", "SHELL", "TERM"],
  ...["SSL_CERT_FILE", "SSL_CERT_DIR", "NODE_EXTRA_CA_CERTS", "HTTPS_PROXY", "HTTP_PROXY", "NO_PROXY"],
  ...["https_proxy", "http_proxy", "no_proxy"],
  // Its reports, if there are any, go where those of the worker go.
  ...["OTEL_*", "CLAUDE_CODE_ENABLE_TELEMETRY"],
  ...["ANTHROPIC_*", "CLAUDE_CODE_USE_*", "CLAUDE_CODE_MAX_OUTPUT_TOKENS"],
  ...[
    "OPENAI_*",
    "GEMINI_API_KEY",
    "GOOGLE_*",
    "OPENROUTER_API_KEY",
    "AWS_*",
    "AZURE_*",
    "CLOUD_ML_REGION",
    "VERTEX_*",
  ],
];
const IS_SECRET = /KEY|TOKEN|SECRET|PASSWORD|CREDENTIAL|HEADERS/i;

export function startWorker(options: WorkerOptions): RoutineWorker {
  const { store, name, env, slots = SLOTS, leaseMs = LEASE_MS, pollMs = POLL_MS, note = () => {} } = options;
  const places = openPlaces(options.folder);
  const draining = new AbortController();
  const running = new Set<Promise<void>>();
  let free = slots;
  let freed = Promise.withResolvers<void>();
  const slot = {
    release() {
      free++;
      freed.resolve();
    },
    tryTake: () => free > 0 && (free--, true),
  };
  const credentials = env["KEELSON_GIT_CREDENTIALS"] || undefined;
  const passed = passedVariables(env);
  const tools: Omit<RunTools, "park"> = {
    store,
    leaseMs,
    places,
    git: createGit(options.programs),
    program: options.program,
    passed,
    secrets: Object.fromEntries(Object.entries(passed).filter(([key]) => IS_SECRET.test(key))),
    hidden: [...(options.hidden ?? []), ...(credentials === undefined ? [] : [credentials])],
    limits: { ...LIMITS, ...options.limits },
    draining: draining.signal,
    async gitCredential(url, operation) {
      if (options.gitCredential !== undefined) return options.gitCredential(url, operation);
      return credentials === undefined ? undefined : credentialIn(credentials, url);
    },
    attempted: (attempt) => options.attempted?.(attempt),
    note,
  };

  const outbox = runOutbox({
    store,
    commands: options.notifyCommands ?? {},
    runUrl: options.runUrl,
    signal: draining.signal,
    // Several targets, one after the other.
    leaseMs: leaseMs * 4,
    pollMs,
    retryMs: tools.limits.retryMs,
    mostTries: MOST_TRIES,
    credential: tools.gitCredential,
    note,
  });

  /** Runs that wait for an answer while their program is still there. */
  const parked = new Map<string, (again: HeldRun) => void>();
  /** A claim that was sent and not answered. It may be for any run. */
  let unanswered: Promise<unknown> = Promise.resolve();
  /** Resolves when a run that asked does not wait here any more; with a claim of it if it was answered and this worker is free. */
  const untilElsewhere = async (
    asked: RunClaim,
    ms: number,
    waits: (at: number) => void,
  ): Promise<HeldRun | undefined> => {
    const until = uptimeMs() + ms;
    while (uptimeMs() < until && !draining.signal.aborted) {
      await pause(Math.min(LOOK_MS, leaseMs / 5, Math.max(0, until - uptimeMs())));
      const lookedAt = uptimeMs();
      const now = await store.holds(asked).catch(() => undefined);
      // The program ends by itself, should that last.
      if (now === undefined || now.held) continue;
      if (now.state !== "waiting" && now.state !== "queued") {
        if (now.state === "running") break;
        return undefined;
      }
      waits(lookedAt);
      if (now.state === "waiting" || draining.signal.aborted || !slot.tryTake()) continue;
      const claimedAt = uptimeMs();
      const claimed = await store.claim({ worker: name, leaseMs, only: asked.runId }).catch(() => undefined);
      if (claimed?.run !== undefined) return { claimed, claimedAt };
      slot.release();
    }
    // Perhaps it is this worker that has it.
    await unanswered.catch(() => undefined);
    return undefined;
  };
  const perform = async (first: HeldRun) => {
    let hasSlot = true;
    const park: RunTools["park"] = async (asked, ms, waits) => {
      const { runId } = asked;
      hasSlot = false;
      const again = Promise.withResolvers<HeldRun | undefined>();
      parked.set(runId, again.resolve);
      slot.release();
      void untilElsewhere(asked, ms, waits).then(again.resolve);
      const claimed = await again.promise;
      parked.delete(runId);
      hasSlot = claimed !== undefined;
      return claimed;
    };
    try {
      for (let next = first; ;) {
        const done = await performRun(next, { ...tools, park });
        if (done.kind === "done") return;
        next = done;
      }
    } catch (error) {
      // The lease ends then, and somebody else takes it.
      note(`run ${first.claimed.run.id}: ${error instanceof Error ? error.message : String(error)}`);
    } finally {
      if (hasSlot) slot.release();
      outbox.wake();
    }
  };
  const begin = (claimed: HeldRun) => {
    const waiting = parked.get(claimed.claimed.run.id);
    if (waiting !== undefined) return waiting(claimed);
    const work = perform(claimed).finally(() => running.delete(work));
    running.add(work);
  };
  const pause = (ms: number) => pauseFor(ms, draining.signal);

  const claiming = (async () => {
    while (!draining.signal.aborted) {
      if (!slot.tryTake()) {
        freed = Promise.withResolvers<void>();
        await Promise.race([freed.promise, pause(pollMs)]);
        continue;
      }
      const claimedAt = uptimeMs();
      let wait = pollMs;
      let isTaken = true;
      try {
        const claim = store.claim({ worker: name, leaseMs });
        unanswered = claim;
        const claimed = await claim;
        if (claimed.run !== undefined) {
          begin({ claimed, claimedAt });
          continue;
        }
        wait = Math.min(pollMs, claimed.nextDueInMs ?? pollMs);
        isTaken = false;
        slot.release();
        if (wait > 0) await store.wake({ waitMs: wait, mark: claimed.mark }, draining.signal);
      } catch (error) {
        if (isTaken) slot.release();
        note(`the store cannot be reached: ${error instanceof Error ? error.message : String(error)}`);
        await pause(Math.min(wait, 1_000));
      }
    }
  })();

  /** Says that it lives, and clears up after workers that do not. */
  const keeping = (async () => {
    while (!draining.signal.aborted) {
      await store.seen({ id: name, version: options.version, slots, draining: false }).catch(() => undefined);
      await places
        .sweep()
        .catch((error: unknown) => note(`folders of earlier workers could not be removed: ${String(error)}`));
      await pause(SEEN_MS);
    }
  })();

  return {
    async drain() {
      draining.abort();
      await store.seen({ id: name, version: options.version, slots, draining: true }).catch(() => undefined);
      await Promise.all([claiming, keeping, outbox.stopped, ...running]);
      while (running.size > 0) await Promise.all(running);
    },
    get running() {
      return running.size;
    },
  };
}

function passedVariables(env: WorkerOptions["env"]): Record<string, string> {
  const isNamed = (name: string) =>
    VARIABLES.some((each) => (each.endsWith("*") ? name.startsWith(each.slice(0, -1)) : each === name));
  return Object.fromEntries(
    Object.entries(env).flatMap(([name, value]) =>
      value !== undefined && isNamed(name) ? [[name, value] as const] : [],
    ),
  );
}
