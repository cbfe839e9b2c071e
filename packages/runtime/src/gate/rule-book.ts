// The permission mode and rules in effect, and the files they hide. The gate decides by them; the machine needs them to
// know which files a command may see. It knows no tools and asks no one.

import type { PermissionState, Rule, Workspace } from "@keelson/engine";
import type * as EngineGate from "@keelson/engine/gate";
import { realPathOf } from "@keelson/host";
import type { LinkGuard } from "@keelson/host/links";
import type { PermissionMode, PermissionUpdate } from "@keelson/protocol";

export interface RuleBookOptions extends PermissionState {
  /** Rules that no settings have. */
  readonly builtIn?: readonly Rule[];
  readonly home: string;
  readonly workspace: Workspace;
  /** Why the session cannot switch to this mode; undefined if it can. */
  refusal(mode: PermissionMode): string | undefined;
  modeChanged(mode: PermissionMode): void;
  /** What an administrator says about rules. */
  mayApply(rule: Rule): boolean;
  /** Reports a lookup that failed. */
  warn(text: string): void;
}

/** Loaded with the first call; a plain answer never needs it. */
interface Loaded {
  readonly gate: Pick<typeof EngineGate, "applyUpdate" | "decide" | "hiddenFiles" | "newMatchers">;
  /** The rules that `matchers` and `isHidden` were made for. */
  readonly rules: readonly Rule[];
  readonly matchers: EngineGate.Matchers;
  readonly isHidden: ReturnType<typeof EngineGate.hiddenFiles>;
  /** Kept when the rules change. */
  readonly links: LinkGuard;
}

export class RuleBook {
  readonly #options: RuleBookOptions;
  #state: PermissionState;
  #loaded: Loaded | undefined;
  /** The rules from settings, as written there. */
  #configured: readonly Rule[];
  #follow: (rules: readonly Rule[]) => readonly Rule[] = (rules) => rules;
  /** Calls approved to change guarded paths. */
  readonly #unguarded = new Set<string>();
  readonly #onMode: ((mode: PermissionMode) => void)[] = [];

  constructor(options: RuleBookOptions) {
    this.#options = options;
    this.#state = { mode: options.mode, rules: this.permitted([...options.rules, ...(options.builtIn ?? [])]) };
    this.#configured = options.rules;
  }

  get mode(): PermissionMode {
    return this.#state.mode;
  }

  get rules(): readonly Rule[] {
    return this.#state.rules;
  }

  /** The rules that someone set. */
  get ownRules(): readonly Rule[] {
    const { builtIn = [] } = this.#options;
    return this.rules.filter((rule) => !builtIn.includes(rule));
  }

  /** Why the session cannot switch to this mode; undefined if it can. */
  refusal(mode: PermissionMode): string | undefined {
    return this.#options.refusal(mode);
  }

  /** Switches the mode, or returns why it cannot. */
  setMode(mode: PermissionMode): string | undefined {
    const refusal = this.#options.refusal(mode);
    if (refusal !== undefined) return refusal;
    this.#state = { ...this.#state, mode };
    this.#options.modeChanged(mode);
    for (const changed of this.#onMode) changed(mode);
    return undefined;
  }

  /** Calls `changed` whenever the mode was switched. */
  onMode(changed: (mode: PermissionMode) => void): void {
    this.#onMode.push(changed);
  }

  /** Replaces the rules from settings and keeps those of the session. */
  replaceRules(rules: readonly Rule[]): void {
    const own = this.rules.filter(({ source }) => source === "session" || source === "command");
    this.#configured = rules;
    const all = [...this.#follow(rules), ...(this.#options.builtIn ?? []), ...own];
    this.#state = { ...this.#state, rules: this.permitted(all) };
  }

  /** How the rules from settings apply where the session works now. */
  follow(change: (rules: readonly Rule[]) => readonly Rule[]): void {
    this.#follow = change;
    this.replaceRules(this.#configured);
  }

  /** Every rule of a session passes here, whether files, flags, skills, servers or answers bring it. */
  permitted(rules: readonly Rule[]): readonly Rule[] {
    return rules.every((rule) => this.#options.mayApply(rule)) ? rules : rules.filter(this.#options.mayApply);
  }

  /** Rules of a skill, until `endGrants`. */
  grant(rules: readonly Rule[]): void {
    this.#state = { ...this.#state, rules: [...this.rules, ...this.permitted(rules)] };
  }

  revoke(rules: readonly Rule[]): void {
    this.#state = { ...this.#state, rules: this.rules.filter((rule) => !rules.includes(rule)) };
  }

  endGrants(): void {
    const rules = this.rules.filter(({ source }) => source !== "command");
    if (rules.length !== this.rules.length) this.#state = { ...this.#state, rules };
  }

  /** Adds or removes rules. Updates come with answers, so the gate is already loaded. */
  update(update: PermissionUpdate): void {
    if (!this.#loaded) return;
    const { applyUpdate } = this.#loaded.gate;
    const { rules, ...state } = applyUpdate(this.#state, update, this.#options.workspace.cwd);
    this.#state = { ...state, rules: this.permitted(rules) };
  }

  /** Whether no deny rule hides this file. For tools that look at many files; call `load` first. */
  mayRead(path: string): boolean {
    return this.mayReadName(path) && this.#loaded!.links.deniedTarget(path) === undefined;
  }

  /** Like `mayRead`, but ignores other names (hard links) of the file. */
  mayReadName(path: string): boolean {
    const loaded = this.#loaded;
    if (!loaded) return false;
    const { isHidden } = loaded.rules === this.rules ? loaded : this.#prepare(loaded);
    return isHidden === undefined || !isHidden(path, realPathOf(path), this.#anchors());
  }

  /** Whether this call is approved to change guarded paths. */
  mayChangeGuarded(call: string): boolean {
    return this.mode === "bypassPermissions" || this.#unguarded.has(call);
  }

  setUnguarded(call: string, unguarded: boolean): void {
    if (unguarded) this.#unguarded.add(call);
    else this.#unguarded.delete(call);
  }

  async load(): Promise<Loaded> {
    if (this.#loaded?.rules === this.rules) return this.#loaded;
    const { applyUpdate, decide, hiddenFiles, newMatchers } = await import("@keelson/engine/gate");
    const { createLinkGuard } = await import("@keelson/host/links");
    const { home, workspace, warn } = this.#options;
    const links =
      this.#loaded?.links ??
      createLinkGuard({
        rules: () => this.rules,
        mayRead: (path) => this.mayReadName(path),
        directories: () => workspace.directories,
        home,
        warn,
      });
    return this.#prepare({ gate: { applyUpdate, decide, hiddenFiles, newMatchers }, links });
  }

  #prepare({ gate, links }: Pick<Loaded, "gate" | "links">): Loaded {
    const { rules } = this;
    return (this.#loaded = { gate, links, rules, matchers: gate.newMatchers(), isHidden: gate.hiddenFiles(rules) });
  }

  #anchors() {
    const { home, workspace } = this.#options;
    return { home, directories: workspace.directories, cwd: workspace.cwd, matchers: this.#loaded?.matchers };
  }
}
