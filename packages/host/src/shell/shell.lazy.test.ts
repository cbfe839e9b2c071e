import { afterEach, beforeEach, expect, test } from "bun:test";
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createShell } from "./shell.lazy.ts";
import { createTasks } from "../tasks/task-table.ts";

let root: string;

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "keelson-late-shell-"));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

function open(more: object = {}) {
  const { PATH = "/usr/bin:/bin" } = process.env;
  return createShell({
    configDir: join(root, "config"),
    sessionId: "s",
    entrypoint: "test",
    childEnv: { PATH },
    env: { PATH, SHELL: "/bin/bash" },
    resultsDir: join(root, "results"),
    tasksDir: join(root, "tasks"),
    tasks: createTasks(),
    ...more,
  });
}

const how = () => ({ cwd: root, timeoutMs: 5_000, signal: new AbortController().signal, maxOutput: 1_000, id: "call" });

test("the first command loads the shell, and close() ends what it left", async () => {
  const shell = open();
  const { text, code } = await shell.run("echo here; sleep 1000 & echo $! >child", how());
  expect({ text: text.trim(), code }).toEqual({ text: "here", code: 0 });
  const child = Number(await Bun.file(join(root, "child")).text());
  await shell.close();
  expect(existsSync(`/proc/${child}/exe`)).toBe(false);
});

test("a shell that ran nothing still closes the sandbox, and starts nothing afterwards", async () => {
  let closed = 0;
  const shell = open({ sandbox: { close: async () => void closed++ } });
  await shell.close();
  expect(closed).toBe(1);
  expect(shell.run("echo too late", how())).rejects.toThrow("The session is closing");
  expect(existsSync(join(root, "config"))).toBe(false);
});

test("a shell that was only warmed has run nothing, and does not start once it is closed", async () => {
  const shell = open();
  await shell.warm();
  expect(await shell.hasRun()).toBe(false);
  await shell.close();
  expect(existsSync(join(root, "config"))).toBe(false);
  const late = open();
  await late.close();
  await late.warm();
  expect(await late.hasRun()).toBe(false);
});

test.skipIf(process.platform !== "linux")(
  "the shield is tried once, also if its trial began before the rest",
  async () => {
    const [log, bwrapPath] = [join(root, "log"), join(root, "bwrap")];
    writeFileSync(bwrapPath, `#!/bin/sh\necho "$@" >>'${log}'\nexit 1\n`);
    chmodSync(bwrapPath, 0o755);
    const warnings: string[] = [];
    const shield = {
      ...{ bwrapPath, env: { PATH: "/usr/bin:/bin" }, home: root, configDir: join(root, "config") },
      ...{ directories: () => [root], rules: () => [], mayRead: () => true },
      warn: (text: string) => void warnings.push(text),
    };
    const shell = open({ shield });
    await shell.warm();
    await shell.warm();
    expect((await shell.run("echo here", how())).text).toBe("here\n");
    await shell.close();
    const tried = readFileSync(log, "utf8").trimEnd().split("\n");
    // What only commands of root are started through is tried first.
    const { length: cells } = tried.filter((line) => line.endsWith("/cell"));
    expect(cells).toBe(process.getuid?.() === 0 ? 1 : 0);
    expect(tried.slice(cells)).toEqual(["--dev-bind / / --dev /dev -- true", "--dev-bind / / -- true"]);
    expect(warnings).toHaveLength(1);
  },
);
