// What a typed skill or command stands for.

import type { Snapshot } from "@keelson/config";
import type { ExpandedPrompt, Expansion } from "@keelson/engine";
import type { Skill } from "@keelson/protocol";
import type { Invoke } from "./open-skills.ts";
import { yieldsToBuiltIn } from "./whole-skills.ts";

export interface ExpandParts {
  readonly invoke: Invoke;
  snapshot(): Snapshot;
  warn(text: string): void;
}

/** Undefined if what was typed is the name of a built-in command, which the skill may not replace. */
export function expandSkill(skill: Skill, typed: string, args: string, parts: ExpandParts): Expansion | undefined {
  const { invoke, snapshot, warn } = parts;
  const { name } = skill;
  if (yieldsToBuiltIn(skill) && typed === name) return undefined;
  if (!skill.userInvocable) {
    return { kind: "local", name, args, run: async () => `/${typed} can be invoked only by the model` };
  }
  return {
    kind: "prompt",
    about: {
      expansion_type: "slash_command",
      command_name: name,
      command_args: args,
      command_source: SOURCES[skill.source],
    },
    async render(): Promise<ExpandedPrompt> {
      const { commandHeading, warnOfStandIn } = await import("./command-heading.ts");
      if (skill.untrusted) warnOfStandIn(skill, snapshot(), warn);
      const { text, attachments, fork } = await invoke(skill, args);
      const body = fork ? `A subagent ran this skill. Its result:\n\n${fork.result}` : text;
      const content = [commandHeading(name, args), body].map((each) => ({ type: "text" as const, text: each }));
      return fork ? { content, answer: fork.result } : { content, attachments };
    },
  };
}

/** Sources as hooks know them. */
const SOURCES: Readonly<Record<Skill["source"], string>> = {
  managed: "policySettings",
  user: "userSettings",
  project: "projectSettings",
  nested: "projectSettings",
  directory: "projectSettings",
  plugin: "plugin",
  bundled: "bundled",
  mcp: "mcp",
};
