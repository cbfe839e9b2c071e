// Finds output styles: those that come with Keelson, of plugins, and Markdown files in `output-styles/` of the user, the
// project and the administrator. A style is text for the model and runs nothing.

import { existsSync, readdirSync, statSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import type { PromptStyle } from "@keelson/engine";
import { BUILT_IN_STYLES } from "@keelson/engine/styles";
import { isWithin } from "../instructions/collect.ts";
import { readInstruction } from "../instructions/files/read-instruction.ts";
import { managedDirectory } from "../scopes/scopes.ts";
import { booleanIn, fieldText } from "../skills/frontmatter/field-values.ts";
import { readHead } from "../skills/frontmatter/head.ts";
import { listable } from "../skills/plain.ts";
import type { Snapshot } from "../load/snapshot.ts";

export interface OutputStyle extends PromptStyle {
  readonly description?: string;
  readonly source: "built-in" | "plugin" | "user" | "project" | "managed";
  /** Absent for those that come with Keelson. */
  readonly file?: string;
}

export interface OutputStyles {
  /** Each name once. The default style, which adds nothing, is not among them. */
  readonly styles: readonly OutputStyle[];
  /** Files that were left out, one sentence each. */
  readonly problems: readonly string[];
}

export type StyleSettings = Pick<
  Snapshot,
  "cwd" | "home" | "configDir" | "flags" | "trusted" | "requireTrust" | "plugins" | "origin"
>;

const MAX_FILES = 200;
const MAX_FOLDERS = 100;
const MAX_NAME = 80;
const MAX_DESCRIPTION = 500;
/** The longest text the system prompt has room for. */
const MAX_TEXT = 45_000;

/**
 * Later ones replace earlier ones of the same name: the nearest folder wins, and the administrator always does. A folder
 * that is not trusted only adds styles.
 */
export function loadOutputStyles(settings: StyleSettings): OutputStyles {
  const problems: string[] = [];
  const found = new Map<string, OutputStyle>();
  const add = (style: OutputStyle) => {
    const other = found.get(style.name);
    const isForeign = style.source === "project" && !settings.trusted;
    if (style.name === "default") problems.push(`${style.file} is not used: "default" is not a name for a style`);
    else if (isForeign && other && other.source !== "project")
      problems.push(`${style.file} does not replace your own style "${style.name}" because this folder is not trusted`);
    else found.set(style.name, style);
  };
  for (const style of BUILT_IN_STYLES) add({ ...style, source: "built-in" });
  for (const { name, root, outputStyles } of settings.plugins.active) {
    const files = outputStyles.flatMap((path) => (isFolder(path) ? markdownIn(path) : [path]));
    for (const style of read(files, "plugin", root, problems)) add({ ...style, name: `${name}:${style.name}` });
  }
  for (const { folder, source, root } of foldersOf(settings)) {
    for (const style of read(markdownIn(folder), source, root, problems)) add(style);
  }
  return { styles: [...found.values()], problems };
}

/** By name; upper and lower case only matter if there are two. */
export function findOutputStyle(name: string, { styles }: OutputStyles): OutputStyle | undefined {
  const folded = name.trim().toLowerCase();
  return styles.find((style) => style.name === name) ?? styles.find((style) => style.name.toLowerCase() === folded);
}

interface StyleFolder {
  readonly folder: string;
  readonly source: OutputStyle["source"];
  /** Files that lead out of this folder are not read. Absent: anywhere. */
  readonly root?: string;
}

function foldersOf({
  cwd,
  home,
  configDir,
  flags,
  trusted,
  requireTrust,
  origin,
}: StyleSettings): readonly StyleFolder[] {
  const managed: StyleFolder = {
    folder: join(origin.managedDir ?? managedDirectory(origin.platform), ".claude", "output-styles"),
    source: "managed",
  };
  if (flags.bare || flags.safe) return [managed];
  const sources = flags.settingSources ?? ["user", "project", "local"];
  const user: StyleFolder = { folder: join(configDir, "output-styles"), source: "user" };
  const own = new Set([configDir, join(home, ".claude")]);
  const isProject = sources.includes("project") && (trusted || !requireTrust);
  const roots = !isProject ? [] : flags.projectConfigRoot === undefined ? upwards(cwd) : [flags.projectConfigRoot];
  const project = roots
    .map((root): StyleFolder & { root: string } => ({
      folder: join(root, ".claude", "output-styles"),
      source: "project",
      root,
    }))
    .filter(({ folder }) => !own.has(dirname(folder)));
  return [...(sources.includes("user") ? [user] : []), ...project, managed];
}

/** From the top of the repository down to the folder; outside a repository, only the folder. */
function upwards(cwd: string): readonly string[] {
  const folders = [cwd];
  for (let at = cwd; folders.length < MAX_FOLDERS; folders.unshift(at)) {
    if (existsSync(join(at, ".git"))) return folders;
    if (dirname(at) === at) break;
    at = dirname(at);
  }
  return [cwd];
}

function markdownIn(folder: string): readonly string[] {
  try {
    const names = readdirSync(folder).filter((name) => name.toLowerCase().endsWith(".md"));
    return names.toSorted().map((name) => join(folder, name));
  } catch {
    return [];
  }
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
}

function read(
  files: readonly string[],
  source: OutputStyle["source"],
  root: string | undefined,
  problems: string[],
): readonly OutputStyle[] {
  if (files.length > MAX_FILES)
    problems.push(`${dirname(files[0]!)} has more than ${MAX_FILES} output styles; the rest are left out`);
  return files.slice(0, MAX_FILES).flatMap((file): readonly OutputStyle[] => {
    const reading = readInstruction(file, { accepts: (real) => root === undefined || isWithin(root, real) });
    if (reading.kind !== "read") {
      if (reading.kind === "refused") problems.push(`${file} is not used: ${reading.why}`);
      if (reading.kind === "outside")
        problems.push(`${file} is not used: it links to ${reading.real}, outside ${root}`);
      return [];
    }
    const { fields, bodyAt } = readHead(reading.text);
    const field = (key: string, most: number) => listable(fieldText(fields.get(key) ?? NOTHING), most);
    const description = field("description", MAX_DESCRIPTION);
    const body = reading.text.slice(bodyAt).trim();
    if (body === "") {
      problems.push(`${file} is not used: it has no text; write the style below the frontmatter`);
      return [];
    }
    if (body.length > MAX_TEXT) problems.push(`${file} is longer than ${MAX_TEXT} characters; the rest is cut`);
    return [
      {
        name: field("name", MAX_NAME) || listable(basename(file).replace(/\.md$/i, ""), MAX_NAME),
        ...(description === "" ? {} : { description }),
        text: body.slice(0, MAX_TEXT),
        keepsCoding: booleanIn(fields.get("keep-coding-instructions") ?? NOTHING) === true,
        source,
        file,
      },
    ];
  });
}

const NOTHING = { kind: "text", text: "", quoted: false, line: 0 } as const;
