import type { Snapshot } from "@keelson/config";
import type { AgentDefinition } from "@keelson/protocol";
export function agentMemory(_d: AgentDefinition, _s: Snapshot): string | undefined {
  return undefined;
}
