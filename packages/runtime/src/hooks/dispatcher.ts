// Fires hooks, for every agent of a session: choose the handlers that match, run them all at once, fold their replies.
// Nothing else runs a hook. Never throws: a hook that fails becomes a warning, or a no if the machine could not run it.

import type * as EngineHooks from "@keelson/engine/hooks";
import {
  NOTHING_SAID,
  type HookEvent,
  type HookOutcome,
  type HookRegistration,
  type JsonObject,
  type NewEntry,
  type PermissionMode,
} from "@keelson/protocol";
import type { HookAgentPorts } from "./handlers/agent.ts";
import type { HandlerHost, InformDetails } from "./run-handler.ts";

export interface HookDispatcherOptions extends Pick<
  HandlerHost,
  "includeEvents" | "runners" | "show" | "trace" | "newId"
> {
  /** A message for the model of the agent, or of the session. */
  notify(entry: NewEntry, how: { readonly wakes: boolean }, agent: FiringAgent | undefined): void;
  sessionId(): string;
  /** Null if the session is not saved. */
  transcriptPath(): string | null;
  readonly env: Readonly<Record<string, string | undefined>>;
  cwd(): string;
  mode(): PermissionMode;
  effort(): string | undefined;
  /** The agent that the session runs as, if it is one. */
  agentType?(): string | undefined;
  /** The tool call an event is about, for `if` rules. */
  callOf(tool: string, input: JsonObject): Promise<EngineHooks.ConditionCall>;
  /** The server of an MCP tool. Absent if there are none. */
  serverOf?(tool: string): JsonObject | undefined;
  /** Prints a warning, also with text output. */
  warn(text: string): void;
  /** Why a hook may not be registered; undefined if it may. */
  whyOff(registration: HookRegistration): string | undefined;
  /** Called with fields of a reply that concern the session, such as `sessionTitle` and `watchPaths`. */
  onFields(event: HookEvent, fields: Readonly<Record<string, unknown>>): void;
}

/** The subagent that an event happens in. */
export interface FiringAgent {
  readonly id: string;
  readonly type: string;
  cwd(): string;
  mode(): PermissionMode;
  effort(): string | undefined;
  /** Hooks that apply only to it. */
  hooks(): readonly HookRegistration[];
  callOf(tool: string, input: JsonObject): Promise<EngineHooks.ConditionCall>;
  /** What an agent hook for its events works with: its folder and its gate. */
  hookPorts(signal: AbortSignal): HookAgentPorts;
}

export interface FireOptions {
  readonly signal: AbortSignal;
  /** Absent for events of the session's own agent. */
  readonly agent?: FiringAgent;
  /** Skips prompt and agent hooks. Set inside an agent hook, where they would call each other forever. */
  readonly withoutModels?: boolean;
}

/** An event with the session's state when it was fired; the state may change before the hooks run. */
interface FiredEvent {
  readonly event: HookEvent;
  readonly own: JsonObject;
  readonly base: EngineHooks.HookBase;
}

export class HookDispatcher {
  readonly #options: HookDispatcherOptions;
  #fromSettings: readonly HookRegistration[] = [];
  /** By client. */
  readonly #fromClients = new Map<string, readonly HookRegistration[]>();
  #fromSkills: readonly HookRegistration[] = [];
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

  /** Replaces all hooks from settings. */
  replace(registrations: readonly HookRegistration[]): void {
    this.#fromSettings = registrations;
    this.#group();
  }

  /** Replaces all hooks from a client. */
  setClient(client: string, registrations: readonly HookRegistration[]): void {
    if (registrations.length > 0) this.#fromClients.set(client, registrations);
    else if (!this.#fromClients.delete(client)) return;
    this.#group();
  }

  /** No client calls back any more. */
  dropClients(): void {
    this.#fromClients.clear();
    this.#group();
  }

  /** Replaces the hooks of skills that are in use. */
  setSkills(registrations: readonly HookRegistration[]): void {
    if (registrations.length === 0 && this.#fromSkills.length === 0) return;
    this.#fromSkills = registrations;
    this.#group();
  }

  get registered(): readonly HookRegistration[] {
    return this.#permitted([...this.#fromSettings, ...[...this.#fromClients.values()].flat(), ...this.#fromSkills]);
  }

  hasHooksFor(event: HookEvent): boolean {
    return this.#byEvent.has(event);
  }

  async fire(event: HookEvent, own: JsonObject, options: FireOptions): Promise<HookOutcome> {
    const { prompt_id: promptId, ...rest } = own;
    if (typeof promptId === "string") this.#promptId = promptId;
    const { agent } = options;
    const scoped = this.#permitted(agent?.hooks().filter((each) => each.event === event) ?? []);
    const registered = [...(this.#byEvent.get(event) ?? []), ...scoped];
    if (registered.length === 0) return NOTHING_SAID;
    try {
      return await this.#fire({ event, own: rest, base: this.#base(rest, agent) }, registered, options);
    } catch (error) {
      const why = `Could not run ${event} hooks: ${error instanceof Error ? error.message : String(error)}`;
      this.#reportProblem(why);
      // What hooks can block must not pass unchecked. Events that they cannot block ignore this.
      const answer = event === "PermissionRequest" && { permission: { behavior: "deny" as const, message: why } };
      return { ...NOTHING_SAID, verdict: "deny", reasons: [why], ...answer };
    }
  }

  /** Stops hooks that still run in the background. */
  async close(): Promise<void> {
    this.#closed = true;
    if (!this.#hasRun) return;
    await (await this.#options.runners()).close();
    await Promise.allSettled(this.#background);
  }

  async #fire(
    { event, own, base }: FiredEvent,
    registered: readonly HookRegistration[],
    { signal, withoutModels, agent }: FireOptions,
  ): Promise<HookOutcome> {
    const engine = await import("@keelson/engine/hooks");
    const subject = engine.matcherSubject(event, own);
    const conditions = this.#conditions(engine, own, agent?.callOf ?? this.#options.callOf);
    const chosen = await engine.selectHooks(registered, event, subject, conditions);
    const live = chosen.filter((each) => this.#mayRun(each, withoutModels));
    if (live.length === 0) return NOTHING_SAID;

    const { runHandler } = await import("./run-handler.ts");
    this.#hasRun = true;
    const { tool_name: tool, tool_use_id: call } = own;
    const server = typeof tool === "string" ? this.#options.serverOf?.(tool) : undefined;
    const input = engine.hookInput(event, base, server ? { ...own, mcp_server: server } : own);
    const callId = typeof call === "string" ? { callId: call } : {};
    const label = engine.eventLabel(event, own);
    const budgetMs = event === "SessionEnd" ? engine.sessionEndBudget(live, this.#options.env) : undefined;
    const host = this.#host(agent);
    const replies = await Promise.all(
      live.map((registration) =>
        runHandler({ registration, label, input, ...callId }, { signal, budgetMs, agent }, host),
      ),
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

  #host(agent: FiringAgent | undefined): HandlerHost {
    return {
      ...this.#options,
      notify: (entry, how) => this.#options.notify(entry, how, agent),
      reportProblem: (problem) => this.#reportProblem(problem),
      inform: (content, more, level) => this.#inform(content, more, level),
      isClosed: () => this.#closed,
      continueInBackground: (rest) => {
        this.#background.add(rest);
        void rest.finally(() => this.#background.delete(rest));
      },
    };
  }

  #mayRun(registration: HookRegistration, withoutModels: boolean | undefined): boolean {
    const { handler, source } = registration;
    if (withoutModels && (handler.type === "prompt" || handler.type === "agent")) return false;
    if (handler.once !== true || source !== "skill") return true;
    if (this.#ranOnce.has(registration)) return false;
    this.#ranOnce.add(registration);
    return true;
  }

  #base(own: JsonObject, agent: FiringAgent | undefined): EngineHooks.HookBase {
    const { sessionId, transcriptPath } = this.#options;
    const { cwd, mode, effort } = agent ?? this.#options;
    const about: JsonObject = agent ? { agent_id: agent.id, agent_type: agent.type } : own;
    const { agent_id: agentId, agent_type: agentType = this.#options.agentType?.() } = about;
    const level = effort();
    return {
      session_id: sessionId(),
      transcript_path: transcriptPath() ?? "",
      cwd: cwd(),
      prompt_id: this.#promptId,
      permission_mode: mode(),
      ...(typeof agentId === "string" ? { agent_id: agentId } : {}),
      ...(typeof agentType === "string" ? { agent_type: agentType } : {}),
      ...(level === undefined ? {} : { effort: { level } }),
    };
  }

  /** Tests `if` rules against the call. The call is analyzed once, and only if a hook has such a rule. */
  #conditions(
    engine: typeof EngineHooks,
    { tool_name: tool, tool_input: input }: JsonObject,
    callOf: HookDispatcherOptions["callOf"],
  ) {
    let matcher: Promise<(rule: string) => boolean> | undefined;
    const prepare = async () => {
      const { ifMatcher } = await engine.loadConditions();
      return ifMatcher(await callOf(String(tool), (input ?? {}) as JsonObject));
    };
    return async (rule: string) => (await (matcher ??= prepare()))(rule);
  }

  /** Every hook of a session passes here. Policies are about who brings a hook, not about how it gets here. */
  #permitted(registrations: readonly HookRegistration[]): readonly HookRegistration[] {
    return registrations.filter((registration) => {
      const why = this.#options.whyOff(registration);
      const { source, file } = registration;
      if (why !== undefined) this.#reportProblem(`The hooks of ${file ?? `a ${source}`} do not run. ${why}`);
      return why === undefined;
    });
  }

  #group(): void {
    this.#byEvent.clear();
    for (const registration of this.registered) {
      const others = this.#byEvent.get(registration.event);
      if (others) others.push(registration);
      else this.#byEvent.set(registration.event, [registration]);
    }
  }

  #inform(content: string, more: InformDetails, level: "warning" | "notice" = "warning"): void {
    void this.#options.show({ type: "system", subtype: "informational", content, level, ...more });
  }

  /** Reports each problem once, on the stream and as a warning. */
  #reportProblem(problem: string): void {
    if (this.#reported.has(problem)) return;
    this.#reported.add(problem);
    this.#inform(problem, {});
    this.#options.warn(problem);
  }
}
