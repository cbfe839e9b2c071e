// A session that may lead a team begins.

import { prepareTeamFolders } from "@keelson/store/team";
import type { TeamParts } from "../open-team.ts";
import type { Lead } from "./lead.ts";

/** Returns the team that a resumed session leads again. */
export async function beginTeams(parts: TeamParts): Promise<Lead | undefined> {
  const { options, place, state } = parts.storage;
  try {
    // A command that runs before the first team exists must not be able to write its mailboxes later.
    prepareTeamFolders(state.snapshot.configDir);
  } catch (error) {
    options.warn(`The folders of teams cannot be created: ${(error as Error).message}`);
  }
  if (!place.loaded || options.session.fork) return undefined;
  try {
    const { resumeLead } = await import("./resume.ts");
    return await resumeLead(parts);
  } catch (error) {
    options.warn(`The team of this session cannot be continued: ${(error as Error).message}`);
    return undefined;
  }
}
