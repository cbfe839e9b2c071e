// A resumed session leads its team again. Its members ended with the process that led them: their tasks are free, and what
// they and the lead had not read is still there.

import {
  createTeam,
  isRunning,
  TEAM_LEAD,
  tasksLeftBy,
  teamLedBy,
  type TeamConfig,
  type TeamFile,
} from "@keelson/store/team";
import type { ListedTask } from "@keelson/store/task-list";
import type { TeamParts } from "../open-team.ts";
import type { Storage } from "../../session/storage.ts";
import { openTeamFiles, type TeamFiles } from "../team-world.ts";
import { hasLead, leadMember, leadOf, newTeam } from "./create.ts";
import type { Lead } from "./lead.ts";

/** Members notice within a second that their lead is gone. */
const MOST_MS = 10_000;
const PAUSE_MS = 25;

/** Undefined if the session led no team, or another process leads it. */
export async function resumeLead(parts: TeamParts): Promise<Lead | undefined> {
  const { storage } = parts;
  const { snapshot } = storage.state;
  const crashed = teamLedBy(snapshot.configDir, storage.place.id);
  const file = crashed ? await takeOver(crashed, storage) : await createAgain(storage);
  if (!file) return undefined;
  const files = openTeamFiles(storage, file);
  const ended = membersIn(file).filter((member) => member.ended === undefined);
  for (const { name } of ended) await file.changeMember(name, { isActive: false, ended: "crashed" });
  const free = await freeTasks(files);
  await forgetStored(files, storage);
  storage.notify(situation(file.read()!.name, ended, free));
  return leadOf(parts, file);
}

const membersIn = (file: TeamFile) => (file.read()?.members ?? []).filter(({ name }) => name !== TEAM_LEAD);

/** The lead was killed. Its members must be gone: no one would hear them. */
async function takeOver(file: TeamFile, storage: Storage): Promise<TeamFile | undefined> {
  const until = performance.now() + MOST_MS;
  const isLeft = () => membersIn(file).some(({ pid = 0, procStart = "" }) => isRunning({ pid, procStart }));
  if (hasLead(file.read()!)) return undefined;
  while (isLeft()) {
    if (performance.now() > until) {
      storage.options.warn(`The team "${file.read()?.name}" cannot be continued: members of it still run`);
      return undefined;
    }
    await Bun.sleep(PAUSE_MS);
  }
  let isMine = false;
  await file.change((team) => {
    // Another process may have resumed the same session.
    if (hasLead(team)) return team;
    isMine = true;
    return { ...team, members: team.members.map((member) => (member.name === TEAM_LEAD ? again(team) : member)) };
  });
  return isMine ? file : undefined;

  function again(team: TeamConfig) {
    return leadMember(storage, team.name);
  }
}

/** The lead ended in order, so only the tasks are left. */
async function createAgain(storage: Storage): Promise<TeamFile | undefined> {
  const { configDir } = storage.state.snapshot;
  const name = tasksLeftBy(configDir, storage.place.id);
  return name === undefined ? undefined : createTeam(configDir, newTeam(storage, name, undefined));
}

/** Whoever had a task is gone. */
async function freeTasks({ tasks }: TeamFiles): Promise<readonly ListedTask[]> {
  const open = tasks.all().filter(({ owner, status }) => owner !== undefined && status !== "completed");
  const owners = new Set(open.map(({ owner }) => owner!).filter((owner) => owner !== TEAM_LEAD));
  const free: ListedTask[] = [];
  for (const owner of owners) free.push(...(await tasks.release(owner)));
  return free;
}

/** The lead may have been killed between storing a message and marking it. */
async function forgetStored({ boxes }: TeamFiles, { place }: Storage): Promise<void> {
  const stored = new Set(place.loaded?.entries.map(({ uuid }) => uuid));
  for (;;) {
    const known = boxes.unread(TEAM_LEAD).filter(({ id }) => stored.has(id));
    if (known.length === 0) return;
    await boxes.markRead(
      TEAM_LEAD,
      known.map(({ id }) => id),
    );
  }
}

function situation(team: string, ended: readonly { readonly name: string }[], free: readonly ListedTask[]): string {
  return [
    `You lead the team "${team}" again. Its members ended with the session before`,
    ...(ended.length > 0 ? [`: ${ended.map(({ name }) => name).join(", ")}`] : []),
    ". ",
    ...(free.length > 0
      ? [`Unassigned again: ${free.map(({ id, subject }) => `#${id} ${subject}`).join(", ")}. `]
      : []),
    "Its task list is as it was. To continue, start teammates with the Agent tool; one with the name of an earlier one gets ",
    "the messages that it had not read.",
  ].join("");
}
