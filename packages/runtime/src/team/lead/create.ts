// A session becomes the lead of a team, by TeamCreate or with its first teammate.

import { ToolError, type Tool } from "@keelson/engine";
import {
  adoptTasks,
  createTeam,
  isRunning,
  openTeam,
  processStart,
  removeTeam,
  TEAM_LEAD,
  type TeamConfig,
} from "@keelson/store/team";
import { teamCreateTool, teamDeleteTool } from "@keelson/tools/team";
import { Lead } from "./lead.ts";
import { chooseBackend } from "./choose-backend.ts";
import type { TeamParts } from "../open-team.ts";
import { openTeamFiles } from "../team-world.ts";

const MOST_ATTEMPTS = 50;

export async function createLead(
  { storage, fire, ruleBook, registered, person }: TeamParts,
  { name, description }: { readonly name?: string | undefined; readonly description?: string | undefined },
): Promise<Lead> {
  const { state, place, now } = storage;
  const wanted = folderName(name ?? `session-${place.id.slice(0, 8)}`);
  const start = processStart(process.pid);
  for (let attempt = 1; attempt <= MOST_ATTEMPTS; attempt++) {
    const team = attempt === 1 ? wanted : `${wanted}-${attempt}`;
    const leadAgentId = `${TEAM_LEAD}@${team}`;
    const config: TeamConfig = {
      name: team,
      ...(description === undefined ? {} : { description }),
      createdAt: now(),
      leadAgentId,
      leadSessionId: place.id,
      members: [
        {
          agentId: leadAgentId,
          name: TEAM_LEAD,
          agentType: TEAM_LEAD,
          joinedAt: now(),
          cwd: state.snapshot.cwd,
          backend: "lead",
          pid: process.pid,
          ...(start === undefined ? {} : { procStart: start }),
          isActive: true,
        },
      ],
    };
    removeAbandoned(state.snapshot.configDir, team);
    const file = await createTeam(state.snapshot.configDir, config);
    if (!file) continue;
    // The model may have added tasks before it started its first teammate.
    if (name === undefined) adoptTasks(state.snapshot.configDir, place.id, team);
    const backend = await chooseBackend(storage, file.folder);
    return new Lead({ storage, fire, ruleBook, registered, person, files: openTeamFiles(storage, file), backend });
  }
  throw new ToolError(`There are too many teams named "${wanted}"; choose another name`);
}

/** A lead that was killed could not remove its team. Its tasks go with it only if the same name is used again. */
function removeAbandoned(configDir: string, team: string): void {
  const lead = openTeam(configDir, team)
    ?.read()
    ?.members.find(({ name }) => name === TEAM_LEAD);
  if (lead && !isRunning({ pid: lead.pid ?? 0, procStart: lead.procStart ?? "" })) removeTeam(configDir, team);
}

function folderName(name: string): string {
  const folder = name
    .trim()
    .replaceAll(/[^\p{L}\p{N}._-]+/gu, "-")
    .slice(0, 80);
  if (!/[\p{L}\p{N}]/u.test(folder))
    throw new ToolError(`"${name}" cannot be the name of a team; use letters and digits`);
  return folder;
}

export interface TeamOwner {
  lead(): Lead | undefined;
  create(name: string, description: string | undefined): Promise<Lead>;
  forget(): void;
}

export function teamTools({ lead, create, forget }: TeamOwner): readonly Tool[] {
  const keeper = {
    async create({ team_name, description }: { readonly team_name: string; readonly description?: string }) {
      const made = await create(team_name, description);
      return { team_name: made.team.name, team_file_path: made.path, lead_agent_id: `${TEAM_LEAD}@${made.team.name}` };
    },
    async delete() {
      const current = lead();
      if (!current) return { success: true, message: "This session leads no team" };
      const answer = await current.delete();
      if (answer.success) forget();
      return answer;
    },
  };
  return [teamCreateTool(keeper), teamDeleteTool(keeper)];
}
