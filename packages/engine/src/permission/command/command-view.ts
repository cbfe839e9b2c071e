// A command made ready for judging: what several checks need of it, worked out once for each decision.

import { dirname } from "node:path/posix";
import type { CommandAnalysis, SimpleCommand } from "./command.ts";
import { everyCommand, filesOf, isAdrift, isLost, placesIn, type NamedFile, type Where } from "./command-files.ts";
import { coversLine, reachOf, type Reach } from "./match-command.ts";
import { nameFits } from "./on-disk.ts";
import { gitDangerIn, type GitDanger } from "../git-danger.ts";
import { patternFolder } from "../match/match-path.ts";
import { fold, withParents } from "../match/paths.ts";
import type { Ends, GateQuestion } from "../question.ts";
import { isExcluded } from "../sandboxed.ts";

export interface CommandView {
  readonly question: GateQuestion;
  readonly analysis: CommandAnalysis;
  readonly where: Where;
  /** The folders it may stand in. */
  readonly places: readonly string[];
  readonly lost: boolean;
  /** It moves somewhere that cannot be told, so that a relative path may be one that a rule denies. */
  readonly adrift: boolean;
  /** What must not be removed, folded: the working folders, home, where it stands, and all that hold them. */
  kept(): ReadonlySet<string>;
  /** What git would load where this part runs it; nothing for parts that do not start git. */
  gitDanger(part: SimpleCommand): GitDanger;
  /** in: the sandbox holds it. out: it asks to leave the sandbox. none: there is no sandbox for it. */
  readonly sandbox: "in" | "out" | "none";
  /** Comparisons with rules that are left; a command that needs more is not judged to its end. */
  readonly budget: { left: number };
  /** Everything a part could be naming, what it starts in turn included. */
  filesIn(part: SimpleCommand): readonly NamedFile[];
  /** How far a rule's text reaches each command of a part. */
  readersOf(part: SimpleCommand): readonly ((content: string) => Reach)[];
}

/** About a second's worth. */
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
    readersOf: (part) => remembered(readers, part, () => everyCommand([part]).map(reachOf)),
  };
}

/** `cd /repo && …` where the session was started in /repo changes nothing about which git configuration counts. */
function staysAtHome({ words }: SimpleCommand, places: readonly string[], { directories }: GateQuestion): boolean {
  const [, target, ...more] = words;
  if (target?.kind !== "literal" || !target.value.startsWith("/") || more.length > 0) return false;
  return places.slice(1).every((place) => place === directories[0]);
}

export function endsIn(file: Pick<NamedFile, "path" | "pattern">, { realPaths }: GateQuestion): Ends {
  const path = file.pattern ? patternFolder(file.path) : file.path;
  return { given: path, real: realPaths?.get(path) ?? path };
}

/**
 * Everything a word may turn out to be: the file, or for a pattern its folder and what it stands for on the disk.
 * Undefined when that is not known.
 */
export function allEndsIn(file: NamedFile, question: GateQuestion): readonly Ends[] | undefined {
  const own = endsIn(file, question);
  if (!file.pattern) return [own];
  const found = file.torn ? undefined : question.onDisk?.matches.get(file.path);
  return found && [own, ...upwards(file.path, question), ...found];
}

/** `.*` may find `..`, depending on the shell's age. */
function upwards(pattern: string, question: GateQuestion): Ends[] {
  const names = pattern.split("/");
  return names.flatMap((name, at) => {
    if (!/[*?[]/.test(name) || !nameFits("..", name)) return [];
    const { given, real } = endsIn({ path: names.slice(0, at + 1).join("/"), pattern: true }, question);
    return [{ given: dirname(given), real: dirname(real) }];
  });
}

/** A pattern as it reads once the links of its folder are resolved. */
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

/** The command runs where it says, which may not be where the session stands. */
function whereOf({ access, cwd, home }: GateQuestion): Where {
  return { cwd: access.kind === "command" ? access.cwd : cwd, home };
}

/** An analysis that is missing, or of another text, counts as unreadable. */
function analysisOf({ access, analysis }: GateQuestion): CommandAnalysis {
  const command = access.kind === "command" ? access.command : "";
  if (analysis?.command === command) return analysis;
  return { command, commands: [], problem: "it was not analysed" };
}

function sandboxFor({ access, sandbox }: GateQuestion, analysis: CommandAnalysis): CommandView["sandbox"] {
  if (!sandbox?.active || access.kind !== "command") return "none";
  if (access.unsandboxed) return "out";
  return isExcluded(analysis, sandbox.excluded) ? "none" : "in";
}
