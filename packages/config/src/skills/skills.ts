// Entry point for skills and slash commands. Loading settings does not need it.

export type { SkillSettings } from "./find/places.ts";
export { loadSkills, type SkillOptions } from "./load-skills.ts";
export type { SkillSet } from "./skill-set.ts";
export { readSkillText } from "./skill-text.ts";

export { whyTextHeld } from "../trust/belief.ts";

import type { checkSkillsAt as CheckSkillsAt } from "./check-path.ts";
import type { skillTextProblems as SkillTextProblems } from "./text-problems.ts";

/** Loaded late: only `keelson skills validate` checks files. */
export const checkSkillsAt: typeof CheckSkillsAt = (path) =>
  (require("./check-path.ts") as { checkSkillsAt: typeof CheckSkillsAt }).checkSkillsAt(path);

export const skillTextProblems: typeof SkillTextProblems = (skill) =>
  (require("./text-problems.ts") as { skillTextProblems: typeof SkillTextProblems }).skillTextProblems(skill);
