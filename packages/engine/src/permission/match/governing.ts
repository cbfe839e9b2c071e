// Whether a write would change a file that governs this session: by name, as everywhere, or because the file is in use
// here, wherever it is and whatever its name.

import type { NamedFile } from "../command/files/command-files.ts";
import type { Ends, GateQuestion } from "../question.ts";
import type { Rule } from "../rules/rule.ts";
import { mayMatchPattern } from "./match-path.ts";
import { fold, isInside } from "./paths.ts";
import { isProtected } from "./protected.ts";

/** Which of a path's two names is protected. */
export function protectedEnd({ given, real }: Ends, { governing = [] }: Pick<GateQuestion, "governing">) {
  return [given, real].find((path) => isProtected(path) || governing.some((each) => isInside(fold(each), fold(path))));
}

/**
 * The same for a file in a folder where the model may write without approval, such as that for notes: where the folder is does
 * not count, only what is in it. A name outside the folder is judged as any other.
 */
export function protectedEndIn(
  folder: string,
  { given, real }: Ends,
  { governing = [] }: Pick<GateQuestion, "governing">,
) {
  const inner = governing.filter((each) => isInside(folder, each) && each !== folder);
  return [given, real].find((path) => {
    if (!isInside(folder, path)) return protectedEnd({ given: path, real: path }, { governing }) !== undefined;
    return isProtected(path.slice(folder.length)) || inner.some((each) => isInside(fold(each), fold(path)));
  });
}

/** The same for a file that a command writes, moves or removes. */
export function writesProtected(file: NamedFile, ends: Ends, question: GateQuestion): boolean {
  if (protectedEnd(ends, question) !== undefined) return true;
  const { governing = [] } = question;
  if (file.pattern)
    return governing.some((path) => mayMatchPattern(asRule(path), file.path, { ...question, matchers: undefined }));
  return takesAway(file, ends.given) && [ends.given, ends.real].some((folder) => holdsGoverning(folder, question));
}

/** `mv`, `rm` and `rmdir` affect everything in a folder; at the target of `mv`, files are only added. */
function takesAway({ command }: NamedFile, path: string): boolean {
  const [program, ...words] = command.words.map(({ value }) => value);
  const name = program?.slice(program.lastIndexOf("/") + 1);
  if (name === "rm" || name === "rmdir") return true;
  return name === "mv" && !path.endsWith(words.at(-1)?.replace(/^[./]+|\/+$/g, "") || path);
}

/**
 * Folders that contain the working directories or the home folder are not meant: removing those is checked separately.
 */
function holdsGoverning(folder: string, { governing = [], directories, home }: GateQuestion): boolean {
  if ([...directories, home].some((place) => isInside(folder, place))) return false;
  return governing.some((path) => isInside(fold(folder), fold(path)));
}

/** A rule for this path and everything in it, to compare with patterns. */
function asRule(path: string): Rule {
  const content = `/${path.replace(/[*?[\]\\]/g, "\\$&")}`;
  return { behavior: "deny", tool: "Edit", content, source: "session", base: "/", text: content };
}
