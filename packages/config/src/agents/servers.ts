// The `mcpServers` of an agent: names of servers that the session has, or servers of its own. Not checked further here.

import { isObject, type AgentDefinition } from "@keelson/protocol";
import { fieldJson, patternsIn } from "../skills/frontmatter/field-values.ts";
import type { AgentPage } from "./facts.ts";

const MOST_SERVERS = 100;

type AgentServer = AgentDefinition["mcpServers"][number];

/** `name`, `[name, { name: config }]` or `{ name: config }`. */
export function agentServers({ fields, report }: AgentPage): readonly AgentServer[] {
  const node = fields.get("mcpServers");
  if (node === undefined) return [];
  if (node.kind === "text") return patternsIn(node).slice(0, MOST_SERVERS);
  const items = node.kind === "list" ? node.items.map(fieldJson) : [fieldJson(node)];
  const servers = items.flatMap((item): readonly AgentServer[] => {
    if (typeof item === "string") return [item];
    if (!isObject(item)) return [];
    return Object.entries(item).flatMap(([name, config]): readonly AgentServer[] => {
      if (isObject(config)) return [{ name, config }];
      if (config === null) return [name];
      report({ line: node.line, why: `\`mcpServers\` needs an object for ${JSON.stringify(name)}; it has no effect` });
      return [];
    });
  });
  return servers.slice(0, MOST_SERVERS);
}
