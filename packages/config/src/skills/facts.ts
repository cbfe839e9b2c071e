// What the frontmatter of a skill or command says. A field with a wrong value has no effect and is reported.

import type { Skill } from "@keelson/protocol";
import type { Head } from "./head.ts";
import type { HeadNode, HeadProblem } from "./head-block.ts";
import { listable } from "./plain.ts";
import { booleanIn, jsonOf, patternsIn, textOf, wordsIn } from "./field-values.ts";

export type SkillFacts = Pick<
  Skill,
  | "description"
  | "describedByText"
  | "whenToUse"
  | "argumentHint"
  | "argumentNames"
  | "allowedTools"
  | "disallowedTools"
  | "model"
  | "effort"
  | "fork"
  | "paths"
  | "userInvocable"
  | "modelInvocable"
  | "shell"
> & {
  /** The `name` field. */
  readonly named?: string;
  /** Not checked yet. */
  readonly hooks?: { readonly value: unknown; readonly line: number };
};

const LONGEST_DESCRIPTION = 4_000;
const LONGEST_WORD = 200;
const EFFORTS = ["low", "medium", "high", "xhigh", "max"];

export interface SkillPage {
  readonly kind: Skill["kind"];
  readonly head: Head;
  /** The start of the text after the frontmatter. */
  readonly body: string;
  report(problem: HeadProblem): void;
}

export function factsOf({ kind, head, body, report }: SkillPage): SkillFacts {
  const { fields } = head;
  for (const problem of head.problems) report(problem);
  const text = (key: string, most = LONGEST_WORD) => {
    const node = fields.get(key);
    const value = node === undefined ? "" : listable(textOf(node), most);
    return value === "" ? undefined : value;
  };
  const flag = (key: string, otherwise: boolean) => {
    const node = fields.get(key);
    if (node === undefined || textOf(node) === "") return otherwise;
    const value = booleanIn(node);
    if (value === undefined) report({ line: node.line, why: `\`${key}\` should be true or false; it has no effect` });
    return value ?? otherwise;
  };
  const choice = (key: string, choices: readonly string[]) => {
    const value = text(key);
    if (value === undefined || choices.includes(value)) return value;
    report({ line: fields.get(key)!.line, why: `\`${key}\` should be ${either(choices)}; it has no effect` });
    return undefined;
  };
  const words = (key: string) => {
    const node = fields.get(key);
    return node === undefined ? [] : wordsIn(node);
  };

  if (fields.size > 0) reportLookalikes(kind, fields, report);
  const described = text("description", LONGEST_DESCRIPTION);
  const named = kind === "command" ? undefined : text("name");
  const whenToUse = text("when_to_use", LONGEST_DESCRIPTION);
  const argumentHint = text("argument-hint", 500);
  const model = text("model");
  const effort = choice("effort", EFFORTS);
  const fork = choice("context", ["fork"]) === undefined ? undefined : forkOf(text("agent"), flagOrNone("background"));
  const paths = kind === "command" ? undefined : pathsOf(fields.get("paths"));
  const hooks = fields.get("hooks");

  function flagOrNone(key: string): boolean | undefined {
    return fields.has(key) ? flag(key, false) : undefined;
  }

  return {
    description: described ?? firstLine(body),
    ...(described === undefined && { describedByText: true }),
    ...(named !== undefined && { named }),
    ...(whenToUse !== undefined && { whenToUse }),
    ...(argumentHint !== undefined && { argumentHint }),
    argumentNames: words("arguments").filter((word) => /^[A-Za-z_][\w-]{0,63}$/.test(word)),
    allowedTools: words("allowed-tools"),
    disallowedTools: words("disallowed-tools"),
    ...(model !== undefined && { model }),
    ...(effort !== undefined && { effort }),
    ...(fork !== undefined && { fork }),
    ...(paths !== undefined && { paths }),
    userInvocable: flag("user-invocable", true),
    modelInvocable: !flag("disable-model-invocation", false),
    shell: choice("shell", ["bash", "powershell"]) === "powershell" ? "powershell" : "bash",
    ...(hooks !== undefined && { hooks: { value: jsonOf(hooks), line: hooks.line } }),
  };
}

function forkOf(agent: string | undefined, background: boolean | undefined): NonNullable<Skill["fork"]> {
  return { ...(agent !== undefined && { agent }), ...(background !== undefined && { background }) };
}

/** Undefined if the skill applies everywhere. */
function pathsOf(node: HeadNode | undefined): readonly string[] | undefined {
  const patterns = node === undefined ? [] : patternsIn(node);
  return patterns.every((pattern) => pattern === "**" || pattern === "**/*") ? undefined : patterns;
}

/** Without the signs of a heading. */
export function firstLine(body: string): string {
  const line = /[^\s].*/.exec(body)?.[0] ?? "";
  return listable(line.replace(/^#{1,6}\s+/, ""), LONGEST_DESCRIPTION);
}

const either = (choices: readonly string[]) =>
  choices.length === 1 ? choices[0]! : `${choices.slice(0, -1).join(", ")} or ${choices.at(-1)}`;

/** Fields that people write and that mean nothing. */
const LOOKALIKES: Readonly<Record<string, string>> = {
  user_invocable: "user-invocable",
  allowed_tools: "allowed-tools",
  disallowed_tools: "disallowed-tools",
  disable_model_invocation: "disable-model-invocation",
  argument_hint: "argument-hint",
  "when-to-use": "when_to_use",
  globs: "paths",
  tools: "allowed-tools",
};

function reportLookalikes(kind: Skill["kind"], fields: Head["fields"], report: SkillPage["report"]): void {
  for (const [key, node] of fields) {
    const meant = Object.hasOwn(LOOKALIKES, key) ? LOOKALIKES[key] : undefined;
    if (meant !== undefined) report({ line: node.line, why: `\`${key}\` has no effect; write \`${meant}\`` });
    if (kind === "command" && key === "paths")
      report({ line: node.line, why: "`paths` has no effect in a command; make it a skill" });
  }
}
