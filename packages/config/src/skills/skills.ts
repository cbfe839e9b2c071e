// Entry point for skills and slash commands. Loading settings does not need it.

export { loadSkills, type SkillOptions } from "./load-skills.ts";
export type { SkillSettings } from "./find/places.ts";
export type { SkillSet } from "./skill-set.ts";
export { readSkillText } from "./skill-text.ts";
