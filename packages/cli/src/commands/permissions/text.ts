// An explanation as text: the verdict in words, the command as a tree, where the rules stand, and what would help.

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
  /** Allow rules that stand in the local settings already. */
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
  allow: "Runs without a question",
  ask: "Asks first; with nobody there to answer it is denied",
  deny: "Denied",
};

function verdictLine({ verdict, tool, unasked, classified, mode }: Explanation, { palette }: Style): string {
  const words = unasked
    ? `Denied: it would have to be asked about, and ${mode} mode asks nobody`
    : classified
      ? "Left to the classifier; somebody is asked when it gives no clear answer"
      : VERDICTS[verdict];
  return `${palette.verdict(verdict, `${MARK[verdict]} ${words}`)} ${palette.dim(`(${tool}, ${mode} mode)`)}`;
}

function because({ by, rule, reason, verdict, command }: Explanation, style: Style): string[] {
  if (rule) return [`  ${ruleWords(rule, verdict, style)}`];
  // The parts say it better than one sentence for all of them.
  if (command && command.parts.length > 0 && by !== "protected") return [];
  return [`  ${visible(reason)}`];
}

function ruleWords(rule: Rule, verdict: Explanation["verdict"], { palette, short }: Pick<Style, "palette" | "short">) {
  const place = palette.dim(placeOfRule(rule, short));
  // A deny rule that only asks: whether it is met, the text of the command does not tell.
  const might = rule.behavior === "deny" && verdict === "ask" ? "might fall under the " : "";
  return `${might}${rule.behavior} rule ${palette.bold(visible(rule.text))}  ${place}`;
}

function pathLines(path: PathExplanation, { short, palette }: Style): string[] {
  const rows: [string, string][] = [[path.use === "read" ? "reads" : "writes", short(path.given)]];
  if (path.real !== path.given) rows.push(["really", short(path.real)]);
  rows.push(["where", path.inside === undefined ? "outside the working directories" : `in ${visible(path.inside)}`]);
  if (path.use === "edit" && path.protected) rows.push(["protected", "runs as code later, or steers the agent"]);
  return rows.map(([name, value]) => `  ${palette.dim(name.padEnd(10))}${value}`);
}

function commandLines(command: CommandExplanation, input: JsonObject, style: Style): string[] {
  const text = typeof input["command"] === "string" ? input["command"] : "";
  const head = `  ${oneLine(text)}`;
  if (command.problem !== undefined) return [head, `  cannot be read whole: ${visible(command.problem)}`];
  if (command.parts.length === 0) return [head, "  there is no command in it"];
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
    ...(command.lost ? ["  It changes folder too often to tell where its paths lead"] : []),
    ...(command.together
      ? [`  Each part may run, but not ${quoted(command.together[1])} after ${quoted(command.together[0])}`]
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

/** Quotes are where people misread a command: shows its words as the program will get them. */
function wordsNode({ words }: PartExplanation, { palette }: Style): Node[] {
  const quotes = words.some(({ kind, value, text }) => kind === "literal" && value !== text && /["'\\]/.test(text));
  if (!quotes || words.length > 20) return [];
  const shown = words.map(({ value }) => (/^[\w@%+=:,./~-]+$/.test(value) ? value : `⟨${oneLine(value, 40)}⟩`));
  return [{ label: "words", note: palette.dim(oneLine(shown.join(" "), 90)), below: [] }];
}

/** A part behind a wrapper: only what would stop it counts, unless rules see through the wrapper. */
function startedNode(inner: PartExplanation, wrapper: PartExplanation, style: Style): Node {
  const { mark: _, ...node } = partNode(inner, style);
  const counts = inner.verdict === "deny" || inner.by === "rule" || inner.by === "protected";
  if (counts && (inner.verdict !== "allow" || wrapper.transparent)) return { ...node, mark: inner.verdict };
  return { ...node, note: style.palette.dim("started by it") };
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
};

function partWords(part: PartExplanation, style: Style): string {
  const { rule, verdict, by, reason, blockedPath, obstacles } = part;
  if (rule) return ruleWords(rule, verdict, style);
  if (verdict === "allow") return by === "mode" ? `${reason} mode` : lower(reason);
  if (obstacles.length > 0) return visible(obstacles.join("; "));
  if (by === "protected") return visible(lower(reason.replace(/^This command requires approval: /, "")));
  if (blockedPath !== undefined) return `outside the working directories: ${style.short(blockedPath)}`;
  return by === "rule" ? visible(lower(reason)) : "no rule allows it";
}

function redirectionNode(redirection: RedirectionExplanation, style: Style): Node {
  const { kind, target, paths, verdict, rule } = redirection;
  const verb = kind === "read" ? "reads" : "writes";
  const path = paths.length === 0 ? "something only the shell can tell" : paths.map(style.short).join(" or ");
  const why = rule ? `: ${ruleWords(rule, verdict, style)}` : "";
  return {
    label: oneLine(`${kind === "read" ? "<" : ">"} ${target}`, 60),
    note: `${verb} ${path}${why}`,
    mark: verdict,
    below: [],
  };
}

/** The gate's checks in their order, up to the one that answered. */
function checkLines(explanation: Explanation, { palette, short }: Style): string[] {
  const { checks, verdict, speaking, rule, command } = explanation;
  const trail = checks.flatMap(({ name, outcome }) => {
    if (outcome === "not reached") return [];
    return [outcome === "passed" ? palette.dim(name) : palette.verdict(verdict, `${name} ${MARK[verdict]}`)];
  });
  const told = new Set([rule, ...(command?.parts ?? []).flatMap(rulesOf)].map((each) => each?.text));
  const others = speaking.filter(({ text }) => !told.has(text));
  return [
    `Gate: ${trail.join(" → ")}`,
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
