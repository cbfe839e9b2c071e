// Explains files and folders in a skills folder that are no skills, though they may have been meant as such.

import { readdirSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import type { SkillProblem } from "@keelson/protocol";

export function explainStrays(
  strays: readonly { readonly path: string; readonly kind: "file" | "folder" }[],
): readonly SkillProblem[] {
  return strays.flatMap(({ path, kind }) => (kind === "file" ? explainFile(path) : explainFolder(path)));
}

function explainFile(path: string): readonly SkillProblem[] {
  const name = basename(path, ".md");
  if (/^readme$/i.test(name)) return [];
  const where = /^skill$/i.test(name) ? "NAME/SKILL.md" : `${name}/SKILL.md`;
  const why = `a skill is a folder with a SKILL.md; move it to ${join(dirname(path), where)}`;
  return [{ file: path, kind: "unused", why }];
}

function explainFolder(path: string): readonly SkillProblem[] {
  let names: readonly string[];
  try {
    names = readdirSync(path);
  } catch {
    return [];
  }
  const misspelled = names.find((name) => name.toLowerCase() === "skill.md" && name !== "SKILL.md");
  if (misspelled !== undefined) return [{ file: join(path, misspelled), kind: "unused", why: "rename it to SKILL.md" }];
  const inner = names.find((name) => hasSkill(join(path, name)));
  if (inner === undefined) return [];
  const why = `skills in subfolders are not found; move ${inner} to ${join(dirname(path), inner)}`;
  return [{ file: join(path, inner, "SKILL.md"), kind: "unused", why }];
}

function hasSkill(path: string): boolean {
  try {
    return readdirSync(path).includes("SKILL.md");
  } catch {
    return false;
  }
}
