// TeamCreate: a team that this session leads.

import { defineTool, object, optional, string, type Tool } from "@keelson/engine";
import description from "./team-create.md" with { type: "text" };
import type { TeamCreateInput, TeamCreateOutput, TeamKeeper } from "./team-keeper.ts";

export function teamCreateTool(keeper: TeamKeeper): Tool<TeamCreateInput, TeamCreateOutput> {
  return defineTool<TeamCreateInput, TeamCreateOutput>({
    name: "TeamCreate",
    description,
    input: object({
      team_name: string("A short name for the team", { minLength: 1 }),
      description: optional(string("What the team is for")),
      agent_type: optional(string("The role of the team lead")),
    }),
    access: () => ({ kind: "none" }),
    run: (input) => keeper.create(input),
    show: (output) => JSON.stringify(output),
  });
}
