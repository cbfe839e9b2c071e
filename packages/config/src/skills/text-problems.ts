// Problems of a skill that only matter to people who check their files.

import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Skill, SkillProblem } from "@keelson/protocol";
import { readSkillText } from "./skill-text.ts";

const LONGEST_DESCRIPTION = 1_536;
const MOST_PARENTS = 8;

export function skillTextProblems(skill: Skill): readonly SkillProblem[] {
  const { file, name, kind, displayName, description, describedByText, plugin } = skill;
  const problem = (line: number, why: string): SkillProblem => ({ file, line, kind: "odd", why });
  let text: string;
  try {
    text = readSkillText(skill);
  } catch (error) {
    return [{ file, kind: "unused", why: (error as Error).message }];
  }
  return [
    ...(describedByText && kind === "skill"
      ? [problem(1, "there is no `description`, so the first line of the text is used; add one")]
      : []),
    ...(description === "" ? [problem(1, "there is nothing to list it with; add a `description`")] : []),
    ...(description.length > LONGEST_DESCRIPTION
      ? [
          problem(
            1,
            `the description is longer than ${LONGEST_DESCRIPTION} characters, so the list cuts it; shorten it`,
          ),
        ]
      : []),
    ...(displayName !== undefined && plugin === undefined && !isInPlugin(file)
      ? [problem(1, `it is invoked as /${name}, after its folder, not as "${displayName}"; use the same name`)]
      : []),
    ...(text.trim() === "" ? [problem(1, "it has no text below the frontmatter; add instructions")] : []),
  ];
}

/** In a plugin, the `name` field counts. */
function isInPlugin(file: string): boolean {
  let folder = dirname(file);
  for (let at = 0; at < MOST_PARENTS && folder !== dirname(folder); at++) {
    if (existsSync(join(folder, ".claude-plugin", "plugin.json"))) return true;
    folder = dirname(folder);
  }
  return false;
}
