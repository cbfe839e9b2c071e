// A call of the Agent tool with a name: the agent becomes a member of the team.

import { widensMode } from "@keelson/engine/agents";
import { isPermissionMode, type AgentDefinition } from "@keelson/protocol";
import type { AgentAnswer, AgentOrder } from "@keelson/tools";
import type { Teammates } from "../open-team.ts";

/** Throws ToolError if it cannot be started. */
export async function startTeammate(
  teammates: Teammates,
  { name, prompt, model, mode }: AgentOrder & { readonly name: string },
  agentType: string,
  definition: AgentDefinition | undefined,
): Promise<AgentAnswer> {
  const started = await teammates.spawn({
    name,
    prompt,
    agentType,
    ...(definition && { own: { mode: definition.permissionMode, mayWiden: widensMode(definition) } }),
    ...(model === undefined ? {} : { model }),
    ...(isPermissionMode(mode) ? { mode } : {}),
  });
  return {
    output: {
      status: "teammate_spawned",
      teammate_id: started.teammateId,
      name: started.name,
      team_name: started.team,
    },
  };
}
