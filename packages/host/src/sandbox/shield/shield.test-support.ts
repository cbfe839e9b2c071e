// For shield tests: a temporary project with a shell. Commands are harmless and stay inside it.

import { test } from "bun:test";
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { testUnless } from "@keelson/testkit";
import { createShell } from "../../shell/shell.ts";
import { createTasks } from "../../tasks/task-table.ts";
import type { DenyRule } from "../denied/deny-pattern.ts";
import { shieldStatus } from "./status.ts";

const { active } = await shieldStatus({ path: process.env["PATH"] });
if (!active && process.env["CI"] && process.platform === "linux") {
  throw new Error("bubblewrap cannot be used: scripts/ci-packages.sh installs it");
}
export const shielded = testUnless(active ? null : "bubblewrap cannot be used here", test);

/** A project, a home and a shielded shell for one test. */
export function world(
  options: {
    deny?: readonly string[];
    mayChange?: (id: string) => boolean;
    /** The working directory, below the project. */
    inside?: string;
    /** The script of a program to use instead of bubblewrap. */
    bwrap?: string;
    governing?: (place: { home: string; project: string }) => readonly string[];
  } = {},
) {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "keelson-shield-")));
  const home = join(root, "home");
  const project = join(root, "project");
  for (const folder of [home, project]) mkdirSync(folder);
  const rules: DenyRule[] = (options.deny ?? []).map((content) => ({
    behavior: "deny",
    tool: "Read",
    content,
    base: project,
  }));
  const warnings: string[] = [];
  /** Push to it to add a working directory. */
  const directories = [join(project, options.inside ?? "")];
  const bwrapPath = join(root, "bwrap");
  if (options.bwrap) writeFileSync(bwrapPath, `#!/bin/sh\n${options.bwrap}\n`, { mode: 0o755 });
  const tasks = createTasks();
  const env = { PATH: process.env["PATH"] };
  const shell = createShell({
    configDir: join(home, ".claude"),
    sessionId: "s",
    entrypoint: "cli",
    childEnv: { HOME: home, PATH: process.env["PATH"] ?? "/usr/bin:/bin" },
    env,
    resultsDir: join(home, "results"),
    tasksDir: join(home, "tasks"),
    tasks,
    mayChangeGuarded: options.mayChange,
    shield: {
      rules: () => rules,
      // Stands in for the gate: these tests name their secret files like this.
      mayRead: (path) => !/secret/i.test(path),
      directories: () => [...directories],
      home,
      configDir: join(home, ".claude"),
      governing: () => options.governing?.({ home, project }) ?? [],
      env,
      ...(options.bwrap ? { bwrapPath } : {}),
      warn: (text) => warnings.push(text),
    },
  });
  const run = (command: string, id = "call", cwd = join(project, options.inside ?? "")) =>
    shell.run(command, {
      cwd,
      timeoutMs: 10_000,
      signal: new AbortController().signal,
      maxOutput: 30_000,
      id,
    });
  const write = (name: string, text: string) => writeFileSync(join(project, name), text);
  return {
    home,
    project,
    shell,
    tasks,
    warnings,
    directories,
    run,
    write,
    read: (name: string) => readFileSync(join(project, name), "utf8"),
    async [Symbol.asyncDispose]() {
      await shell.close();
      rmSync(root, { recursive: true, force: true });
    },
  };
}

export async function until(isTrue: () => boolean): Promise<void> {
  while (!isTrue()) await Bun.sleep(5);
}
