// Skill: adds the instructions of a skill to the conversation. The caller finds the skill and renders its text.

import { defineTool, object, optional, string, type Tool } from "@keelson/engine";
import type { NewEntry } from "@keelson/protocol";
import description from "./skill.md" with { type: "text" };

export interface SkillKeeper {
  /** Throws ToolError if the model may not invoke it. */
  find(name: string): {
    readonly name: string;
    /** Names that a deny or ask rule may have for it as well. */
    readonly others: readonly string[];
    /** It adds tools or hooks, so it needs approval. */
    readonly adds: boolean;
    /** Its file, which the model may read if it is not allowed to invoke it. */
    readonly file?: string;
  };
  /** Throws ToolError if its text cannot be prepared. */
  invoke(name: string, args: string, toolUseId: string): Promise<InvokedSkill>;
}

export interface InvokedSkill {
  readonly output: SkillOutput;
  /** What the model reads after the result. */
  readonly entries: readonly NewEntry[];
}

export interface SkillOutput {
  readonly success: true;
  readonly commandName: string;
  readonly allowedTools?: readonly string[];
  readonly model?: string;
  /** It ran in a subagent. */
  readonly status?: "forked";
  readonly agentId?: string;
  readonly result?: string;
}

/** Described once: every agent has its own instance. */
const input = object({
  skill: string("The name of the skill, as listed"),
  args: optional(string("Arguments for the skill")),
});

export function skillTool(keeper: SkillKeeper): Tool<{ skill: string; args?: string }, SkillOutput> {
  return defineTool({
    name: "Skill",
    description,
    input,

    dropsUnknown: true,
    repair: ({ skill, ...rest }) => ({ ...rest, skill: typeof skill === "string" ? bareName(skill) : skill }),

    check: ({ skill }) => void keeper.find(skill),

    describe: (input) => `${input.text("skill")} ${input.text("args")}`.trim(),

    access({ skill }) {
      const { name, others, adds, file } = keeper.find(skill);
      return { kind: "skill", skill: name, others, adds, ...(file === undefined ? {} : { file }) };
    },

    async run({ skill, args = "" }, { toolUseId, follow }) {
      const { output, entries } = await keeper.invoke(skill, args, toolUseId);
      for (const entry of entries) follow?.(entry);
      return output;
    },

    show: ({ commandName, status, result }) =>
      status === "forked"
        ? `Skill "${commandName}" completed (forked execution).\n\nResult:\n${result}`
        : `Launching skill: ${commandName}`,
  });
}

/** Models also write it as people type it. */
const bareName = (name: string) => name.trim().replace(/^\//, "");
