// The task list of a team. It outlives the team, so a file beside the tasks says which session led it: that session finds its
// list again, and no other team begins with the open tasks of an earlier one.

import { existsSync, lstatSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { holdOwnFolder, namesInOwnFolder } from "@keelson/disk/own-files";
import { realPathOf } from "@keelson/disk/real-path";
import { fileState, put } from "../checkpoints/file-state.ts";
import { isFolderName, stateFolder } from "../state-folder.ts";
import { openTaskList } from "../task-list/task-list.ts";

const LED_BY = ".lead";

/** From now on, the list belongs to a team that this session leads. */
export function markTasks(configDir: string, team: string, sessionId: string): void {
  put(join(stateFolder(configDir, "tasks", team), LED_BY), Buffer.from(`${sessionId}\n`), 0o600);
}

/** The team whose list this session has left. */
export function tasksLeftBy(configDir: string, sessionId: string): string | undefined {
  return namesInOwnFolder(tasksIn(configDir)).find(
    (name) => isFolderName(name) && leaderOf(configDir, name) === sessionId,
  );
}

/** Whether a list of this name is left from a team of another session that has not finished its tasks. */
export function hasForeignTasks(configDir: string, team: string, sessionId: string): boolean {
  const leader = leaderOf(configDir, team);
  if (leader === undefined || leader === sessionId) return false;
  return openTaskList(configDir, team, () => {})
    .all()
    .some(({ status }) => status !== "completed");
}

/** Removes a list that another session has left. */
export function removeForeignTasks(configDir: string, team: string, sessionId: string): void {
  const leader = leaderOf(configDir, team);
  if (leader !== undefined && leader !== sessionId) removeTasks(configDir, team);
}

export function removeTasks(configDir: string, team: string): void {
  using tasks = holdOwnFolder(stateFolder(configDir, "tasks"));
  if (isFolderName(team)) rmSync(tasks.at(team), { recursive: true, force: true });
}

/** The task list of a session becomes that of its team, unless the team has one. */
export function adoptTasks(configDir: string, session: string, team: string): void {
  using tasks = holdOwnFolder(stateFolder(configDir, "tasks"));
  if (!lstatSync(tasks.at(session), { throwIfNoEntry: false })?.isDirectory() || existsSync(tasks.at(team))) return;
  renameSync(tasks.at(session), tasks.at(team));
}

const tasksIn = (configDir: string) => join(realPathOf(configDir), "tasks");

function leaderOf(configDir: string, team: string): string | undefined {
  const state = fileState(join(tasksIn(configDir), team, LED_BY));
  return state !== "unchanged" && state.kind === "file" ? state.bytes.toString().trim() : undefined;
}
