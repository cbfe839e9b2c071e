// keelson skills show: what the file of a skill says, and its text as it is written.

import { readSkillText } from "@keelson/config/skills";
import type { Skill } from "@keelson/protocol";
import { UsageError } from "../../args/invocation.ts";
import { didYouMean } from "../../args/nearest.ts";
import { printError } from "../../process/process-io.ts";
import type { Invoked } from "../group.ts";
import { oneLine, visible, type Shorten } from "../permissions/words.ts";
import { findSkills } from "./open.ts";
import { skillSourceText, tokensOf } from "./words.ts";

export async function showSkill(call: Invoked): Promise<number> {
  const { given, words, io } = call;
  const [written, ...more] = words;
  if (written === undefined || more.length > 0) throw new UsageError("usage: keelson skills show <name> [--json]");
  const name = written.replace(/^\//, "");
  const { set, view, short } = await findSkills(call);
  const known = [...view.skills, ...set.dormant];
  const skill = known.find((each) => each.name === name);
  if (skill === undefined) {
    const names = known.map((each) => each.name);
    const hint = didYouMean(name, names) || "; to list them, run: keelson skills list";
    return printError(io, `no skill or command "${visible(name)}"${hint}`);
  }

  const text = skill.source === "bundled" ? await textOfBundled(skill) : readSkillText(skill);
  if (given.has("json")) {
    await io.write(`${JSON.stringify({ ...skill, text }, null, 2)}\n`);
    return 0;
  }
  const line = view.lines.get(skill);
  const state = set.dormant.includes(skill)
    ? "dormant until a file that matches its paths is used"
    : view.undescribed.includes(skill)
      ? "not listed, because it has no `description`"
      : skill.modelInvocable && line === undefined
        ? "not listed for lack of room"
        : undefined;
  const facts = factsOf(skill, text, { line, state, short });
  const problems = set.problems.filter(({ kind, file }) => kind === "odd" && file === skill.file);
  const lines = [
    `/${visible(skill.name)}`,
    ...facts.map(([label, value]) => `  ${label}: ${value}`),
    ...problems.map(({ line: at, why }) => `  line ${at}: ${oneLine(why, 200)}`),
    "",
    // Raw only where no terminal would act on it.
    io.terminal.stdout ? text.split("\n").map(printable).join("\n") : text,
  ];
  await io.write(`${lines.join("\n").trimEnd()}\n`);
  return 0;
}

async function textOfBundled({ name }: Skill): Promise<string> {
  const { bundledText } = await import("@keelson/runtime/skills");
  const { text, files = {} } = await bundledText(name);
  return [text, ...Object.entries(files).map(([path, content]) => `--- ${path} ---\n${content}`)].join("\n\n");
}

const printable = (line: string) => line.replace(/\r$/, "").split("\t").map(visible).join("\t");

interface Shown {
  /** What the model sees of it. */
  readonly line: string | undefined;
  /** Why it does not see it. */
  readonly state: string | undefined;
  readonly short: Shorten;
}

function factsOf(skill: Skill, text: string, { line, state, short }: Shown): readonly (readonly [string, string])[] {
  const { allowedTools, disallowedTools, argumentNames, hooks, fork, untrusted } = skill;
  const fact = (label: string, value: string | undefined) =>
    value === undefined || value === "" ? [] : ([[label, oneLine(value, 200)]] as const);
  const noEffect = untrusted ? " (no effect: the folder is not trusted)" : "";
  const list = (words: readonly string[]) => (words.length === 0 ? undefined : words.join(", "));
  const events = hooks.map(({ event, matcher }) => (matcher ? `${event} ${matcher}` : event));
  return [
    ...(skill.source === "bundled" ? [] : [["file", short(skill.file)] as const]),
    ...fact("source", skillSourceText(skill)),
    ...fact("display name", skill.displayName),
    ...fact("description", skill.describedByText ? `${skill.description} (first line of the text)` : skill.description),
    ...fact("when to use", skill.whenToUse),
    ...fact("arguments", list(argumentNames) ?? skill.argumentHint),
    ...fact("allowed tools", list(allowedTools) && `${list(allowedTools)}${noEffect}`),
    ...fact("disallowed tools", list(disallowedTools)),
    ...fact("model", skill.model),
    ...fact("effort", skill.effort),
    ...fact("runs in", fork && `a subagent (${fork.agent ?? "general-purpose"})`),
    ...fact("paths", list(skill.paths ?? [])),
    ...fact("hooks", list(events) && `${list(events)}${noEffect}`),
    ...fact("invoked by", invokers(skill)),
    ...fact("state", state),
    ...fact(
      "cost",
      `${line === undefined ? "" : `about ${tokensOf(line)} tokens in every request, `}` +
        `about ${tokensOf(text)} when invoked`,
    ),
  ];
}

function invokers({ userInvocable, modelInvocable }: Skill): string {
  if (userInvocable && modelInvocable) return "you and the model";
  if (userInvocable) return "you";
  return modelInvocable ? "the model" : "no one";
}
