// Judges tool calls with the engine's gate: collects the facts, decides, and remembers which path was judged.
// approvals.ts handles `ask` decisions.

import type { Access, CommandShell, GateDecision, PermitRequest, SandboxState } from "@keelson/engine";
import type { GitLookupOptions } from "@keelson/host/git";
import type { PermissionMode, PermissionUpdate, ToolUseBlock } from "@keelson/protocol";
import { underShield } from "../machine/sandbox.ts";
import type { CommandLookup } from "./command-lookup.ts";
import type { GateFacts } from "./question.ts";
import type * as Question from "./question.ts";
import type { Loaded, RuleBook } from "./rule-book.ts";

export interface GateOptions {
  readonly ruleBook: RuleBook;
  /** The mode, if it is not that of the rules: a subagent may have a narrower one. */
  mode?(): PermissionMode;
  /** What would need approval is denied: an agent above this one works in `dontAsk` mode, or this one wants to. */
  neverAsks?(): boolean;
  readonly home: string;
  /** Folders with saved tool output. The model may always read them. */
  readonly readable: readonly string[];
  /** The memory folder; undefined if memory is off. */
  memory(): string | undefined;
  /** With links resolved. */
  readonly configDir: string;
  /** The plan file with links resolved; undefined before it exists. */
  plan(): string | undefined;
  /** Files and folders that govern this session, both as named and with links resolved. */
  governing(): readonly string[];
  cwd(): string;
  directories(): readonly string[];
  addDirectories(paths: readonly string[]): void;
  removeDirectories(paths: readonly string[]): void;
  readonly sandbox: SandboxState;
  /** The shell that runs commands. */
  readonly shell: CommandShell;
  readonly git: GitLookupOptions;
  /** Whether the shield hides every denied file from a command started in this folder by this subagent. */
  isShielded(cwd: string, owner?: string): Promise<boolean>;
  /** The subagent; absent for the session's own agent. */
  readonly owner?: string;
  /** Whether only managed settings may have allow rules. */
  managedOnly(): boolean;
  /** Writes rules to the settings. Returns what could not be written. */
  save(updates: readonly PermissionUpdate[]): Promise<readonly string[]>;
}

/** What differs for a subagent. Without `memory`, it has that of the session. */
export type AgentGateOptions = Pick<GateOptions, "ruleBook" | "mode" | "neverAsks" | "cwd" | "directories" | "git"> &
  Partial<Pick<GateOptions, "memory" | "owner">>;

export class Gate {
  readonly ruleBook: RuleBook;
  readonly #options: GateOptions;
  /** The path of each call and where it led when the call was judged. */
  readonly #judged = new WeakMap<ToolUseBlock, { readonly path: string; readonly realPath: string }>();
  #commands: Promise<CommandLookup> | undefined;
  #question: typeof Question | undefined;
  #saved: Promise<void> = Promise.resolve();
  #readable: readonly string[];

  constructor(options: GateOptions) {
    this.ruleBook = options.ruleBook;
    this.#options = options;
    this.#readable = options.readable;
  }

  get cwd(): string {
    return this.#options.cwd();
  }

  get directories(): readonly string[] {
    return this.#options.directories();
  }

  /**
   * Decides by rules and mode, with links resolved and commands parsed. `unaided`: as if nothing had been allowed, so
   * only what is harmless by itself passes.
   */
  async decide(
    { call, access, input, hook, tool }: PermitRequest,
    { unaided = false }: { readonly unaided?: boolean } = {},
  ): Promise<GateDecision> {
    const { sandbox, isShielded, owner, cwd } = this.#options;
    const [{ gate, links, matchers }, { gateQuestion, withLinks, withLinkReason }] = await this.#load();
    const shield = access.kind === "command" && (await isShielded(access.cwd, owner));
    const facts = { ...this.#facts(access), matchers, sandbox: underShield(sandbox, shield), shield, hook };
    const question = await gateQuestion(
      unaided ? withoutAllowances(facts) : facts,
      { tool: tool.name, input, access },
      () => (this.#commands ??= this.#loadCommands()),
    );
    const { realPath } = question;
    if ("path" in access && realPath !== undefined) this.#judged.set(call, { path: access.path, realPath });
    const linked = await withLinks(question, links, cwd());
    return withLinkReason(gate.decide(linked), linked, question);
  }

  /** Why the call is denied even if it was approved; undefined if it is not. */
  async forbids(request: PermitRequest): Promise<string | undefined> {
    const decision = await this.decide(request);
    return decision.behavior === "deny" ? decision.message : undefined;
  }

  /** Where a path led when this call was judged; undefined for other paths. */
  judgedPath(call: ToolUseBlock, path: string): string | undefined {
    const judged = this.#judged.get(call);
    return judged?.path === path ? judged.realPath : undefined;
  }

  /** The mode that calls are judged in. */
  get mode(): PermissionMode {
    return this.#options.mode?.() ?? this.ruleBook.mode;
  }

  /** What would need approval is denied, also for the agents that this one starts. */
  get neverAsks(): boolean {
    return this.mode === "dontAsk" || this.#options.neverAsks?.() === true;
  }

  /** The gate of a subagent. Answers to its questions apply to the session. */
  forAgent(own: AgentGateOptions): Gate {
    const memory = own.memory ?? this.#options.memory;
    const gate = new Gate({ ...this.#options, ...own, memory, readable: this.#readable });
    gate.accept = (given) => this.accept(given);
    gate.saved = () => this.saved();
    return gate;
  }

  /** What the gate of a subagent needs to know of git. */
  get git(): GitLookupOptions {
    return this.#options.git;
  }

  /**
   * Applies the updates in an answer. Permanent ones are also written to the settings; resolves to what could not be
   * written.
   */
  accept(given: readonly PermissionUpdate[]): Promise<readonly string[]> {
    const { managedOnly, addDirectories, removeDirectories, save } = this.#options;
    const widens = (update: PermissionUpdate) => "behavior" in update && update.behavior === "allow";
    // What the session may not have is not for the next one either.
    const isRefused = (update: PermissionUpdate) =>
      update.type === "setMode" ? this.ruleBook.refusal(update.mode) !== undefined : managedOnly() && widens(update);
    const updates = given.filter((update) => !isRefused(update));
    for (const update of updates) {
      if (update.type === "setMode") this.ruleBook.setMode(update.mode);
      else if (update.type === "addDirectories") addDirectories(update.directories);
      else if (update.type === "removeDirectories") removeDirectories(update.directories);
      else this.ruleBook.update(update);
    }
    const lasting = updates.filter(({ destination }) => destination !== "session" && destination !== "cliArg");
    if (lasting.length === 0) return Promise.resolve([]);
    const saved = this.#saved.then(() => save(lasting));
    this.#saved = saved.then(() => undefined);
    return saved;
  }

  /** Resolves when all accepted updates are written. */
  saved(): Promise<void> {
    return this.#saved;
  }

  /** From now on the model may read this folder without being asked, unless a rule denies it. Links resolved. */
  openFolder(path: string): void {
    if (!this.#readable.includes(path)) this.#readable = [...this.#readable, path];
  }

  /** Loads the gate ahead of the first call. `ruleBook.mayRead` works from then on. */
  async warm(): Promise<void> {
    await this.#load();
  }

  /** Looks up what governs this session, ahead of the first call that may change something: up to 10 ms. */
  prepare(): void {
    this.#options.governing();
  }

  /** Loads the checks of commands, ahead of the first one. */
  async prepareCommands(): Promise<void> {
    await (this.#commands ??= this.#loadCommands());
  }

  #load(): readonly [Loaded, typeof Question] | Promise<readonly [Loaded, typeof Question]> {
    const rules = this.ruleBook.loaded;
    if (rules && this.#question) return [rules, this.#question];
    return Promise.all([this.ruleBook.load(), import("./question.ts")]).then((both) => {
      this.#question = both[1];
      return both;
    });
  }

  async #loadCommands(): Promise<CommandLookup> {
    const { createCommandLookup } = await import("./command-lookup.ts");
    return createCommandLookup(this.#options.git);
  }

  #facts({ kind }: Access): Omit<GateFacts, "hook" | "matchers"> {
    const { home, configDir, memory, plan, directories, cwd, shell } = this.#options;
    const { mode, neverAsks } = this;
    const { rules } = this.ruleBook;
    // What only reads changes nothing that governs us.
    const governing = kind === "edit" || kind === "command" ? this.#options.governing() : [];
    const here = { directories: directories(), cwd: cwd(), memory: memory(), plan: plan(), governing };
    return { mode, neverAsks, rules, ...here, home, configDir, readable: this.#readable, shell };
  }
}

/** No allow rules, no hook or sandbox that allows, and the mode that asks. Deny and ask rules stay. */
function withoutAllowances({ rules, mode, hook, sandbox, ...facts }: GateFacts): GateFacts {
  const { verdict, ...said } = hook;
  return {
    ...facts,
    rules: rules.filter(({ behavior }) => behavior !== "allow"),
    mode: mode === "dontAsk" ? "dontAsk" : "default",
    hook: verdict === "allow" ? said : hook,
    ...(sandbox && { sandbox: { ...sandbox, autoAllow: false } }),
  };
}
