// TeamDelete: ends the team of this session.

import { defineTool, object, type Tool } from "@keelson/engine";
import description from "./team-delete.md" with { type: "text" };
import type { TeamDeleteOutput, TeamKeeper } from "./team-keeper.ts";

export function teamDeleteTool(keeper: TeamKeeper): Tool<Record<string, never>, TeamDeleteOutput> {
  return defineTool<Record<string, never>, TeamDeleteOutput>({
    name: "TeamDelete",
    description,
    input: object({}),
    /** A session has one team. */
    repair: () => ({}),
    access: () => ({ kind: "none" }),
    run: () => keeper.delete(),
    show: (output) => JSON.stringify(output),
  });
}
