// What the file of a skill or command asks for besides its text, to show it before a plugin is installed or updated.

import { fieldJson, wordsIn } from "./frontmatter/field-values.ts";
import { readHead } from "./frontmatter/head.ts";

export interface SkillGrants {
  /** `allowed-tools`. */
  readonly tools: readonly string[];
  /** `hooks`, as written; undefined if there are none. */
  readonly hooks?: unknown;
  /** The text after the frontmatter. */
  readonly body: string;
}

export function skillGrants(source: string): SkillGrants {
  const { fields, bodyAt } = readHead(source);
  const [tools, hooks] = [fields.get("allowed-tools"), fields.get("hooks")];
  return {
    tools: tools === undefined ? [] : wordsIn(tools),
    ...(hooks === undefined ? {} : { hooks: fieldJson(hooks) }),
    body: source.slice(bodyAt),
  };
}
