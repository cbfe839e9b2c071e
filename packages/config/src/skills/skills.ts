// Entry point for skills and slash commands. Loading settings does not need it.

export type { SkillSet } from "./skill-set.ts";
