// The one way a hook is ever run, for every agent: choose, run all that match at once, read what each said, fold.
// Nothing of it is loaded in a session without hooks. It never throws: a hook that breaks is a notice.

import { nudge, reminder } from "@keelson/engine";
import type * as EngineHooks from "@keelson/engine/hooks";
import {
  NOTHING_SAID,
  type HookEvent,
  type HookOutcome,
  type HookRegistration,
  type HookRun,
  type HookVerdict,
  type JsonObject,
  type NewEntry,
  type PermissionMode,
  type Signal,
} from "@keelson/protocol";
import type { Runners } from "./handlers/runner.ts";

export interface HookDispatcherOptions {
  readonly sessionId: string;
  /** Null when nothing is kept. */
  readonly transcriptPath: string | null;
  /** Somebody wants to see every hook at work. */
  readonly includeEvents: boolean;
  cwd(): string;
  mode(): PermissionMode;
  effort(): string | undefined;
  /** The tool call an event is about, for `if` rules. */
  callOf(tool: string, input: JsonObject): Promise<EngineHooks.ConditionCall>;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Made on first use. */
  runners(): Promise<Runners>;
  show(signal: Signal): void | Promise<void>;
  /** For people, in text output too. */
  warn(text: string): void;
  /** What an asynchronous hook has to say to the model. */
  notify(entry: NewEntry, how: { readonly wakes: boolean }): void;
  /** Fields of an answer that concern the session: a title, paths to watch. */
  onFields(event: HookEvent, fields: Readonly<Record<string, unknown>>): void;
  /** Keeps what happened for `keelson hooks trace`. */
  trace(firing: Firing): void;
  now(): number;
  newId(): string;
}

/** One handler's part in one event. */
export interface Firing {
  readonly event: HookEvent;
  readonly label: string;
  /** How people know the handler. */
  readonly name: string;
  readonly registration: HookRegistration;
  readonly input: JsonObject;
  readonly run: HookRun;
  readonly reply: EngineHooks.HookReply;
}

export interface FireOptions {
  readonly signal: AbortSignal;
  /** Inside a hook's own agent: hooks that ask a model would call each other without end. */
  readonly withoutModels?: boolean;
}

/** An event with how things stood when it was fired: by the time its hooks run, the session may have gone on. */
interface FiredEvent {
  readonly event: HookEvent;
  readonly own: JsonObject;
  readonly base: EngineHooks.HookBase;
}

interface Started {
  readonly registration: HookRegistration;
  readonly label: string;
  readonly input: JsonObject;
}

/** A guard that cannot stand is not a guard that says yes. */
const VERDICT_ON_FAILURE: Readonly<Partial<Record<HookEvent, HookVerdict>>> = {
  PreToolUse: "ask",
  UserPromptSubmit: "deny",
  ConfigChange: "deny",
  PreModelSwitch: "deny",
};

export class HookDispatcher {
  readonly #options: HookDispatcherOptions;
  #settings: readonly HookRegistration[] = [];
  #client: readonly HookRegistration[] = [];
  #byEvent = new Map<HookEvent, HookRegistration[]>();
  readonly #ranOnce = new Set<HookRegistration>();
  readonly #reported = new Set<string>();
  readonly #background = new Set<Promise<void>>();
  #promptId: string | undefined;
  #closed = false;
  #hasRun = false;

  constructor(options: HookDispatcherOptions) {
    this.#options = options;
  }

  /** Takes the place of all that came from settings. */
  replace(registrations: readonly HookRegistration[]): void {
    this.#settings = registrations;
    this.#arrange();
  }

  /** What a client registered; a later `initialize` replaces it. */
  setClient(registrations: readonly HookRegistration[]): void {
    this.#client = registrations;
    this.#arrange();
  }

  get registered(): readonly HookRegistration[] {
    return [...this.#settings, ...this.#client];
  }

  hasHooksFor(event: HookEvent): boolean {
    return this.#byEvent.has(event);
  }

  async fire(event: HookEvent, own: JsonObject, options: FireOptions): Promise<HookOutcome> {
    const { prompt_id: promptId, ...rest } = own;
    if (typeof promptId === "string") this.#promptId = promptId;
    const waiting = this.#byEvent.get(event);
    if (!waiting) return NOTHING_SAID;
    try {
      return await this.#fire({ event, own: rest, base: this.#base(rest) }, waiting, options);
    } catch (error) {
      const why = `Hooks of ${event} could not be run: ${error instanceof Error ? error.message : String(error)}`;
      this.#reportProblem(why);
      const verdict = VERDICT_ON_FAILURE[event];
      return verdict === undefined ? NOTHING_SAID : { ...NOTHING_SAID, verdict, reasons: [why] };
    }
  }

  /** Hooks that went on in the background are given up. */
  async close(): Promise<void> {
    this.#closed = true;
    if (!this.#hasRun) return;
    await (await this.#options.runners()).close();
    await Promise.allSettled(this.#background);
  }

  async #fire(
    { event, own, base }: FiredEvent,
    waiting: readonly HookRegistration[],
    { signal, withoutModels }: FireOptions,
  ): Promise<HookOutcome> {
    const engine = await import("@keelson/engine/hooks");
    const subject = engine.subjectOf(event, own);
    const chosen = await engine.select(waiting, event, subject, this.#conditions(engine, own));
    const live = chosen.filter((each) => this.#mayRun(each, withoutModels));
    if (live.length === 0) return NOTHING_SAID;

    const input = engine.hookInput(event, base, own);
    const label = engine.labelOf(event, own);
    const budget = event === "SessionEnd" ? engine.sessionEndBudget(live, this.#options.env) : undefined;
    const replies = await Promise.all(
      live.map((registration) => this.#one(engine, { registration, label, input }, signal, budget)),
    );
    const outcome = engine.foldReplies(replies.filter((reply) => reply !== undefined));
    if (outcome.fields) this.#options.onFields(event, outcome.fields);
    if (outcome.stop) {
      const why = `A ${label} hook ended the run: ${outcome.stop}`;
      this.#inform(why, { prevent_continuation: true });
      this.#options.warn(why);
    }
    return outcome;
  }

  /** One handler, to its reply; undefined when it goes on in the background. */
  async #one(
    engine: typeof EngineHooks,
    started: Started,
    signal: AbortSignal,
    budget: number | undefined,
  ): Promise<EngineHooks.HookReply | undefined> {
    const { registration, label, input } = started;
    const { handler, event } = registration;
    const id = this.#options.newId();
    this.#hasRun = true;
    const runners = await this.#options.runners();
    const timeoutMs = budget ?? engine.timeoutOf(registration);
    this.#show(started, { subtype: "hook_started", hook_id: id });

    let wentAsync: ((timeoutMs: number | undefined) => void) | undefined;
    const detached = new Promise<"detached">((resolve) => (wentAsync = () => resolve("detached")));
    const running = runners.run(registration, input, {
      event,
      signal,
      timeoutMs,
      onAsync: (after) => wentAsync?.(after),
      onOutput: (stdout, stderr) =>
        this.#show(started, { subtype: "hook_progress", hook_id: id, stdout, stderr, output: stdout + stderr }),
    });
    const finished = running.then((run) => {
      const { stdout, stderr, exitCode, outcome } = run;
      this.#show(started, {
        subtype: "hook_response",
        hook_id: id,
        output: stdout + stderr,
        stdout,
        stderr,
        ...(exitCode === undefined ? {} : { exit_code: exitCode }),
        outcome,
      });
      const reply = engine.readReply(run, { event, label, handler });
      this.#options.trace({ event, label, name: engine.nameOf(handler), registration, input, run, reply });
      return { run, reply };
    });

    const isAsync = handler.type === "command" && (handler.async === true || handler.asyncRewake === true);
    const first = isAsync ? "detached" : await Promise.race([finished, detached]);
    if (first === "detached") {
      const later = finished.then(
        ({ run }) => this.#deliverLate(label, engine.readLate(run, { event, label, handler })),
        () => undefined,
      );
      this.#background.add(later);
      void later.finally(() => this.#background.delete(later));
      return undefined;
    }
    const { reply } = first;
    if (reply.problem !== undefined) this.#reportProblem(`${label} hook ${reply.problem}`);
    if (reply.problem !== undefined && event === "Stop") this.#notify("stop-hook-error", "A Stop hook failed");
    if (reply.systemMessage !== undefined) this.#inform(`${label} says: ${reply.systemMessage}`, {}, "notice");
    return reply;
  }

  /** A background hook is done: it can no longer decide anything, but the model may hear of it. */
  #deliverLate(label: string, { text, wakes, problem }: EngineHooks.LateReply): void {
    if (problem !== undefined && !this.#closed) this.#reportProblem(`${label} hook ${problem}`);
    if (text === undefined) return;
    // What wakes the model is worth a request; everything else waits for one.
    const id = this.#options.newId();
    const entry = wakes ? nudge(`<system-reminder>\n${text}\n</system-reminder>`, id) : reminder(text, id);
    this.#options.notify(entry, { wakes });
  }

  #mayRun(registration: HookRegistration, withoutModels: boolean | undefined): boolean {
    const { handler, source } = registration;
    if (withoutModels && (handler.type === "prompt" || handler.type === "agent")) return false;
    if (handler.once !== true || source !== "skill") return true;
    if (this.#ranOnce.has(registration)) return false;
    this.#ranOnce.add(registration);
    return true;
  }

  #base({ agent_id: agentId, agent_type: agentType }: JsonObject): EngineHooks.HookBase {
    const { sessionId, transcriptPath, cwd, mode, effort } = this.#options;
    const level = effort();
    return {
      session_id: sessionId,
      transcript_path: transcriptPath ?? "",
      cwd: cwd(),
      prompt_id: this.#promptId,
      permission_mode: mode(),
      ...(typeof agentId === "string" ? { agent_id: agentId } : {}),
      ...(typeof agentType === "string" ? { agent_type: agentType } : {}),
      ...(level === undefined ? {} : { effort: { level } }),
    };
  }

  /** Whether an `if` rule covers this call; worked out once, and only when a hook has one. */
  #conditions(engine: typeof EngineHooks, { tool_name: tool, tool_input: input }: JsonObject) {
    let matcher: Promise<(rule: string) => boolean> | undefined;
    const prepare = async () => {
      const { ifMatcher } = await engine.loadConditions();
      return ifMatcher(await this.#options.callOf(String(tool), (input ?? {}) as JsonObject));
    };
    return async (rule: string) => (await (matcher ??= prepare()))(rule);
  }

  #arrange(): void {
    this.#byEvent = Map.groupBy(this.registered, ({ event }) => event);
  }

  /** Functions of a client are its own business; what runs before anybody can ask is always shown (observed). */
  #show({ registration, label }: Started, body: { readonly subtype: string; readonly [key: string]: unknown }): void {
    const { event, handler } = registration;
    const isShown = this.#options.includeEvents || event === "SessionStart" || event === "Setup";
    if (!isShown || handler.type === "callback") return;
    void this.#options.show({ type: "system", ...body, hook_name: label, hook_event: event });
  }

  #inform(content: string, more: JsonObject, level = "warning"): void {
    void this.#options.show({ type: "system", subtype: "informational", content, level, ...more });
  }

  /** What a client shows at once and takes away again (observed: for Stop hooks that fail). */
  #notify(key: string, text: string): void {
    void this.#options.show({ type: "system", subtype: "notification", key, text, priority: "immediate" });
  }

  /** Each thing that goes wrong is said once, to clients and to people. */
  #reportProblem(problem: string): void {
    if (this.#reported.has(problem)) return;
    this.#reported.add(problem);
    this.#inform(problem, {});
    this.#options.warn(problem);
  }
}
