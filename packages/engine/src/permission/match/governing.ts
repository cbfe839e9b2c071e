// Whether a write would change what this session is governed by: by name, as everywhere, or because it is one of the files
// in force here, wherever they lie and whatever they are called.

import type { NamedFile } from "../command/command-files.ts";
import type { Ends, GateQuestion } from "../question.ts";
import type { Rule } from "../rule.ts";
import { mayMatchPattern } from "./match-path.ts";
import { fold, isInside } from "./paths.ts";
import { isProtected } from "./protected.ts";

/** The end of the path that is protected. */
export function protectedEnd({ given, real }: Ends, { governing = [] }: Pick<GateQuestion, "governing">) {
  return [given, real].find((path) => isProtected(path) || governing.some((each) => isInside(fold(each), fold(path))));
}

/** The same for a file that a command writes to, moves or removes. */
export function writesProtected(file: NamedFile, ends: Ends, question: GateQuestion): boolean {
  if (protectedEnd(ends, question) !== undefined) return true;
  const { governing = [] } = question;
  if (file.pattern)
    return governing.some((path) => mayMatchPattern(asRule(path), file.path, { ...question, matchers: undefined }));
  return takesAway(file, ends.given) && [ends.given, ends.real].some((folder) => holdsGoverning(folder, question));
}

/** `mv`, `rm` and `rmdir` take what is in a folder along; where `mv` puts things, they are only added. */
function takesAway({ command }: NamedFile, path: string): boolean {
  const [program, ...words] = command.words.map(({ value }) => value);
  const name = program?.slice(program.lastIndexOf("/") + 1);
  if (name === "rm" || name === "rmdir") return true;
  return name === "mv" && !path.endsWith(words.at(-1)?.replace(/^[./]+|\/+$/g, "") || path);
}

/** Folders that hold the working directories or the home are not meant: removing those is checked in its own right. */
function holdsGoverning(folder: string, { governing = [], directories, home }: GateQuestion): boolean {
  if ([...directories, home].some((place) => isInside(folder, place))) return false;
  return governing.some((path) => isInside(fold(folder), fold(path)));
}

/** A rule that speaks of this path and what is in it, to be compared with patterns. */
function asRule(path: string): Rule {
  const content = `/${path.replace(/[*?[\]\\]/g, "\\$&")}`;
  return { behavior: "deny", tool: "Edit", content, source: "session", base: "/", text: content };
}
