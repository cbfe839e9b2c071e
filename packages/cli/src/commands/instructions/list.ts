// keelson instructions list: every file in the order the model reads it, with its size and why it is read.

import type { InstructionFile, LeftOut } from "@keelson/config/instructions";
import type { OpenedInstructions } from "./instructions.ts";
import { printWarning } from "../../process/process-io.ts";
import { oneLine, paletteFor } from "../permissions/words.ts";
import { columns, section } from "../columns.ts";

type Shorten = OpenedInstructions["short"];

export async function listFiles({
  given,
  io,
  snapshot,
  short,
  listed: { set, memory },
}: OpenedInstructions): Promise<number> {
  const touched = given.text("for");
  const nested = touched === undefined ? [] : set.nested(touched);
  const files = [...set.files, ...nested];
  const total = sizeOf(files.reduce((sum, { bytes }) => sum + bytes, 0));
  if (given.has("json")) {
    const shown = files.map(({ text: _, ...file }) => ({ ...file, tokens: sizeOf(file.bytes).tokens }));
    const { waiting, leftOut } = set;
    const rest = { waiting, leftOut, ...(memory === undefined ? {} : { memory }), ...total };
    await io.write(`${JSON.stringify({ cwd: snapshot.cwd, files: shown, ...rest }, null, 2)}\n`);
    return 0;
  }

  const palette = paletteFor(io);
  const rows = files.map((file, at) => [
    `${at + 1}`,
    short(file.path),
    TIERS[file.kind],
    kilobytes(file.bytes),
    `~${sizeOf(file.bytes).tokens}`,
    reasonOf(file, short),
  ]);
  const head = ["", "file", "tier", "size", "tokens", "why"];
  const table = files.length === 0 ? ["No instruction files"] : columns([head, ...rows]);
  const waiting = set.waiting.map(({ path, globs }) => [short(path), oneLine(globs.join(", "), 80)]);
  const left = set.leftOut.map((each) => [short(each.path), whyOf(each, short)]);
  const counted = `${files.length} ${files.length === 1 ? "file" : "files"}`;
  const approve = set.leftOut.some(({ external }) => external);
  const sections = [
    [palette.dim(table[0]!), ...table.slice(1)],
    section("Read when the model opens a matching file", waiting),
    section("Not read", left),
    [
      `${counted}, ${kilobytes(total.bytes)}, about ${total.tokens} tokens`,
      ...(memory === undefined ? ["Memory is off"] : [`Memory folder: ${short(memory)}`]),
      ...(approve ? ["To include files from outside this folder: keelson instructions approve"] : []),
    ],
  ];
  await io.write(
    `${sections
      .filter((lines) => lines.length > 0)
      .map((lines) => lines.join("\n"))
      .join("\n\n")}\n`,
  );
  for (const warning of snapshot.warnings) printWarning(io, warning);
  return 0;
}

const TIERS: Readonly<Record<InstructionFile["kind"], string>> = {
  Managed: "managed",
  User: "user",
  Project: "project",
  Local: "local",
  AutoMemory: "memory",
  TeamMemory: "team memory",
};

function reasonOf({ reason, parent, trigger, globs }: InstructionFile, short: Shorten): string {
  if (parent !== undefined) return `included by ${short(parent)}`;
  if (reason === "nested_traversal") return `in a parent folder of ${short(trigger!)}`;
  if (reason === "path_glob_match") return `${oneLine((globs ?? []).join(", "), 60)} matches ${short(trigger!)}`;
  return "always";
}

function whyOf({ why, parent }: LeftOut, short: Shorten): string {
  return parent === undefined ? oneLine(why, 200) : `${oneLine(why, 200)} (included by ${short(parent)})`;
}

/** An estimate: about four bytes per token. */
const sizeOf = (bytes: number) => ({ bytes, tokens: Math.ceil(bytes / 4) });

const kilobytes = (bytes: number) => (bytes < 1_000 ? `${bytes} B` : `${(bytes / 1_000).toFixed(1)} KB`);
