import { expect, test } from "bun:test";
import { readdirSync } from "node:fs";
import { startCommand } from "./command.ts";
import { drain } from "./drain.ts";
import { collectOutput } from "../output.ts";
import { loadPipes, type OpenPipe } from "./pipe.ts";
import { scriptFor } from "../script.ts";

async function run(command: string, openPipe: OpenPipe | null) {
  const shell = { path: "/bin/bash", kind: "bash" } as const;
  const parts = { command, shell, snapshot: null, envFile: undefined, prefix: undefined, reportsDirectory: true };
  const child = startCommand({
    argv: [shell.path, "-c", scriptFor(parts)],
    cwd: "/",
    env: { PATH: "/usr/bin:/bin" },
    openPipe,
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

test("a program that cannot start is an error, and no descriptor is left open", async () => {
  const openPipe = await loadPipes();
  await run("true", openPipe);
  const before = readdirSync("/dev/fd").length;
  for (let n = 0; n < 5; n++) {
    expect(() => startCommand({ argv: ["/nowhere/bash"], cwd: "/", env: {}, openPipe })).toThrow("/nowhere/bash");
    await run("true", openPipe);
  }
  // The runtime closes the last one later.
  while (readdirSync("/dev/fd").length > before) await Bun.sleep(5);
  expect(readdirSync("/dev/fd").length).toBeLessThanOrEqual(before);
});
