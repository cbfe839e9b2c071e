// Explains files and folders in a skills folder that are no skills, though they may have been meant as such.

import { readdirSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import type { SkillProblem } from "@keelson/protocol";
import { readHead } from "../frontmatter/head.ts";
import { createStartReader } from "./read-start.ts";

export function explainStrays(
  strays: readonly { readonly path: string; readonly kind: "file" | "folder" }[],
): readonly SkillProblem[] {
  return strays.flatMap(({ path, kind }) => (kind === "file" ? explainFile(path) : explainFolder(path)));
}

/** Notes among skills are common: only a file with frontmatter was meant as a skill. */
function explainFile(path: string): readonly SkillProblem[] {
  const name = basename(path, ".md");
  const isSkill = /^skill$/i.test(name);
  if (!isSkill && (/^readme$/i.test(name) || !hasFrontmatter(path))) return [];
  const where = isSkill ? "NAME/SKILL.md" : `${name}/SKILL.md`;
  const why = `a skill is a folder with a SKILL.md; move it to ${join(dirname(path), where)}`;
  return [{ file: path, kind: "unused", why }];
}

function hasFrontmatter(path: string): boolean {
  const start = createStartReader().read(path);
  return start.kind === "read" && readHead(start.source).fields.size > 0;
}

function explainFolder(path: string): readonly SkillProblem[] {
  let names: readonly string[];
  try {
    names = readdirSync(path);
  } catch {
    return [];
  }
  const misspelled = names.find((name) => name.toLowerCase() === "skill.md" && name !== "SKILL.md");
  if (misspelled !== undefined)
    return [
      { file: join(path, misspelled), kind: "unused", why: "its name should be SKILL.md, in capitals; rename it" },
    ];
  const [inner, ...others] = names.filter((name) => hasSkill(join(path, name))).toSorted();
  if (inner === undefined) return [];
  const moves =
    others.length === 0
      ? `${inner} to ${join(dirname(path), inner)}`
      : `the ${others.length + 1} folders of ${basename(path)} to ${dirname(path)}`;
  const why = `skills in subfolders are not found; move ${moves}`;
  return [{ file: join(path, inner, "SKILL.md"), kind: "unused", why }];
}

function hasSkill(path: string): boolean {
  try {
    return readdirSync(path).includes("SKILL.md");
  } catch {
    return false;
  }
}
