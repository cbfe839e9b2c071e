// An explanation as text: the verdict, the command as a tree, the rules and their places, and how to allow it.

import type {
  CommandExplanation,
  Explanation,
  PartExplanation,
  PathExplanation,
  RedirectionExplanation,
  Rule,
} from "@keelson/runtime/explain";
import type { JsonObject } from "@keelson/protocol";
import { remedyLines } from "./remedy.ts";
import { MARK, oneLine, placeOfRule, visible, type Palette, type Shorten } from "./words.ts";

export interface Style {
  readonly palette: Palette;
  readonly short: Shorten;
  /** Allow rules that are already in the local settings. */
  readonly local: readonly string[];
}

export function explanationText(explanation: Explanation, input: JsonObject, style: Style): string {
  const { path, command } = explanation;
  const sections = [
    [verdictLine(explanation, style), ...because(explanation, style)],
    command ? commandLines(command, input, style) : path ? pathLines(path, style) : [],
    checkLines(explanation, style),
    remedyLines(explanation, style),
  ];
  const filled = sections.filter((lines) => lines.length > 0);
  return `${filled.map((lines) => lines.join("\n")).join("\n\n")}\n`;
}

const VERDICTS: Readonly<Record<Explanation["verdict"], string>> = {
  allow: "Allowed",
  ask: "Requires approval; denied when no one can approve it",
  deny: "Denied",
};

function verdictLine({ verdict, tool, unasked, classified, mode }: Explanation, { palette }: Style): string {
  const words = unasked
    ? `Denied: it requires approval, and ${mode} mode does not ask for approval`
    : classified
      ? "Decided by the classifier; requires approval if the classifier is unsure"
      : VERDICTS[verdict];
  return `${palette.verdict(verdict, `${MARK[verdict]} ${words}`)} ${palette.dim(`(${tool}, ${mode} mode)`)}`;
}

function because({ by, rule, reason, verdict, command }: Explanation, style: Style): string[] {
  if (rule) return [`  ${ruleWords(rule, verdict, style)}`];
  // The list of parts explains it better than one sentence.
  if (command && command.parts.length > 0 && by !== "protected") return [];
  return [`  ${visible(reason)}`];
}

function ruleWords(rule: Rule, verdict: Explanation["verdict"], { palette, short }: Pick<Style, "palette" | "short">) {
  const place = palette.dim(placeOfRule(rule, short));
  // A deny rule leads to a question when the text of the command does not show whether it matches.
  const might = rule.behavior === "deny" && verdict === "ask" ? "may match " : "";
  return `${might}${rule.behavior} rule ${palette.bold(visible(rule.text))}  ${place}`;
}

function pathLines(path: PathExplanation, { short, palette }: Style): string[] {
  const rows: [string, string][] = [[path.use === "read" ? "reads" : "writes", short(path.given)]];
  if (path.real !== path.given) rows.push(["real path", short(path.real)]);
  rows.push(["where", path.inside === undefined ? "outside the working directories" : `in ${visible(path.inside)}`]);
  if (path.use === "edit" && path.protected) rows.push(["protected", "can run as code or change how the agent works"]);
  return rows.map(([name, value]) => `  ${palette.dim(name.padEnd(11))}${value}`);
}

function commandLines(command: CommandExplanation, input: JsonObject, style: Style): string[] {
  const text = typeof input["command"] === "string" ? input["command"] : "";
  const head = `  ${oneLine(text)}`;
  if (command.problem !== undefined) return [head, `  cannot be parsed: ${visible(command.problem)}`];
  if (command.parts.length === 0) return [head, "  contains no command"];
  const rows = branches(command.parts.map((part) => partNode(part, style)));
  const width = Math.min(50, Math.max(...rows.map(({ left }) => left.length)));
  return [
    head,
    ...rows.map(({ left, right, mark }) => {
      const padded = left.padEnd(width);
      const marked =
        mark === undefined ? padded : padded.replace(MARK[mark], () => style.palette.verdict(mark, MARK[mark]));
      return `  ${marked}${right === "" ? "" : `  ${right}`}`.trimEnd();
    }),
    ...(command.left > 0 ? [`  … and ${command.left} more parts`] : []),
    ...(command.lost ? ["  It changes directory too often to resolve its paths"] : []),
    ...(command.together
      ? [`  Each part is allowed, but not ${quoted(command.together[1])} after ${quoted(command.together[0])}`]
      : []),
  ];
}

interface Node {
  readonly label: string;
  readonly note: string;
  readonly mark?: Explanation["verdict"];
  readonly below: readonly Node[];
}

interface Row {
  readonly left: string;
  readonly right: string;
  readonly mark?: Explanation["verdict"];
}

function branches(nodes: readonly Node[], indent = ""): Row[] {
  return nodes.flatMap(({ label, note, mark, below }, at) => {
    const last = at === nodes.length - 1;
    const sign = mark === undefined ? "·" : MARK[mark];
    const row: Row = { left: `${indent}${last ? "└" : "├"}─ ${sign} ${label}`, right: note, ...(mark && { mark }) };
    return [row, ...branches(below, `${indent}${last ? " " : "│"}  `)];
  });
}

function partNode(part: PartExplanation, style: Style): Node {
  const assigned = part.assignments.length > 0 ? `${part.assignments.join(" ")} ` : "";
  const label = oneLine(`${assigned}${part.text}` || (part.within.at(-1) ?? "redirection"), 60);
  const below = [
    ...wordsNode(part, style),
    ...part.redirections.map((each) => redirectionNode(each, style)),
    ...part.starts.map((inner) => startedNode(inner, part, style)),
  ];
  return { label, note: partNote(part, style), mark: part.verdict, below };
}

/** Quotes are easy to misread, so this shows the words as the program receives them. */
function wordsNode({ words }: PartExplanation, { palette }: Style): Node[] {
  const quotes = words.some(({ kind, value, text }) => kind === "literal" && value !== text && /["'\\]/.test(text));
  if (!quotes || words.length > 20) return [];
  const shown = words.map(({ value }) => (/^[\w@%+=:,./~-]+$/.test(value) ? value : `⟨${oneLine(value, 40)}⟩`));
  return [{ label: "words", note: palette.dim(oneLine(shown.join(" "), 90)), below: [] }];
}

/** A part started by a wrapper: it matters only if it is blocked, unless rules see through the wrapper. */
function startedNode(inner: PartExplanation, wrapper: PartExplanation, style: Style): Node {
  const { mark: _, ...node } = partNode(inner, style);
  const counts = inner.verdict === "deny" || inner.by === "rule" || inner.by === "protected";
  if (counts && (inner.verdict !== "allow" || wrapper.transparent)) return { ...node, mark: inner.verdict };
  return { ...node, note: style.palette.dim("started by the command above") };
}

function partNote(part: PartExplanation, style: Style): string {
  const where = part.within.flatMap((each) => (each === "shell" ? [] : [WITHIN[each]]));
  const around = part.piped ? [...where, "a pipeline"] : where;
  const place = around.length > 0 ? style.palette.dim(` (in ${around.join(", in ")})`) : "";
  return `${partWords(part, style)}${place}`;
}

const WITHIN: Readonly<Record<PartExplanation["within"][number], string>> = {
  substitution: "a substitution",
  subshell: "a subshell",
  group: "a group",
  function: "a function",
  background: "the background",
  coproc: "a coprocess",
  time: "a timed command",
  expansion: "an expansion",
  shell: "shell text",
  printed: "a substitution",
};

function partWords(part: PartExplanation, style: Style): string {
  const { rule, verdict, by, reason, blockedPath, obstacles } = part;
  if (rule) return ruleWords(rule, verdict, style);
  if (verdict === "allow") return by === "mode" ? `${reason} mode` : lower(reason);
  if (obstacles.length > 0) return visible(obstacles.join("; "));
  const [, why] = /^This command requires approval: (.*)$/s.exec(reason) ?? [];
  if (by === "protected") return visible(lower(why ?? reason));
  if (blockedPath !== undefined) return `outside the working directories: ${style.short(blockedPath)}`;
  return by === "rule" ? visible(lower(reason)) : visible(why ?? "no rule allows it");
}

function redirectionNode(redirection: RedirectionExplanation, style: Style): Node {
  const { kind, target, paths, verdict, rule } = redirection;
  const verb = kind === "read" ? "reads" : "writes";
  const path = paths.length === 0 ? "a path only the shell knows" : paths.map(style.short).join(" or ");
  const why = rule ? `: ${ruleWords(rule, verdict, style)}` : "";
  return {
    label: oneLine(`${kind === "read" ? "<" : ">"} ${target}`, 60),
    note: `${verb} ${path}${why}`,
    mark: verdict,
    below: [],
  };
}

/** The checks in order, up to the one that decided. */
function checkLines(explanation: Explanation, { palette, short }: Style): string[] {
  const { checks, verdict, speaking, rule, command } = explanation;
  const trail = checks.flatMap(({ name, outcome }) => {
    if (outcome === "not reached") return [];
    return [outcome === "passed" ? palette.dim(name) : palette.verdict(verdict, `${name} ${MARK[verdict]}`)];
  });
  const told = new Set([rule, ...(command?.parts ?? []).flatMap(rulesOf)].map((each) => each?.text));
  const others = speaking.filter(({ text }) => !told.has(text));
  return [
    `Checks: ${trail.join(" → ")}`,
    ...others.map((each) => `Also: ${ruleWords(each, each.behavior, { palette, short })}`),
  ];
}

const rulesOf = (part: PartExplanation): (Rule | undefined)[] => [
  part.rule,
  ...part.redirections.map(({ rule }) => rule),
  ...part.starts.flatMap(rulesOf),
];

const quoted = (text: string) => `\`${oneLine(text, 40)}\``;
const lower = (text: string) => text.charAt(0).toLowerCase() + text.slice(1);
