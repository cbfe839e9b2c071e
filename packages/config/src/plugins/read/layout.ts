// Where the parts of a plugin are: the default places, and those its manifest names.

import { basename, dirname } from "node:path";
import { isObject, type Plugin } from "@keelson/protocol";
import { insidePath } from "./inside.ts";
import type { Manifest, Paths } from "./manifest.ts";
import type { JsonPath } from "./problem.ts";

export type Layout = Pick<
  Plugin,
  "skillFolders" | "skills" | "commandFolders" | "commandFiles" | "agents" | "outputStyles" | "themes" | "bin"
>;

interface Found {
  readonly path: string;
  readonly kind: "file" | "folder";
}

/** Reports a path of the manifest that cannot be used. */
export type ReportPath = (path: JsonPath, text: string) => void;

export function layoutOf(root: string, manifest: Manifest, report: ReportPath): Layout {
  const named = (field: keyof Manifest, paths: Paths | undefined) => namedPaths(root, field, paths, report);
  const standard = (name: string): readonly Found[] => {
    const at = insidePath(root, `./${name}`);
    // A default place that is missing is not a mistake; one that leads out is.
    if ("problem" in at && at.missing === undefined) report([], `"${name}" ${at.problem}`);
    return "path" in at && at.kind === "folder" ? [at] : [];
  };
  const replaced = (field: "agents" | "outputStyles" | "themes", name: string) =>
    manifest[field] === undefined ? standard(name) : named(field, manifest[field]);
  const { commands } = manifest;
  const inline = isObject(commands);
  if (inline) report(["commands"], `"commands" is an object, which is not supported; name files or folders instead`);
  const commandPaths = commands === undefined ? standard("commands") : inline ? [] : named("commands", commands);

  const skills = [...standard("skills"), ...named("skills", manifest.skills).map(folderOfSkill)];
  const isSkill = ({ path }: Found) => "path" in insidePath(path, "./SKILL.md");
  const ownSkill = skills.length === 0 && isSkill({ path: root, kind: "folder" }) ? [root] : [];
  const folders = skills.filter(({ kind }) => kind === "folder");
  for (const { path, kind } of skills) {
    if (kind === "file") report(["skills"], `"${path.slice(root.length + 1)}" is a file; name the folder of the skill`);
  }
  const [bin] = standard("bin");
  const found = distinct(folders.filter((each) => !isSkill(each)));
  return {
    skillFolders: found,
    // One in a folder of skills is found there.
    skills: [...distinct(folders.filter(isSkill)).filter((path) => !found.includes(dirname(path))), ...ownSkill],
    commandFolders: distinct(commandPaths.filter(({ kind }) => kind === "folder")),
    commandFiles: distinct(commandPaths.filter(({ kind }) => kind === "file")),
    agents: distinct(replaced("agents", "agents")),
    outputStyles: distinct(replaced("outputStyles", "output-styles")),
    themes: distinct(replaced("themes", "themes")),
    ...(bin === undefined ? {} : { bin: bin.path }),
  };
}

/** Some plugins name the SKILL.md instead of its folder. */
const folderOfSkill = (found: Found): Found =>
  basename(found.path) === "SKILL.md" ? { path: dirname(found.path), kind: "folder" } : found;

const distinct = (found: readonly Found[]) => [...new Set(found.map(({ path }) => path))];

function namedPaths(root: string, field: string, paths: Paths | undefined, report: ReportPath): readonly Found[] {
  const all = paths === undefined ? [] : typeof paths === "string" ? [paths] : paths;
  return all.flatMap((path, index) => {
    const at = insidePath(root, path);
    if ("path" in at) return [at];
    report(typeof paths === "string" ? [field] : [field, index], `"${field}": ${JSON.stringify(path)} ${at.problem}`);
    return [];
  });
}
