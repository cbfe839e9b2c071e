import { afterAll, expect, test } from "bun:test";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { CommandTask } from "@keelson/engine";
import { isAlive, until } from "../alive.test-support.ts";
import { createTasks } from "../tasks/task-table.ts";
import type { Task } from "../tasks/task.ts";
import { createShell } from "./shell.ts";

const place = realpathSync(mkdtempSync(join(tmpdir(), "keelson-moving-")));
afterAll(() => rmSync(place, { recursive: true, force: true }));
let count = 0;

/** A shell whose commands may move, and what became of them. */
function world() {
  const home = join(place, `home-${++count}`);
  mkdirSync(home, { recursive: true });
  const ended: Task[] = [];
  const tasks = createTasks({ watchers: { ended: (task) => ended.push(task) } });
  const shell = createShell({
    configDir: join(home, ".claude"),
    sessionId: "11111111-2222-4333-8444-555555555555",
    entrypoint: "cli",
    childEnv: { HOME: home, PATH: "/usr/local/bin:/usr/bin:/bin" },
    env: { PATH: "/usr/bin:/bin" },
    resultsDir: join(home, "tool-results"),
    tasksDir: join(home, "tasks"),
    tasks,
  });
  const run = (
    command: string,
    more: { timeoutMs?: number; signal?: AbortSignal; maxOutput?: number; task?: CommandTask } = {},
  ) =>
    shell.run(command, {
      cwd: home,
      timeoutMs: 60_000,
      signal: new AbortController().signal,
      maxOutput: 30_000,
      id: "toolu_1",
      task: { description: "Count", mayMove: true },
      ...more,
    });
  return { home, shell, tasks, ended, run, [Symbol.asyncDispose]: () => shell.close() };
}

test("a running command moves to the background without being restarted", async () => {
  await using w = world();
  const go = join(w.home, "go");
  const running = w.run(`echo $$; until [ -e '${go}' ]; do sleep 0.01; done; echo after; cd /; exit 3`);
  await until(() => w.tasks.list().length === 1, "a row in the table");
  expect(await w.tasks.moveToBackground("toolu_1")).toBe(true);
  const { movedTo, code, timedOut, aborted } = await running;
  expect({ code, timedOut, aborted }).toEqual({ code: null, timedOut: false, aborted: false });
  const { id, outputPath } = movedTo!;
  expect(outputPath).toBe(join(w.home, "tasks", `${id}.output`));
  expect(w.tasks.get(id)).toMatchObject({ status: "running", inBackground: true, outputPath, description: "Count" });
  writeFileSync(go, "");
  await w.tasks.wait(id, { timeoutMs: 20_000, signal: new AbortController().signal });
  expect(w.ended).toMatchObject([{ id, status: "failed", exitCode: 3, inBackground: true }]);
  expect(readFileSync(outputPath, "utf8")).toMatch(/^\d+\nafter\n$/);
});

test("output that was already long stays in its file when the command moves", async () => {
  await using w = world();
  const go = join(w.home, "go");
  const command = `printf '%040d' 1; until [ -e '${go}' ]; do sleep 0.01; done; echo after`;
  const running = w.run(command, { maxOutput: 20 });
  await until(() => existsSync(join(w.home, "tool-results", "toolu_1.txt")), "a file");
  await w.tasks.moveToBackground("toolu_1");
  const { movedTo } = await running;
  expect(movedTo!.outputPath).toBe(join(w.home, "tool-results", "toolu_1.txt"));
  writeFileSync(go, "");
  await w.tasks.wait(movedTo!.id, { timeoutMs: 20_000, signal: new AbortController().signal });
  expect(readFileSync(movedTo!.outputPath, "utf8")).toBe(`${"0".repeat(39)}1after\n`);
});

test("a moved command survives the abort of its call, and stop() and close() end it", async () => {
  const w = world();
  const controller = new AbortController();
  const stays = "echo $$ > pid; until [ -e never ]; do sleep 0.02; done";
  const moved = async () => {
    const running = w.run(stays, { signal: controller.signal });
    const file = join(w.home, "pid");
    await until(() => existsSync(file) && readFileSync(file, "utf8").endsWith("\n"), "a file with the process id");
    await w.tasks.moveToBackground("toolu_1");
    const pid = Number(readFileSync(file, "utf8"));
    rmSync(file);
    return { id: (await running).movedTo!.id, pid };
  };
  const one = await moved();
  const two = await moved();
  controller.abort();
  expect(await w.tasks.stop(one.id)).toBe(true);
  expect([isAlive(one.pid), isAlive(two.pid)]).toEqual([false, true]);
  await w.shell.close();
  expect([isAlive(two.pid), w.ended.map(({ status }) => status)]).toEqual([false, ["killed", "killed"]]);
});

test("a command that may not move, or is being ended, stays where it is", async () => {
  await using w = world();
  const stays = w.run("until [ -e never ]; do sleep 0.02; done", {
    task: { description: "Stay", mayMove: false },
    timeoutMs: 300,
  });
  await until(() => w.tasks.list().length === 1, "a row in the table");
  expect(await w.tasks.moveToBackground("toolu_1")).toBe(false);
  expect(await stays).toMatchObject({ timedOut: true });
  expect([w.tasks.list(), w.ended]).toEqual([[], []]);

  const controller = new AbortController();
  const ignores = w.run("trap '' TERM; touch ready; until [ -e never ]; do sleep 0.02; done", {
    signal: controller.signal,
  });
  await until(() => existsSync(join(w.home, "ready")), "a file");
  controller.abort();
  expect(await w.tasks.moveToBackground("toolu_1")).toBe(false);
  expect(await ignores).toMatchObject({ aborted: true });
});
