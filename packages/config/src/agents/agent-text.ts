// The text of an agent, read when it is started. The file may have changed since it was found, but not where it is.

import type { AgentDefinition } from "@keelson/protocol";
import { ConfigError } from "../errors.ts";
import { readBody } from "../skills/skill-text.ts";

/** Without the frontmatter. Rejects with ConfigError if the file cannot be read. */
export async function agentText(agent: Pick<AgentDefinition, "name" | "file" | "prompt" | "plugin">): Promise<string> {
  const { name, file, prompt, plugin } = agent;
  if (file === undefined) return prompt ?? "";
  const text = readBody(file, (why) => new ConfigError(`The file of agent ${name} cannot be used: ${file} ${why}`));
  if (plugin === undefined) return text;
  // In one pass, so that a folder's name cannot bring in another placeholder.
  return text.replaceAll(/\$\{CLAUDE_PLUGIN_(ROOT|DATA)\}/g, (_, part) =>
    part === "ROOT" ? plugin.root : plugin.data,
  );
}
