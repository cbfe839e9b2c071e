// The permission mode and rules in effect, and the files they hide. The gate decides by them; the machine needs them to
// know which files a command may see. It knows no tools and asks no one.

import type { PermissionState, Rule, Workspace } from "@keelson/engine";
import type * as EngineGate from "@keelson/engine/gate";
import { realPathOf } from "@keelson/disk/real-path";
import type { LinkGuard } from "@keelson/host/links";
import { stricterMode, type PermissionMode, type PermissionUpdate } from "@keelson/protocol";
import type { FolderCopy } from "./rule-reach.ts";
import type * as RuleReach from "./rule-reach.ts";

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
export interface Loaded {
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
  #copies: readonly FolderCopy[] = [];
  #inside: FolderCopy | undefined;
  #most: PermissionMode | undefined;
  #reached: ReturnType<typeof RuleReach.openReach> | undefined;
  /** Calls approved to change guarded paths. */
  readonly #unguarded = new Set<string>();
  readonly #onMode: ((mode: PermissionMode) => void)[] = [];

  constructor(options: RuleBookOptions) {
    this.#options = options;
    this.#state = { mode: options.mode, rules: this.permitted([...options.rules, ...(options.builtIn ?? [])]) };
  }

  get mode(): PermissionMode {
    const { mode } = this.#state;
    return this.#most === undefined ? mode : stricterMode(mode, this.#most);
  }

  /** The widest mode of the current run, if it has one. */
  get most(): PermissionMode | undefined {
    return this.#most;
  }

  /** Until the returned function is called, the mode is at most this one. Listeners of `onMode` keep the session's. */
  capMode(most: PermissionMode | undefined): () => void {
    const change = (to: PermissionMode | undefined) => {
      const before = this.mode;
      this.#most = to;
      if (this.mode !== before) this.#options.modeChanged(this.mode);
    };
    const narrows = most !== undefined && stricterMode(this.mode, most) !== this.mode;
    // One that cannot be used here, such as `auto`, allows nothing.
    change(narrows && this.#options.refusal(most) !== undefined ? stricterMode(most, "default") : most);
    return () => change(undefined);
  }

  /** The rules as they were written. */
  get written(): readonly Rule[] {
    return this.#state.rules;
  }

  /** The rules that someone set. */
  get ownRules(): readonly Rule[] {
    const { builtIn = [] } = this.#options;
    return this.written.filter((rule) => !builtIn.includes(rule));
  }

  /** The rules in effect, also in folders where the session worked before. The same array until something changes. */
  get rules(): readonly Rule[] {
    return this.inReach(this.written, { former: [], copies: this.#copies, inside: this.#inside });
  }

  /** Where relative deny and ask rules hold: the working directories, where the shell is, and where both were before. */
  get reach(): readonly string[] {
    const { directories, cwd, former } = this.#options.workspace;
    return [...new Set([...directories, cwd, ...former])];
  }

  protected inReach(rules: readonly Rule[], more: RuleReach.MoreReach): readonly Rule[] {
    if (more.former.length + more.copies.length + this.#options.workspace.former.length === 0) return rules;
    // A session that stays in its folder never needs it.
    this.#reached ??= (require("./rule-reach.ts") as typeof RuleReach).openReach(this.#options);
    return this.#reached(rules, more);
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
    const own = this.written.filter(({ source }) => source === "session" || source === "command");
    const all = [...rules, ...(this.#options.builtIn ?? []), ...own];
    this.#state = { ...this.#state, rules: this.permitted(all) };
  }

  /** What is denied or asked about in a checkout is so in this copy of it too. */
  addCopy(copy: FolderCopy): void {
    this.#copies = [...this.#copies, copy];
  }

  /** For a copy that is gone. */
  removeCopy(copy: FolderCopy): void {
    this.#copies = this.#copies.filter((each) => each !== copy);
  }

  /** What is allowed in the checkout is allowed in this copy of it instead, or in the checkout again. */
  allowIn(copy: FolderCopy | undefined): void {
    this.#inside = copy;
  }

  /** Every rule of a session passes here, whether files, flags, skills, servers or answers bring it. */
  permitted(rules: readonly Rule[]): readonly Rule[] {
    return rules.every((rule) => this.#options.mayApply(rule)) ? rules : rules.filter(this.#options.mayApply);
  }

  /** Rules of a skill, until `endGrants`. */
  grant(rules: readonly Rule[]): void {
    this.#state = { ...this.#state, rules: [...this.written, ...this.permitted(rules)] };
  }

  revoke(rules: readonly Rule[]): void {
    this.#state = { ...this.#state, rules: this.written.filter((rule) => !rules.includes(rule)) };
  }

  endGrants(): void {
    const rules = this.written.filter(({ source }) => source !== "command");
    if (rules.length !== this.written.length) this.#state = { ...this.#state, rules };
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

  /** Whether this call, of an agent in this mode, may change guarded paths. */
  mayChangeGuarded(call: string, mode = this.mode): boolean {
    return mode === "bypassPermissions" || this.#unguarded.has(call);
  }

  setUnguarded(call: string, unguarded: boolean): void {
    if (unguarded) this.#unguarded.add(call);
    else this.#unguarded.delete(call);
  }

  /** What `load` resolves to, if there is nothing to load. */
  get loaded(): Loaded | undefined {
    return this.#loaded?.rules === this.rules ? this.#loaded : undefined;
  }

  async load(): Promise<Loaded> {
    if (this.loaded) return this.loaded;
    const { applyUpdate, decide, hiddenFiles, newMatchers } = await import("@keelson/engine/gate");
    const { createLinkGuard } = await import("@keelson/host/links");
    const { home, workspace, warn } = this.#options;
    const links =
      this.#loaded?.links ??
      createLinkGuard({
        rules: () => this.rules,
        mayRead: (path) => this.mayReadName(path),
        directories: () => workspace.directories,
        former: () => workspace.former,
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
