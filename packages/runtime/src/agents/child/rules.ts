// The rules of a subagent: those of its parent as they are at each call, in the folder where the agent works, what its
// definition denies, and what its own skills grant it. An answer to one of its questions changes the session's rules.

import { parseRule, type Rule, type Workspace } from "@keelson/engine";
import { agentTools } from "@keelson/engine/agents";
import type { AgentDefinition, PermissionMode, PermissionUpdate } from "@keelson/protocol";
import { RuleBook } from "../../gate/rule-book.ts";
import type { FolderCopy } from "../../gate/rule-reach.ts";

export interface AgentRules {
  readonly home: string;
  readonly workspace: Workspace;
  readonly denied: readonly Rule[];
  /** The folders that the agent's own is a copy of; undefined if it has none of its own. */
  readonly copyOf?: readonly string[] | undefined;
  warn(text: string): void;
}

export class AgentRuleBook extends RuleBook {
  readonly #parent: RuleBook;
  readonly #own: AgentRules;
  readonly #copies: readonly FolderCopy[];
  readonly #most: PermissionMode | undefined;
  #granted: readonly Rule[] = [];
  #joined: { readonly from: readonly Rule[]; readonly granted: readonly Rule[]; readonly rules: readonly Rule[] };

  constructor(parent: RuleBook, own: AgentRules) {
    super({
      ...own,
      mode: parent.mode,
      rules: [],
      refusal: () => undefined,
      modeChanged: () => undefined,
      mayApply: (rule) => parent.permitted([rule]).length > 0,
    });
    this.#parent = parent;
    this.#most = parent.most;
    this.#own = own;
    this.#copies = own.copyOf === undefined ? [] : [{ from: own.copyOf, to: own.workspace.root }];
    this.#joined = this.#join();
  }

  override get mode(): PermissionMode {
    return this.#parent.mode;
  }

  /** That of the run that started it: an agent of a job, and those that it starts, may outlive the job's run. */
  override get most(): PermissionMode | undefined {
    return this.#most;
  }

  override refusal(mode: PermissionMode): string | undefined {
    return this.#parent.refusal(mode);
  }

  /** The same array until something changes. Where its parent works, the agent may do no more than its parent. */
  override get rules(): readonly Rule[] {
    const { from, granted } = this.#joined;
    if (from !== this.#parent.rules || granted !== this.#granted) this.#joined = this.#join();
    const { directories } = this.#own.workspace;
    const former = this.#parent.reach.filter((folder) => !directories.includes(folder));
    return this.inReach(this.#joined.rules, { former, copies: this.#copies, inside: this.#copies[0] });
  }

  override get reach(): readonly string[] {
    return [...new Set([...super.reach, ...this.#parent.reach])];
  }

  #join() {
    const { rules: from } = this.#parent;
    const granted = this.#granted;
    const own = [...this.#own.denied, ...granted];
    return { from, granted, rules: own.length === 0 ? from : [...from, ...own] };
  }

  /** Its parent's too: an answer to one of its questions may be the first thing that needs them. */
  override async load() {
    await this.#parent.load();
    return super.load();
  }

  override setMode(mode: PermissionMode): string | undefined {
    return this.#parent.setMode(mode);
  }

  override replaceRules(rules: readonly Rule[]): void {
    this.#parent.replaceRules(rules);
  }

  override grant(rules: readonly Rule[]): void {
    this.#granted = [...this.#granted, ...this.permitted(rules)];
  }

  override revoke(rules: readonly Rule[]): void {
    this.#granted = this.#granted.filter((rule) => !rules.includes(rule));
  }

  override endGrants(): void {
    this.#granted = [];
  }

  override update(update: PermissionUpdate): void {
    this.#parent.update(update);
  }

  /** The machine asks the session's rules. */
  override mayChangeGuarded(call: string, mode?: PermissionMode): boolean {
    return this.#parent.mayChangeGuarded(call, mode);
  }

  override setUnguarded(call: string, unguarded: boolean): void {
    this.#parent.setUnguarded(call, unguarded);
  }
}

/** Parts of tools that the agent's definition takes from it: `Bash(rm *)` in `disallowedTools`. */
export function deniedRules(definition: Pick<AgentDefinition, "disallowedTools">, base: string): readonly Rule[] {
  const { denied } = agentTools([], definition, { kind: "foreground", maySpawn: false });
  return denied.flatMap((text): Rule[] => {
    const parsed = parseRule(text);
    return parsed ? [{ behavior: "deny", ...parsed, source: "session", base, text }] : [];
  });
}
