// The file that says who is in a team. Several processes change it, each under the same lock.

import { existsSync, lstatSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { isObject } from "@keelson/protocol";
import { fileState, put } from "../checkpoints/file-state.ts";
import { withFileLock } from "@keelson/disk/lock";
import { isFolderName, stateFolder } from "../state-folder.ts";

export const TEAM_LEAD = "team-lead";

export interface TeamMember {
  readonly agentId: string;
  readonly name: string;
  readonly agentType: string;
  readonly model?: string;
  readonly color?: string;
  readonly planModeRequired?: boolean;
  readonly joinedAt: number;
  readonly cwd: string;
  readonly sessionId?: string;
  readonly backend: "lead" | "process" | "tmux" | "in-process";
  readonly pid?: number;
  /** When the process started, so that another with its pid is not taken for it. */
  readonly procStart?: string;
  /** False while it waits for something to do. */
  readonly isActive: boolean;
  /** It is no longer there. */
  readonly ended?: "stopped" | "crashed";
}

export interface TeamConfig {
  readonly name: string;
  readonly description?: string;
  readonly createdAt: number;
  readonly leadAgentId: string;
  readonly leadSessionId: string;
  readonly members: readonly TeamMember[];
}

export interface TeamFile {
  readonly path: string;
  readonly folder: string;
  /** Undefined if it is not there or not readable. */
  read(): TeamConfig | undefined;
  /** Does nothing if the team is gone. */
  change(work: (config: TeamConfig) => TeamConfig): Promise<void>;
  changeMember(name: string, change: Partial<TeamMember>): Promise<void>;
}

const MOST_BYTES = 4 * 1024 * 1024;
const MOST_MEMBERS = 500;

/** Creates the folders of all teams: what exists when a command starts, the shield can close to it. */
export function prepareTeamFolders(configDir: string): void {
  for (const kind of ["teams", "tasks"]) stateFolder(configDir, kind);
}

/** Undefined if another session has a team of this name. */
export async function createTeam(configDir: string, config: TeamConfig): Promise<TeamFile | undefined> {
  const folder = stateFolder(configDir, "teams", config.name);
  stateFolder(configDir, "teams", config.name, "inboxes");
  const file = teamFile(folder);
  return withFileLock(lockOf(folder), () => {
    if (existsSync(file.path)) return undefined;
    write(file.path, config);
    return file;
  });
}

/** Undefined if there is no such team. */
export function openTeam(configDir: string, name: string): TeamFile | undefined {
  if (!isFolderName(name) || !existsSync(join(configDir, "teams", name, "config.json"))) return undefined;
  const file = teamFile(stateFolder(configDir, "teams", name));
  return file.read() && file;
}

/** Removes the files of the team and its task list. */
export function removeTeam(configDir: string, name: string): void {
  for (const kind of ["teams", "tasks"]) {
    rmSync(stateFolder(configDir, kind, name), { recursive: true, force: true });
  }
}

/** The task list of a session becomes that of its team, unless the team has one. */
export function adoptTasks(configDir: string, session: string, team: string): void {
  const [from, to] = [join(configDir, "tasks", session), join(configDir, "tasks", team)];
  if (!lstatSync(from, { throwIfNoEntry: false })?.isDirectory() || existsSync(to)) return;
  renameSync(from, to);
}

const lockOf = (folder: string) => join(folder, ".lock");

function teamFile(folder: string): TeamFile {
  const path = join(folder, "config.json");
  const read = () => {
    const state = fileState(path);
    if (state === "unchanged" || state.kind !== "file" || state.bytes.length > MOST_BYTES) return undefined;
    return parseTeam(state.bytes.toString());
  };
  const change: TeamFile["change"] = async (work) => {
    if (!existsSync(folder)) return;
    await withFileLock(lockOf(folder), () => {
      const config = read();
      if (!config) return;
      const next = work(config);
      if (next.members.length > MOST_MEMBERS) throw new Error(`A team has at most ${MOST_MEMBERS} members`);
      if (next !== config) write(path, next);
    });
  };
  return {
    path,
    folder,
    read,
    change,
    changeMember: (name, changed) =>
      change((config) => ({
        ...config,
        members: config.members.map((member) => (member.name === name ? { ...member, ...changed } : member)),
      })),
  };
}

function write(path: string, config: TeamConfig): void {
  put(path, Buffer.from(`${JSON.stringify(config, null, 2)}\n`), 0o600);
}

function parseTeam(text: string): TeamConfig | undefined {
  try {
    const value: unknown = JSON.parse(text);
    if (!isObject(value) || typeof value.name !== "string" || !Array.isArray(value.members)) return undefined;
    const members = value.members.filter((member) => isObject(member) && typeof member.name === "string");
    return { ...(value as object as TeamConfig), members: members as TeamMember[] };
  } catch {
    return undefined;
  }
}
