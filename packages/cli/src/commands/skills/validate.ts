// keelson skills validate: one line for each problem in the files of skills and commands, with file, line and fix.

import { existsSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { checkSkillsAt, readSkillText, type SkillSet } from "@keelson/config/skills";
import type { Skill, SkillProblem } from "@keelson/protocol";
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
  const problems = [...checked.problems.filter(({ kind }) => kind !== "off"), ...skills.flatMap(textProblems)];
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

const LONGEST_DESCRIPTION = 1_536;
const MOST_PARENTS = 8;

/** In a plugin, the `name` field counts. */
function isInPlugin(file: string): boolean {
  let folder = dirname(file);
  for (let at = 0; at < MOST_PARENTS && folder !== dirname(folder); at++) {
    if (existsSync(join(folder, ".claude-plugin", "plugin.json"))) return true;
    folder = dirname(folder);
  }
  return false;
}

/** Problems that only matter to people who check their files. */
function textProblems(skill: Skill): readonly SkillProblem[] {
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
