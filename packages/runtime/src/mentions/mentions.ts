// Everything that `@` in the user's own words can refer to, for the model to read before them.

import { findTool } from "@keelson/engine";
import type { NewEntry } from "@keelson/protocol";
import { toolContexts, type AgentParts } from "../session/agent-ports.ts";
import type { McpStage } from "../mcp/open-servers.ts";
import { mentionedFiles, type MentionOptions } from "./mentioned-files.ts";

export interface MentionParts extends Pick<AgentParts, "storage" | "machine" | "gate"> {
  readonly mcp: McpStage;
}

/** Files and folders, then resources of MCP servers. Never rejects. */
export async function mentionsIn(text: string, parts: MentionParts, signal: AbortSignal): Promise<readonly NewEntry[]> {
  const { storage, gate, mcp } = parts;
  const files = await filesMentionedIn(text, parts, signal);
  if (!mcp.servers) return files;
  const { mentionedResources } = await import("../mcp/offer/mentions.ts");
  const resources = await mentionedResources(text, mcp.servers, gate.ruleBook.rules, storage.newId, signal);
  return [...files, ...resources];
}

/** Only files and folders. For text that the user did not type, set `insideOnly`. Never rejects. */
export async function filesMentionedIn(
  text: string,
  { storage, machine, gate }: Pick<MentionParts, "storage" | "machine" | "gate">,
  signal: AbortSignal,
  options: MentionOptions = {},
): Promise<readonly NewEntry[]> {
  const { state, newId } = storage;
  const read = findTool(state.allTools, "Read");
  if (!read) return [];
  const ports = {
    gate,
    read,
    context: toolContexts(machine, gate, signal),
    instructionsFor: (access) => state.instructions?.touched(access) ?? [],
    newId,
    signal,
  } satisfies Parameters<typeof mentionedFiles>[1];
  return mentionedFiles(text, ports, options);
}
