// A team whose members are killed at random: every task is done once, no message is lost, and nothing is left running.
// KEELSON_FULL_TEAM=1 plays it with 8 members and 200 tasks.

import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { runKeelson, temporaryHome, transcriptFiles } from "@keelson/testkit";
import { STREAM } from "../front-door.ts";
import { gone } from "../processes.ts";
import { calls, config, inbox, message, startCast, tasks, teammate, TEAMS } from "./cast.ts";

const [MEMBERS, TASKS, KILLS] = process.env.KEELSON_FULL_TEAM === "1" ? [8, 200, 30] : [3, 24, 4];
const names = Array.from({ length: MEMBERS }, (_, at) => `m${at + 1}`);

test(`${MEMBERS} members, ${TASKS} tasks, ${KILLS} kills`, async () => {
  using home = temporaryHome();
  const pids = new Set<number>();
  let kills = 0;
  let heard = 0;
  let last: { readonly box: readonly any[]; readonly list: readonly any[] } = { box: [], list: [] };
  const replaced = new Set<number>();

  const killSomebody = () => {
    const living = config(home).members.filter(({ name, ended, pid }: any) => name !== "team-lead" && !ended && pid);
    const victim = living[Math.floor(Math.random() * living.length)];
    if (!victim) return;
    kills++;
    process.kill(victim.pid, "SIGKILL");
  };
  const lead = ({ last: told }: { last: string }) => {
    if (told.includes("Lead the team")) return calls(["TeamCreate", { team_name: "fix" }]);
    if (told.includes("team_file_path")) {
      return calls(
        ...Array.from(
          { length: TASKS },
          (_, at) => ["TaskCreate", { subject: `Task ${at + 1}`, description: "" }] as const,
        ),
      );
    }
    if (told.includes("Task #1 created")) {
      // Chains: each task waits for the one before it in its chain.
      const waits = Array.from({ length: TASKS - MEMBERS * 2 }, (_, at) => at + MEMBERS * 2 + 1);
      return calls(
        ...waits.map((id) => ["TaskUpdate", { taskId: `${id}`, addBlockedBy: [`${id - MEMBERS * 2}`] }] as const),
      );
    }
    if (told.includes("Updated task")) return calls(...names.map((name) => teammate(name)));
    const { members } = config(home);
    for (const { pid } of members) if (pid) pids.add(pid);
    last = { box: inbox(home, "team-lead"), list: tasks(home) };
    const crashed = members.filter(({ ended, pid }: any) => ended === "crashed" && !replaced.has(pid));
    for (const { pid } of crashed) replaced.add(pid);
    return crashed.length > 0 ? calls(...crashed.map(({ name }: any) => teammate(name))) : { text: "Waiting" };
  };
  const member = ({ last: told }: { last: string }) => {
    // Spread over the whole time, at moments no one chose.
    if (++heard % Math.ceil(TASKS / KILLS) === 0 && kills < KILLS) setTimeout(killSomebody, Math.random() * 50);
    const id = /taken task #(\d+)/.exec(told)?.[1] ?? /Task #(\d+) is still in progress/.exec(told)?.[1];
    if (id === undefined) return { text: "Ready" };
    return calls(["TaskUpdate", { taskId: id, status: "completed" }], message("team-lead", `Done with ${id}.`));
  };
  await using cast = await startCast(lead, member);
  const args = ["-p", "Lead the team", ...STREAM];
  const { code, stderr, messages } = await runKeelson(args, { home, url: cast.url, env: TEAMS });

  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  expect(kills).toBeGreaterThan(0);
  expect(messages.at(-1)).toMatchObject({ type: "result", subtype: "success" });
  expect(tasks(home).map(({ status }) => status)).toEqual(Array.from({ length: TASKS }, () => "completed"));

  const entries = transcriptFiles(home).map((path) => readFileSync(path, "utf8").split("\n").map(parse));
  const outputs = entries.flat().flatMap((entry) => entry.toolUseResult ?? []);
  const completed = outputs.flatMap(({ taskId, statusChange }) => (statusChange?.to === "completed" ? [taskId] : []));
  expect(new Set(completed).size).toBe(completed.length);
  // One that was killed may not have stored its last result.
  expect(completed.length).toBeGreaterThanOrEqual(TASKS - kills);

  const leads = entries.find((file) => file.some(({ type, teamName }) => type === "user" && teamName === undefined))!;
  const read = leads.filter(
    ({ isMeta, message: said }) => isMeta && JSON.stringify(said).includes("<teammate-message"),
  );
  expect(new Set(read.map(({ uuid }) => uuid)).size).toBe(read.length);
  const sent = outputs.filter(({ success, message: text }) => success && text === "Message sent to team-lead").length;
  const done = read.filter(({ message: said }) => JSON.stringify(said).includes("Done with "));
  expect(done.length).toBeGreaterThanOrEqual(sent);
  expect(done.length).toBeLessThanOrEqual(sent + kills);
  const inBox = last.box.map(({ id }) => id);
  expect(new Set(inBox).size).toBe(inBox.length);
  const stored = new Set(leads.map(({ uuid }) => uuid));
  expect(last.box.filter(({ text }) => text.startsWith("Done")).filter(({ id }) => !stored.has(id))).toEqual([]);
  for (const pid of pids) await gone(pid);
});

function parse(line: string): any {
  try {
    return JSON.parse(line);
  } catch {
    // A torn last line of one that was killed.
    return {};
  }
}
