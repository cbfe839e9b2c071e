// Scheduled jobs in the real program: what the tools say, what fires, when it must not, and what is left on disk.

import { expect, test } from "bun:test";
import type { JsonObject } from "@keelson/protocol";
import { existsSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { openTranscript } from "@keelson/store";
import {
  runKeelson,
  startKeelson,
  startMockModel,
  temporaryHome,
  type ScriptedReply,
  type TemporaryHome,
} from "@keelson/testkit";
import { CHAT, kindOf, messagesOf, prompt, resultOf, spoken, STREAM, told, toolUseResults } from "../front-door.ts";
import { until } from "../processes.ts";

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;
const FILE = ".claude/scheduled_tasks.json";

const trust = (home: TemporaryHome) =>
  home.write("~/.claude.json", { projects: { [home.project]: { hasTrustDialogAccepted: true } } });
const tasks = (home: TemporaryHome) => JSON.parse(home.read(FILE)).tasks;
const call = (name: string, input: JsonObject): ScriptedReply => ({ calls: [{ name, input }] });

/** An expression for this moment, by the clock of the program. */
function cronAt(moment: number): string {
  const at = new Date(moment);
  return `${at.getUTCMinutes()} ${at.getUTCHours()} ${at.getUTCDate()} ${at.getUTCMonth() + 1} *`;
}

/** A job that was due yesterday and belongs to a process that is gone. */
const missed = (id: string, text: string, more: object = {}) => ({
  id,
  cron: cronAt(Date.now() - DAY),
  prompt: text,
  createdAt: Date.now() - 2 * DAY,
  recurring: false,
  createdBySessionId: "11111111-1111-4111-8111-111111111111",
  createdByPid: 2 ** 22 + 1,
  createdByProcStart: "1",
  ...more,
});

test("the tools answer as in the reference, and a durable job is in the project's file", async () => {
  using home = temporaryHome();
  const wakeup = { delaySeconds: 60, reason: "a build", prompt: "Look" };
  await using model = await startMockModel([
    call("CronList", {}),
    call("CronCreate", { cron: "*/15 * * * *", prompt: "Check the tests" }),
    call("CronCreate", { cron: "0 9 * * 1-5", prompt: "Report", durable: true }),
    call("CronCreate", { cron: "7 9 * * *", prompt: "Once", is_recurring: false }),
    call("CronCreate", { cron: "bad", prompt: "x" }),
    call("CronCreate", { cron: "0 0 31 2 *", prompt: "x" }),
    call("CronDelete", { id: "nope" }),
    call("CronList", {}),
    call("ScheduleWakeup", wakeup),
    { text: "Done" },
  ]);
  const ended = await runKeelson(["-p", "Schedule", ...STREAM], { home, url: model.url, env: { TZ: "Europe/Berlin" } });
  expect(resultOf(ended)).toMatchObject({ subtype: "success", result: "Done" });
  const texts = model.requests.slice(1).map((request) => told(request)[0].content as string);
  const [first, second, third] = texts.slice(1, 4).map((text) => /(?:job|task) ([0-9a-f]{8}) /.exec(text)![1]);
  const session = "It is not saved: it ends with this session.";
  const weekly = "It ends after 7 days; CronDelete ends it sooner.";
  const untrusted = `this folder is not trusted; to trust it, run: keelson trust ${home.project}`;
  expect(texts).toEqual([
    "No scheduled jobs.",
    `Scheduled recurring job ${first} (Every 15 minutes). ${session} ${weekly}`,
    `Scheduled recurring job ${second} (Weekdays at 9:00 AM). It is saved in .claude/scheduled_tasks.json. ${weekly} It does not fire yet; CronList says why.`,
    `Scheduled one-shot task ${third} (Every day at 9:07 AM). ${session} It fires once.`,
    "<tool_use_error>Invalid cron expression 'bad'. Expected 5 fields: M H DoM Mon DoW.</tool_use_error>",
    "<tool_use_error>Cron expression '0 0 31 2 *' does not match any calendar date in the next year.</tool_use_error>",
    "<tool_use_error>No scheduled job with id 'nope'</tool_use_error>",
    [
      `${first} — Every 15 minutes (recurring) [session-only]: Check the tests`,
      `${third} — Every day at 9:07 AM (one-shot) [session-only]: Once`,
      `${second} — Weekdays at 9:00 AM (recurring) [does not fire: ${untrusted}]: Report`,
    ].join("\n"),
    expect.stringMatching(/^Wakeup not scheduled\. /),
  ]);
  expect(toolUseResults(ended)[1]).toEqual({
    id: first,
    humanSchedule: "Every 15 minutes",
    recurring: true,
    durable: false,
    nextFireAt: expect.any(Number),
  });
  expect(tasks(home)).toEqual([
    {
      id: second,
      cron: "0 9 * * 1-5",
      prompt: "Report",
      createdAt: expect.any(Number),
      recurring: true,
      permissionMode: "default",
      createdBySessionId: messagesOf(ended, "system/init")[0].session_id,
      createdByPid: expect.any(Number),
      createdByProcStart: expect.any(String),
    },
  ]);
});

test("a durable job that was missed fires once in a trusted folder, as a prompt that nobody typed", async () => {
  using home = temporaryHome();
  trust(home);
  // A name of a skill is text here: only what a person types grants what a skill brings.
  home.write("~/.claude/skills/greet/SKILL.md", "---\ndescription: Greets\nallowed-tools: Bash\n---\nSay hello.\n");
  home.write(FILE, { tasks: [missed("0a1b2c3d", "/greet the team")] });
  await using model = await startMockModel([{ text: "Hello" }]);
  await using running = startKeelson([...CHAT, "-p"], { home, url: model.url, stdin: "open", env: { TZ: "UTC" } });
  await running.waitForLine(({ type }) => type === "result");
  running.closeStdin();
  const ended = await running.done;

  expect({ code: ended.code, stderr: ended.stderr }).toEqual({ code: 0, stderr: "" });
  const origin = {
    kind: "task-notification",
    subkind: "cron",
    taskId: "0a1b2c3d",
    schedule: expect.stringMatching(/^[A-Z][a-z]{2} \d+ at \d+:\d\d [AP]M$/),
  };
  expect(messagesOf(ended, "user")).toMatchObject([
    { message: { content: "/greet the team" }, isSynthetic: true, origin, parent_tool_use_id: null },
  ]);
  expect(resultOf(ended)).toMatchObject({ subtype: "success", result: "Hello", origin });
  const [{ content }] = spoken(model.requests[0]!).slice(-1);
  expect(content.at(-1).text).toBe("/greet the team");
  expect(content.map(({ text }: any) => text).join("\n")).toContain("the scheduled job 0a1b2c3d");
  expect(tasks(home)).toEqual([]);
  const transcript = ended.messages.find((message) => kindOf(message) === "system/init").session_id;
  const lines = readFileSync(
    join(home.configDir, "projects", home.project.replace(/[^a-zA-Z0-9]/g, "-"), `${transcript}.jsonl`),
    "utf8",
  );
  const entry = lines
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line))
    .find(({ type }) => type === "user");
  expect(entry).toMatchObject({ isMeta: true, origin, message: { content: "/greet the team" } });
  expect(entry.promptSource).toBeUndefined();
});

/** Creates a job in a session of its own, and makes the transcript say that this was days ago. */
async function sessionWithMissedJob(home: TemporaryHome, { isForged = false } = {}): Promise<string> {
  await using model = await startMockModel([
    call("CronCreate", { cron: "7 9 * * *", prompt: "From the session", recurring: false }),
    call("CronCreate", { cron: "0 * * * *", prompt: "Too old" }),
    call("CronCreate", { cron: "1 1 1 1 *", prompt: "Not yet", recurring: false }),
    { text: "Done" },
  ]);
  const ended = await runKeelson(["-p", "Schedule", ...STREAM], { home, url: model.url, env: { TZ: "UTC" } });
  const id = resultOf(ended).session_id;
  const file = join(home.configDir, "projects", home.project.replace(/[^a-zA-Z0-9]/g, "-"), `${id}.jsonl`);
  const lines = readFileSync(file, "utf8")
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));
  const unsealed = lines.filter(({ type }) => type !== "keelson-seal");
  const aged = unsealed.map((line) => {
    if (line.type !== "keelson-schedule") return line;
    const days = line.job.prompt === "Too old" ? 8 : 2;
    const cron = line.job.prompt === "From the session" ? cronAt(Date.now() - DAY) : line.job.cron;
    return { ...line, job: { ...line.job, cron, createdAt: Date.now() - days * DAY } };
  });
  expect(aged.filter(({ type }) => type === "keelson-schedule")).toHaveLength(3);
  rmSync(file);
  const writer = openTranscript({ path: file, ...(isForged ? {} : { configDir: home.configDir }) });
  writer.append(aged);
  writer.close();
  return id;
}

test("a resume fires what the session missed; a durable job of an untrusted folder, due before, does not fire", async () => {
  using home = temporaryHome();
  const id = await sessionWithMissedJob(home);
  const untrusted = missed("0a1b2c3d", "From the folder", { cron: cronAt(Date.now() - DAY - 60 * MINUTE) });
  home.write(FILE, { tasks: [untrusted] });
  await using model = await startMockModel([{ text: "First" }, call("CronList", {}), { text: "Second" }]);
  const args = [...CHAT, "-p", "--resume", id];
  await using running = startKeelson(args, { home, url: model.url, stdin: "open", env: { TZ: "UTC" } });
  // Jobs fire in the order they were due.
  const first = await running.waitForLine(({ type }) => type === "result");
  running.send(prompt("What is scheduled?"));
  await running.waitForLine(({ type }) => type === "result", { after: first });
  running.closeStdin();
  const ended = await running.done;

  expect(
    messagesOf(ended, "user")
      .filter(({ origin }) => origin)
      .map(({ message }) => message.content),
  ).toEqual(["From the session"]);
  const listed = told(model.requests.at(-1)!)[0].content.split("\n");
  expect(listed).toEqual([
    expect.stringMatching(/^[0-9a-f]{8} — Jan 1 at 1:01 AM \(one-shot\) \[session-only\]: Not yet$/),
    expect.stringMatching(/^0a1b2c3d — .* \[does not fire: this folder is not trusted; .*\]: From the folder$/),
  ]);
  expect(tasks(home)).toEqual([untrusted]);
  // Another resume finds nothing that is due.
  await using again = await startMockModel([call("CronList", {}), { text: "Third" }]);
  const last = await runKeelson(["-p", "And now?", "--resume", id, ...STREAM], {
    home,
    url: again.url,
    env: { TZ: "UTC" },
  });
  expect(resultOf(last)).toMatchObject({ result: "Third" });
  expect(told(again.requests.at(-1)!)[0].content.split("\n")).toHaveLength(2);
});

test("jobs that someone else wrote into the transcript do not fire, and the user is told", async () => {
  using home = temporaryHome();
  const id = await sessionWithMissedJob(home, { isForged: true });
  await using model = await startMockModel([call("CronList", {}), { text: "Done" }]);
  const ended = await runKeelson(["-p", "Which?", "--resume", id, ...STREAM], { home, url: model.url });
  expect(told(model.requests.at(-1)!)[0].content).toBe("No scheduled jobs.");
  expect(ended.stderr).toContain("3 scheduled jobs of this session will not fire: Keelson cannot verify who recorded");
});

test("a copy of a session leaves its jobs to the original", async () => {
  using home = temporaryHome();
  const id = await sessionWithMissedJob(home);
  await using model = await startMockModel([call("CronList", {}), { text: "Done" }]);
  const ended = await runKeelson(["-p", "Which?", "--resume", id, "--fork-session", ...STREAM], {
    home,
    url: model.url,
  });
  expect(resultOf(ended).session_id).not.toBe(id);
  expect(told(model.requests.at(-1)!)[0].content).toBe("No scheduled jobs.");
});

test("three sessions of a project fire each of its jobs once", async () => {
  using home = temporaryHome();
  trust(home);
  const names = ["one", "two", "three", "four", "five", "six"];
  home.write(FILE, { tasks: names.map((name, at) => missed(`0000000${at}`, name)) });
  await using model = await startMockModel(() => ({ text: "Done" }));
  const start = () => startKeelson([...CHAT, "-p"], { home, url: model.url, stdin: "open", env: { TZ: "UTC" } });
  await using one = start();
  await using two = start();
  await using three = start();
  const all = [one, two, three];
  const results = () => all.flatMap(({ lines }) => lines.filter(({ json }) => json?.type === "result"));
  await until(() => results().length >= names.length);
  for (const each of all) each.closeStdin();
  const ended = await Promise.all(all.map(({ done }) => done));
  const prompts = ended.flatMap((each) => messagesOf(each, "user").map(({ message }) => message.content));
  expect(prompts.toSorted()).toEqual(names.toSorted());
  expect([results().length, tasks(home)]).toEqual([names.length, []]);
});

test("with CLAUDE_CODE_DISABLE_CRON, there are no tools and nothing fires", async () => {
  using home = temporaryHome();
  trust(home);
  const task = missed("0a1b2c3d", "Never");
  home.write(FILE, { tasks: [task] });
  await using model = await startMockModel([call("CronList", {}), { text: "Done" }]);
  const options = { home, url: model.url, stdin: "open", env: { CLAUDE_CODE_DISABLE_CRON: "1" } } as const;
  await using running = startKeelson([...CHAT, "-p"], options);
  running.send(prompt("List"));
  await running.waitForLine(({ type }) => type === "result");
  running.closeStdin();
  const ended = await running.done;
  const { tools } = messagesOf(ended, "system/init")[0];
  expect(tools.filter((name: string) => /Cron|Wakeup/.test(name))).toEqual([]);
  expect(told(model.requests[1]!)[0].content).toContain("No such tool available: CronList");
  expect([tasks(home), model.requests.length]).toEqual([[task], 2]);
});

test("Stop hooks are told of the session's jobs", async () => {
  using home = temporaryHome();
  const seen = join(home.root, "stop.json");
  home.settings({ hooks: { Stop: [{ hooks: [{ type: "command", command: `cat > ${seen}` }] }] } });
  await using model = await startMockModel([
    call("CronCreate", { cron: "0 9 * * *", prompt: "Report" }),
    { text: "Done" },
  ]);
  await runKeelson(["-p", "Go"], { home, url: model.url });
  expect(JSON.parse(readFileSync(seen, "utf8")).session_crons).toEqual([
    { id: expect.stringMatching(/^[0-9a-f]{8}$/), schedule: "0 9 * * *", recurring: true, prompt: "Report" },
  ]);
});

test("the model cannot write the project's file by other means", async () => {
  using home = temporaryHome();
  trust(home);
  const path = join(home.project, FILE);
  const content = JSON.stringify({ tasks: [missed("0a1b2c3d", "Planted")] });
  await using model = await startMockModel([
    call("Write", { file_path: path, content }),
    call("Bash", { command: `mkdir -p .claude && echo '{}' > ${FILE}` }),
    call("Bash", { command: `cp package.json ${FILE}` }),
    call("Write", { file_path: join(home.project, ".claude/worktrees/../scheduled_tasks.json"), content }),
    { text: "Done" },
  ]);
  const args = ["-p", "Go", "--permission-mode", "acceptEdits", "--allowedTools", "Bash", "Write", ...STREAM];
  const ended = await runKeelson(args, { home, url: model.url });
  expect(resultOf(ended).permission_denials).toHaveLength(4);
  expect(existsSync(path)).toBe(false);
});
