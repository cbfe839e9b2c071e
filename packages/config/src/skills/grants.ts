// What the file of a skill or command runs and asks for, to show it before a plugin is installed or updated.

import { inlineCommands } from "@keelson/engine/skills";
import { fieldJson, wordsIn } from "./frontmatter/field-values.ts";
import { readHead } from "./frontmatter/head.ts";

export interface SkillGrants {
  /** `allowed-tools`. */
  readonly tools: readonly string[];
  /** `hooks`, as written; undefined if there are none. */
  readonly hooks?: unknown;
  /** Inline commands in the text. */
  readonly commands: readonly string[];
}

export function skillGrants(source: string): SkillGrants {
  const { fields, bodyAt } = readHead(source);
  const [tools, hooks] = [fields.get("allowed-tools"), fields.get("hooks")];
  return {
    tools: tools === undefined ? [] : wordsIn(tools),
    ...(hooks === undefined ? {} : { hooks: fieldJson(hooks) }),
    commands: inlineCommands(source.slice(bodyAt)).map(({ command }) => command),
  };
}
