// A command prepared for the checks: what several of them need, computed once per decision.

import { dirname } from "node:path/posix";
import type { CommandAnalysis, SimpleCommand } from "./analysis/command.ts";
import {
  everyCommand,
  filesOf,
  isAdrift,
  isLost,
  mayMove,
  placesIn,
  type NamedFile,
  type Where,
} from "./files/command-files.ts";
import { handedReach } from "./inner/handed-over.ts";
import { coversLine, reachOf, type Reach } from "./rules/match-command.ts";
import { nameFits } from "./files/on-disk.ts";
import { gitDangerIn, type GitDanger } from "../git/git-danger.ts";
import { patternFolder } from "../match/match-path.ts";
import { absolute, fold, withParents } from "../match/paths.ts";
import type { Ends, GateQuestion } from "../question.ts";
import { isExcluded } from "../rules/sandboxed.ts";

export interface CommandView {
  readonly question: GateQuestion;
  readonly analysis: CommandAnalysis;
  readonly where: Where;
  /** The folders it may run in. */
  readonly places: readonly string[];
  /** The folders this part may name files from. */
  placesOf(part: SimpleCommand): readonly string[];
  readonly lost: boolean;
  /** It changes to an unknown folder, so a relative path may be one that a rule denies. */
  readonly adrift: boolean;
  /** What must not be removed, case-folded: the working folders, home, where it runs, and all their parents. */
  kept(): ReadonlySet<string>;
  /** What git would load where this part runs it; empty for parts that do not run git. */
  gitDanger(part: SimpleCommand): GitDanger;
  /** in: it runs in the sandbox. out: it asks to leave the sandbox. none: there is no sandbox for it. */
  readonly sandbox: "in" | "out" | "none";
  /** The comparisons with rules that are left; a command that needs more is not checked further. */
  readonly budget: { left: number };
  /** All files a part may name, including those of the commands it starts. */
  filesIn(part: SimpleCommand): readonly NamedFile[];
  /** How a rule's text matches each command of a part. */
  readersOf(part: SimpleCommand): readonly ((content: string) => Reach)[];
}

/** Takes about a second. */
const MOST_COMPARISONS = 1_000_000;

export function viewOf(question: GateQuestion): CommandView {
  const analysis = analysisOf(question);
  const where = whereOf(question);
  const commands = everyCommand(analysis.commands);
  const places = placesIn(commands, where, (path) => question.realPaths?.get(path) ?? path);
  const files = new Map<SimpleCommand, readonly NamedFile[]>();
  const readers = new Map<SimpleCommand, readonly ((content: string) => Reach)[]>();
  const moves = analysis.commands.some((part) => part.words[0]?.value === "cd" && !staysAtHome(part, places, question));
  let kept: ReadonlySet<string> | undefined;
  return {
    question,
    analysis,
    where,
    places,
    placesOf: (part) => (isOnlyMove(part, commands) ? [absolute("/", where.cwd)] : places),
    lost: isLost(places, commands),
    adrift: isAdrift(commands),
    kept: () => (kept ??= new Set([...question.directories, where.home, ...places].flatMap(withParents).map(fold))),
    gitDanger: gitDangerIn(analysis.commands, where, question, moves),
    sandbox: sandboxFor(question, analysis),
    budget: { left: MOST_COMPARISONS },
    filesIn: (part) =>
      remembered(files, part, () =>
        everyCommand([part]).flatMap((command) => filesOf(command, places, where.home, "strict")),
      ),
    readersOf: (part) => remembered(readers, part, () => everyCommand([part]).flatMap(readersFor)),
  };
}

/** `cd ..` names its target from where the command starts, unless something else changes folder or it runs again. */
function isOnlyMove(part: SimpleCommand, commands: readonly SimpleCommand[]): boolean {
  if (part.words[0]?.value !== "cd" || part.within.length > 0 || part.repeated) return false;
  return commands.every((other) => other === part || !mayMove(other));
}

/** `cd /repo && …` in a session started in /repo does not change which git configuration applies. */
function staysAtHome({ words }: SimpleCommand, places: readonly string[], { directories }: GateQuestion): boolean {
  const [, target, ...more] = words;
  if (target?.kind !== "literal" || !target.value.startsWith("/") || more.length > 0) return false;
  return places.slice(1).every((place) => place === directories[0]);
}

function readersFor(command: SimpleCommand): ((content: string) => Reach)[] {
  const handed = handedReach(command);
  return handed ? [reachOf(command), handed] : [reachOf(command)];
}

export function endsIn(file: Pick<NamedFile, "path" | "pattern">, { realPaths }: GateQuestion): Ends {
  const path = file.pattern ? patternFolder(file.path) : file.path;
  return { given: path, real: realPaths?.get(path) ?? path };
}

/**
 * All paths a word may mean: the file, or for a pattern its folder and the files it matches. Undefined if not known.
 */
export function allEndsIn(file: NamedFile, question: GateQuestion): readonly Ends[] | undefined {
  const own = endsIn(file, question);
  if (!file.pattern) return [own];
  const found = file.torn ? undefined : question.onDisk?.matches.get(file.path);
  return found && [own, ...upwards(file.path, question), ...found];
}

/** `.*` matches `..` in older shells. */
function upwards(pattern: string, question: GateQuestion): Ends[] {
  const names = pattern.split("/");
  return names.flatMap((name, at) => {
    if (!/[*?[]/.test(name) || !nameFits("..", name)) return [];
    const { given, real } = endsIn({ path: names.slice(0, at + 1).join("/"), pattern: true }, question);
    return [{ given: dirname(given), real: dirname(real) }];
  });
}

/** A pattern with the links of its folder resolved. */
export function realPattern(pattern: string, question: GateQuestion): string {
  const { given, real } = endsIn({ path: pattern, pattern: true }, question);
  if (given === real) return pattern;
  const rest = pattern.split("/").slice(given === "/" ? 1 : given.split("/").length);
  return [real === "/" ? "" : real.replace(/[*?[\]\\]/g, "\\$&"), ...rest].join("/");
}

export function lineCovers(content: string, { analysis }: CommandView): boolean {
  return coversLine(content, analysis.command);
}

function remembered<V>(memory: Map<SimpleCommand, V>, part: SimpleCommand, make: () => V): V {
  let value = memory.get(part);
  if (value === undefined) memory.set(part, (value = make()));
  return value;
}

/** The command's own folder, which may differ from the session's. */
function whereOf({ access, cwd, home }: GateQuestion): Where {
  return { cwd: access.kind === "command" ? access.cwd : cwd, home };
}

/** Mostly it is an apostrophe in `git commit -m "$(cat <<'END' …)"`; `git commit -F - <<'END'` is read as written. */
const MISREAD =
  "bash 3.2 would read its quotes differently; pass long texts on standard input, as `git commit -F -` reads them";

/** A missing analysis, or one of another text, counts as unreadable. */
function analysisOf({ access, analysis, shell }: GateQuestion): CommandAnalysis {
  const command = access.kind === "command" ? access.command : "";
  if (analysis?.command !== command) return { command, commands: [], problem: "it was not analysed" };
  const isMisread = shell === "old bash" && analysis.modern;
  return isMisread ? { command, commands: [], problem: MISREAD } : analysis;
}

function sandboxFor({ access, sandbox }: GateQuestion, analysis: CommandAnalysis): CommandView["sandbox"] {
  if (!sandbox?.active || access.kind !== "command") return "none";
  if (access.unsandboxed) return "out";
  return isExcluded(analysis, sandbox.excluded) ? "none" : "in";
}
