// keelson permissions test: checks a table of calls and expected verdicts against the settings, for use in CI.

import { readFileSync, statSync } from "node:fs";
import { resolve } from "node:path";
import type { Explanation, Rule } from "@keelson/runtime/explain";
import { UsageError } from "../../args/invocation.ts";
import { printWarning } from "../../process/process-io.ts";
import type { OpenedPermissions } from "./permissions.ts";
import { readTable, type Case } from "./table.ts";
import { MARK, oneLine, paletteFor, placeOfRule, shortenFrom } from "./words.ts";

const LARGEST = 4 * 1024 * 1024;

interface Outcome extends Case {
  /** Absent when the call is invalid. */
  readonly verdict?: Explanation["verdict"];
  readonly ok: boolean;
  /** Why the verdict differs. */
  readonly reason?: string;
  readonly rule?: Rule;
}

export async function testCalls({ given, words, io, snapshot, explainer, mode }: OpenedPermissions): Promise<number> {
  const [name, ...more] = words;
  if (name === undefined || more.length > 0) throw new UsageError("usage: keelson permissions test <file>");
  const file = resolve(io.cwd, name);
  const table = readTable(read(file), name);
  if (!table.ok) throw new UsageError(table.message);

  const outcomes: Outcome[] = [];
  for (const each of table.cases) {
    const supposed = each.mode ?? mode;
    const call = { tool: each.tool, input: each.input, ...(supposed && { mode: supposed }) };
    const judged = await explainer.judge(call);
    if (judged.ok && judged.decision.behavior === each.expected) {
      outcomes.push({ ...each, verdict: each.expected, ok: true });
      continue;
    }
    const explained = await explainer.explain(call);
    const { verdict, reason, rule } = explained.ok
      ? explained.explanation
      : { verdict: undefined, reason: explained.message, rule: undefined };
    outcomes.push({ ...each, ok: false, ...(verdict && { verdict }), reason, ...(rule && { rule }) });
  }

  const wrong = outcomes.filter(({ ok }) => !ok);
  if (given.has("json")) {
    const counts = { file, passed: outcomes.length - wrong.length, failed: wrong.length };
    await io.write(`${JSON.stringify({ ...counts, results: outcomes, warnings: snapshot.warnings }, null, 2)}\n`);
    return wrong.length === 0 ? 0 : 1;
  }
  for (const warning of snapshot.warnings) printWarning(io, warning);
  const palette = paletteFor(io);
  const short = shortenFrom(snapshot.cwd, snapshot.home);
  const lines = wrong.map(({ where, text, expected, verdict, reason, rule, mode: section }) => {
    const is = verdict === undefined ? "is invalid" : `got ${palette.verdict(verdict, verdict)}`;
    const why = rule ? `${rule.behavior} rule ${rule.text}  ${placeOfRule(rule, short)}` : (reason ?? "");
    const inMode = section === undefined ? "" : ` in ${section} mode`;
    return `${palette.verdict("deny", MARK.deny)} ${where}  ${oneLine(text, 80)}\n    expected ${expected}${inMode}, ${is}: ${oneLine(why, 200)}`;
  });
  const total = `${outcomes.length} ${outcomes.length === 1 ? "call" : "calls"}`;
  const foot =
    wrong.length === 0
      ? `${palette.verdict("allow", MARK.allow)} ${total}, all as expected`
      : `${wrong.length} of ${total} not as expected`;
  await io.write(`${[...lines, foot].join("\n")}\n`);
  return wrong.length === 0 ? 0 : 1;
}

function read(file: string): string {
  const stat = statSync(file, { throwIfNoEntry: false });
  if (stat === undefined) throw new UsageError(`file not found: ${file}`);
  if (!stat.isFile()) throw new UsageError(`${file} is not a file`);
  if (stat.size > LARGEST) throw new UsageError(`${file} is larger than ${LARGEST / 1024 / 1024} MiB`);
  return readFileSync(file, "utf8");
}
