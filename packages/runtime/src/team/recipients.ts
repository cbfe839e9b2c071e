// Who SendMessage reaches: the members of the team, then the session's agents.

import type { Recipients } from "@keelson/tools";
import type { AgentStage } from "../agents/open-agents.ts";
import type { TeamStage } from "./open-team.ts";

export interface Reachable {
  readonly team?: TeamStage;
  readonly agents: Pick<AgentStage, "send" | "self">;
}

export function recipients({ team, agents }: Reachable): Recipients {
  return {
    async send(to, message, summary, from) {
      const fromTeam = await team?.send(to, message, summary);
      if (fromTeam) return fromTeam;
      if (typeof message === "string") {
        const told = await agents.send(to, message, agents.self, from);
        if (told !== undefined) return { success: true, message: told };
      }
      return { success: false, message: `No agent with the name or id "${to}" can be reached` };
    },
  };
}
