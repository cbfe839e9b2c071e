// What an invoked skill changes besides the conversation, until the next prompt: rules for tools, hooks, model, effort.

import { DEFAULT_EFFORT, parseRule, type ModelChoice, type Rule } from "@keelson/engine";
import type { HookRegistration, Skill } from "@keelson/protocol";

export interface EffectTargets {
  readonly rules: {
    permitted(rules: readonly Rule[]): readonly Rule[];
    grant(rules: readonly Rule[]): void;
    revoke(rules: readonly Rule[]): void;
    end(): void;
  };
  setHooks(registrations: readonly HookRegistration[]): void;
  /** The session's model. */
  model(): ModelChoice;
  chooseModel(name: string): Promise<ModelChoice>;
  /** On the command line. */
  chosenEffort(): string | undefined;
  readonly cwd: string;
}

const EFFORTS = ["low", "medium", "high", "xhigh", "max"];

/** Of two levels; undefined is the default. */
export const isLowerEffort = (one: string, other: string = DEFAULT_EFFORT) =>
  EFFORTS.indexOf(one) < EFFORTS.indexOf(other);

export interface Grant {
  /** The rules that allow something, as written. */
  readonly allowed: readonly string[];
  undo(): void;
}

export class TurnEffects {
  readonly #targets: EffectTargets;
  #hooks: readonly HookRegistration[] = [];
  #model: ModelChoice | undefined;
  #effort: string | undefined;

  constructor(targets: EffectTargets) {
    this.#targets = targets;
  }

  /** The model of the next request. */
  get model(): ModelChoice {
    const model = this.#model ?? this.#targets.model();
    return this.#effort === undefined ? model : { ...model, effort: this.#effort };
  }

  /** Call before its text is rendered: inline commands may need the rules. */
  grant(skill: Skill): Grant {
    if (skill.untrusted) return { allowed: [], undo: () => undefined };
    const ruleOf = (behavior: Rule["behavior"]) => (text: string) =>
      skillRule(behavior, text, skill, this.#targets.cwd);
    const asked = [...skill.allowedTools.flatMap(ruleOf("allow")), ...skill.disallowedTools.flatMap(ruleOf("deny"))];
    const rules = this.#targets.rules.permitted(asked);
    if (rules.length > 0) this.#targets.rules.grant(rules);
    const isAllowed = rules.length === asked.length;
    return { allowed: isAllowed ? skill.allowedTools : [], undo: () => this.#targets.rules.revoke(rules) };
  }

  /** Call when its text is ready. */
  async apply(skill: Skill): Promise<void> {
    const { model, effort, untrusted, hooks } = skill;
    if (!untrusted && hooks.length > 0) {
      // Invoked twice, it still has each hook once.
      this.#hooks = [...this.#hooks.filter((hook) => !hooks.includes(hook)), ...hooks];
      this.#targets.setHooks(this.#hooks);
    }
    // Which model costs or can do less is not known.
    if (model !== undefined && model !== "inherit" && !untrusted) this.#model = await this.#targets.chooseModel(model);
    if (effort !== undefined && (!untrusted || this.#isLess(effort))) this.#effort = effort;
  }

  /** The user's own choice on the command line stays, whether it is more or less. */
  #isLess(effort: string): boolean {
    return this.#targets.chosenEffort() === undefined && isLowerEffort(effort, this.model.effort);
  }

  /** A new prompt begins. */
  end(): void {
    this.#targets.rules.end();
    this.#hooks = [];
    this.#targets.setHooks([]);
    this.#model = undefined;
    this.#effort = undefined;
  }
}

/** `Bash(${CLAUDE_SKILL_DIR}/run.sh *)` with the folder. One whose name would be part of the rule's own syntax is left out. */
function located(text: string, { folder, plugin }: Skill): string {
  const folders: Readonly<Record<string, string | undefined>> = {
    CLAUDE_SKILL_DIR: folder,
    CLAUDE_PLUGIN_ROOT: plugin?.root,
    CLAUDE_PLUGIN_DATA: plugin?.data,
  };
  return text.replaceAll(/\$\{(CLAUDE_\w+)\}/g, (written, name: string) => {
    const path = folders[name];
    return path === undefined || !/^[^*()\\:\n]+$/.test(path) ? written : path;
  });
}

function skillRule(behavior: Rule["behavior"], written: string, skill: Skill, base: string): readonly Rule[] {
  const text = located(written, skill);
  const parsed = parseRule(text);
  const isManaged = skill.source === "managed" || skill.source === "bundled" || skill.plugin?.managed === true;
  return parsed ? [{ behavior, ...parsed, source: "command", base, text, ...(isManaged && { managed: true }) }] : [];
}
