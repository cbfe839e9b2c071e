// Whoever stops a command stops what it started, wherever that moved; nothing else ends with it.

import { afterAll, expect, test } from "bun:test";
import { mkdirSync, readFileSync, existsSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import {
  startKeelson,
  startMockModel,
  temporaryHome,
  testUnless,
  type ScriptedCall,
  type ScriptedReply,
  type TemporaryHome,
} from "@keelson/testkit";
import { agent, cast } from "../agents/cast.ts";
import { ordinaryUserMissing, owned, program, removeCopy, through } from "../as-nobody.ts";
import { CHAT, control, prompt } from "../front-door.ts";
import { isRunning, until } from "../processes.ts";

afterAll(removeCopy);

/** Ways out of the group of a command. Each writes its process id to a file of its own. */
const WAYS: Readonly<Record<string, (begin: string) => string>> = {
  timeout: (begin) => `timeout 300 sh -c '${begin}; exec sleep 300' &`,
  session: (begin) => `setsid sh -c '${begin}; exec sleep 300' &`,
  daemon: (begin) => `(setsid sh -c '${begin}; exec sleep 300' >/dev/null 2>&1 &)`,
  hidden: (begin) => `(env -i /usr/bin/setsid /bin/sh -c '${begin}; exec /bin/sleep 300' >/dev/null 2>&1 &)`,
  limited: (begin) =>
    `(ulimit -Sx 7; env -i /usr/bin/setsid /bin/sh -c '${begin}; exec /bin/sleep 300' >/dev/null 2>&1 &)`,
  deaf: (begin) => `(setsid sh -c 'trap "" TERM INT HUP; ${begin}; while :; do sleep 300; done' >/dev/null 2>&1 &)`,
  stopped: (begin) => `(setsid sh -c '${begin}; kill -STOP $$; sleep 300' >/dev/null 2>&1 &)`,
  hangup: (begin) => `nohup sh -c '${begin}; exec sleep 300' >/dev/null 2>&1 &`,
  // Starts another one when it is asked to end.
  successor: (begin) =>
    `(setsid bash -c 'trap "(setsid sh -c \\"echo \\\\\\$\\\\\\$ >pid.late; exec sleep 300\\" >/dev/null 2>&1 &)" TERM; ${begin}; while :; do sleep 0.05; done' >/dev/null 2>&1 &)`,
};
const NAMES = Object.keys(WAYS);
const MOVING = NAMES.map((name) => WAYS[name]!(`echo $$ >pid.${name}`)).join("\n");

/** Starts something that nobody stops: its command has ended. */
const BYSTANDER =
  "(setsid sh -c 'echo $$ >pid.bystander; exec sleep 300' >/dev/null 2>&1 &); until [ -s pid.bystander ]; do sleep 0.01; done";
const OTHER = "echo $$ >pid.other; timeout 300 sleep 300";

const bash = (command: string, more: object = {}): ScriptedCall => ({ name: "Bash", input: { command, ...more } });
const CHILD = "Work on it quietly";
const isResult = ({ type }: any) => type === "result";

/** 0 if it has not begun. */
function pidOf({ project }: TemporaryHome, name: string): number {
  const path = join(project, `pid.${name}`);
  return existsSync(path) ? Number(readFileSync(path, "utf8")) : 0;
}
const began = (home: TemporaryHome, names: readonly string[]) =>
  until(() => names.every((name) => pidOf(home, name) > 0), "not everything began");
const running = (home: TemporaryHome, names: readonly string[]) =>
  names.filter((name) => pidOf(home, name) > 0 && isRunning(pidOf(home, name)));

const HOWS = [
  "an interrupt",
  "a timeout",
  "stop_task",
  "TaskStop",
  "the end of a subagent",
  "the interrupt of a subagent",
  "the end of a monitor",
  "the timeout of a hook",
] as const;
type How = (typeof HOWS)[number];

const lastId = (body: any) =>
  Array.from(JSON.stringify(body.messages).matchAll(/(?:with ID: |\(task )(\w+)/g)).at(-1)![1]!;

type Line = ScriptedReply | ((body: any) => Promise<ScriptedReply>);

function roles(how: How, home: () => TemporaryHome): Readonly<Record<string, readonly Line[]>> {
  const awaited = bash(`${MOVING}\nsleep 300`);
  const inBackground = bash(`${MOVING}\nsleep 301`, { run_in_background: true });
  const onceBegan = (then: (body: any) => ScriptedReply) => async (body: any) => {
    await began(home(), NAMES);
    return then(body);
  };
  const withChild = (...child: readonly Line[]) => ({
    main: [{ calls: [agent(CHILD)] }, { text: "done" }],
    [CHILD]: child,
  });
  const stop = (tasks: any) => ({ calls: [{ name: "TaskStop", input: { task_id: lastId(tasks) } }] });
  const rolesOf: Record<How, Readonly<Record<string, readonly Line[]>>> = {
    "an interrupt": { main: [{ calls: [awaited] }] },
    "a timeout": { main: [{ calls: [bash(`${MOVING}\nsleep 300`, { timeout: 4_000 })] }, { text: "done" }] },
    stop_task: { main: [{ calls: [inBackground] }, { text: "done" }, { text: "told" }] },
    TaskStop: { main: [{ calls: [inBackground] }, onceBegan(stop), { text: "done" }, { text: "told" }] },
    "the end of a subagent": withChild(
      { calls: [inBackground] },
      onceBegan(() => ({ text: "worked" })),
    ),
    "the interrupt of a subagent": withChild({ calls: [awaited] }),
    "the end of a monitor": {
      main: [
        {
          calls: [
            { name: "Monitor", input: { command: `${MOVING}\nsleep 302`, description: "Watch", timeout_ms: 60_000 } },
          ],
        },
        onceBegan(stop),
        { text: "done" },
        { text: "told" },
      ],
    },
    "the timeout of a hook": { main: [{ calls: [bash("pwd")] }, { text: "done" }] },
  };
  const { main = [], ...others } = rolesOf[how];
  return { ...others, main: [{ calls: [bash(BYSTANDER), bash(OTHER, { run_in_background: true })] }, ...main] };
}

async function stopped(how: How, { shield, user }: { shield: boolean; user: "self" | "nobody" }): Promise<void> {
  using home = temporaryHome();
  if (how === "the timeout of a hook") {
    const hook = { type: "command", if: "Bash(pwd)", command: `${MOVING}\nsleep 300`, timeout: 4 };
    home.settings({ hooks: { PostToolUse: [{ matcher: "Bash", hooks: [hook] }] } });
  }
  await using model = await startMockModel(cast(roles(how, () => home)));
  await using session = startKeelson([...CHAT, "--allowedTools", "Bash", "TaskStop", "Monitor"], {
    home: user === "nobody" ? owned(home) : home,
    url: model.url,
    stdin: "open",
    ...(user === "nobody" ? { through, program } : {}),
    env: shield ? {} : { PATH: withoutBubblewrap(home) },
  });
  session.send(prompt("Begin"));
  await began(home, ["bystander", "other", ...NAMES]);
  if (/interrupt/.test(how)) session.send(control("stop", { subtype: "interrupt" }));
  if (how === "stop_task") {
    await session.waitForLine(isResult);
    session.send(control("stop", { subtype: "stop_task", task_id: lastId(model.requests.at(-1)!.body) }));
  }
  await session.waitForLine(isResult);
  // Only in the shell that runs the model's commands the limit cannot be lowered.
  const all = [...NAMES.filter((name) => name !== "limited" || how !== "the timeout of a hook"), "late"];
  await until(() => running(home, all).length === 0, "something still runs").catch(() => undefined);
  expect(running(home, [...all, "bystander", "other"])).toEqual(["bystander", "other"]);
  session.closeStdin();
  await session.done;
  expect(running(home, ["bystander", "other"])).toEqual([]);
}

function withoutBubblewrap({ root }: TemporaryHome): string {
  const bin = join(root, "bin");
  mkdirSync(bin);
  for (const name of ["bash", "sh", "sleep", "setsid", "timeout", "nohup", "env"])
    symlinkSync(Bun.which(name)!, join(bin, name));
  return bin;
}

const onLinux = testUnless(process.platform === "linux" ? null : "needs Linux", test);

onLinux.each([
  ...HOWS.map((how) => [how, true] as const),
  ["an interrupt", false],
  ["stop_task", false],
  ["the end of a subagent", false],
] as const)("%s ends everything that the command started; with the shield: %p", async (how, shield) =>
  stopped(how, { shield, user: "self" }),
);

testUnless(ordinaryUserMissing(), test).each([
  ["an interrupt", true],
  ["a timeout", false],
  ["TaskStop", true],
] as const)("for an ordinary user %s ends everything too; with the shield: %p", async (how, shield) =>
  stopped(how, { shield, user: "nobody" }),
);
