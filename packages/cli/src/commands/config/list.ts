// keelson config list: every value that applies with its file and line, then the values that are ignored and why.

import { printableLine } from "@keelson/protocol";
import { nearest } from "../../args/nearest.ts";
import { printWarning } from "../../process/process-io.ts";
import { shortenFrom } from "../permissions/words.ts";
import type { OpenedConfig } from "./config.ts";
import { hidden, isSecret, placeText, shownValue } from "./text.ts";

export async function listSettings({ given, io, config, options }: OpenedConfig): Promise<number> {
  const { values, idle, ignored, warnings } = await config.inspect(options);
  if (given.has("json")) {
    const shown = {
      values: values.map(withoutSecret),
      ignored: ignored.map(({ warning: _, ...each }) => withoutSecret(each)),
      idle,
      warnings,
    };
    await io.write(`${JSON.stringify(shown, null, 2)}\n`);
    return 0;
  }
  // Those about ignored values are shown with the values.
  const others = warnings.filter(({ text }) => !ignored.some(({ warning }) => warning === text));
  for (const { text } of others) printWarning(io, text);

  const short = shortenFrom(options.cwd, options.home);
  const idleNote = (key: string) => {
    const found = idle.find((each) => each.key === key);
    if (found === undefined) return "";
    if (found.status === "later")
      return `  (no effect${found.why === undefined ? " in this version" : `: ${found.why}`})`;
    const known = config.KEYS.map((each) => each.key);
    const close = nearest(key, known);
    return `  (unknown key${close === undefined ? "" : `; did you mean "${close}"?`})`;
  };
  const text = (each: { readonly key: string; readonly value: unknown }) =>
    isSecret(each) ? hidden : shownValue(each.value, 60);
  const rows = values.map((each) => [
    printableLine(each.key),
    text(each),
    `${each.from.map((origin) => placeText(origin, short)).join(", ")}${idleNote(each.key)}`,
  ]);
  const left = aligned(ignored.map((each) => [printableLine(each.key), text(each), placeText(each, short)]));
  const lines = [
    ...(rows.length > 0 ? aligned(rows) : ["No settings"]),
    ...(left.length > 0 ? ["", "Ignored:"] : []),
    ...left.flatMap((line, at) => [`  ${line}`, `      ${printableLine(ignored[at]!.why)}`]),
  ];
  await io.write(`${lines.join("\n")}\n`);
  return 0;
}

const withoutSecret = <T extends { readonly key: string }>(each: T) =>
  isSecret(each) ? { ...each, value: null, hidden: true } : each;

function aligned(rows: readonly (readonly string[])[]): readonly string[] {
  const widths = [0, 1].map((at) => Math.max(0, ...rows.map((row) => row[at]!.length)));
  return rows.map((row) => row.map((cell, at) => cell.padEnd(widths[at] ?? 0)).join("  "));
}
