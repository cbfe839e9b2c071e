// The gate's verdict on a command, asked as the runtime asks it: in the world on disk, links resolved.

import { parseRule, type Rule } from "@keelson/engine";
import type { CommandAnalysis } from "@keelson/engine/command";
import { decide } from "@keelson/engine/gate";
import { NOTHING_SAID, type PermissionMode } from "@keelson/protocol";
import { createCommandLookup } from "../../../packages/runtime/src/gate/command-lookup.ts";
import { gateQuestion } from "../../../packages/runtime/src/gate/question.ts";
import type { Errand, Shell } from "./trace.ts";
import type { FuzzWorld } from "./world.ts";

/** What was agreed to beforehand, and what an allowed command may therefore do to files. */
export interface Agreement {
  readonly name: string;
  readonly allow: readonly string[];
  readonly deny?: readonly string[];
  readonly mode: PermissionMode;
  /** nothing: no file changes. out: files in the folder `out`. inside: files of the working directory, save protected ones. */
  readonly changes: "nothing" | "out" | "inside" | "anywhere";
}

export const AGREEMENTS: readonly Agreement[] = [
  { name: "no rules", allow: [], mode: "default", changes: "nothing" },
  {
    name: "rules for programs that look",
    allow: ["Bash(git log:*)", "Bash(echo:*)", "Bash(sort:*)", "Bash(grep *)", "Bash(git diff:*)", "Bash(printf:*)"],
    mode: "default",
    changes: "nothing",
  },
  {
    name: "rules for programs that write",
    allow: ["Bash(tar:*)", "Bash(sed:*)", "Bash(git:*)", "Bash(find:*)", "Bash(xargs:*)"],
    mode: "default",
    changes: "anywhere",
  },
  {
    name: "rules for programs that take code",
    allow: ["Bash(awk:*)", "Bash(sed:*)", "Bash(jq:*)", "Bash(find . -exec sed:*)", "Bash(rg:*)", "Bash(ls:*)"],
    mode: "default",
    changes: "anywhere",
  },
  { name: "acceptEdits", allow: [], mode: "acceptEdits", changes: "inside" },
  { name: "a folder to write to", allow: ["Edit(out/**)", "Bash(echo:*)"], mode: "default", changes: "out" },
  { name: "a denied file", allow: [], deny: ["Read(.env)"], mode: "default", changes: "nothing" },
];

/** What was judged, when the gate lets the command run; undefined when someone would be asked. */
export type Judge = (errand: Errand, agreement: Agreement) => Promise<CommandAnalysis | undefined>;

export function judgeFor(world: FuzzWorld, shell: Shell): Judge {
  const { work, home } = world;
  const directories = [work];
  const lookup = createCommandLookup({
    root: work,
    home,
    isTrusted: () => true,
    directories: () => directories,
    env: () => ({}),
  });
  return async ({ command, cwd }, { allow, deny = [], mode }) => {
    const facts = {
      hook: NOTHING_SAID,
      rules: [...allow.map((text) => ruleOf("allow", text, work)), ...deny.map((text) => ruleOf("deny", text, work))],
      mode,
      directories,
      cwd,
      home,
      readable: [],
      shell: shell.kind === "bash" ? "bash" : "other",
    } as const;
    const access = { kind: "command", command, cwd } as const;
    const question = await gateQuestion(facts, { tool: "Bash", input: { command }, access }, async () => lookup);
    return decide(question).behavior === "allow" ? question.analysis : undefined;
  };
}

function ruleOf(behavior: Rule["behavior"], text: string, base: string): Rule {
  const parsed = parseRule(text);
  if (parsed === undefined) throw new Error(`"${text}" is no rule`);
  return { behavior, ...parsed, source: "userSettings", base, text };
}
