// The tools that exist only in sessions with teams. A door of their own: other sessions never load them.

export { teamCreateTool } from "./team/team-create.ts";
export { teamDeleteTool } from "./team/team-delete.ts";
export type * from "./team/team-keeper.ts";
