// What registered hooks add to a tool call, not counting the hook's own process: thirty small reads in a row without
// hooks, with 200 hooks of which none matches, and with 200 of which one matches.

import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { clock } from "../../clock.ts";
import { repeat } from "../../repeat.ts";
import { read } from "../../model/script.ts";
import type { Stage } from "../../stage.ts";
import { median, type Row } from "../../table.ts";

const CALLS = 30;
const HOOKS = 200;
const COMMAND = "true";

export async function hooks(stage: Stage): Promise<Row[]> {
  const cwd = join(stage.folder, "hooked-project");
  await mkdir(cwd, { recursive: true });
  const paths = Array.from({ length: CALLS }, (_, i) => join(cwd, `file-${i}.txt`));
  await Promise.all(paths.map((path, i) => Bun.write(path, `content-${i}-end\n`)));
  const settings = async (name: string, matching: number) => {
    const path = join(stage.folder, name);
    await Bun.write(path, JSON.stringify({ hooks: { PreToolUse: groups(matching) } }));
    return ["--settings", path];
  };
  const none = await settings("none-matching.json", 0);
  const one = await settings("one-matching.json", 1);
  const script = [...paths.map((path) => ({ calls: [read(path)] })), { text: "ok" }];
  const expected = ["content-0-end", `content-${CALLS - 1}-end`];
  // Skip the first call, which loads modules.
  const gap = async (args: readonly string[] = []) =>
    quiet((await stage.play(script, { cwd, args, expected })).gapsMs.slice(1));

  const rounds = await repeat(stage.quick ? 3 : 7, async () => {
    const plain = await gap();
    const spawn = await bareSpawn(cwd, stage.env);
    return { plain, spawn, none: (await gap(none)) - plain, one: (await gap(one)) - plain - spawn };
  });
  return [
    {
      what: `${HOOKS} hooks, none matching: added to a call`,
      unit: "ms",
      samples: rounds.map((round) => round.none),
    },
    {
      what: `${HOOKS} hooks, 1 matching: added to a call`,
      unit: "ms",
      samples: rounds.map((round) => round.one),
      against: `not counting its process, ${median(rounds.map(({ spawn }) => spawn)).toFixed(2)} ms`,
    },
  ];
}

/** Half of the matchers are names, half are patterns; the last `matching` ones match the called tool. */
function groups(matching: number): object[] {
  const matcher = (i: number) => (i % 2 === 0 ? `Tool${i}|Other${i}` : `^mcp__server${i}__.*(read|write)$`);
  return Array.from({ length: HOOKS }, (_, i) => ({
    matcher: i < HOOKS - matching ? matcher(i) : "Read",
    hooks: [{ type: "command", command: i < HOOKS - matching ? `echo ${i}` : COMMAND }],
  }));
}

/** Runs the same command as a hook does, but directly: input on stdin, both outputs read to the end. */
async function bareSpawn(cwd: string, env: Readonly<Record<string, string>>): Promise<number> {
  const shell = Bun.which("bash") ?? "/bin/sh";
  const input = Buffer.from(`${JSON.stringify({ tool_name: "Read", padding: "x".repeat(400) })}\n`);
  const times: number[] = [];
  for (let i = 0; i < CALLS; i++) {
    const started = clock();
    const child = Bun.spawn([shell, "-c", COMMAND], {
      cwd,
      env: { ...env },
      stdin: input,
      stdout: "pipe",
      stderr: "pipe",
    });
    await Promise.all([child.stdout.bytes(), child.stderr.bytes(), child.exited]);
    times.push(clock() - started);
  }
  return quiet(times);
}

/** The first quartile, because a difference of medians is mostly noise. */
function quiet(times: readonly number[]): number {
  return times.toSorted((a, b) => a - b)[times.length >> 2]!;
}
