// Problems of a skill that only matter to people who check their files.

import type { Skill, SkillProblem } from "@keelson/protocol";
import { isTypable } from "./plain.ts";
import { readSkillText } from "./skill-text.ts";

const LONGEST_DESCRIPTION = 1_536;

export function skillTextProblems(skill: Skill): readonly SkillProblem[] {
  const { file, name, kind, displayName, description, describedByText } = skill;
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
    ...(displayName !== undefined && !isTypable(displayName)
      ? [problem(1, `it is invoked as /${name}; "${displayName}" cannot be typed, so use the name of the folder`)]
      : []),
    ...(text.trim() === "" ? [problem(1, "it has no text below the frontmatter; add instructions")] : []),
  ];
}
