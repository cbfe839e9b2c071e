// Asks about the servers of `.mcp.json` that the user has neither approved nor rejected. None of them is started before.

import { decideServer } from "@keelson/config/mcp";
import { contentsToApprove, type AnyServer } from "../../commands/mcp/words.ts";
import { noteProblem, type Asking } from "./ask-before.ts";

/** Whether to continue. */
export async function askServers(asking: Asking, servers: readonly AnyServer[]): Promise<boolean> {
  for (const [index, server] of servers.entries()) {
    const { name, file = ".mcp.json" } = server;
    const panel = asking.panels.mcpServerPanel(
      {
        name,
        ...contentsToApprove(server),
        file,
        ...("changed" in server ? { changed: true } : {}),
        left: servers.length - index - 1,
      },
      asking,
    );
    const answer = await asking.show(panel);
    if (answer === undefined) return false;
    const decision = answer === "skip" ? "refuse" : answer === "use-all" ? "use all" : "use";
    noteProblem(asking, await decideServer(server, decision, asking.snapshot));
    if (answer === "use-all") return true;
  }
  return true;
}
