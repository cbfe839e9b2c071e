// Our reading of generated commands against two others. Disagreement is fine as long as it ends in a question.

import fc from "fast-check";
import type { GateQuestion, Rule } from "@keelson/engine";
import { analyseCommand, commandChecks } from "@keelson/engine/command";
import { decide } from "@keelson/engine/gate";
import { NOTHING_SAID } from "@keelson/protocol";
import { commandText } from "./grammar.ts";
import { loadGrammar, refusedByBash } from "./oracles.ts";

export interface Findings {
  readonly cases: number;
  /** Commands that would run with every program we saw in them allowed by a prefix rule. */
  readonly allowed: number;
  /** Disagreements that ended in a question, by kind. */
  readonly asked: Readonly<Record<string, number>>;
  /** Disagreements explained by faults of the other parser, by kind. */
  readonly excused: Readonly<Record<string, number>>;
  /** What must not happen. */
  readonly failures: readonly Failure[];
}

export interface Failure {
  readonly kind: string;
  readonly text: string;
}

const BATCH = 5_000;
/** A program of the grammar that is denied in the second question. */
const FORBIDDEN = "evil";

export async function fuzz({ cases, seed }: { readonly cases: number; readonly seed: number }): Promise<Findings> {
  const grammar = await loadGrammar();
  const asked: Record<string, number> = {};
  const excused: Record<string, number> = {};
  const failures: Failure[] = [];
  let allowed = 0;
  for (let done = 0; done < cases; done += BATCH) {
    const texts = fc.sample(commandText(), { numRuns: Math.min(BATCH, cases - done), seed: seed + done });
    const running: string[] = [];
    for (const text of texts) {
      const analysis = analyseCommand(text);
      const found = namesIn(analysis.commands);
      const runs = verdict(text, analysis, found) === "allow";
      const ours = new Set(found.map(spelledOut));
      if (runs) running.push(text);
      if (runs) allowed++;
      const { names, broken } = grammar.programs(spelledOut(text));
      if (names.includes(FORBIDDEN) && slipsThrough(text, analysis)) {
        const why = excuse(text, [FORBIDDEN], broken);
        count(excused, why ?? fail(failures, "a denied program runs", text));
      }
      const missed = names.filter((name) => !ours.has(name));
      const unread = analysis.problem !== undefined;
      if (broken === unread && (unread || missed.length === 0)) continue;
      const kind = unread ? "broken to us only" : missed.length > 0 ? "a program we do not list" : "broken to it only";
      if (!runs) count(asked, kind);
      else if (missed.length === 0) count(excused, "it cannot read what bash can");
      else count(excused, excuse(text, missed, broken) ?? fail(failures, kind, `${text}  →  ${missed.join(", ")}`));
    }
    const refused = await refusedByBash(running);
    for (const [at, text] of running.entries()) if (refused[at]) fail(failures, "bash refuses it", text);
  }
  return { cases, allowed, asked, excused, failures };
}

/** The text without what tree-sitter is known to misread: line continuations, and characters it takes for blanks or letters. */
function spelledOut(text: string): string {
  return text.replace(/(?<!\\)((?:\\\\)*)\\\n/g, "$1").replace(/[\r\f\v\x80-\u{10ffff}]/gu, "%");
}

/** Faults of tree-sitter's grammar that are known and were looked at; undefined for anything else. */
function excuse(text: string, missed: readonly string[], broken: boolean): string | undefined {
  if (missed.every((name) => name === "time" || name === "coproc")) return "keyword taken for a program";
  if (/<<-?\s*["'\\]?E/.test(text)) return "here-document";
  if (/(^|[\s;&|(])[^\s=\w"'$][^\s=]*=|(^|\W)\d\w*=/.test(text)) return "assignment to a name bash does not have";
  if (/\s#/.test(text)) return "comment";
  if (/\\[ \t]/.test(text)) return "escaped blank";
  if (text.includes("\\\\'")) return "end of a $'…' string";
  if (/(^|\s)![^\s]/.test(text)) return "negation without a blank";
  return broken ? "guess after an error of its own" : undefined;
}

/** Where every program seen is allowed whatever its arguments, and nothing else. */
function verdict(text: string, analysis: GateQuestion["analysis"], names: readonly string[]): string {
  return judge(text, { analysis, rules: names.map((name) => rule("allow", name)), mode: "default" });
}

/** Where everything may run but one program. */
function slipsThrough(text: string, analysis: GateQuestion["analysis"]): boolean {
  return judge(text, { analysis, rules: [rule("deny", FORBIDDEN)], mode: "bypassPermissions" }) === "allow";
}

function rule(behavior: Rule["behavior"], name: string): Rule {
  const content = `${name}:*`;
  return { behavior, tool: "Bash", content, source: "userSettings", base: "/repo", text: `Bash(${content})` };
}

function judge(text: string, given: Pick<GateQuestion, "analysis" | "rules" | "mode">): string {
  return decide({
    tool: "Bash",
    input: { command: text },
    access: { kind: "command", command: text, cwd: "/repo" },
    commandChecks,
    hook: NOTHING_SAID,
    directories: ["/repo"],
    cwd: "/repo",
    home: "/home/me",
    readable: [],
    ...given,
  }).behavior;
}

function namesIn(commands: ReturnType<typeof analyseCommand>["commands"]): string[] {
  return commands.flatMap(({ words, runs }) => [...(words[0] ? [words[0].value] : []), ...namesIn(runs)]);
}

function count(counts: Record<string, number>, kind: string): void {
  counts[kind] = (counts[kind] ?? 0) + 1;
}

function fail(failures: Failure[], kind: string, text: string): string {
  failures.push({ kind, text });
  return `failed: ${kind}`;
}
