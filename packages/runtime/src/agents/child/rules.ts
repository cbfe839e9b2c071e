// The rules of a subagent: those of the session as they are at each call, in the folder where the agent works, and what
// its own skills grant it. An answer to one of its questions changes the session's rules.

import type { Rule, Workspace } from "@keelson/engine";
import type { PermissionMode, PermissionUpdate } from "@keelson/protocol";
import { RuleBook } from "../../gate/rule-book.ts";

export class AgentRuleBook extends RuleBook {
  readonly #session: RuleBook;
  #granted: readonly Rule[] = [];
  #joined: { readonly from: readonly Rule[]; readonly granted: readonly Rule[]; readonly rules: readonly Rule[] };

  constructor(
    session: RuleBook,
    place: { readonly home: string; readonly workspace: Workspace; warn(text: string): void },
  ) {
    super({ ...place, mode: session.mode, rules: [], refusal: () => undefined, modeChanged: () => undefined });
    this.#session = session;
    this.#joined = { from: session.rules, granted: [], rules: session.rules };
  }

  override get mode(): PermissionMode {
    return this.#session.mode;
  }

  /** The same array until something changes. */
  override get rules(): readonly Rule[] {
    const { rules: from } = this.#session;
    const granted = this.#granted;
    if (this.#joined.from !== from || this.#joined.granted !== granted) {
      this.#joined = { from, granted, rules: granted.length === 0 ? from : [...from, ...granted] };
    }
    return this.#joined.rules;
  }

  override setMode(mode: PermissionMode): string | undefined {
    return this.#session.setMode(mode);
  }

  override replaceRules(rules: readonly Rule[]): void {
    this.#session.replaceRules(rules);
  }

  override grant(rules: readonly Rule[]): void {
    this.#granted = [...this.#granted, ...rules];
  }

  override revoke(rules: readonly Rule[]): void {
    this.#granted = this.#granted.filter((rule) => !rules.includes(rule));
  }

  override endGrants(): void {
    this.#granted = [];
  }

  override update(update: PermissionUpdate): void {
    this.#session.update(update);
  }

  /** The machine asks the session's rules. */
  override mayChangeGuarded(call: string): boolean {
    return this.#session.mayChangeGuarded(call);
  }

  override setUnguarded(call: string, unguarded: boolean): void {
    this.#session.setUnguarded(call, unguarded);
  }
}
