import { afterAll, expect, test } from "bun:test";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { isAlive, until } from "../alive.test-support.ts";
import { openInodes } from "../descriptors.test-support.ts";
import { markedProcesses } from "../shell/process/marked.ts";
import { serverEnvironment } from "./environment.ts";
import { createServerPrograms, type ServerProgramsOptions, type StartServerOptions } from "./programs.ts";
import { keepTail } from "./tail.ts";

// Starts and ends real processes, which is slow on a busy machine.

const place = realpathSync(mkdtempSync(join(tmpdir(), "keelson-servers-")));
afterAll(() => rmSync(place, { recursive: true, force: true }));
let count = 0;

function world(options?: ServerProgramsOptions) {
  const dir = join(place, `project-${++count}`);
  mkdirSync(dir);
  const programs = createServerPrograms(options);
  const env = serverEnvironment({
    childEnv: { PATH: "/usr/local/bin:/usr/bin:/bin", BUN_OPTIONS: "--smol", EDITOR: "ed" },
    sessionId: "s1",
    entrypoint: "cli",
    projectDir: dir,
  });
  const entryEnv = { EDITOR: "vi", KEY: "k" };
  const start = (script: string, more: Partial<StartServerOptions> = {}) =>
    programs.start({ command: "/bin/sh", args: ["-c", script], cwd: dir, env, entryEnv, ...more });
  return { dir, env, programs, start, [Symbol.asyncDispose]: () => programs.close() };
}

const pidIn = (file: string) => Number(readFileSync(file, "utf8"));
const hasPid = (file: string) => existsSync(file) && readFileSync(file, "utf8").endsWith("\n");
const textOf = async (stream: AsyncIterable<Uint8Array>) =>
  Buffer.concat(await Array.fromAsync(stream)).toString("utf8");

test("a program reads what is written, and its output, stderr and exit are seen", async () => {
  await using w = world();
  const program = await w.start("read -r line; echo got $line; echo oops >&2; exit 3");
  await program.write("hello\n");
  expect([await textOf(program.output), await program.exited]).toEqual([
    "got hello\n",
    "The program exited with code 3",
  ]);
  await until(() => program.stderr() === "oops\n", "stderr was read");
  const killed = await w.start("kill -KILL $$");
  expect(await killed.exited).toBe("The program was ended by SIGKILL");
});

test("it runs in the project with the session's variables and those of its entry", async () => {
  await using w = world();
  const names = "CLAUDECODE CLAUDE_CODE_ENTRYPOINT CLAUDE_CODE_SESSION_ID CLAUDE_PROJECT_DIR EDITOR KEY BUN_OPTIONS";
  const program = await w.start(`pwd; for name in ${names}; do eval echo "$name=\\$$name"; done`);
  expect((await textOf(program.output)).trimEnd().split("\n")).toEqual([
    w.dir,
    "CLAUDECODE=1",
    "CLAUDE_CODE_ENTRYPOINT=cli",
    "CLAUDE_CODE_SESSION_ID=s1",
    `CLAUDE_PROJECT_DIR=${w.dir}`,
    "EDITOR=vi",
    "KEY=k",
    "BUN_OPTIONS=",
  ]);
});

test("a program that cannot be started says why", async () => {
  await using w = world({ confine: () => Promise.reject(new Error("not reached")) });
  writeFileSync(join(w.dir, "plain"), "text");
  writeFileSync(join(w.dir, "text"), "text", { mode: 0o755 });
  writeFileSync(join(w.dir, "script"), "#!/no/such/interpreter\n", { mode: 0o755 });
  const starts: Partial<StartServerOptions>[] = [
    { command: "no-such-program" },
    { command: join(w.dir, "plain") },
    { cwd: join(w.dir, "gone") },
    { command: "no-such-program", confined: true },
    { command: "node server.js" },
    { command: w.dir },
    { command: join(w.dir, "text") },
    { command: join(w.dir, "script") },
  ];
  const results = await Promise.allSettled(starts.map((options) => w.start("true", options)));
  expect(results.map((result) => (result as PromiseRejectedResult).reason.message)).toEqual([
    `Program not found: "no-such-program". Install it, or correct the server's command`,
    `"${join(w.dir, "plain")}" is not executable; run chmod +x on it`,
    `The working directory "${join(w.dir, "gone")}" no longer exists`,
    `Program not found: "no-such-program". Install it, or correct the server's command`,
    `Program not found: "node server.js". Put the arguments into "args"`,
    `"${w.dir}" is a directory; correct the server's command`,
    `"${join(w.dir, "text")}" is not a program; start it with a line such as "#!/bin/sh"`,
    `The interpreter in the first line of "${join(w.dir, "script")}" does not exist`,
  ]);
});

test("a confined program is started as the shell says, and never without it", async () => {
  let left = 0;
  await using w = world({
    confine: async ({ command, args }) => ({
      argv: ["/usr/bin/env", "WHERE=inside", command, ...args],
      env: {},
      isWrapper: false,
      leave: () => void left++,
    }),
  });
  const program = await w.start("echo $WHERE", { confined: true });
  expect(await textOf(program.output)).toBe("inside\n");
  await program.exited;
  await until(() => left === 1, "the sandbox was left");
  await using alone = world();
  expect(alone.start("true", { confined: true })).rejects.toThrow("The server must run in a sandbox");
});

test("end() closes stdin first; a program that reads to its end exits by itself", async () => {
  await using w = world();
  const program = await w.start("cat > all; echo bye > bye");
  await program.write("text");
  await program.end();
  expect([await program.exited, readFileSync(join(w.dir, "all"), "utf8"), existsSync(join(w.dir, "bye"))]).toEqual([
    "The program exited with code 0",
    "text",
    true,
  ]);
});

test("end() ends children too, also those in their own session that ignore TERM or have an empty environment", async () => {
  await using w = world();
  const program = await w.start(
    `trap '' TERM
     (setsid sh -c 'trap "" TERM HUP; echo $$ > a; while :; do sleep 30; done' > /dev/null 2>&1 &)
     sh -c 'trap "" TERM; echo $$ > b; while :; do sleep 30; done' &
     (env -i setsid sh -c 'trap "" TERM HUP; echo $$ > e; while :; do sleep 30; done' > /dev/null 2>&1 &)
     echo $$ > c
     while :; do sleep 30; done`,
  );
  await w.start("echo $$ > d; exec sleep 60");
  const files = ["a", "b", "c", "e", "d"].map((name) => join(w.dir, name));
  await until(() => files.every(hasPid), "all processes wrote their ids");
  const pids = files.map(pidIn);
  await program.end();
  expect(pids.map(isAlive)).toEqual([false, false, false, false, true]);
  await w.programs.close();
  expect(isAlive(pids[4]!)).toBe(false);
  expect(w.start("true")).rejects.toThrow("The session is closing");
});

test("a program that does not read its input holds back the writer, and ends like others", async () => {
  await using w = world();
  const program = await w.start("echo ready; exec sleep 60");
  const written = program.write("x".repeat(5_000_000)).then(
    () => "written",
    () => "refused",
  );
  expect(await Promise.race([written, Bun.sleep(100).then(() => "waiting")])).toBe("waiting");
  await program.end();
  expect(await written).toBe("refused");
  expect(program.write("more")).rejects.toThrow();
});

test("of endless stderr, the last 64 KiB are kept", async () => {
  await using w = world();
  const program = await w.start("yes 0123456789 | head -c 50000000 >&2; echo last >&2; echo done; cat");
  for await (const chunk of program.output) if (chunk.length > 0) break;
  await until(() => program.stderr().endsWith("last\n"), "the end of stderr was read");
  expect(program.stderr().length).toBeLessThanOrEqual(64 * 1024);
  expect(program.stderr().length).toBeGreaterThan(60 * 1024);
});

test("keepTail() leaves out a line that it has only in part", async () => {
  async function* parts(...texts: string[]) {
    for (const text of texts) yield new TextEncoder().encode(text);
  }
  const tails = [keepTail(parts("ab\ncd\n"), 10), keepTail(parts("abcdef\n", "gh\nij\n"), 8)];
  await Bun.sleep(0);
  expect(tails.map((tail) => tail.text())).toEqual(["ab\ncd\n", "gh\nij\n"]);
});

test("no descriptor is left open, whether or not a program could be started", async () => {
  await using w = world();
  await (await w.start("true")).end();
  const before = openInodes();
  for (let n = 0; n < 5; n++) {
    await (await w.start("cat")).end();
    await w.start("", { command: "/no/such/program" }).catch(() => undefined);
  }
  await until(() => openInodes().isSubsetOf(before), "every new descriptor was closed");
});

const ENDINGS = ["SIGTERM", "SIGINT", "SIGKILL"] as const;

test("however we end, fifty times, no server or child of one keeps running", async () => {
  const home = join(place, "doomed");
  mkdirSync(home);
  const script = join(home, "doomed.ts");
  writeFileSync(
    script,
    `import { createServerPrograms } from ${JSON.stringify(join(import.meta.dir, "programs.ts"))};
const programs = createServerPrograms();
for (const signal of ["SIGTERM", "SIGINT"]) process.once(signal, async () => { await programs.close(); process.exit(0); });
const start = (script) => programs.start({ command: "/bin/sh", args: ["-c", script], cwd: process.argv[2], env: { PATH: "/usr/bin:/bin" } });
await start("sleep 61 & echo $$ > a; trap '' TERM; while :; do sleep 30; done");
await start("(setsid sh -c 'trap \\"\\" TERM HUP; echo $$ > b; while :; do sleep 30; done' > /dev/null 2>&1 &); cat");
await start("echo $$ > c; exec sleep 62");
await start("(env -i setsid sh -c 'trap \\"\\" TERM HUP; echo $$ > d; while :; do sleep 30; done' > /dev/null 2>&1 &); cat");
setInterval(() => undefined, 60_000);
`,
  );
  const rounds = Array.from({ length: 50 }, (_, n) => ENDINGS[n % ENDINGS.length]!);
  const endOnce = async (signal: NodeJS.Signals, n: number) => {
    const dir = join(home, `round-${n}`);
    mkdirSync(dir);
    const doomed = Bun.spawn([process.execPath, script, dir], {
      stdin: "ignore",
      stdout: "inherit",
      stderr: "inherit",
    });
    const files = ["a", "b", "c", "d"].map((name) => join(dir, name));
    await until(() => files.every(hasPid), "the servers wrote their ids");
    const pids = files.map(pidIn);
    const token = /KEELSON_SHELL=([0-9a-f]+)/.exec(readFileSync(`/proc/${pids[0]}/environ`, "latin1"))![1]!;
    expect([pids.map(isAlive), markedProcesses(token).length >= 4]).toEqual([[true, true, true, true], true]);
    doomed.kill(signal);
    await doomed.exited;
    await until(() => !pids.some(isAlive) && markedProcesses(token).length === 0, `${signal} left no process`);
  };
  for (let n = 0; n < rounds.length; n += 5) {
    await Promise.all(rounds.slice(n, n + 5).map((signal, at) => endOnce(signal, n + at)));
  }
});
