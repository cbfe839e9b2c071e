import { expect, test } from "bun:test";
import { ToolError, type ShellResult, type ToolContext } from "@keelson/engine";
import { bashTool } from "./bash.ts";
import type { BashInput } from "./command-tool.ts";

const bash = bashTool({ parallelSafe: (command) => command.startsWith("ls") });
const OK: ShellResult = {
  text: "",
  tail: "",
  size: 0,
  path: null,
  code: 0,
  timedOut: false,
  aborted: false,
  cwd: "/p",
};
const PLAIN = { stdout: "", stderr: "", interrupted: false, isImage: false, noOutputExpected: false };

/** A session whose shell returns `result` for every command. */
function world(result: Partial<ShellResult> = {}, env: Record<string, string> = {}, kept = "") {
  const calls: unknown[] = [];
  const ran: number[][] = [];
  let cwd = "/p";
  const context = {
    toolUseId: "toolu_1",
    signal: new AbortController().signal,
    env,
    workspace: {
      root: "/p",
      directories: ["/p"],
      get cwd() {
        return cwd;
      },
      move(path: string) {
        if (path !== "/p" && !path.startsWith("/p/")) return false;
        cwd = path;
        return true;
      },
    },
    files: { read: async () => new TextEncoder().encode(kept) },
    shell: {
      async run(command: string, { signal: _, ...options }: object & { signal: AbortSignal }) {
        calls.push({ command, ...options });
        return { ...OK, ...result };
      },
      async background(command: string, options: object) {
        calls.push({ command, ...options });
        return { id: "babc12345", outputPath: "/tmp/tasks/babc12345.output" };
      },
    },
    seen: { commandRan: (start: number, end: number) => ran.push([start, end]) },
  } as unknown as ToolContext;
  return { context, calls, ran };
}

async function run(input: BashInput, result: Partial<ShellResult> = {}, env: Record<string, string> = {}, kept = "") {
  const { context } = world(result, env, kept);
  const output = await bash.run(input, context);
  return { output, shown: bash.show(output) };
}

async function failure(input: BashInput, result: Partial<ShellResult>): Promise<string> {
  try {
    await run(input, result);
  } catch (error) {
    expect(error).toBeInstanceOf(ToolError);
    return (error as ToolError).message;
  }
  throw new Error("It did not fail");
}

test("output is shown without leading blank lines and trailing whitespace", async () => {
  expect(await run({ command: "ls" }, { text: "\n  \n  a\nb\n\n" })).toEqual({
    output: { ...PLAIN, stdout: "  a\nb" },
    shown: "  a\nb",
  });
});

test("a command without output is shown as a note", async () => {
  expect(await run({ command: "mkdir x" })).toEqual({
    output: { ...PLAIN, noOutputExpected: true },
    shown: "(Bash completed with no output)",
  });
});

test("a failure has exit code and output; exit codes that are answers are not failures", async () => {
  expect(await failure({ command: "make" }, { code: 2, text: "boom\n" })).toBe("Exit code 2\nboom");
  expect(await failure({ command: "false" }, { code: 1 })).toBe("Exit code 1");
  expect(await run({ command: "grep x y" }, { code: 1 })).toEqual({
    output: { ...PLAIN, returnCodeInterpretation: "No matches found" },
    shown: "No matches found",
  });
  expect((await run({ command: "diff a b" }, { code: 1, text: "< a\n" })).shown).toBe("< a");
});

test("a timeout reports the limit, how to allow more time, and the output so far", async () => {
  expect(await failure({ command: "sleep 9", timeout: 1000 }, { code: null, timedOut: true, text: "partial\n" })).toBe(
    "Exit code 143\nCommand timed out after 1s\nIf it needs more time, set timeout to more than 1000 (at most 600000) or use run_in_background.\npartial",
  );
  expect(await failure({ command: "sleep 999" }, { code: null, timedOut: true })).toBe(
    "Exit code 143\nCommand timed out after 2m 0s\nIf it needs more time, set timeout to more than 120000 (at most 600000) or use run_in_background.",
  );
  expect(await failure({ command: "sleep 999", timeout: 700_000 }, { code: null, timedOut: true })).toBe(
    "Exit code 143\nCommand timed out after 10m 0s\nIf it needs more time, use run_in_background.",
  );
});

test("an aborted command is marked as interrupted", async () => {
  expect(await run({ command: "sleep 9" }, { code: null, aborted: true, cwd: null, text: "so far\n" })).toEqual({
    output: { ...PLAIN, stdout: "so far", interrupted: true },
    shown: "so far\n<error>Command was aborted before completion</error>",
  });
});

test("long output of a successful command is shown as its start, its end and a path", async () => {
  const text = "x".repeat(30_000);
  const { output, shown } = await run(
    { command: "cat big" },
    { text, tail: `${"y\n".repeat(2_000)}all passed\n`, size: 108_851, path: "/r/toolu_1.txt" },
  );
  expect(output).toEqual({
    ...PLAIN,
    stdout: text,
    persistedOutputPath: "/r/toolu_1.txt",
    persistedOutputSize: 108_851,
    persistedOutputEnd: expect.stringMatching(/^(y\n)+all passed$/),
  });
  expect(shown).toStartWith(
    "<persisted-output>\nOutput too large (106.3KB). Full output saved to: /r/toolu_1.txt\n" +
      "Read the part you need with offset and limit, or search it with Grep. It starts and ends like this:\n\nxxx",
  );
  expect(shown).toEndWith("y\nall passed\n</persisted-output>");
  expect(shown.length).toBeLessThan(3_400);
});

test("long output of a failed command keeps its start and end", async () => {
  const inMemory = await failure({ command: "make" }, { code: 2, text: `start${"-".repeat(25_000)}end` });
  expect([inMemory.slice(0, 17), inMemory.slice(-3), inMemory.length < 10_200]).toEqual([
    "Exit code 2\nstart",
    "end",
    true,
  ]);
  const inFile = await failure(
    { command: "make" },
    { code: 2, text: `start${"-".repeat(29_995)}`, tail: `${"+".repeat(4_997)}end`, size: 99_999, path: "/r/f.txt" },
  );
  expect(inFile).toContain("… output cut: 97.7KB in total, full output in /r/f.txt …");
  expect([inFile.slice(0, 17), inFile.slice(-3), inFile.length < 10_200]).toEqual(["Exit code 2\nstart", "end", true]);
});

test("a data URI becomes an image, even if the output was saved to a file", async () => {
  const uri = "data:image/png;base64,iVBORw0KGgo=";
  const image = { type: "image", source: { type: "base64", media_type: "image/png", data: "iVBORw0KGgo=" } };
  expect(await run({ command: "plot" }, { text: `${uri}\n`, size: 35 })).toEqual({
    output: { ...PLAIN, stdout: uri, isImage: true },
    shown: [image] as never,
  });
  const long = await run(
    { command: "plot" },
    { text: uri.slice(0, 25), tail: "=", size: 35, path: "/r/f" },
    {},
    `${uri}\n`,
  );
  expect(long.shown).toEqual([image] as never);
});

test("the session follows cd inside its directories and returns to the root otherwise", async () => {
  const inside = world({ cwd: "/p/sub" });
  expect((await bash.run({ command: "cd sub" }, inside.context)).stderr).toBe("");
  expect(inside.context.workspace.cwd).toBe("/p/sub");

  const away = world({ cwd: "/etc" });
  away.context.workspace.move("/p/sub");
  expect((await bash.run({ command: "cd /etc" }, away.context)).stderr).toBe("Shell cwd was reset to /p");
  expect(away.context.workspace.cwd).toBe("/p");

  const outside = await run({ command: "cd /etc; pwd" }, { text: "/etc\n", cwd: "/etc" });
  expect(outside).toEqual({
    output: { ...PLAIN, stdout: "/etc", stderr: "Shell cwd was reset to /p" },
    shown: "/etc\nShell cwd was reset to /p",
  });
  const fixed = world({ cwd: "/p/sub" }, { CLAUDE_BASH_MAINTAIN_PROJECT_WORKING_DIR: "1" });
  expect((await bash.run({ command: "cd sub" }, fixed.context)).stderr).toBe("Shell cwd was reset to /p");
});

test("a command runs in the directory the gate checked, even if another call has changed it since", async () => {
  const { context, calls } = world();
  expect(await bash.access({ command: "git status" }, context)).toEqual({
    kind: "command",
    command: "git status",
    cwd: "/p",
  });
  context.workspace.move("/p/nested");
  await bash.run({ command: "git status" }, context);
  await bash.run({ command: "npm start", run_in_background: true }, context);
  expect(calls).toMatchObject([{ cwd: "/p" }, { cwd: "/p" }]);
  // The command did not change directory, so neither does the session.
  expect(context.workspace.cwd).toBe("/p/nested");
});

test("limits come from the call and the environment, and the time of a command is recorded", async () => {
  const asked = async (timeout: number | undefined, env: Record<string, string>) => {
    const { context, calls, ran } = world({}, env);
    await bash.run({ command: "true", ...(timeout === undefined ? {} : { timeout }) }, context);
    expect(ran.length).toBe(1);
    const { timeoutMs, maxOutput } = calls[0] as { timeoutMs: number; maxOutput: number };
    return [timeoutMs, maxOutput];
  };
  expect(await asked(undefined, {})).toEqual([120_000, 30_000]);
  expect(await asked(5, { BASH_MAX_OUTPUT_LENGTH: "9999999" })).toEqual([5, 150_000]);
  expect(await asked(9_000_000, {})).toEqual([600_000, 30_000]);
  expect(await asked(undefined, { BASH_DEFAULT_TIMEOUT_MS: "700000", BASH_MAX_OUTPUT_LENGTH: "x" })).toEqual([
    700_000, 30_000,
  ]);
  expect(await asked(50, { BASH_MAX_TIMEOUT_MS: "10", BASH_DEFAULT_TIMEOUT_MS: "7" })).toEqual([10, 30_000]);
});

test("a background command returns its id without waiting", async () => {
  const { context, calls } = world();
  const output = await bash.run({ command: "serve", description: "Start server", run_in_background: true }, context);
  expect(calls).toEqual([{ command: "serve", cwd: "/p", description: "Start server", toolUseId: "toolu_1" }]);
  expect(output).toEqual({
    ...PLAIN,
    backgroundTaskId: "babc12345",
    backgroundOutputPath: "/tmp/tasks/babc12345.output",
  });
  expect(bash.show(output)).toBe(
    "Command running in background with ID: babc12345. Output is being written to: /tmp/tasks/babc12345.output. You will be notified when it completes. To check interim output, use Read on that file path.",
  );
});

test("a background call runs in the foreground if background tasks are disabled", async () => {
  const { context, calls } = world({ text: "served\n" });
  const waiting = bashTool({ background: false });
  const input = waiting.repair!({ command: "serve", run_in_background: true });
  expect(input).toEqual({ command: "serve" });
  expect(await waiting.run(input as never, context)).toEqual({ ...PLAIN, stdout: "served" });
  expect(calls).toMatchObject([{ task: { description: "serve", mayMove: false } }]);
  expect(JSON.stringify(waiting.input.json) + waiting.description).not.toContain("run_in_background");
  expect(bash.repair!({ command: "serve", run_in_background: true })).toEqual({
    command: "serve",
    run_in_background: true,
  });
});

test("a command that the user moves to the background is answered like one that started there", async () => {
  const movedTo = { id: "babc12345", outputPath: "/tmp/tasks/babc12345.output" };
  const { output, shown } = await run({ command: "make", description: "Build" }, { movedTo, code: null, cwd: null });
  expect(output).toEqual({
    ...PLAIN,
    backgroundTaskId: movedTo.id,
    backgroundOutputPath: movedTo.outputPath,
    backgroundedByUser: true,
  });
  expect(shown).toStartWith(`Command running in background with ID: babc12345. Output is being written to: `);
  expect(shown).toEndWith("The user moved it to the background while it was running.");
});

test("access() has the command and its directory; only read-only commands run in parallel", async () => {
  expect(bash.access({ command: "ls" }, world().context)).toEqual({ kind: "command", command: "ls", cwd: "/p" });
  const together = bash.parallelSafe as (input: BashInput) => Promise<boolean>;
  expect(
    await Promise.all([
      together({ command: "ls" }),
      together({ command: "make" }),
      together({ command: "ls", run_in_background: true }),
    ]),
  ).toEqual([true, false, false]);
});

test("dangerouslyDisableSandbox is passed to the gate and to the shell", async () => {
  const input = { command: "make", dangerouslyDisableSandbox: true };
  const { context, calls } = world();
  expect(await bash.access(input, context)).toEqual({ kind: "command", command: "make", cwd: "/p", unsandboxed: true });
  expect(await bash.access({ command: "make" }, context)).toEqual({ kind: "command", command: "make", cwd: "/p" });
  await bash.run(input, context);
  await bash.run({ ...input, run_in_background: true }, context);
  await bash.run({ command: "make" }, context);
  expect(calls.map((call) => (call as { sandbox?: string }).sandbox)).toEqual(["off", "off", undefined]);
});

test("notes about blocked access are shown with the output, whether or not the command failed", async () => {
  const notes = ["The sandbox blocked this command"];
  const { shown } = await run({ command: "make" }, { text: "built\n", notes });
  expect(shown).toBe("built\nThe sandbox blocked this command");
  const failed = run({ command: "make" }, { text: "no\n", code: 2, notes });
  await expect(failed).rejects.toThrow("Exit code 2\nno\nThe sandbox blocked this command");
});
