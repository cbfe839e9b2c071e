// Entry point for skills and slash commands. Loading settings does not need it.

export type { SkillSettings } from "./find/places.ts";
export { loadSkills, type SkillOptions } from "./load-skills.ts";
export type { SkillSet } from "./skill-set.ts";
export { readSkillText } from "./skill-text.ts";

import type * as CheckPath from "./check-path.ts";
import type * as TextProblems from "./text-problems.ts";

/** Loaded late: only `keelson skills validate` checks files. */
export const checkSkillsAt: typeof CheckPath.checkSkillsAt = (path) =>
  (require("./check-path.ts") as typeof CheckPath).checkSkillsAt(path);

export const skillTextProblems: typeof TextProblems.skillTextProblems = (skill) =>
  (require("./text-problems.ts") as typeof TextProblems).skillTextProblems(skill);
