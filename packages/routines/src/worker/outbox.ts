// Does what follows a run, after its end is stored: tells whoever wanted to know. Each deed has a name, made from the run, that goes
// with it as `Idempotency-Key`: after a crash in the middle it may be done again, under the same name.

import { pauseFor } from "../pause.ts";
import type { RoutineRun } from "../records/run.ts";
import type { NotifyTarget, RoutineDefinition } from "../records/routine.ts";
import type { ClaimedEffect, EffectEnd, WorkerStore } from "../store/run-store.ts";
import type { GitCredential } from "./checkout/git.ts";
import { commentsUrl } from "./checkout/source.ts";
import { notifyAddresses, type NotifyAddress } from "./notify-target.ts";
import { killGroup } from "./processes.ts";

export interface RunOutboxOptions {
  readonly store: WorkerStore;
  /** Commands that a routine may name for notifications. What a command line does is the decision of whoever runs the worker. */
  readonly commands: Readonly<Record<string, readonly string[]>>;
  /** Where people see a run; `{run}` stands for its id. */
  readonly runUrl: string | undefined;
  readonly signal: AbortSignal;
  readonly leaseMs: number;
  readonly pollMs: number;
  /** Before the first repetition; twice as long before each further one. */
  readonly retryMs: number;
  readonly mostTries: number;
  credential(url: string, operation: "write"): Promise<GitCredential | undefined>;
  note(text: string): void;
}

export interface RunOutbox {
  /** There may be something to do. */
  wake(): void;
  /** Resolves when nothing is being done any more, after `signal`. */
  readonly stopped: Promise<void>;
}

const KINDS = ["ended", "comment"];
const TIMEOUT_MS = 20_000;
const LONGEST_PAUSE_MS = 3_600_000;

export function runOutbox(options: RunOutboxOptions): RunOutbox {
  const { store, signal, leaseMs, pollMs, note } = options;
  let waking = new AbortController();
  /** What was delivered of an effect with several targets: this process does not send it again. */
  const delivered = new Set<string>();
  const pause = (ms: number) => pauseFor(ms, AbortSignal.any([signal, waking.signal]));
  const stopped = (async () => {
    while (!signal.aborted) {
      waking = new AbortController();
      try {
        const claimed = await store.claimEffect({ kinds: KINDS, leaseMs });
        if (claimed === undefined) {
          await pause(pollMs);
          continue;
        }
        const { runId, key } = claimed;
        // By the time that somebody else may have it, nothing is on its way from here.
        const limit = AbortSignal.timeout(leaseMs * 0.8);
        const end = await publish(claimed, { ...options, limit }, delivered);
        await store.settleEffect(claimed, end);
        if (end.state !== "pending")
          for (const each of delivered) if (each.startsWith(`${runId}:${key}:`)) delivered.delete(each);
        if (end.state !== "done") note(`run ${runId}: ${key} was not delivered: ${end.error}`);
      } catch (error) {
        note(`the outbox cannot reach the store: ${error instanceof Error ? error.message : String(error)}`);
        await pause(pollMs);
      }
    }
  })();
  return { wake: () => waking.abort(), stopped };
}

/** `isFinal`: trying again does not help. */
class NotDelivered extends Error {
  readonly isFinal: boolean;

  constructor(message: string, isFinal: boolean) {
    super(message);
    this.isFinal = isFinal;
  }
}

interface Publishing extends RunOutboxOptions {
  readonly limit: AbortSignal;
}

async function publish(claimed: ClaimedEffect, options: Publishing, delivered: Set<string>): Promise<EffectEnd> {
  const { effect, run, routine, runId, key } = claimed;
  const problems: NotDelivered[] = [];
  const once = async (name: string, send: () => Promise<void>) => {
    const id = `${runId}:${key}:${name}`;
    if (delivered.has(id)) return;
    try {
      await send();
      delivered.add(id);
    } catch (error) {
      problems.push(
        error instanceof NotDelivered
          ? error
          : new NotDelivered(error instanceof Error ? error.message : String(error), false),
      );
    }
  };
  if (effect.kind === "comment") await once("comment", () => comment(claimed, options));
  else {
    for (const [at, target] of routine.notify.entries()) {
      if (wants(target, run))
        await once(String(at), () => notify(target, `${runId}:${key}:${at}`, run, routine, options));
    }
  }
  if (problems.length === 0) return { state: "done" };
  const error = problems
    .map(({ message }) => message)
    .join("; ")
    .slice(0, 1_000);
  if (problems.every(({ isFinal }) => isFinal) || effect.tries >= options.mostTries) return { state: "failed", error };
  return { state: "pending", error, afterMs: Math.min(LONGEST_PAUSE_MS, options.retryMs * 2 ** (effect.tries - 1)) };
}

/** A run that a worker could not begin counts as failed; one that its own rules left out does not. */
function wants({ on = "failed" }: NotifyTarget, { state, startedAt }: RoutineRun): boolean {
  if (on === "ended") return true;
  return state === "failed" || state === "timed_out" || (state === "skipped" && startedAt !== null);
}

function report(run: RoutineRun, routine: RoutineDefinition, runUrl: string | undefined): Record<string, unknown> {
  return {
    type: "routine_run",
    run_id: run.id,
    routine_id: run.routineId,
    routine: routine.name,
    session_id: run.sessionId,
    state: run.state,
    reason: run.reason,
    outcome: run.outcome,
    cost_usd: run.costUsd,
    turns: run.turns,
    started_at: run.startedAt,
    ended_at: run.endedAt,
    ...(runUrl === undefined ? {} : { url: runUrl.replaceAll("{run}", run.id) }),
  };
}

async function notify(
  { kind, target }: NotifyTarget,
  key: string,
  run: RoutineRun,
  routine: RoutineDefinition,
  options: Publishing,
): Promise<void> {
  const { limit } = options;
  const body = report(run, routine, options.runUrl);
  const title = `${routine.name}: ${run.state.replace("_", " ")}`;
  const text = run.outcome?.summary ?? run.reason ?? run.state;
  switch (kind) {
    case "command":
      return runCommand(target, key, body, options);
    case "webhook":
      return post(target, JSON.stringify(body), { "Content-Type": "application/json", "Idempotency-Key": key }, limit);
    case "ntfy": {
      const isGood = run.state === "succeeded" && run.outcome?.done !== false;
      return post(
        target,
        text,
        {
          "Content-Type": "text/plain; charset=utf-8",
          "Idempotency-Key": key,
          Title: headerText(title),
          Priority: isGood ? "default" : "high",
          Tags: isGood ? "white_check_mark" : "warning",
          ...(typeof body["url"] === "string" ? { Click: body["url"] } : {}),
        },
        limit,
      );
    }
  }
}

async function comment(
  { effect, run, routine, runId, key }: ClaimedEffect,
  { credential, limit }: Publishing,
): Promise<void> {
  // Another worker wrote the effect; what it may choose is the text.
  const { text } = effect.body;
  if (typeof text !== "string") throw new NotDelivered("the comment has no text", true);
  const url = commentsUrl(routine.sources, run.origin);
  if (url === undefined)
    throw new NotDelivered("what started the run is no issue or pull request of a source of the routine", true);
  const given = await credential(url, "write");
  if (given === undefined)
    throw new NotDelivered(
      `there is no credential for ${new URL(url).hostname}; add it to the file in KEELSON_GIT_CREDENTIALS`,
      true,
    );
  // A reader can tell, should it be there twice.
  const body = JSON.stringify({ body: `${text}\n\n<!-- ${runId}:${key} -->` });
  const headers = { "Content-Type": "application/json", "Idempotency-Key": `${runId}:${key}` };
  await post(url, body, { ...headers, Authorization: `Bearer ${given.password}` }, limit);
}

async function post(
  target: string,
  body: string,
  headers: Readonly<Record<string, string>>,
  limit: AbortSignal,
): Promise<void> {
  const addresses = await notifyAddresses(target).catch((error: Error) => {
    throw new NotDelivered(error.message, true);
  });
  const { hostname, username, password } = new URL(target);
  const own = { ...headers };
  if (username !== "") {
    const pair = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
    own["Authorization"] = `Basic ${Buffer.from(pair).toString("base64")}`;
  }
  const signal = AbortSignal.any([limit, AbortSignal.timeout(TIMEOUT_MS)]);
  const send = async ({ url, host }: NotifyAddress) => {
    url.username = url.password = "";
    const response = await fetch(url, {
      method: "POST",
      body,
      headers: { ...own, Host: host },
      redirect: "manual",
      signal,
    });
    await response.body?.cancel();
    return response;
  };
  const response = await firstThatListens(addresses, send);
  const { status } = response;
  if (status >= 200 && status < 300) return;
  const mayPass = status >= 500 || status === 408 || status === 425 || status === 429;
  throw new NotDelivered(`${hostname} answered ${status}`, !mayPass);
}

/** Nothing was sent to one that refuses the connection. */
async function firstThatListens(
  addresses: readonly NotifyAddress[],
  send: (address: NotifyAddress) => Promise<Response>,
): Promise<Response> {
  for (const [at, address] of addresses.entries()) {
    try {
      return await send(address);
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (at + 1 === addresses.length || (code !== "ConnectionRefused" && code !== "ECONNREFUSED")) throw error;
    }
  }
  throw new Error("there is no address");
}

async function runCommand(name: string, key: string, body: object, { commands, limit }: Publishing): Promise<void> {
  const command = commands[name];
  if (command === undefined)
    throw new NotDelivered(`this worker has no notification command "${name}"; use a webhook or an ntfy topic`, true);
  const child = Bun.spawn([...command], {
    cwd: "/",
    env: { PATH: process.env["PATH"] ?? "", HOME: process.env["HOME"] ?? "/", KEELSON_IDEMPOTENCY_KEY: key },
    stdin: new Blob([`${JSON.stringify(body)}\n`]),
    stdout: "ignore",
    stderr: "ignore",
    detached: true,
  });
  const stop = () => killGroup(child.pid);
  const ending = AbortSignal.any([limit, AbortSignal.timeout(TIMEOUT_MS)]);
  ending.addEventListener("abort", stop, { once: true });
  const code = await child.exited;
  ending.removeEventListener("abort", stop);
  if (code !== 0) throw new NotDelivered(`the command "${name}" exited with code ${code}`, false);
}

/** One line of what every server takes in a header. */
const headerText = (text: string) => text.replaceAll(/[^\x20-\x7e]/g, "?").slice(0, 200);
