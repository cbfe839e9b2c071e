// What the frontmatter of a skill or command says. A field with a wrong value has no effect and is reported.

import type { Skill } from "@keelson/protocol";
import type { Head } from "./frontmatter/head.ts";
import type { HeadNode, HeadProblem } from "./frontmatter/head-node.ts";
import { listable } from "./plain.ts";
import { booleanIn, fieldJson, patternsIn, fieldText, wordsIn } from "./frontmatter/field-values.ts";

/** What a file says. The caller adds where it is and how it is invoked. */
export interface SkillFacts {
  /** New for each call, so that it can become the skill. */
  readonly draft: Mutable<Omit<Skill, "name" | "source" | "file" | "folder" | "displayName" | "base" | "hooks">>;
  /** The `name` field. */
  readonly named?: string;
  /** The `hooks` field, not checked yet. */
  readonly hooks?: { readonly value: unknown; readonly line: number };
}

export type Mutable<T> = { -readonly [K in keyof T]: T[K] };

const LONGEST_DESCRIPTION = 4_000;
const LONGEST_FIRST_LINE = 100;
const LONGEST_WORD = 200;
const EFFORTS = ["low", "medium", "high", "xhigh", "max"];
/** Many write down that a skill stays in the conversation. */
const CONTEXTS = ["fork", "inherit", "none"];
const NONE: readonly string[] = [];

export interface SkillPage {
  readonly kind: Skill["kind"];
  readonly head: Head;
  /** The start of the text after the frontmatter. */
  readonly body: string;
  report(problem: HeadProblem): void;
}

/** Assigns field by field: with a thousand files, spreading objects takes longer than reading them. */
export function factsOf(page: SkillPage): SkillFacts {
  const { kind, head, body, report } = page;
  const { fields } = head;
  for (const problem of head.problems) report(problem);
  for (const [key, { line }] of fields) {
    const meant = LOOKALIKES.get(key);
    if (meant !== undefined) report({ line, why: `\`${key}\` has no effect; write \`${meant}\`` });
  }

  const described = textIn(fields, "description", LONGEST_DESCRIPTION);
  const draft: SkillFacts["draft"] = {
    kind,
    description: described ?? firstLine(body),
    argumentNames: wordsOf(fields, "arguments").filter((word) => /^[A-Za-z_][\w-]{0,63}$/.test(word)),
    allowedTools: wordsOf(fields, "allowed-tools"),
    disallowedTools: wordsOf(fields, "disallowed-tools"),
    userInvocable: flagIn(page, "user-invocable") ?? true,
    modelInvocable: flagIn(page, "disable-model-invocation") !== true,
    shell: choiceIn(page, "shell", ["bash", "powershell"]) === "powershell" ? "powershell" : "bash",
  };
  if (described === undefined) draft.describedByText = true;
  const facts: Mutable<SkillFacts> = { draft };
  if (fields.size === 0) return facts;

  const set = (key: "whenToUse" | "argumentHint" | "model" | "effort", value: string | undefined) => {
    if (value !== undefined) draft[key] = value;
  };
  set("whenToUse", textIn(fields, "when_to_use", LONGEST_DESCRIPTION));
  set("argumentHint", textIn(fields, "argument-hint", 500));
  set("model", textIn(fields, "model"));
  set("effort", choiceIn(page, "effort", EFFORTS));
  if (choiceIn(page, "context", CONTEXTS) === "fork") draft.fork = forkOf(page);
  const hooks = fields.get("hooks");
  if (hooks !== undefined) facts.hooks = { value: fieldJson(hooks), line: hooks.line };
  const written = fields.get("paths");
  if (kind === "skill") {
    const named = textIn(fields, "name");
    if (named !== undefined) facts.named = named;
    const paths = written && pathsOf(written);
    if (paths !== undefined) draft.paths = paths;
  } else if (written !== undefined) {
    report({ line: written.line, why: "`paths` has no effect in a command; make it a skill" });
  }
  return facts;
}

function textIn(fields: Head["fields"], key: string, most = LONGEST_WORD): string | undefined {
  const node = fields.get(key);
  const value = node === undefined ? "" : listable(fieldText(node), most);
  return value === "" ? undefined : value;
}

function wordsOf(fields: Head["fields"], key: string): readonly string[] {
  const node = fields.get(key);
  return node === undefined ? NONE : wordsIn(node);
}

function flagIn({ head, report }: SkillPage, key: string): boolean | undefined {
  const node = head.fields.get(key);
  if (node === undefined || fieldText(node) === "") return undefined;
  const value = booleanIn(node);
  if (value === undefined) report({ line: node.line, why: `\`${key}\` should be true or false; it has no effect` });
  return value;
}

function choiceIn({ head, report }: SkillPage, key: string, choices: readonly string[]): string | undefined {
  const node = head.fields.get(key);
  if (node === undefined) return undefined;
  const value = fieldText(node);
  if (choices.includes(value)) return value;
  if (value !== "") report({ line: node.line, why: `\`${key}\` should be ${either(choices)}; it has no effect` });
  return undefined;
}

function forkOf(page: SkillPage): NonNullable<Skill["fork"]> {
  const agent = textIn(page.head.fields, "agent");
  const background = flagIn(page, "background");
  return { ...(agent !== undefined && { agent }), ...(background !== undefined && { background }) };
}

/** Undefined if the skill applies everywhere. */
function pathsOf(node: HeadNode): readonly string[] | undefined {
  const patterns = patternsIn(node);
  return patterns.every((pattern) => pattern === "**" || pattern === "**/*") ? undefined : patterns;
}

/** Without the signs of a heading. */
function firstLine(body: string): string {
  const line = /[^\s].*/.exec(body)?.[0] ?? "";
  const text = listable(line.replace(/^#{1,6}\s+/, ""), LONGEST_DESCRIPTION);
  return text.length <= LONGEST_FIRST_LINE
    ? text
    : `${text.slice(0, LONGEST_FIRST_LINE - 3).replace(/[\ud800-\udbff]$/, "")}...`;
}

const either = (choices: readonly string[]) =>
  choices.length === 1 ? choices[0]! : `${choices.slice(0, -1).join(", ")} or ${choices.at(-1)}`;

/** Fields that people write and that mean nothing. */
const LOOKALIKES: ReadonlyMap<string, string> = new Map([
  ["user_invocable", "user-invocable"],
  ["allowed_tools", "allowed-tools"],
  ["disallowed_tools", "disallowed-tools"],
  ["disable_model_invocation", "disable-model-invocation"],
  ["argument_hint", "argument-hint"],
  ["when-to-use", "when_to_use"],
  ["globs", "paths"],
  ["tools", "allowed-tools"],
]);
