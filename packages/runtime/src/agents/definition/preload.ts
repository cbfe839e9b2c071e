// The skills that an agent begins with, as text for the model.

import type { AgentDefinition } from "@keelson/protocol";
import type { AgentSkills } from "../../skills/agent-skills.ts";

/** Skills that cannot be used are left out, with a warning. */
export async function preload(
  { skills: names, untrusted, plugin }: Pick<AgentDefinition, "skills" | "untrusted" | "plugin">,
  skills: Pick<AgentSkills, "preload">,
  warn: (text: string) => void,
): Promise<string[]> {
  const texts: string[] = [];
  for (const name of names) {
    try {
      const text = await skills.preload(name, { grants: !untrusted, plugin: plugin?.name });
      const heading = `<command-message>${name}</command-message>\n<command-name>${name}</command-name>\n<skill-format>true</skill-format>`;
      texts.push(`${heading}\n${text}`);
    } catch (error) {
      warn(`An agent starts without the skill "${name}": ${(error as Error).message}`);
    }
  }
  return texts;
}
