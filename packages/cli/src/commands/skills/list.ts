// keelson skills list: what the model sees of each skill, what that costs, and why others are not used.

import type { Skill } from "@keelson/protocol";
import type { SkillView } from "@keelson/runtime/skills";
import { UsageError } from "../../args/invocation.ts";
import { printWarning } from "../../process/process-io.ts";
import type { Invoked } from "../group.ts";
import { oneLine, paletteFor, visible, type Shorten } from "../permissions/words.ts";
import { findSkills } from "./open.ts";
import { skillSourceText, tokensOf } from "./words.ts";
import { columns, section } from "../columns.ts";

export async function listSkills(call: Invoked): Promise<number> {
  const { given, io } = call;
  if (call.words.length > 0) throw new UsageError("usage: keelson skills list [--for <file>] [--json]");
  const { snapshot, set, view, short } = await findSkills(call);
  const { skills, lines, listing } = view;
  const costOf = (skill: Skill) => tokensOf(lines.get(skill) ?? "");
  const total = tokensOf(listing);
  if (given.has("json")) {
    const shown = {
      cwd: snapshot.cwd,
      skills: [
        ...skills.map((skill) => ({ ...skill, state: stateOf(skill, view), tokens: costOf(skill) })),
        ...set.dormant.map((skill) => ({ ...skill, state: "dormant", tokens: 0 })),
      ],
      problems: set.problems,
      tokens: total,
    };
    await io.write(`${JSON.stringify(shown, null, 2)}\n`);
    set.saveIndex();
    return 0;
  }

  const palette = paletteFor(io);
  const inState = (state: State) => skills.filter((skill) => stateOf(skill, view) === state);
  const listed = inState("listed");
  const unlisted = inState("unlisted");
  const rows = listed.map((skill) => [
    `/${visible(skill.name)}`,
    skillSourceText(skill),
    `~${costOf(skill)}`,
    aboutOf(skill, lines.get(skill)!),
  ]);
  const table = columns([["name", "source", "tokens", "description"], ...rows]);
  const plain = (skill: Skill) => [`/${visible(skill.name)}`, skillSourceText(skill), oneLine(skill.description, 60)];
  const sections = [
    set.skills.length + set.dormant.length > 0
      ? []
      : ["No skills or commands of your own; to create one, run: keelson skills new <name>"],
    listed.length === 0 ? [] : [palette.dim(table[0]!), ...table.slice(1)],
    section("Can be invoked, but there is no room to list them for the model", unlisted.map(plain)),
    section("Can be invoked, but have no description to list them with", inState("undescribed").map(plain)),
    section("Only for you to type, not listed for the model", inState("hidden").map(plain)),
    section(
      "Dormant until a matching file is used",
      set.dormant.map((skill) => [
        `/${visible(skill.name)}`,
        skillSourceText(skill),
        oneLine(skill.paths!.join(", "), 80),
      ]),
    ),
    section("Not used", notUsed(set.problems, short)),
    [
      ...untrustedLine(set.skills),
      ...replacedLine(view),
      ...budgetLine(listed, view),
      `${countOf(listed)}, about ${total} tokens in every request`,
    ],
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

type State = "listed" | "unlisted" | "undescribed" | "hidden";

function stateOf(skill: Skill, { lines, undescribed }: SkillView): State {
  if (!skill.modelInvocable) return "hidden";
  if (undescribed.includes(skill)) return "undescribed";
  return lines.has(skill) ? "listed" : "unlisted";
}

const isNameOnly = (line: string) => !line.includes(": ");

function aboutOf({ description }: Skill, line: string): string {
  return isNameOnly(line) ? "(name only)" : oneLine(description, 60);
}

/** Only if the model gets less than the files say. */
function budgetLine(listed: readonly Skill[], { lines }: SkillView): readonly string[] {
  const cut = listed.filter((skill) => {
    const line = lines.get(skill)!;
    return line.endsWith("…") || (isNameOnly(line) && !skill.nameOnly && skill.description !== "");
  });
  if (cut.length === 0) return [];
  const count = cut.length === 1 ? "1 description is" : `${cut.length} descriptions are`;
  return [`${count} cut for lack of room; for more, set skillListingBudgetFraction`];
}

/** A folder that is not trusted does not change what typing a built-in command does. */
function replacedLine({ replaced }: SkillView): readonly string[] {
  if (replaced.length === 0) return [];
  const names = oneLine(replaced.map(({ name }) => `/${name}`).join(", "), 80);
  const other = `for the folder's own, type /project:${replaced[0]!.name}`;
  return [`When typed, these run the built-in commands, because the folder is not trusted (${other}): ${names}`];
}

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
