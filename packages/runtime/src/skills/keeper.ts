// What the Skill tool works with: finds the skills that the model may invoke, and makes its answer of what one says.

import { isAbsolute } from "node:path";
import { ToolError } from "@keelson/engine";
import { nearestWord } from "@keelson/protocol/nearest-word";
import type { NewEntry, Skill } from "@keelson/protocol";
import type { SkillKeeper } from "@keelson/tools";
import type { Invoke } from "./open-skills.ts";
import type { SessionSkills } from "./session-skills.ts";
import { otherNamesOf } from "./whole-skills.ts";

export function keeperOf(skills: SessionSkills, invoke: Invoke, newId: () => string): SkillKeeper {
  /** As the gate judged it; the file may have changed since. */
  const judged = new Map<string, Skill>();
  return {
    find: (name) => {
      const skill = forModel(name, skills);
      judged.set(name, skill);
      const adds = skill.allowedTools.length > 0 || skill.hooks.length > 0;
      const file = isAbsolute(skill.file) ? { file: skill.file } : {};
      return { name: skill.name, others: otherNamesOf(skill), adds, ...file };
    },
    async invoke(name, args, toolUseId) {
      const skill = judged.get(name) ?? forModel(name, skills);
      const { text, attachments, allowed, fork } = await invoke(skill, args, toolUseId).catch((error: Error) => {
        throw new ToolError(error.message);
      });
      if (fork) {
        return { output: { success: true, commandName: skill.name, status: "forked", ...fork }, entries: [] };
      }
      const output = {
        success: true as const,
        commandName: skill.name,
        ...(allowed.length === 0 ? {} : { allowedTools: allowed }),
        ...(skill.model === undefined || skill.untrusted ? {} : { model: skill.model }),
      };
      return { output, entries: [bodyEntry(text, toolUseId, newId()), ...attachments] };
    },
  };
}

/** Throws ToolError if the model may not invoke it. Clients match these sentences (conformance: skills). */
function forModel(name: string, skills: SessionSkills): Skill {
  const skill = skills.find(name, "model");
  if (skill && skills.isForModel(skill)) return skill;
  if (skill && !skill.modelInvocable) {
    const byHand = skill.userInvocable ? `. Only the user can invoke it, by typing /${name}` : "";
    throw new ToolError(`Skill ${name} cannot be used with Skill tool due to disable-model-invocation${byHand}`);
  }
  const known = skills.all.filter((each) => skills.isForModel(each)).map((each) => each.name);
  const close = nearestWord(name, known);
  throw new ToolError(`Unknown skill: ${name}${close === undefined ? "" : `. Did you mean ${close}?`}`);
}

function bodyEntry(text: string, toolUseId: string, uuid: string): NewEntry {
  return {
    type: "user",
    uuid,
    isMeta: true,
    sourceToolUseID: toolUseId,
    message: { role: "user", content: [{ type: "text", text }] },
  };
}
