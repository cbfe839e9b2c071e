// Everything that `@` in the user's own words can refer to, for the model to read before them.

import { findTool, type Ports } from "@keelson/engine";
import type { NewEntry } from "@keelson/protocol";
import { withoutAttached } from "@keelson/protocol/attached";
import type { AgentParts } from "../session/agent-ports.ts";
import type { McpStage } from "../mcp/open-servers.ts";
import type { AgentStage } from "../agents/open-agents.ts";
import { mentionedAgents } from "./mentioned-agents.ts";
import { mentionedFiles, type MentionOptions } from "./mentioned-files.ts";

export interface MentionParts extends Pick<AgentParts, "storage" | "gate"> {
  readonly mcp: McpStage;
  readonly agents: Pick<AgentStage, "list">;
}

/** Agents, then files and folders, then resources of MCP servers. What is attached mentions nothing. Never rejects. */
export async function mentionsIn(typed: string, parts: MentionParts, ports: Ports): Promise<readonly NewEntry[]> {
  const text = withoutAttached(typed);
  const { storage, gate, mcp, agents } = parts;
  const offered = findTool(ports.tools(), "Agent") ? agents.list() : [];
  const wanted = mentionedAgents(text, (name) => offered.find((agent) => agent.name === name), storage.newId);
  const files = [...wanted, ...(await filesMentionedIn(text, parts, ports))];
  if (!mcp.servers) return files;
  const { mentionedResources } = await import("../mcp/offer/mentions.ts");
  const resources = await mentionedResources(text, mcp.servers, gate.ruleBook.rules, storage.newId, ports.signal);
  return [...files, ...resources];
}

/** Only files and folders. For text that the user did not type, set `insideOnly`. Never rejects. */
export async function filesMentionedIn(
  text: string,
  { storage, gate }: Pick<MentionParts, "storage" | "gate">,
  ports: Ports,
  options: MentionOptions = {},
): Promise<readonly NewEntry[]> {
  const read = findTool(storage.state.allTools, "Read");
  return read ? mentionedFiles(text, { ...ports, gate, read }, options) : [];
}
