import { expect, test } from "bun:test";
import { fstatSync } from "node:fs";
import { until } from "../../alive.test-support.ts";
import { openInodes } from "../../descriptors.test-support.ts";
import { startCommand } from "./command.ts";
import { createGroups } from "./groups.ts";
import { drain } from "./drain.ts";
import { collectOutput } from "../output.ts";
import { loadPipes, type OpenPipe } from "./pipe.ts";
import { scriptFor } from "../script.ts";

const groups = createGroups("unmarked", { added: () => undefined, removed: () => undefined });

async function run(command: string, openPipe: OpenPipe | null) {
  const shell = { path: "/bin/bash", kind: "bash" } as const;
  const parts = { command, shell, snapshot: null, envFile: undefined, prefix: undefined, reportsDirectory: true };
  const child = startCommand({
    isWrapper: false,
    argv: [shell.path, "-c", scriptFor(parts)],
    cwd: "/",
    env: { PATH: "/usr/bin:/bin" },
    openPipe,
    groups,
  });
  const output = collectOutput(1_000, () => {
    throw new Error("not needed");
  });
  const code = await drain(child, output);
  return { text: output.end().text, code, directory: child.directory() };
}

test("output, exit code and directory are the same with and without real pipes", async () => {
  const wanted = { text: "a\nb\n", code: 3, directory: "/usr" };
  expect(await run("echo a; echo b >&2; cd /usr; exit 3", await loadPipes())).toEqual(wanted);
  expect(await run("echo a; echo b >&2; cd /usr; exit 3", null)).toEqual(wanted);
});

test("a program that cannot be started is reported, and no descriptor is left open", async () => {
  const openPipe = (await loadPipes())!;
  const pipes = new Set<number>();
  const recorded: OpenPipe = (options) => {
    const pipe = openPipe(options);
    pipes.add(fstatSync(pipe.read).ino);
    return pipe;
  };
  for (let n = 0; n < 5; n++) {
    expect(() =>
      startCommand({ isWrapper: false, argv: ["/nowhere/bash"], cwd: "/", env: {}, openPipe: recorded, groups }),
    ).toThrow("/nowhere/bash");
    await run("true", recorded);
  }
  expect(pipes.size).toBe(20);
  await until(() => pipes.isDisjointFrom(openInodes()), "every pipe was closed");
});
