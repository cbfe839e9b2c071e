// keelson skills validate: one line for each problem in the files of skills and commands, with file, line and fix.

import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import { checkSkillsAt, skillTextProblems, type SkillSet } from "@keelson/config/skills";
import { UsageError } from "../../args/invocation.ts";
import { printError } from "../../process/process-io.ts";
import { countOf, reportProblems } from "../checked-files.ts";
import type { Invoked } from "../group.ts";
import { shellWord, visible } from "../permissions/words.ts";
import { findSkills } from "./open.ts";

export async function validateSkills(call: Invoked): Promise<number> {
  const { given, words, io } = call;
  const [path, ...more] = words;
  if (more.length > 0) throw new UsageError("usage: keelson skills validate [path] [--strict] [--json]");
  const cwd = resolve(io.cwd, given.text("cwd") ?? ".");
  const checked = path === undefined ? allOf((await findSkills(call)).set) : checkSkillsAt(resolve(cwd, path));
  if (checked === undefined) return printError(io, `no file or folder "${visible(path!)}"`);

  const { skills } = checked;
  if (path !== undefined && skills.length === 0 && checked.problems.length === 0) {
    return printError(io, `no skills or commands in "${visible(path)}"${elsewhere(resolve(cwd, path), path)}`);
  }
  const problems = [...checked.problems.filter(({ kind }) => kind !== "off"), ...skills.flatMap(skillTextProblems)];
  const commands = skills.filter(({ kind }) => kind === "command").length;
  const counted = `${countOf(skills.length - commands, "skill")} and ${countOf(commands, "command")}`;
  return reportProblems(call, { files: skills.length, counted, problems, cwd });
}

/** Where to look instead. */
function elsewhere(folder: string, path: string): string {
  const isPlugin = ["plugin.json", "marketplace.json"].some((name) => existsSync(join(folder, ".claude-plugin", name)));
  return isPlugin
    ? `; to check its plugins, run: keelson plugin validate ${visible(shellWord(path))}`
    : "; name a SKILL.md, or a folder with skills/ or commands/";
}

const allOf = ({ skills, dormant, problems }: SkillSet) => ({ skills: [...skills, ...dormant], problems });
