// The file that says who is in a team. Several processes change it, each under the same lock.

import { existsSync, mkdirSync, renameSync, rmSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { holdOwnFolder, namesInOwnFolder } from "@keelson/disk/own-files";
import { realPathOf } from "@keelson/disk/real-path";
import { isObject } from "@keelson/protocol";
import { fileState, put } from "../checkpoints/file-state.ts";
import { withOwnFileLock } from "@keelson/disk/lock";
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
  /** Undefined if it is not there. What was last read, if something else is in the file now. */
  read(): TeamConfig | undefined;
  /** Does nothing if the team is gone. */
  change(work: (config: TeamConfig) => TeamConfig): Promise<void>;
  changeMember(name: string, change: Partial<TeamMember>): Promise<void>;
}

const MOST_BYTES = 4 * 1024 * 1024;
const MOST_MEMBERS = 500;
const MOST_ATTEMPTS = 5;
/** How the names of folders begin that are being removed. */
const ENDED = ".ended-";

/** Creates the folders of all teams: what exists when a command starts, the shield can close to it. */
export function prepareTeamFolders(configDir: string): void {
  const [teams] = ["teams", "tasks"].map((kind) => stateFolder(configDir, kind));
  // A lead was killed while it removed them.
  using folder = holdOwnFolder(teams!);
  const ended = namesInOwnFolder(teams!).filter((name) => name.startsWith(ENDED));
  for (const name of ended) rmSync(folder.at(name), { recursive: true, force: true });
}

/** Whether a new team may have this name; called under the lock of the name. `old` is the team that has it. */
export type MayTakeName = (old: TeamConfig | undefined) => boolean;

/** Undefined if another session has a team of this name, or `mayTake` refuses. */
export async function createTeam(
  configDir: string,
  config: TeamConfig,
  mayTake: MayTakeName = (old) => old === undefined,
): Promise<TeamFile | undefined> {
  for (let attempt = 1; ; attempt++) {
    const folder = stateFolder(configDir, "teams", config.name);
    try {
      return await withOwnFileLock(lockOf(folder), () => {
        const file = teamFile(folder);
        const old = file.read();
        if ((old === undefined && existsSync(file.path)) || !mayTake(old)) return undefined;
        using held = holdOwnFolder(folder);
        rmSync(held.at("inboxes"), { recursive: true, force: true });
        mkdirSync(held.at("inboxes"), { mode: 0o700 });
        file.write(config);
        return file;
      });
    } catch (error) {
      // The lead that had the name removed its folder at this moment.
      if ((error as NodeJS.ErrnoException).code !== "ENOENT" || attempt === MOST_ATTEMPTS) throw error;
    }
  }
}

/** The team that a session leads, according to its file. */
export function teamLedBy(configDir: string, sessionId: string): TeamFile | undefined {
  for (const name of namesInOwnFolder(join(realPathOf(configDir), "teams"))) {
    if (name.startsWith(".")) continue;
    try {
      const file = openTeam(configDir, name);
      if (file?.read()?.leadSessionId === sessionId) return file;
    } catch {
      // A link, which is no team.
    }
  }
  return undefined;
}

/** Undefined if there is no such team. */
export function openTeam(configDir: string, name: string): TeamFile | undefined {
  if (!isFolderName(name) || !existsSync(join(configDir, "teams", name, "config.json"))) return undefined;
  const file = teamFile(stateFolder(configDir, "teams", name));
  return file.read() && file;
}

/** Removes the files of the team at once, so that no one finds half of them. Its task list stays. */
export function removeTeamFiles(folder: string): void {
  const ended = `${ENDED}${crypto.randomUUID()}`;
  try {
    using teams = holdOwnFolder(dirname(folder));
    renameSync(teams.at(basename(folder)), teams.at(ended));
    rmSync(teams.at(ended), { recursive: true, force: true });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
  }
}

const lockOf = (folder: string) => join(folder, ".lock");

function teamFile(folder: string): TeamFile & { write(config: TeamConfig): void } {
  const path = join(folder, "config.json");
  let last: TeamConfig | undefined;
  const read = () => {
    const state = fileState(path);
    if (state === "unchanged" || state.kind === "absent") return undefined;
    const isSound = state.kind === "file" && state.bytes.length <= MOST_BYTES;
    const found = isSound ? parseTeam(state.bytes.toString()) : undefined;
    // Whoever damaged the file must not end the team; the next change writes it anew.
    return found ? (last = found) : last;
  };
  const write = (config: TeamConfig) => {
    put(path, Buffer.from(`${JSON.stringify(config, null, 2)}\n`), 0o600);
    last = config;
  };
  const change: TeamFile["change"] = async (work) => {
    if (!existsSync(folder)) return;
    await withOwnFileLock(lockOf(folder), () => {
      const config = read();
      if (!config) return;
      const next = work(config);
      if (next.members.length > MOST_MEMBERS) throw new Error(`A team has at most ${MOST_MEMBERS} members`);
      if (next !== config) write(next);
    });
  };
  return {
    path,
    folder,
    read,
    write,
    change,
    changeMember: (name, changed) =>
      change((config) => ({
        ...config,
        members: config.members.map((member) => (member.name === name ? { ...member, ...changed } : member)),
      })),
  };
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
