// The gate's state (mode and rules) and its one door: decide, ask if needed, answer.

import type { GateDecision, Permission, PermissionState, PermitRequest, Rule, SandboxState } from "@keelson/engine";
import type * as EngineGate from "@keelson/engine/gate";
import { realPathOf } from "@keelson/host";
import type { LinkGuard } from "@keelson/host/links";
import type { GitLookup, GitLookupOptions } from "@keelson/host/git";
import type {
  HookEvent,
  HookOutcome,
  JsonObject,
  PermissionMode,
  PermissionUpdate,
  Signal,
  ToolUseBlock,
} from "@keelson/protocol";
import { answer, reasonType, type AskPerson } from "./ask.ts";
import type * as Questions from "./question.ts";
import type { GateFacts } from "./question.ts";
import { underShield } from "../machine/sandbox.ts";

export interface GateOptions extends PermissionState {
  readonly home: string;
  /** Why a mode may not be switched to; undefined when it may. */
  refusal(mode: PermissionMode): string | undefined;
  /** Folders of ours that hold what was too long to show: always readable. */
  readonly readable: readonly string[];
  /** Where the model keeps its notes; absent when it keeps none. */
  memory(): string | undefined;
  /** The file that holds the session's plan, links resolved; absent before there is one. */
  plan(): string | undefined;
  /** Files and folders that govern this session, links resolved and not. */
  governing(): readonly string[];
  cwd(): string;
  directories(): readonly string[];
  addDirectories(paths: readonly string[]): void;
  removeDirectories(paths: readonly string[]): void;
  readonly sandbox: SandboxState;
  /** What runs commands. */
  readonly shell: "bash" | "other";
  /** For what git would load where it runs. */
  readonly git: GitLookupOptions;
  /** Whether a command that starts here would find every denied file hidden. */
  isShielded(cwd: string): Promise<boolean>;
  /** For people: what could not be looked up. */
  warn(text: string): void;
  /** A second opinion where no rule decided. */
  classify(
    decision: GateDecision,
    mode: PermissionMode,
    request: PermitRequest,
    signal: AbortSignal,
  ): Promise<GateDecision>;
  /** Whether only an administrator's rules may allow anything. */
  managedOnly(): boolean;
  /** Writes what was accepted for good to the settings. */
  keep(updates: readonly PermissionUpdate[]): void;
  show(signal: Signal): void | Promise<void>;
  fire(event: HookEvent, input: JsonObject, signal: AbortSignal): Promise<HookOutcome>;
  /** Which MCP server a tool belongs to. */
  originOf(tool: string): { readonly server: string; readonly source: string } | undefined;
}

/** What is loaded with the first call: some forty modules that a plain answer never needs. */
interface Judge {
  readonly gate: typeof EngineGate;
  readonly question: typeof Questions;
  /** Made for one set of rules. */
  readonly rules: readonly Rule[];
  readonly matchers: GateFacts["matchers"];
  readonly isHidden: ((path: string, realPath: string, facts: Omit<GateFacts, "hook">) => boolean) | undefined;
  /** Kept from one set of rules to the next. */
  readonly links: LinkGuard;
}

export class Gate {
  readonly #options: GateOptions;
  #state: PermissionState;
  /** Where the path of a call led when it was decided about. */
  readonly #judged = new WeakMap<ToolUseBlock, { readonly path: string; readonly realPath: string }>();
  #judge: Judge | undefined;
  #gitIn: GitLookup | undefined;
  /** Calls a person let past the guard. */
  readonly #lifted = new Set<string>();

  constructor(options: GateOptions) {
    this.#options = options;
    this.#state = { mode: options.mode, rules: options.rules };
  }

  get mode(): PermissionMode {
    return this.#state.mode;
  }

  /** Whether somebody agreed that this command may change guarded paths. */
  mayChangeGuarded(call: string): boolean {
    return this.mode === "bypassPermissions" || this.#lifted.has(call);
  }

  get rules(): readonly Rule[] {
    return this.#state.rules;
  }

  /** Switches the mode, or says why it may not. */
  setMode(mode: PermissionMode): string | undefined {
    const refusal = this.#options.refusal(mode);
    if (refusal !== undefined) return refusal;
    this.#state = { ...this.#state, mode };
    void this.#options.show({ type: "system", subtype: "status", status: null, permissionMode: mode });
    return undefined;
  }

  /** The settings were read anew: their rules take the place of those read before; the session's own stay. */
  replaceRules(rules: readonly Rule[]): void {
    const own = this.rules.filter(({ source }) => source === "session");
    this.#state = { ...this.#state, rules: [...rules, ...own] };
  }

  /** For tools that look at many files: whether a deny rule hides this one. They run only after a call was judged. */
  mayRead(path: string): boolean {
    return this.mayReadName(path) && this.#judge!.links.deniedTarget(path) === undefined;
  }

  /** The same for this name of the file alone, whatever others it has. */
  mayReadName(path: string): boolean {
    const judge = this.#judge;
    if (!judge) return false;
    const { isHidden } = judge.rules === this.rules ? judge : this.#prepare(judge);
    return isHidden === undefined || !isHidden(path, realPathOf(path), this.#facts());
  }

  /** Where a path led when this call was decided about; undefined for paths that were not. */
  judgedPath(call: ToolUseBlock, path: string): string | undefined {
    const judged = this.#judged.get(call);
    return judged?.path === path ? judged.realPath : undefined;
  }

  /** What forbids a call outright, whoever agreed to it; undefined when nothing does. */
  async forbids(request: PermitRequest): Promise<string | undefined> {
    const decision = await this.#decide(request);
    return decision.behavior === "deny" ? decision.message : undefined;
  }

  async permit(request: PermitRequest, askPerson: AskPerson | undefined, signal: AbortSignal): Promise<Permission> {
    const { access, input } = request;
    // Some servers use an id again; what was agreed to then was another call.
    this.#lifted.delete(request.call.id);
    const first = await this.#decide(request);
    const decision = await this.#options.classify(first, this.mode, request, signal);
    if (decision.behavior === "allow") return { behavior: "allow", by: decision.by, source: "config", input };
    if (decision.behavior === "ask") {
      const answered = await this.#answer(request, decision, askPerson, signal);
      const lifts = access.kind === "command" && (access.unsandboxed === true || decision.by === "protected");
      if (lifts && answered.behavior === "allow") this.#lifted.add(request.call.id);
      if (!askPerson && answered.behavior === "deny") this.#tell(request, answered);
      return answered;
    }
    const { by, message } = decision;
    const again = first.behavior === "deny" ? undefined : await this.#afterClassifier(request, message, signal);
    const denied = { behavior: "deny", by, message: again ? `${message} ${again}` : message } as const;
    // A hook that refused said so itself (observed).
    if (by !== "hook") this.#tell(request, denied);
    return denied;
  }

  /** The word of the rules, with links resolved and the command parsed. Where the path leads now is where it may go. */
  async #decide({ call, access, input, hook, tool }: PermitRequest): Promise<GateDecision> {
    const { gate, question: questions, links } = await this.#load();
    const shield = access.kind === "command" && (await this.#options.isShielded(access.cwd));
    const question = await questions.gateQuestion(
      { ...this.#facts(), sandbox: underShield(this.#options.sandbox, shield), shield, hook },
      { tool: tool.name, input, access },
      (this.#gitIn ??= questions.createGitLookup(this.#options.git)),
    );
    const { realPath } = question;
    if ("path" in access && realPath !== undefined) this.#judged.set(call, { path: access.path, realPath });
    const linked = await questions.withLinks(question, links, this.#options.cwd());
    return questions.explained(gate.decide(linked), linked, question);
  }

  #answer(
    request: PermitRequest,
    decision: GateDecision & { behavior: "ask" },
    person: AskPerson | undefined,
    signal: AbortSignal,
  ): Promise<Permission> {
    const { fire } = this.#options;
    if (person) {
      const message = `Keelson needs permission to use ${request.tool.name}`;
      void fire("Notification", { message, notification_type: "permission_prompt" }, signal);
    }
    return answer(request, decision, {
      ...(person ? { person } : {}),
      origin: this.#options.originOf(request.tool.name),
      hooks: (about, withdrawn) => fire("PermissionRequest", about, AbortSignal.any([signal, withdrawn])),
      accept: (updates) => this.#accept(updates),
    });
  }

  /** The model's second opinion was no. A hook may say that trying again is worth it. */
  async #afterClassifier(request: PermitRequest, reason: string, signal: AbortSignal): Promise<string | undefined> {
    const { tool, input: tool_input, call } = request;
    const about = { tool_name: tool.name, tool_input, tool_use_id: call.id, reason };
    const { fields } = await this.#options.fire("PermissionDenied", about, signal);
    return fields?.["retry"] === true ? "A hook says that this call may be tried once more." : undefined;
  }

  /** Loads what judging needs, while there is nothing better to do. From then on `mayRead` answers. */
  warm(): Promise<unknown> {
    return this.#load();
  }

  async #load(): Promise<Judge> {
    if (this.#judge?.rules === this.rules) return this.#judge;
    const [gate, question, { createLinkGuard }] = await Promise.all([
      import("@keelson/engine/gate"),
      import("./question.ts"),
      import("@keelson/host/links"),
    ]);
    const { home, directories, warn } = this.#options;
    const links =
      this.#judge?.links ??
      createLinkGuard({
        rules: () => this.rules,
        mayRead: (path) => this.mayReadName(path),
        directories,
        home,
        warn,
      });
    return this.#prepare({ gate, question, links });
  }

  #prepare({ gate, question, links }: Pick<Judge, "gate" | "question" | "links">): Judge {
    const { rules } = this.#state;
    const isHidden = gate.hiddenFiles(rules);
    this.#judge = { gate, question, links, rules, matchers: gate.newMatchers(), isHidden };
    return this.#judge;
  }

  #facts(): Omit<GateFacts, "hook"> {
    const { home, readable, memory, plan, directories, cwd, shell, governing } = this.#options;
    const here = { directories: directories(), cwd: cwd(), memory: memory(), plan: plan(), governing: governing() };
    return { ...this.#state, ...here, home, readable, shell, matchers: this.#judge?.matchers };
  }

  #tell(request: PermitRequest, denied: Permission & { behavior: "deny" }): void {
    void this.#options.show({
      type: "system",
      subtype: "permission_denied",
      tool_name: request.tool.name,
      tool_use_id: request.call.id,
      decision_reason_type: reasonType(denied.by),
      message: denied.message,
    });
  }

  #accept(asked: readonly PermissionUpdate[]): void {
    const widens = (update: PermissionUpdate) => "behavior" in update && update.behavior === "allow";
    const updates = this.#options.managedOnly() ? asked.filter((update) => !widens(update)) : asked;
    for (const update of updates) {
      if (update.type === "setMode") this.setMode(update.mode);
      else if (update.type === "addDirectories") this.#options.addDirectories(update.directories);
      else if (update.type === "removeDirectories") this.#options.removeDirectories(update.directories);
      else if (this.#judge) this.#state = this.#judge.gate.applyUpdate(this.#state, update, this.#options.cwd());
    }
    this.#options.keep(updates.filter(({ destination }) => destination !== "session" && destination !== "cliArg"));
  }
}
