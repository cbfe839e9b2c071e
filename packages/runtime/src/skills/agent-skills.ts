// The skills of a session for one of its subagents.

import type { Tool } from "@keelson/engine";
import type { NewEntry, Skill } from "@keelson/protocol";
import { skillTool, type SkillKeeper } from "@keelson/tools";
import type { Invoke } from "./open-skills.ts";
import type { SessionSkills } from "./session-skills.ts";
import type { TurnEffects } from "./turn-effects.ts";

export interface AgentSkills {
  readonly effects: TurnEffects;
  readonly tool: Tool;
  /** All skills, as the model sees them; undefined if there are none. */
  listing(): NewEntry | undefined;
  /**
   * The text of a skill that the agent begins with. `grants`: the commands in it run with what it allows. `plugin` is the
   * one that the agent comes from. Rejects if there is none of this name, or it fails.
   */
  preload(name: string, options: { readonly grants: boolean; readonly plugin?: string | undefined }): Promise<string>;
}

interface AgentSkillTools {
  readonly skills: SessionSkills;
  /** What an invoked skill changes for the agent. */
  readonly effects: TurnEffects;
  invoker(effects: TurnEffects): Invoke;
  keeper(invoke: Invoke): SkillKeeper;
}

export function agentSkills({ skills, effects, invoker, keeper }: AgentSkillTools): AgentSkills {
  const invoke = invoker(effects);
  return {
    effects,
    tool: skillTool(keeper(invoke)),
    listing: () => skills.wholeListing(),
    preload: async (name, { grants, plugin }) => {
      const skill = skillFor(name, plugin, skills);
      if (!skill) throw new Error(`there is no skill "${name}"`);
      // Its own commands may need what it allows; whoever reads it without invoking it gets the text alone.
      const grant = grants ? effects.grant({ ...skill, disallowedTools: [] }) : undefined;
      try {
        return (await invoke({ ...skill, ...TEXT_ALONE }, "")).text;
      } finally {
        grant?.undo();
      }
    },
  };
}

/** In a plugin, a name without a prefix is first that of one of its own, and a skill comes before a command. */
function skillFor(name: string, plugin: string | undefined, skills: SessionSkills): Skill | undefined {
  if (plugin === undefined) return skills.find(name);
  const own = `${plugin}:${name}`;
  const hidden = () =>
    skills.set?.hidden.find((each) => each.plugin?.name === plugin && (each.name === own || each.name === name));
  const known = hidden();
  if (known !== undefined && !skills.set!.isCurrent(known)) skills.reload();
  return hidden() ?? skills.find(own) ?? skills.find(name);
}

const TEXT_ALONE = {
  fork: undefined,
  hooks: [],
  allowedTools: [],
  disallowedTools: [],
  model: undefined,
  effort: undefined,
} as const;
