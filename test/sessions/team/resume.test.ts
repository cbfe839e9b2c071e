// A lead that is gone: its session, resumed, leads the same team, and other sessions leave it alone.

import { expect, test } from "bun:test";
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { runKeelson, startKeelson, temporaryHome, transcriptFiles, type TemporaryHome } from "@keelson/testkit";
import { STREAM } from "../front-door.ts";
import { gone, until } from "../processes.ts";
import { calls, config, inbox, message, startCast, tasks, teammate, TEAMS, type Script } from "./cast.ts";

const RUN = ["-p", "Lead the team", ...STREAM];
const task = (subject: string) => ["TaskCreate", { subject, description: "" }] as const;
const CREATE = ["TeamCreate", { team_name: "fix" }] as const;

const doesTasks: Script = ({ last }) => {
  const id = /taken task #(\d+)/.exec(last)?.[1];
  return id === undefined ? { text: "Ready" } : calls(["TaskUpdate", { taskId: id, status: "completed" }]);
};

/** What the lead of this session was told, each message once. */
const told = (home: TemporaryHome, session: string) => {
  const path = transcriptFiles(home).find((each) => each.includes(session))!;
  return readFileSync(path, "utf8");
};

test.each(["process", "in-process"])(
  "a session whose lead was killed leads its team again (%s)",
  async (teammateMode) => {
    using home = temporaryHome();
    home.settings({ teammateMode });
    let isSecond = false;
    await using cast = await startCast(
      ({ last }) => {
        if (last.includes("Lead the team"))
          return calls(CREATE, task("One"), task("Two"), teammate("a"), teammate("b"));
        if (last.includes("Carry on"))
          return calls(["TaskList", {}], CREATE, teammate("a", "Again"), teammate("b", "Again"));
        if (!isSecond) return { hang: true };
        return { text: last.includes("idle_notification") ? "All done" : "Waiting" };
      },
      (heard) => {
        if (isSecond) return doesTasks(heard);
        if (heard.last.includes("Begin")) return calls(message("team-lead", `From ${heard.who}`));
        return heard.last.includes("taken task") ? { hang: true } : { text: "Ready" };
      },
    );
    await using program = startKeelson(RUN, { home, url: cast.url, env: TEAMS });
    const { json } = await program.waitForLine(({ subtype }) => subtype === "init");
    const session: string = json.session_id;
    // Both have told the lead something, and have a task.
    await until(() => existsSync(join(home.configDir, "teams/fix/inboxes/team-lead.json")), "nothing was sent");
    const sent = () => inbox(home, "team-lead").filter(({ text }) => text.startsWith("From "));
    const owned = () => tasks(home).filter(({ owner }) => owner !== undefined);
    await until(() => sent().length === 2 && owned().length === 2, "the members did not begin");
    const { members } = config(home);
    program.kill("SIGKILL");
    await program.done;
    // They would do their tasks now.
    if (teammateMode === "process") for (const { pid } of members) await gone(pid);

    isSecond = true;
    const again = ["-p", "Carry on", "--resume", session, ...STREAM];
    const { code, stderr, messages } = await runKeelson(again, { home, url: cast.url, env: TEAMS });
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(messages.at(-1)).toMatchObject({ type: "result", result: "All done" });
    const text = told(home, session);
    expect(text).toContain('You lead the team \\"fix\\" again. Its members ended with the session before: ');
    expect(text).toContain("Unassigned again: #1 One, #2 Two.");
    expect(cast.by("team-lead").find((last) => last.includes("[pending] One"))).toContain("#2 [pending] Two");
    for (const name of ["a", "b"]) expect(text.split(`\\nFrom ${name}\\n`)).toHaveLength(2);
    expect(tasks(home).map(({ status }) => status)).toEqual(["completed", "completed"]);
    for (const { pid } of members) await gone(pid);
    expect(readdirSync(join(home.configDir, "teams"))).toEqual([]);
  },
);

test("after an orderly end too, a resumed session leads its team, with the tasks that are left", async () => {
  using home = temporaryHome();
  await using cast = await startCast(({ last }) => {
    if (last.includes("Lead the team")) return calls(CREATE, task("One"));
    if (last.includes("Carry on")) return calls(teammate("a"));
    return { text: last.includes("idle_notification") ? "All done" : "Waiting" };
  }, doesTasks);
  const first = await runKeelson(RUN, { home, url: cast.url, env: TEAMS });
  const session: string = first.messages[0].session_id;
  expect(readdirSync(join(home.configDir, "teams"))).toEqual([]);
  const again = ["-p", "Carry on", "--resume", session, ...STREAM];
  const { code, stderr } = await runKeelson(again, { home, url: cast.url, env: TEAMS });
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  expect(tasks(home)).toMatchObject([{ subject: "One", status: "completed", owner: "a" }]);
  // A copy of the session has nothing to do with it.
  await runKeelson([...again, "--fork-session"], { home, url: cast.url, env: TEAMS });
  expect(readdirSync(join(home.configDir, "tasks")).some((name) => name.startsWith("session-"))).toBe(true);
});

test("a new team does not begin with the open tasks of another session's team", async () => {
  using home = temporaryHome();
  await using cast = await startCast(
    ({ last }) => {
      if (last.includes("Lead the team")) return calls(CREATE, task("Old"));
      if (last.includes("Another")) return calls(CREATE, teammate("a"));
      if (last.includes("Finish")) return calls(["TaskUpdate", { taskId: "1", status: "completed" }]);
      return { text: "Waiting" };
    },
    () => ({ text: "Ready" }),
  );
  const options = { home, url: cast.url, env: TEAMS };
  const first = await runKeelson(RUN, options);
  const another = ["-p", "Another", ...STREAM];
  const second = await runKeelson(another, options);
  const made = ({ messages }: typeof second) =>
    messages.flatMap(({ tool_use_result: output }) => output?.team_file_path ?? [])[0];
  expect(made(second)).toBe(join(home.configDir, "teams/fix-2/config.json"));
  expect(tasks(home)).toMatchObject([{ subject: "Old", status: "pending" }]);
  expect(JSON.stringify(cast.by("a"))).not.toContain("Old");
  // Nobody misses a list whose tasks are done.
  await runKeelson(["-p", "Finish", "--resume", first.messages[0].session_id, ...STREAM], options);
  expect(made(await runKeelson(another, options))).toBe(join(home.configDir, "teams/fix/config.json"));
  expect(tasks(home)).toEqual([]);
});

test("a damaged file of the team costs no member its work", async () => {
  using home = temporaryHome();
  const path = join(home.configDir, "teams/fix/config.json");
  await using cast = await startCast(
    ({ last }) => {
      if (last.includes("Lead the team")) return calls(CREATE, task("One"), task("Two"), teammate("a"));
      return { text: last.includes("idle_notification") ? "All done" : "Waiting" };
    },
    (heard) => {
      if (heard.last.includes("taken task")) writeFileSync(path, '{"name": "fi');
      return doesTasks(heard);
    },
  );
  const { code, stderr } = await runKeelson(RUN, { home, url: cast.url, env: TEAMS });
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  expect(tasks(home).map(({ status }) => status)).toEqual(["completed", "completed"]);
});
