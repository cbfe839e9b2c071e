// keelson skills list: what the model is told about each skill, what that costs, and why others are not used.

import type { Skill } from "@keelson/protocol";
import { UsageError } from "../../args/invocation.ts";
import { printWarning } from "../../process-io.ts";
import type { Invoked } from "../group.ts";
import { oneLine, paletteFor, visible, type Shorten } from "../permissions/words.ts";
import { findSkills } from "./open.ts";
import { listingLine, skillSourceText, tokensOf } from "./words.ts";

export async function listSkills(call: Invoked): Promise<number> {
  const { given, io } = call;
  if (call.words.length > 0) throw new UsageError("usage: keelson skills list [--for <file>] [--json]");
  const { snapshot, set, short } = await findSkills(call);
  const listed = set.skills.filter(({ modelInvocable }) => modelInvocable);
  const hidden = set.skills.filter(({ modelInvocable }) => !modelInvocable);
  const total = listed.reduce((sum, skill) => sum + tokensOf(listingLine(skill)), 0);
  if (given.has("json")) {
    const shown = {
      cwd: snapshot.cwd,
      skills: [
        ...set.skills.map((skill) => ({ ...withState(skill, skill.modelInvocable ? "listed" : "hidden") })),
        ...set.dormant.map((skill) => withState(skill, "dormant")),
      ],
      problems: set.problems,
      tokens: total,
    };
    await io.write(`${JSON.stringify(shown, null, 2)}\n`);
    set.saveIndex();
    return 0;
  }

  const palette = paletteFor(io);
  const rows = listed.map((skill) => [
    `/${visible(skill.name)}`,
    skillSourceText(skill),
    `~${tokensOf(listingLine(skill))}`,
    skill.nameOnly ? "(name only)" : oneLine(skill.description, 60),
  ]);
  const table = columns([["name", "source", "tokens", "description"], ...rows]);
  const sections = [
    listed.length === 0
      ? ["No skills or commands; to create one, run: keelson skills new <name>"]
      : [palette.dim(table[0]!), ...table.slice(1)],
    section(
      "Only for you to type, not listed for the model",
      hidden.map((skill) => [`/${visible(skill.name)}`, skillSourceText(skill), oneLine(skill.description, 60)]),
    ),
    section(
      "Dormant until a matching file is used",
      set.dormant.map((skill) => [
        `/${visible(skill.name)}`,
        skillSourceText(skill),
        oneLine(skill.paths!.join(", "), 80),
      ]),
    ),
    section("Not used", notUsed(set.problems, short)),
    [...untrustedLine(set.skills), `${countOf(listed)}, about ${total} tokens in every request`],
  ];
  await io.write(
    `${sections
      .filter((lines) => lines.length > 0)
      .map((lines) => lines.join("\n"))
      .join("\n\n")}\n`,
  );
  const odd = set.problems.filter(({ kind }) => kind === "odd").length;
  if (odd > 0)
    printWarning(io, `${odd} ${odd === 1 ? "problem" : "problems"} in skill files; run keelson skills validate`);
  for (const warning of snapshot.warnings) printWarning(io, warning);
  set.saveIndex();
  return 0;
}

const withState = (skill: Skill, state: "listed" | "hidden" | "dormant") => ({
  ...skill,
  state,
  tokens: state === "listed" ? tokensOf(listingLine(skill)) : 0,
});

function notUsed(problems: Awaited<ReturnType<typeof findSkills>>["set"]["problems"], short: Shorten) {
  return problems.filter(({ kind }) => kind !== "odd").map(({ file, why }) => [short(file), oneLine(why, 200)]);
}

function untrustedLine(skills: readonly Skill[]): readonly string[] {
  const bounded = skills.filter(
    ({ untrusted, allowedTools, hooks }) => untrusted && (allowedTools.length > 0 || hooks.length > 0),
  );
  if (bounded.length === 0) return [];
  const names = oneLine(bounded.map(({ name }) => `/${name}`).join(", "), 80);
  return [`allowed-tools and hooks have no effect in folders that are not trusted: ${names}`];
}

function countOf(skills: readonly Skill[]): string {
  const commands = skills.filter(({ kind }) => kind === "command").length;
  const count = (number: number, word: string) => `${number} ${word}${number === 1 ? "" : "s"}`;
  return `${count(skills.length - commands, "skill")} and ${count(commands, "command")}`;
}

function section(title: string, rows: readonly (readonly string[])[]): readonly string[] {
  return rows.length === 0 ? [] : [`${title}:`, ...columns(rows).map((line) => `  ${line}`)];
}

function columns(rows: readonly (readonly string[])[]): readonly string[] {
  const widths = rows[0]!.map((_, at) => Math.max(...rows.map((row) => row[at]!.length)));
  return rows.map((row) =>
    row
      .map((cell, at) => cell.padEnd(widths[at]!))
      .join("  ")
      .trimEnd(),
  );
}
