// A session that was started as a member of a team joins it.

import type { EndReason } from "@keelson/protocol";
import { openTeam } from "@keelson/store/team";
import { callbacksIn } from "../../controls/handlers/initialize.ts";
import { OpenError } from "../../session/place.ts";
import { FIRST_CLIENT } from "../../stream/clients.ts";
import { Member } from "./member.ts";
import type { TeamParts } from "../open-team.ts";
import { openTeamFiles, type TeammateIdentity } from "../team-world.ts";

/** Throws OpenError if there is no such team. */
export function joinTeam(
  { storage, fire, setClientHooks }: TeamParts,
  identity: TeammateIdentity,
  end: (reason: EndReason) => void,
): Member {
  const file = openTeam(storage.state.snapshot.configDir, identity.team);
  if (!file)
    throw new OpenError(`There is no team named "${identity.team}"; only a running session can start its members`);
  setClientHooks(FIRST_CLIENT, callbacksIn(identity.clientHooks, FIRST_CLIENT) ?? []);
  storage.notify(
    [
      `You are ${identity.name}, a member of the team "${identity.team}". The session that leads it is team-lead; your first instructions are from it.`,
      "No one reads your ordinary text. To tell team-lead or another member something, use SendMessage. Messages to you arrive by themselves.",
      "The team shares one task list: TaskList, TaskGet, TaskUpdate. When you have nothing to do, you are given the next free task.",
      "If team-lead asks you to end, finish what must not be left half done and answer with a shutdown_response.",
    ].join("\n"),
  );
  return new Member({ storage, fire, identity, files: openTeamFiles(storage, file), end });
}
