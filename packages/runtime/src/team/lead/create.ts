// A session becomes the lead of a team, by TeamCreate or with its first teammate.

import { join } from "node:path";
import { realPathOf } from "@keelson/disk/real-path";
import { ToolError, type Tool } from "@keelson/engine";
import {
  adoptTasks,
  createTeam,
  hasForeignTasks,
  isRunning,
  openMailboxes,
  processStart,
  removeForeignTasks,
  TEAM_LEAD,
  type TeamConfig,
  type TeamFile,
  type TeamMember,
} from "@keelson/store/team";
import { teamCreateTool, teamDeleteTool } from "@keelson/tools/team";
import { Lead } from "./lead.ts";
import { chooseBackend } from "./backends/choose-backend.ts";
import type { TeamParts } from "../open-team.ts";
import type { Storage } from "../../session/storage.ts";
import { openTeamFiles } from "../team-world.ts";

const MOST_NUMBERED = 50;

export async function createLead(
  parts: TeamParts,
  { name, description }: { readonly name?: string | undefined; readonly description?: string | undefined },
): Promise<Lead> {
  const { storage } = parts;
  const { configDir } = storage.state.snapshot;
  const wanted = folderName(name ?? `session-${storage.place.id.slice(0, 8)}`);
  for (const team of namesLike(wanted, storage.place.id)) {
    const file = await createTeam(configDir, newTeam(storage, team, description), mayTakeName(storage, team));
    if (!file) continue;
    // The model may have added tasks before it started its first teammate.
    if (name === undefined) adoptTasks(configDir, storage.place.id, team);
    return leadOf(parts, file);
  }
  throw new ToolError(`There are too many teams named "${wanted}"; choose another name`);
}

/** The session leads the team of this file. */
export async function leadOf(
  { storage, fire, ruleBook, registered, person, programs }: TeamParts,
  file: TeamFile,
): Promise<Lead> {
  const files = openTeamFiles(storage, file);
  const backend = await chooseBackend(storage, file.folder, programs);
  return new Lead({ storage, fire, ruleBook, registered, person, files, backend });
}

export function newTeam(storage: Storage, team: string, description: string | undefined): TeamConfig {
  const { place, now } = storage;
  const lead = leadMember(storage, team);
  return {
    name: team,
    ...(description === undefined ? {} : { description }),
    createdAt: now(),
    leadAgentId: lead.agentId,
    leadSessionId: place.id,
    members: [lead],
  };
}

/** This session, in this process. */
export function leadMember({ state, now }: Storage, team: string): TeamMember {
  const start = processStart(process.pid);
  return {
    agentId: `${TEAM_LEAD}@${team}`,
    name: TEAM_LEAD,
    agentType: TEAM_LEAD,
    joinedAt: now(),
    cwd: state.snapshot.cwd,
    backend: "lead",
    pid: process.pid,
    ...(start === undefined ? {} : { procStart: start }),
    isActive: true,
  };
}

/** Whether the process that leads a team is there. */
export function hasLead({ members }: TeamConfig): boolean {
  const lead = members.find(({ name }) => name === TEAM_LEAD);
  return lead !== undefined && isRunning({ pid: lead.pid ?? 0, procStart: lead.procStart ?? "" });
}

/**
 * A lead that was killed could not remove its team. Its name is free if nothing waits there for the session: no message,
 * and no open task.
 */
function mayTakeName({ state, place }: Storage, team: string) {
  const { configDir } = state.snapshot;
  return (old: TeamConfig | undefined) => {
    if (old && hasLead(old)) return false;
    const isOwn = old?.leadSessionId === place.id;
    if (old && !isOwn && hasMail(configDir, team)) return false;
    if (hasForeignTasks(configDir, team, place.id)) return false;
    removeForeignTasks(configDir, team, place.id);
    return true;
  };
}

const hasMail = (configDir: string, team: string) =>
  openMailboxes(join(realPathOf(configDir), "teams", team, "inboxes"), () => {}).unread(TEAM_LEAD).length > 0;

/** The name itself, then with numbers, then one that only this session can have. */
function* namesLike(wanted: string, sessionId: string): Generator<string> {
  yield wanted;
  for (let number = 2; number <= MOST_NUMBERED; number++) yield `${wanted}-${number}`;
  yield `${wanted}-${sessionId.slice(0, 8)}`;
}

function folderName(name: string): string {
  const folder = name
    .trim()
    .replaceAll(/[^\p{L}\p{N}._-]+/gu, "-")
    // Names with a dot first are of files that are not teams.
    .replace(/^[.-]+/, "")
    .slice(0, 80);
  if (!/[\p{L}\p{N}]/u.test(folder))
    throw new ToolError(`"${name}" cannot be the name of a team; use letters and digits`);
  return folder;
}

export interface TeamOwner {
  lead(): Lead | undefined;
  /** The team that the session has led before it was resumed, if it still leads it. */
  resumed(): Lead | undefined;
  create(name: string, description: string | undefined): Promise<Lead>;
  forget(): void;
}

export function teamTools({ lead, resumed, create, forget }: TeamOwner): readonly Tool[] {
  const keeper = {
    async create({ team_name, description }: { readonly team_name: string; readonly description?: string }) {
      // A model that goes on after a resume may begin with this call again.
      const again = resumed()?.team.name === folderName(team_name) ? resumed() : undefined;
      const made = again ?? (await create(team_name, description));
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
