// Reads the skills and commands at any path, to check files that no session uses yet.

import { readdirSync, statSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import type { Skill, SkillProblem } from "@keelson/protocol";
import { createSkillCollector, type SkillCollector } from "./collect.ts";
import { scanMarkdown, scanSkills, skillIn } from "./find/scan.ts";
import { explainStrays } from "./find/strays.ts";

export interface CheckedSkills {
  readonly skills: readonly Skill[];
  readonly problems: readonly SkillProblem[];
}

/**
 * A file, the folder of one skill, a folder of skills or commands, or a folder with both in it or in its `.claude`.
 * Undefined if the path does not exist.
 */
export function checkSkillsAt(path: string): CheckedSkills | undefined {
  const target = resolve(path);
  const stat = statSync(target, { throwIfNoEntry: false });
  if (stat === undefined) return undefined;
  const collector = createSkillCollector({ overrides: {}, isDenied: () => false });
  if (stat.isDirectory()) takeFolder(target, collector);
  else takeFile(target, collector);
  const { skills, dormant, problems, strays } = collector;
  return {
    skills: [...skills, ...dormant.map(({ skill }) => skill)],
    problems: [...problems, ...explainStrays(strays)],
  };
}

const origin = (kind: Skill["kind"], base: string) => ({ kind, source: "project", base }) as const;

function takeFile(file: string, collector: SkillCollector): void {
  const name = basename(file);
  const folder = dirname(file);
  if (name === "SKILL.md") collector.take(skillIn(folder), origin("skill", folder));
  else collector.take({ name: name.replace(/\.md$/, ""), file, found: file }, origin("command", folder));
}

function takeFolder(folder: string, collector: SkillCollector): void {
  const names = readdirSync(folder);
  if (names.includes("SKILL.md")) return takeFile(join(folder, "SKILL.md"), collector);
  if (names.includes(".claude")) return takeFolder(join(folder, ".claude"), collector);
  const options = collector.scanOptions(undefined);
  const hasBoth = names.includes("skills") || names.includes("commands");
  const isCommands = basename(folder) === "commands";
  const skills = hasBoth ? join(folder, "skills") : isCommands ? undefined : folder;
  const commands = hasBoth ? join(folder, "commands") : isCommands ? folder : undefined;
  if (skills !== undefined)
    for (const found of scanSkills(skills, options)) collector.take(found, origin("skill", folder));
  if (commands !== undefined)
    for (const found of scanMarkdown(commands, options)) collector.take(found, origin("command", folder));
}
