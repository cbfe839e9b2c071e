// keelson permissions list: every rule, strictest first, where it is defined, and what is wrong with it.

import type { Rule, RuleNote } from "@keelson/runtime/explain";
import { UsageError } from "../../args/invocation.ts";
import { didYouMean } from "../../args/nearest.ts";
import { printWarning } from "../../process/process-io.ts";
import type { OpenedPermissions } from "./permissions.ts";
import { oneLine, paletteFor, placeOfRule, shortenFrom, SOURCES, type Shorten } from "./words.ts";

const ORDER: readonly Rule["behavior"][] = ["deny", "ask", "allow"];

export async function listRules({ given, words, io, snapshot, explainer, mode }: OpenedPermissions): Promise<number> {
  if (words.length > 0) throw new UsageError("usage: keelson permissions list");
  const noted = (await explainer.notes()).toSorted(
    (a, b) => ORDER.indexOf(a.rule.behavior) - ORDER.indexOf(b.rule.behavior),
  );
  const { warnings, trusted } = snapshot;
  const short = shortenFrom(snapshot.cwd, snapshot.home);
  if (given.has("json")) {
    const rules = noted.map(({ rule, note }) => ({ ...rule, ...(note && { note }) }));
    const facts = { mode: mode ?? snapshot.mode, trusted, directories: [snapshot.cwd, ...snapshot.directories] };
    await io.write(`${JSON.stringify({ ...facts, rules, warnings }, null, 2)}\n`);
    return 0;
  }

  const palette = paletteFor(io);
  const rows = noted.map(({ rule, note }) => ({
    rule,
    behavior: rule.behavior.padEnd(5),
    text: oneLine(rule.text, 60),
    place: placeOfRule(rule, short),
    note: note && noteText(note, explainer.tools, rule, short),
  }));
  const width = (pick: (row: (typeof rows)[number]) => string) => Math.max(0, ...rows.map((row) => pick(row).length));
  const [texts, places] = [width(({ text }) => text), width(({ place }) => place)];
  const lines = rows.flatMap(({ rule, behavior, text, place, note }) => [
    `${palette.verdict(rule.behavior, behavior)}  ${text.padEnd(texts)}  ${place.padEnd(places)}  ${palette.dim(SOURCES[rule.source])}`,
    ...(note ? [`         ${palette.verdict("ask", `! ${note}`)}`] : []),
  ]);
  const counted = rows.length === 1 ? "1 rule" : `${rows.length} rules`;
  const folder = trusted ? "trusted" : "not trusted";
  const foot = `${counted}, ${mode ?? snapshot.mode} mode, this folder is ${folder}`;
  await io.write([...lines, ...(lines.length > 0 ? [""] : []), foot, ""].join("\n"));
  for (const warning of warnings) printWarning(io, warning);
  return 0;
}

function noteText({ kind, text, rule: other }: RuleNote, tools: readonly string[], rule: Rule, short: Shorten): string {
  if (other) return `${text} ${oneLine(other.text)} (${placeOfRule(other, short)})`;
  if (kind !== "unknown tool") return oneLine(text, 200);
  return `${text}${didYouMean(rule.tool, tools)}`;
}
