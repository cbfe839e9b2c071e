// One claimed run, from its checkout to its end. Whatever goes wrong, it ends in exactly one of these ways: finished, waiting for an
// answer, given back to the store, or taken away by the store; and nothing of it is left on this machine.

import { createHash } from "node:crypto";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { isObject, isToolResult } from "@keelson/protocol";
import type { ClaimedRun, NewEffect, RoutineRun, RunEntry, RunOutcome } from "../records/run.ts";
import { sessionIdOf } from "../records/run-id.ts";
import type { RunEnvironment } from "../records/team.ts";
import {
  StoreUnavailable,
  type ReleaseReason,
  type RunClaim,
  type RunEnd,
  type WorkerStore,
} from "../store/run-store.ts";
import { uptimeMs } from "@keelson/disk/uptime";
import { GitAccessError } from "./checkout/checkout.ts";
import type { Git, GitCredential } from "./checkout/git.ts";
import { commentsUrl, SourceError } from "./checkout/source.ts";
import { startProgramChild, type ChildProgram } from "./child.ts";
import { entryWriter, type EntryWriter } from "./entries.ts";
import { launchOf, setupLaunchOf } from "./launch.ts";
import { holdRunLease, LeaseLost, type RunLease } from "./lease.ts";
import type { RunPlaces, RunPlace } from "./places.ts";
import { endSandboxesOf } from "./processes.ts";
import { firstPrompt, resumePrompt } from "./prompts.ts";
import { runQuestions, type RunQuestions } from "./questions.ts";
import { LiveView } from "./live.ts";
import { liveRedactor, redactor } from "./redact.ts";
import { keptLines, restoreRun } from "./restore.ts";
import { RunFiles } from "./run-files.ts";
import { runSetup, SetupError } from "./setup.ts";

export interface RunLimits {
  /** Model requests, where the routine names no number. */
  readonly maxTurns: number;
  /** Without any message of the child. */
  readonly silenceMs: number;
  /** How long a person has for an answer. */
  readonly answerMs: number;
  /** How long the child stays for an answer. */
  readonly stayMs: number;
  readonly quietMs: number;
  /** How often somebody learns that a run lives which says nothing. */
  readonly signMs: number;
  /** Before the first retry after a crash; twice as long before each further one. */
  readonly retryMs: number;
}

export interface RunTools {
  readonly store: WorkerStore;
  readonly leaseMs: number;
  readonly places: RunPlaces;
  readonly git: Git;
  /** The program and its first arguments. */
  readonly program: readonly string[];
  /** What the child gets of the worker's environment. */
  readonly passed: Readonly<Record<string, string>>;
  /** Values of the worker's own that must not appear anywhere. */
  readonly secrets: Readonly<Record<string, string>>;
  readonly hidden: readonly string[];
  readonly limits: RunLimits;
  /** Aborted when the worker ends. */
  readonly draining: AbortSignal;
  /**
   * The run waits, and is no work for this worker meanwhile. Resolves with a new claim of it, or with nothing as soon as it does not wait
   * for this worker any more, at the latest after so long. `waits`: it did at this uptime.
   */
  park(asked: RunClaim, ms: number, waits: (at: number) => void): Promise<HeldRun | undefined>;
  gitCredential(url: string, operation: "read" | "write"): Promise<GitCredential | undefined>;
  attempted(attempt: AttemptSpan): void;
  note(text: string): void;
}

/** From a claim to its end, as a span of a trace: all attempts at a run are one trace, and what the program reports is inside. */
export interface AttemptSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly startMs: number;
  readonly endMs: number;
  readonly run: RoutineRun;
  /** `succeeded`, `crashed`, `asked` … */
  readonly why: string;
}

/** Made from what is known everywhere: no id travels. */
export function spanOf({ run, claim }: Pick<ClaimedRun, "run" | "claim">): Pick<AttemptSpan, "traceId" | "spanId"> {
  const hash = (text: string) => createHash("sha256").update(text).digest("hex");
  return { traceId: hash(run.id).slice(0, 32), spanId: hash(claim).slice(0, 16) };
}

export interface HeldRun {
  readonly claimed: ClaimedRun;
  /** As uptime, before the claim was sent. */
  readonly claimedAt: number;
}

/** `again`: another claim of the same run, which needs a new start. */
export type RunDone = { readonly kind: "done" } | ({ readonly kind: "again" } & HeldRun);

export async function performRun({ claimed, claimedAt }: HeldRun, tools: RunTools): Promise<RunDone> {
  const place = await tools.places.make(claimed.run.id);
  const performance = new Performance(claimed, claimedAt, tools, place);
  const startMs = Date.now();
  try {
    return await performance.perform();
  } finally {
    await performance.close();
    const { run } = claimed;
    tools.attempted({ ...spanOf(claimed), startMs, endMs: Date.now(), run, why: performance.why });
  }
}

/** Why the child has to be dealt with. */
type Event = "ended" | "ask" | "ask, busy" | "drain" | "lost" | "time" | "silence";

/** The run ends like this. */
class Ended extends Error {
  readonly end: RunEnd;

  constructor(end: RunEnd) {
    super(end.reason ?? end.state);
    this.end = end;
  }
}

class Performance {
  /** How it ended. Whatever is not written to the store ends like this. */
  why = "lease lost";
  #run: RoutineRun;
  #lease: RunLease;
  #entries: EntryWriter;
  #redact: (text: string) => string;
  #redactLive: (text: string, isCut: boolean) => string;
  readonly #live: LiveView;
  #child: ChildProgram | undefined;
  #questions: RunQuestions | undefined;
  #turns: number;
  #signs: ReturnType<typeof setInterval> | undefined;
  readonly #files: RunFiles;
  readonly #seenReplies = new Set<string>();
  #costUsd = 0;
  /** Of it, what the session of this attempt does not know about. */
  #costElsewhereUsd = 0;
  #result: Readonly<Record<string, unknown>> | undefined;
  #lastMessageAt = uptimeMs();
  /** Whatever the program does after that does not count. */
  #fatal: Ended | undefined;
  readonly #claimed: ClaimedRun;
  readonly #tools: RunTools;
  readonly #place: RunPlace;
  #sessionId: string;

  constructor(claimed: ClaimedRun, claimedAt: number, tools: RunTools, place: RunPlace) {
    this.#claimed = claimed;
    this.#tools = tools;
    this.#place = place;
    this.#run = claimed.run;
    this.#turns = claimed.run.turns;
    this.#costUsd = claimed.run.costUsd;
    this.#sessionId = claimed.run.sessionId;
    this.#redact = redactor(tools.secrets);
    this.#redactLive = liveRedactor(tools.secrets);
    this.#lease = this.#hold(claimed, claimedAt);
    this.#entries = entryWriter({
      store: tools.store,
      lease: this.#lease,
      there: claimed.entries,
      redact: (text) => this.#redact(text),
    });
    this.#live = new LiveView({
      store: tools.store,
      held: () => this.#lease.held,
      newest: () => this.#entries.last,
      redact: (text, isCut) => this.#redactLive(text, isCut),
    });
    this.#files = new RunFiles({
      run: claimed.run,
      routine: claimed.routine,
      place,
      mirrors: tools.places.mirrors,
      git: tools.git,
      draining: tools.draining,
      lease: () => this.#lease,
      gitCredential: (url, operation) => tools.gitCredential(url, operation),
      keep: (line) => this.#entries.add("transcript", line),
      log: (text) => this.#log(text),
    });
  }

  async perform(): Promise<RunDone> {
    try {
      return await this.#attempt();
    } catch (error) {
      if (error instanceof Ended) return this.#finish(error.end);
      if (error instanceof LeaseLost || this.#lease.signal.aborted) {
        const why = (this.#lease.signal.reason as Error | undefined)?.message ?? String(error);
        this.#tools.note(`run ${this.#run.id}: given up, ${this.#redact(why)}`);
        return { kind: "done" };
      }
      if (this.#tools.draining.aborted) return this.#release({ why: "released" });
      if (error instanceof GitAccessError || error instanceof SourceError) {
        return this.#finish({ state: "skipped", reason: error.message });
      }
      if (error instanceof SetupError) return this.#finish({ state: "failed", reason: error.message });
      return this.#crashed(error instanceof Error ? error.message : String(error));
    }
  }

  /** Whatever happened: nothing of the run is left here. */
  async close(): Promise<void> {
    clearInterval(this.#signs);
    this.#lease.end();
    this.#questions?.stop();
    this.#live.stop();
    this.#entries.rest();
    this.#child?.kill();
    // One that ended by itself has ended its own.
    if ((await this.#child?.ended)?.signal != null) endSandboxesOf(this.#place.work);
    await this.#place.remove();
  }

  #hold(claimed: ClaimedRun, claimedAt: number): RunLease {
    return holdRunLease({
      store: this.#tools.store,
      held: { runId: claimed.run.id, claim: claimed.claim },
      leaseMs: claimed.leaseMs,
      claimedAt,
      file: join(this.#place.private, "lease"),
      facts: () => ({ turns: this.#turns, costUsd: this.#costUsd, sessionId: this.#sessionId }),
    });
  }

  async #attempt(): Promise<RunDone> {
    const { store, limits, hidden, places, program, passed } = this.#tools;
    const { routine, questions } = this.#claimed;
    this.#signs = setInterval(() => this.#askForSign(), limits.signMs);
    const lost = this.#run.failures + this.#run.lost;
    if (routine.onCrash === "fail" && lost > 0) {
      throw new Ended({
        state: "failed",
        reason: "An attempt did not come to an end, and the routine allows no other (on_crash: fail)",
      });
    }
    if (routine.onCrash === "restart" && lost > 0) this.#sessionId = sessionIdOf(`${this.#run.id} ${lost}`);
    const { environment } = this.#lease.take(await store.environment(this.#lease.held));
    const files = this.#files;
    const secrets = files.isFork ? {} : this.#lease.take(await store.secrets(this.#lease.held)).secrets;
    this.#redact = redactor({ ...this.#tools.secrets, ...secrets });
    this.#redactLive = liveRedactor({ ...this.#tools.secrets, ...secrets });

    await files.checkOut();
    const { checkouts, cwd, branch } = files;
    const settings = join(this.#place.private, "settings.json");
    const session = { id: this.#sessionId, resume: false };
    const restored = await restoreRun({ store, lease: this.#lease, sessionId: session.id, config: this.#place.config });
    session.resume = restored.isStarted;
    const maxTurns = (routine.maxTurns ?? limits.maxTurns) - this.#turns;
    // An attempt that was lost may have cost more than its session could write down, and one before a restart had another session.
    this.#costElsewhereUsd = Math.max(0, this.#costUsd - restored.costUsd);
    this.#countCost(restored.costUsd);
    if (routine.budgetUsd !== null && this.#costUsd >= routine.budgetUsd)
      throw new Ended({ state: "failed", reason: BUDGET_REACHED });
    if (maxTurns <= 0) throw new Ended({ state: "failed", reason: turnsReached(routine.maxTurns ?? limits.maxTurns) });
    const surroundings = {
      run: this.#run,
      routine,
      environment,
      place: this.#place,
      cwd,
      files: { settings, lease: join(this.#place.private, "lease") },
      secrets,
      passed,
      span: spanOf(this.#claimed),
      hidden: [places.private, ...this.#place.others(), ...hidden],
    };
    if (environment?.setupScript) {
      const setup = runSetup({
        script: environment.setupScript,
        environment,
        checkouts,
        cwd,
        place: this.#place,
        folder: places.setups,
        isFork: files.isFork,
        mayKeep: files.hasUsualCode,
        git: this.#tools.git,
        program,
        launch: setupLaunchOf(surroundings),
        signal: AbortSignal.any([this.#lease.signal, this.#tools.draining]),
      });
      const done = await setup.catch((error: unknown) => {
        if (error instanceof SetupError) this.#lease.assertWasKept();
        throw error;
      });
      await this.#log(done === "ran" ? "Ran the setup script" : "Restored what the setup script made before");
    }
    const hasFiles = await files.restore(restored);
    const launch = launchOf({
      ...surroundings,
      session,
      branch: checkouts.length === 0 ? undefined : branch,
      maxTurns,
      budgetUsd: routine.budgetUsd === null ? undefined : routine.budgetUsd - this.#costElsewhereUsd,
    });
    writeFileSync(settings, JSON.stringify(launch.settings), { mode: 0o600 });
    this.#questions = runQuestions({
      runId: this.#run.id,
      answered: questions,
      answeredCalls: restored.answeredCalls,
      expiresInMs: limits.answerMs,
      quietMs: limits.quietMs,
      patienceMs: limits.stayMs,
      redact: (text) => this.#redact(text),
    });
    await this.#lease.assertHeld();
    this.#tools.draining.throwIfAborted();
    this.#child = startProgramChild({
      command: [...program, ...launch.args],
      cwd,
      env: launch.env,
      onMessage: (message) => this.#take(message),
    });
    this.#place.started(this.#child.pid);
    this.#lastMessageAt = uptimeMs();
    const answers = questions.filter(({ request }) => !restored.answeredCalls.has(String(request["tool_use_id"])));
    const text = restored.isStarted
      ? resumePrompt({ restored, answers, cwd, commit: checkouts[0]?.commit, hasFiles })
      : firstPrompt(routine, this.#run);
    this.#child.send({ type: "user", message: { role: "user", content: text }, parent_tool_use_id: null });
    return this.#follow(environment);
  }

  /** Each message of the child. */
  async #take(message: Readonly<Record<string, unknown>>): Promise<void> {
    if (this.#fatal !== undefined) return;
    if (message["type"] === "control_response") {
      const cost = costIn(message);
      return cost === undefined ? this.#showSign() : this.#countCost(cost);
    }
    this.#lastMessageAt = uptimeMs();
    this.#live.see(message);
    const reply = this.#questions?.see(message);
    if (reply !== undefined) this.#child?.send(reply);
    const { type } = message;
    if (type === "transcript_mirror") {
      const { filePath, entries } = message as { readonly filePath?: unknown; readonly entries?: unknown };
      if (typeof filePath !== "string" || !Array.isArray(entries)) return;
      if ((entries as readonly object[]).some(hasResult)) await this.#files.keep(this.#sessionId);
      for (const line of keptLines({ filePath, entries: entries as readonly object[] }))
        await this.#entries.add("transcript", line);
      return;
    }
    if (type === "system" && message["subtype"] === "init" && this.#hasNoModel(message)) {
      this.#fatal = new Ended({ state: "failed", reason: NO_MODEL });
      this.#child?.kill();
      return;
    }
    if (type === "assistant" && typeof message["parent_tool_use_id"] !== "string") this.#countTurn(message);
    if (type === "user" || isEndOfReply(message)) this.#askForCost();
    if (type === "result") {
      // It is kept with the end of the run: whoever finds it there knows that there is nothing left to do.
      this.#result = message;
      this.#countCost(message["total_cost_usd"]);
      this.#child?.closeInput();
      return;
    }
    if (!UNKEPT.has(String(type))) await this.#entries.add("message", message);
  }

  /** The program stands in for a model that it does not have. Here nobody sees that, and nothing would be done. */
  #hasNoModel({ model }: Readonly<Record<string, unknown>>): boolean {
    if (model !== OFFLINE.id) return false;
    const { passed } = this.#tools;
    const names = Object.keys(passed).filter((name) => /^ANTHROPIC_(?:\w+_)?MODEL$/.test(name));
    const asked = [this.#claimed.routine.model, ...names.map((name) => passed[name])];
    return !asked.some((name) => OFFLINE.names.includes(name?.trim().toLowerCase() ?? ""));
  }

  /** A call may take long and say nothing. The program answers all the same, and whoever watches over runs learns that it lives. */
  #askForSign(): void {
    // The checkout or the setup script takes its time; that this worker lives is all there is to know.
    if (this.#child === undefined) return void this.#showSign();
    if (uptimeMs() - this.#lastMessageAt < this.#tools.limits.signMs / 2) return;
    const request = { subtype: "get_binary_version" };
    this.#child.send({ type: "control_request", request_id: `sign-${crypto.randomUUID()}`, request });
  }

  /** Whoever is killed tells no more what it has cost. */
  #askForCost(): void {
    const request = { subtype: "get_usage" };
    this.#child?.send({ type: "control_request", request_id: `cost-${crypto.randomUUID()}`, request });
  }

  /** `session`: what it has cost in all, as far as prices are known. */
  #countCost(session: unknown): void {
    if (typeof session === "number") this.#costUsd = Math.max(this.#costUsd, this.#costElsewhereUsd + session);
  }

  /** Before the claim ends without the end of the run: the next attempt gets what is left. */
  async #tellCost(): Promise<void> {
    const { store } = this.#tools;
    const { leaseMs } = this.#claimed;
    const facts = { turns: this.#turns, costUsd: this.#costUsd, sessionId: this.#sessionId };
    await this.#untilSent(async () => void this.#lease.take(await store.beat(this.#lease.held, { leaseMs, ...facts })));
  }

  async #showSign(): Promise<void> {
    // If it does not arrive, the next one does.
    await this.#tools.store.append(this.#lease.held, []).catch(() => undefined);
  }

  #countTurn(message: Readonly<Record<string, unknown>>): void {
    const id = (message["message"] as { readonly id?: unknown } | undefined)?.id;
    if (typeof id !== "string" || this.#seenReplies.has(id)) return;
    this.#seenReplies.add(id);
    this.#turns++;
  }

  async #follow(environment: RunEnvironment | undefined): Promise<RunDone> {
    const child = this.#child!;
    const { limits, draining } = this.#tools;
    const { routine } = this.#claimed;
    let until = uptimeMs() + routine.timeoutS * 1000;
    for (;;) {
      const event = await this.#next(until);
      switch (event) {
        case "lost":
          child.kill();
          throw this.#lease.signal.reason;
        case "drain": {
          const before = this.#result;
          await child.stop();
          // All is done, and only the end was not written yet. One that came with the signal may be about the signal.
          const result = this.#result;
          if (before !== undefined || (result !== undefined && failureOf(result, 0) === undefined))
            return this.#conclude(environment);
          return this.#release({ why: "released" });
        }
        case "time":
          await child.stop();
          await this.#files.push(environment);
          throw new Ended({
            state: "timed_out",
            reason: `The run took longer than its limit of ${routine.timeoutS} s`,
          });
        case "silence":
          child.kill();
          await child.ended;
          return this.#crashed(`The program said nothing for ${Math.round(limits.silenceMs / 1000)} s`);
        case "ask":
        case "ask, busy": {
          const askedAt = uptimeMs();
          const again = await this.#wait(event === "ask");
          if (again !== "continued") return again;
          until += uptimeMs() - askedAt;
          this.#lastMessageAt = uptimeMs();
          continue;
        }
        case "ended":
          if (this.#fatal !== undefined) throw this.#fatal;
          if (draining.aborted && this.#result === undefined) return this.#release({ why: "released" });
          return this.#conclude(environment);
      }
    }
  }

  async #next(until: number): Promise<Event> {
    const stop = new AbortController();
    const { limits, draining } = this.#tools;
    const on = (signal: AbortSignal, event: Event) =>
      new Promise<Event>((resolve) => {
        if (signal.aborted) return resolve(event);
        signal.addEventListener("abort", () => resolve(event), { once: true, signal: stop.signal });
      });
    let timer: ReturnType<typeof setTimeout> | undefined;
    const clock = new Promise<Event>((resolve) => {
      const look = () => {
        const now = uptimeMs();
        const silentAt = this.#lastMessageAt + limits.silenceMs;
        if (now >= until) return resolve("time");
        if (now >= silentAt) return resolve("silence");
        timer = setTimeout(look, Math.max(10, Math.min(until, silentAt) - now, 0));
      };
      look();
    });
    try {
      return await Promise.race([
        on(this.#lease.signal, "lost"),
        this.#child!.ended.then((): Event => "ended"),
        on(draining, "drain"),
        this.#questions!.wanted().then(({ isQuiet }): Event => (isQuiet ? "ask" : "ask, busy")),
        clock,
      ]);
    } finally {
      clearTimeout(timer);
      stop.abort();
    }
  }

  /** Questions are open: the run waits without this worker. The child stays for a while, in case somebody answers at once. */
  async #wait(isQuiet: boolean): Promise<RunDone | "continued"> {
    const { store, limits, leaseMs, park } = this.#tools;
    const child = this.#child!;
    const busy = isQuiet ? [] : this.#questions!.open();
    // Other calls go on, and whoever has the run next must not find them at work. Closing would cancel the questions.
    if (busy.length > 0) {
      child.kill();
      await child.ended;
      endSandboxesOf(this.#place.work);
      if (this.#result !== undefined || this.#fatal !== undefined) return "continued";
    }
    await this.#untilSent(() => this.#entries.flush());
    const open = busy.length > 0 ? busy : this.#questions!.open();
    if (open.length === 0) return "continued";
    await this.#tellCost();
    await this.#untilSent(async () => void this.#lease.take(await store.ask(this.#lease.held, open)));
    this.why = "asked";
    const lease = this.#lease;
    const stayFrom = (at: number) => lease.end(at + leaseMs);
    // It can do nothing until it is answered, and ends by itself unless it is known that the run still waits.
    stayFrom(uptimeMs());
    if (busy.length > 0) return { kind: "done" };
    this.#entries.pause();
    let hasEnded = false;
    void child.ended.then(() => (hasEnded = true));
    const again = await park(lease.held, limits.stayMs, stayFrom);
    if (again !== undefined) return hasEnded ? { kind: "again", ...again } : this.#continue(again);
    await child.stop();
    return { kind: "done" };
  }

  #continue({ claimed, claimedAt }: HeldRun): RunDone | "continued" {
    this.#run = claimed.run;
    this.#lease = this.#hold(claimed, claimedAt);
    if (this.#entries.resume(this.#lease, claimed.entries)) {
      const replies = this.#questions!.settle(claimed.questions);
      if (replies !== undefined) {
        for (const reply of replies) this.#child!.send(reply);
        return "continued";
      }
    }
    // Somebody else had it meanwhile.
    this.#lease.end();
    return { kind: "again", claimed, claimedAt };
  }

  async #conclude(environment: RunEnvironment | undefined): Promise<RunDone> {
    const { code, signal, stderr } = await this.#child!.ended;
    this.#lease.signal.throwIfAborted();
    const result = this.#result;
    if (result === undefined) {
      this.#lease.assertWasKept();
      const how = signal === null ? `exited with code ${code}` : `was ended by ${signal}`;
      const last = stderr.trim().split("\n").slice(-3).join(" ");
      return this.#crashed(`The program ${how} without a result${last === "" ? "" : `: ${last}`}`);
    }
    const failure = failureOf(result, this.#claimed.routine.maxTurns ?? this.#tools.limits.maxTurns);
    if (failure?.isPassing) {
      this.#lease.assertWasKept();
      return this.#crashed(failure.reason);
    }
    const problems = await this.#files.push(environment);
    const outcome = this.#outcomeOf(result);
    const reason = failure?.reason ?? problems[0] ?? (outcome === null ? "The run ended without an outcome" : null);
    const state = failure === undefined && problems.length === 0 ? "succeeded" : "failed";
    return this.#finish({ state, reason, outcome, result: lastWords(result) });
  }

  /** A line of the worker's own in the log of the run. */
  #log(text: string): Promise<void> {
    return this.#entries.add("message", { type: "system", subtype: "worker", text, session_id: this.#sessionId });
  }

  #outcomeOf(result: Readonly<Record<string, unknown>>): RunOutcome | null {
    const { done, summary, links } = (result["structured_output"] ?? {}) as Partial<Record<string, unknown>>;
    if (typeof done !== "boolean" || typeof summary !== "string") return null;
    const addresses = Array.isArray(links)
      ? links.filter((each): each is string => typeof each === "string" && /^https?:\/\//.test(each))
      : [];
    return {
      done,
      summary: this.#redact(summary).slice(0, MOST_SUMMARY),
      links: addresses.slice(0, MOST_LINKS).map((each) => this.#redact(each).slice(0, 2_000)),
    };
  }

  async #finish(end: RunEnd): Promise<RunDone> {
    const { store } = this.#tools;
    this.#child?.kill();
    await this.#child?.ended;
    const whole: RunEnd = {
      ...end,
      reason: end.reason == null ? null : this.#redact(end.reason).slice(0, MOST_REASON),
      ...(end.result == null ? {} : { result: this.#redact(end.result).slice(0, MOST_RESULT) }),
      costUsd: this.#costUsd,
      turns: this.#turns,
      effects: this.#effectsOf(end),
    };
    // So that the write that ends the run is small. The result is part of it: a run has one, or has not ended.
    await this.#untilSent(() => this.#entries.flush());
    if (this.#result !== undefined) await this.#entries.add("message", this.#result);
    const rest: readonly RunEntry[] = this.#entries.rest();
    await this.#untilSent(
      async () => void this.#lease.take(await store.finish(this.#lease.held, { ...whole, entries: rest })),
    );
    this.why = end.state;
    this.#tools.note(`run ${this.#run.id}: ${end.state}${whole.reason ? `, ${whole.reason}` : ""}`);
    return { kind: "done" };
  }

  /** Notifications follow from the end itself. */
  #effectsOf({ state, reason, outcome }: RunEnd): readonly NewEffect[] {
    const { extra, sources } = this.#claimed.routine;
    if (extra["comment"] !== true || commentsUrl(sources, this.#run.origin) === undefined) return [];
    const text = this.#redact(outcome?.summary ?? reason ?? `The run is ${state}`);
    const links = (outcome?.links ?? []).map((each) => `- ${this.#redact(each)}`);
    return [{ key: "comment", kind: "comment", body: { text: [text, ...links].join("\n") } }];
  }

  async #crashed(reason: string): Promise<RunDone> {
    const { retryMs } = this.#tools.limits;
    this.#child?.kill();
    await this.#child?.ended;
    const afterMs = Math.min(600_000, retryMs * 2 ** this.#run.failures);
    return this.#release({ why: "crashed", reason: this.#redact(reason).slice(0, MOST_REASON), afterMs });
  }

  async #release(why: ReleaseReason): Promise<RunDone> {
    await this.#untilSent(() => this.#entries.flush());
    await this.#tellCost();
    await this.#untilSent(async () => void this.#lease.take(await this.#tools.store.release(this.#lease.held, why)));
    this.why = why.why;
    this.#tools.note(`run ${this.#run.id}: ${why.why}${why.why === "crashed" ? `, ${why.reason}` : ""}`);
    return { kind: "done" };
  }

  /** Repeats what the store could not take, as long as the lease lasts. */
  async #untilSent(write: () => Promise<void>): Promise<void> {
    for (let pause = 50; ; pause = Math.min(pause * 2, 1_000)) {
      try {
        return await write();
      } catch (error) {
        this.#lease.signal.throwIfAborted();
        if (!(error instanceof StoreUnavailable)) throw error;
        await Bun.sleep(pause);
      }
    }
  }
}

/** The model that the program has built in, as it is named and as it names itself. */
const OFFLINE = { id: "keelson-offline", names: ["offline", "keelson-offline"] };
const NO_MODEL =
  "The worker has no model: start it with ANTHROPIC_API_KEY set, or with the variables of another provider (docs/models.md). " +
  'The built-in offline model answers routines only that name it ("model": "offline")';

const MOST_SUMMARY = 8_000;
const MOST_LINKS = 20;
const MOST_RESULT = 32_000;
const MOST_REASON = 1_000;

/** An entry with the result of a call. */
function hasResult(entry: object): boolean {
  const { message } = entry as { readonly message?: { readonly content?: unknown } };
  const content = message?.content;
  return Array.isArray(content) && (content as Parameters<typeof isToolResult>[0][]).some(isToolResult);
}

/** Signals, and what is kept in another form. */
const UNKEPT = new Set([
  "stream_event",
  "tool_running",
  "keep_alive",
  "control_request",
  "control_response",
  "control_cancel_request",
  "command_lifecycle",
]);

const BUDGET_REACHED = "The run reached its budget";

/** Of a model's reply, also of a subagent. */
const isEndOfReply = ({ type, event }: Readonly<Record<string, unknown>>) =>
  type === "stream_event" && isObject(event) && event["type"] === "message_stop";

/** Undefined if it answers something else. */
function costIn({ response }: Readonly<Record<string, unknown>>): unknown {
  if (!isObject(response) || !String(response["request_id"]).startsWith("cost-")) return undefined;
  const session = isObject(response["response"]) ? response["response"]["session"] : undefined;
  return isObject(session) ? session["total_cost_usd"] : null;
}

const turnsReached = (most: number) => `The run reached its limit of ${most} turns`;

function failureOf(
  result: Readonly<Record<string, unknown>>,
  maxTurns: number,
): { readonly reason: string; readonly isPassing: boolean } | undefined {
  const { subtype, is_error: isError, api_error_status: status } = result;
  if (subtype === "success" && isError !== true) return undefined;
  if (subtype === "error_max_turns") return { reason: turnsReached(maxTurns), isPassing: false };
  if (subtype === "error_max_budget_usd") return { reason: BUDGET_REACHED, isPassing: false };
  // The task may be done; it is the report that is missing.
  if (subtype === "error_max_structured_output_retries") return undefined;
  const text = [
    ...(Array.isArray(result["errors"]) ? (result["errors"] as unknown[]).slice(-1) : []),
    result["result"],
  ].find(Boolean);
  const isPassing = status === undefined || status === null || ![400, 401, 403, 404, 413, 422].includes(Number(status));
  return { reason: String(text ?? "The run failed").slice(0, MOST_REASON), isPassing };
}

function lastWords(result: Readonly<Record<string, unknown>>): string | null {
  return typeof result["result"] === "string" ? result["result"] : null;
}
