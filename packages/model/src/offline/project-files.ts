// Finds the files of the project by name, without dependencies, build output and files that git ignores.
//
// Glob finds everything, but shows at most 100 files, and node_modules alone has more. Grep skips ignored files, but also
// empty and binary ones. So this asks both, and reads .gitignore for files that only Glob knows.

import { compileLine, matchDepths } from "@keelson/engine/pattern";
import type { Result } from "./conversation.ts";
import { contentOf, type OfflineCall } from "./doing.ts";

/** The most files Grep is asked for: the list has to fit into one tool result. */
export const MOST_FILES = 2_000;

/** A search that matches every line, so it lists all files that are not ignored. */
export const everyFile = (path?: string): OfflineCall => ({
  name: "Grep",
  input: { pattern: "", output_mode: "files_with_matches", head_limit: MOST_FILES, ...(path ? { path } : {}) },
});

export type FoundFiles =
  { readonly ok: true; readonly paths: readonly string[] } | { readonly ok: false; readonly result: Result };

export function* projectFiles(
  pattern: string,
  folder: string | undefined,
  tools: ReadonlySet<string>,
): Generator<readonly OfflineCall[], FoundFiles, readonly Result[]> {
  const glob: OfflineCall = { name: "Glob", input: { pattern, ...(folder ? { path: folder } : {}) } };
  const [globbed, grepped] = yield tools.has("Grep") ? [glob, everyFile(folder)] : [glob];
  if (!globbed || globbed.failed) return { ok: false, result: globbed ?? { text: "No answer came", failed: true } };

  const isOurs = notGenerated(folder);
  const lines = globbed.text.split("\n");
  const named = lines
    .filter((line) => line !== "" && line !== "No files found" && !line.startsWith("("))
    .filter(isOurs);
  const kept = grepped && !grepped.failed ? pathsIn(grepped).filter(isOurs) : undefined;
  if (kept === undefined) return { ok: true, paths: named.toSorted() };

  const isCut = lines.some((line) => line.startsWith("("));
  const matches = new Bun.Glob(`**/${pattern}`);
  const sure = new Set(
    isCut ? kept.filter((path) => matches.match(path)) : named.filter((path) => kept.includes(path)),
  );
  const unsure = named.filter((path) => !sure.has(path));
  if (unsure.length === 0 || !tools.has("Read")) return { ok: true, paths: [...sure, ...unsure].toSorted() };

  const [ignore] = yield [{ name: "Read", input: { file_path: ".gitignore" } }];
  const isIgnored = ignoredBy(ignore && !ignore.failed ? (contentOf(ignore.text) ?? "") : "");
  return { ok: true, paths: [...sure, ...unsure.filter((path) => !isIgnored(path))].toSorted() };
}

/** The paths in a result of Grep: the lines after `Found N files`. */
export function pathsIn({ text }: Result): readonly string[] {
  const [head, ...paths] = text.split("\n");
  return head!.startsWith("Found ") ? paths.filter((line) => line !== "" && !/^\(Files? [\d–]+ of /.test(line)) : [];
}

const GENERATED =
  ".cache .git .gradle .hg .jj .next .nuxt .svn .turbo .venv __pycache__ bower_components coverage dist node_modules venv".split(
    " ",
  );

/** Whether a path is outside folders that tools fill; one that was asked for by name is not skipped. */
export function notGenerated(folder?: string): (path: string) => boolean {
  const asked = folder?.split("/") ?? [];
  const skipped = new Set(GENERATED.filter((name) => !asked.includes(name)));
  return (path) =>
    !path
      .split("/")
      .slice(0, -1)
      .some((name) => skipped.has(name));
}

/** Without support for `!` lines, so this may ignore too much. */
function ignoredBy(gitignore: string): (path: string) => boolean {
  const lines = gitignore
    .split("\n")
    .slice(0, MOST_LINES)
    .filter((line) => !/^[#!]/.test(line))
    .flatMap((line) => compileLine(line.trim(), { ignoreCase: false }) ?? []);
  return (path) => {
    const names = path.split("/");
    return lines.some(({ glob, onlyFolders }) =>
      matchDepths(glob, names).some((depth) => depth < names.length || !onlyFolders),
    );
  };
}

const MOST_LINES = 1_000;
