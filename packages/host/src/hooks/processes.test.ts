import { afterAll, expect, test } from "bun:test";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  unlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { CommandHook, HookRun } from "@keelson/protocol";
import { markedProcesses } from "../shell/process/marked.ts";
import { hookEnvironment } from "./command/environment.ts";
import { createHookProcesses, type HookRunOptions } from "./processes.ts";
import { isAlive, until } from "../alive.test-support.ts";
import { openInodes } from "../descriptors.test-support.ts";

// Starts and ends real processes, which is slow on a busy machine.

const place = realpathSync(mkdtempSync(join(tmpdir(), "keelson-hooks-")));
afterAll(() => rmSync(place, { recursive: true, force: true }));
let count = 0;

function world() {
  const dir = join(place, `project-${++count}`);
  mkdirSync(dir);
  const processes = createHookProcesses();
  const env = hookEnvironment({
    childEnv: { HOME: dir, PATH: "/usr/local/bin:/usr/bin:/bin" },
    sessionId: "s1",
    entrypoint: "cli",
    projectDir: dir,
  });
  const run = (
    hook: string | Omit<CommandHook, "type">,
    { input = "{}", ...more }: Partial<HookRunOptions> & { input?: string } = {},
  ) =>
    processes.run({ type: "command", ...(typeof hook === "string" ? { command: hook } : hook) }, input, {
      cwd: dir,
      env,
      timeoutMs: 15_000,
      signal: new AbortController().signal,
      ...more,
    });
  const script = (name: string, text: string) => {
    writeFileSync(join(dir, name), text, { mode: 0o755 });
    return join(dir, name);
  };
  return { dir, env, run, script, processes, [Symbol.asyncDispose]: () => processes.close() };
}

const durationMs = expect.any(Number);
const done = (more: Partial<HookRun> = {}): HookRun => ({
  outcome: "success",
  exitCode: 0,
  stdout: "",
  stderr: "",
  durationMs,
  ...more,
});

const pidIn = (file: string) => Number(readFileSync(file, "utf8"));
const hasPid = (file: string) => existsSync(file) && readFileSync(file, "utf8").endsWith("\n");

test("the input is on stdin; stdout, stderr and the exit code are returned", async () => {
  await using w = world();
  const input = JSON.stringify({ tool_name: "Bash", text: "ü\n" });
  expect(await w.run("cat; echo to stderr > /dev/stderr; exit 2", { input })).toEqual(
    done({ outcome: "error", exitCode: 2, stdout: `${input}\n`, stderr: "to stderr\n" }),
  );
  expect(await w.run("cat /dev/stdin | wc -c", { input: "x".repeat(3_000_000) })).toEqual(
    done({ stdout: "3000001\n" }),
  );
  expect(await w.run("read -r line && echo got it")).toEqual(done({ stdout: "got it\n" }));
});

test("a hook runs in the session's directory, in its own process session, without a terminal", async () => {
  await using w = world();
  mkdirSync(join(w.dir, "sub"));
  const { stdout } = await w.run(
    'pwd; ps -o sid= -p $$ | tr -d " "; echo $$; (: < /dev/tty) 2>/dev/null || echo no tty; echo "$CLAUDE_PROJECT_DIR"',
    { cwd: join(w.dir, "sub") },
  );
  const [cwd, session, pid, tty, project] = stdout.split("\n");
  expect([cwd, session, tty, project]).toEqual([join(w.dir, "sub"), pid, "no tty", w.dir]);
});

test("if the directory is gone, the hook runs in the project and says so; without a project it does not run", async () => {
  await using w = world();
  const gone = join(w.dir, "gone");
  expect(await w.run("pwd", { cwd: gone })).toEqual(
    done({
      stdout: `${w.dir}\n`,
      problem: `The working directory '${gone}' no longer exists; the hook ran in '${w.dir}'`,
    }),
  );
  const problem = `The working directory '${gone}' no longer exists; create it again`;
  expect(await w.run("pwd", { cwd: gone, env: { PATH: "/bin", CLAUDE_PROJECT_DIR: gone } })).toEqual({
    outcome: "error",
    stdout: "",
    stderr: problem,
    problem,
    durationMs,
  });
});

test("exec form: no shell interprets the arguments", async () => {
  await using w = world();
  const command = w.script("show.sh", '#!/bin/sh\nfor each in "$@"; do echo "[$each]"; done\n');
  expect(await w.run({ command, args: ["a b", "$(id)", "${CLAUDE_PROJECT_DIR}/x", ""] })).toEqual(
    done({ stdout: `[a b]\n[$(id)]\n[${w.dir}/x]\n[]\n` }),
  );
});

test("PowerShell form: pwsh gets the script and the input", async () => {
  await using w = world();
  mkdirSync(join(w.dir, "bin"));
  w.script("bin/pwsh", '#!/bin/sh\necho "$4"\ncat\n');
  const env = { ...w.env, PATH: `${w.dir}/bin:/usr/bin:/bin` };
  expect(await w.run({ command: "Write-Output 1", shell: "powershell" }, { env })).toEqual(
    done({ stdout: "Write-Output 1\n{}\n" }),
  );
});

test("a script that is missing, not executable or not a program fails with a reason", async () => {
  await using w = world();
  const command = w.script("hook.sh", "#!/bin/sh\necho fine\n");
  expect(await w.run({ command, args: [] })).toEqual(done({ stdout: "fine\n" }));
  const failed = (exitCode: number, problem: string): HookRun =>
    done({ outcome: "error", exitCode, stderr: problem, problem });

  const other = w.script("other.sh", "#!/bin/sh\necho fine\n");
  chmodSync(other, 0o644);
  expect(await w.run({ command: other, args: [] })).toEqual(
    failed(126, `'${other}' is not executable; run chmod +x on it`),
  );
  expect(await w.run({ command: w.dir, args: [] })).toEqual(
    failed(126, `'${w.dir}' is a directory; use the path of the script in it`),
  );
  w.script("plain", "just text\n");
  expect(await w.run({ command: "./plain", args: [] })).toEqual(
    failed(126, `'${w.dir}/plain' is not a program; start it with a line such as '#!/bin/sh'`),
  );
  w.script("odd", "#!/no/such/interpreter\n");
  expect(await w.run({ command: "./odd", args: [] })).toEqual(
    failed(127, `The interpreter in the first line of '${w.dir}/odd' does not exist`),
  );
  const missing = `${w.dir}/missing.sh`;
  expect(await w.run({ command: missing, args: [] })).toEqual(
    failed(127, `'${missing}' does not exist; was the script deleted or moved?`),
  );
  const changed = `"${command}" changed while this session was running, so it is not run; restart the session to use it`;
  chmodSync(command, 0o644);
  expect(await w.run({ command, args: [] })).toEqual({ ...failed(127, changed), prevented: "changed" });
  unlinkSync(command);
  expect(await w.run({ command, args: [] })).toEqual({ ...failed(127, changed), prevented: "changed" });
  const inShell = await w.run(command);
  expect(inShell).toEqual(done({ outcome: "error", exitCode: 127, stderr: inShell.stderr }));
  expect(inShell.stderr).toContain("No such file or directory");
  expect(await w.run("a\0b")).toMatchObject({ outcome: "error", problem: expect.stringContaining("null bytes") });
});

test("a hook that closes stdin early, or never reads it, is not an error", async () => {
  await using w = world();
  const input = "x".repeat(2_000_000);
  expect(await w.run("exec 0<&-; echo closed", { input })).toEqual(done({ stdout: "closed\n" }));
  expect(await w.run("true", { input })).toEqual(done());
  expect(await w.run("head -c 1", { input })).toEqual(done({ stdout: "x" }));
});

test("invalid UTF-8 is replaced", async () => {
  await using w = world();
  expect(await w.run("printf 'a\\377b'; printf '\\303' >&2")).toEqual(done({ stdout: "a\uFFFDb", stderr: "\uFFFD" }));
});

test("a hook that was killed by a signal has no exit code", async () => {
  await using w = world();
  for (const signal of ["KILL", "TERM", "SEGV", "ABRT", "USR1", "ALRM", "PIPE", "TRAP"]) {
    expect(await w.run(`ulimit -c 0; echo before; kill -${signal} $$`)).toEqual({
      outcome: "error",
      stdout: "before\n",
      stderr: "",
      problem: `It was killed by SIG${signal}. Keelson did not send this signal; another program did, the program crashed, or the system ended it because memory ran out`,
      prevented: "end",
      durationMs,
    });
  }
});

test("a hook that hangs and ignores TERM is cancelled in time and then killed; its output is dropped", async () => {
  await using w = world();
  const result = await w.run("trap '' TERM; echo out; echo $$ > pid; while :; do sleep 30; done", { timeoutMs: 1_000 });
  const pid = pidIn(join(w.dir, "pid"));
  // It gets TERM first and KILL a while later; no one waits for that.
  expect(isAlive(pid)).toBe(true);
  expect(result).toEqual({
    outcome: "cancelled",
    stdout: "",
    stderr: "",
    problem: "It took longer than 1 s and was stopped; increase its `timeout` if it needs more time",
    durationMs,
  });
  await until(() => !isAlive(pid), "the stubborn hook was killed");
});

test("abort cancels a hook at once; with an aborted signal none is started", async () => {
  await using w = world();
  const controller = new AbortController();
  const running = w.run("echo $$ > pid; sleep 60", { signal: controller.signal });
  await until(() => hasPid(join(w.dir, "pid")), "the hook started");
  controller.abort();
  const problem = "It was stopped because the run was interrupted";
  expect(await running).toEqual({ outcome: "cancelled", stdout: "", stderr: "", problem, durationMs });
  const pid = pidIn(join(w.dir, "pid"));
  await until(() => !isAlive(pid), "the hook ended");
  expect(await w.run("touch never", { signal: controller.signal })).toMatchObject({ outcome: "cancelled" });
  expect(existsSync(join(w.dir, "never"))).toBe(false);
});

test("ten hooks run at the same time", async () => {
  await using w = world();
  // Each waits for all the others, so they would never end if run one after another.
  const command = "mkdir started.$$; while [ $(ls -d started.* | wc -l) -lt 10 ]; do sleep 0.01; done; echo met";
  const runs = await Promise.all(Array.from({ length: 10 }, () => w.run(command)));
  expect(runs).toEqual(Array.from({ length: 10 }, () => done({ stdout: "met\n" })));
});

test("a daemon that keeps the output open causes no delay, can keep printing, and ends on close", async () => {
  const w = world();
  // Twice forked, in a session of its own, deaf to TERM and HUP, all three descriptors kept.
  const result = await w.run(
    `(setsid bash -c 'trap "" TERM HUP; while [ ! -e go ]; do sleep 0.01; done; head -c 300000 /dev/zero; echo $$ > pid; while :; do sleep 30; done' &) ; echo ready`,
  );
  expect(result).toEqual(done({ stdout: "ready\n" }));
  writeFileSync(join(w.dir, "go"), "");
  await until(() => hasPid(join(w.dir, "pid")), "the daemon printed more than a pipe holds");
  const pid = pidIn(join(w.dir, "pid"));
  expect(isAlive(pid)).toBe(true);
  await w.processes.close();
  expect(isAlive(pid)).toBe(false);
});

test("close() cancels running hooks and starts no more", async () => {
  const w = world();
  const running = w.run("trap '' TERM; echo $$ > pid; while :; do sleep 30; done");
  await until(() => hasPid(join(w.dir, "pid")), "the hook started");
  const pid = pidIn(join(w.dir, "pid"));
  await w.processes.close();
  expect(isAlive(pid)).toBe(false);
  expect(await running).toMatchObject({ outcome: "cancelled" });
  expect(await w.run("touch never")).toMatchObject({ outcome: "cancelled" });
  expect(existsSync(join(w.dir, "never"))).toBe(false);
  await createHookProcesses().close();
});

test("an async line is reported at once, is not output, and its timeout applies", async () => {
  await using w = world();
  const announced = Promise.withResolvers<number | undefined>();
  const running = w.run(
    `echo '{"async":true}'; while [ ! -e go ]; do sleep 0.01; done; echo '{"systemMessage":"later"}'`,
    { onAsync: announced.resolve },
  );
  expect(await announced.promise).toBeUndefined();
  writeFileSync(join(w.dir, "go"), "");
  expect(await running).toEqual(done({ stdout: '{"systemMessage":"later"}\n' }));

  const limited: (number | undefined)[] = [];
  expect(
    await w.run(`printf '{"async":true,"asyncTimeout":200}'; exec sleep 60`, { onAsync: (ms) => limited.push(ms) }),
  ).toMatchObject({ outcome: "cancelled", problem: expect.stringContaining("longer than 0.2 s") });
  expect(limited).toEqual([200]);

  expect(await w.run(`echo '{"async":true}'`)).toEqual(done({ stdout: '{"async":true}\n' }));
});

test("output so far is reported while a hook runs, but not for each line", async () => {
  await using w = world();
  const told: [string, string][] = [];
  const result = await w.run("echo a; echo b; echo e >&2; while [ ! -e go ]; do sleep 0.01; done; echo c", {
    onOutput: (...output) => {
      told.push(output);
      writeFileSync(join(w.dir, "go"), "");
    },
  });
  expect(told).toEqual([["a\nb\n", "e\n"]]);
  expect(result).toEqual(done({ stdout: "a\nb\nc\n", stderr: "e\n" }));
});

test("300 MB of output is cut to 1 MiB and does not increase our memory", async () => {
  const script = join(place, "flooded.ts");
  // Use a separate process, so memory from other tests does not count.
  writeFileSync(
    script,
    `import { createHookProcesses } from ${JSON.stringify(join(import.meta.dir, "processes.ts"))};
const hooks = createHookProcesses();
const options = { cwd: "/", env: { PATH: "/usr/bin:/bin" }, timeoutMs: 20000, signal: new AbortController().signal };
await hooks.run({ type: "command", command: "true" }, "{}", options);
const before = process.memoryUsage().rss;
const command = "yes | head -c 300000000; yes | head -c 3000000 >&2; exit 2";
const { stdout, stderr, durationMs, ...result } = await hooks.run({ type: "command", command }, "{}", options);
const grown = process.memoryUsage().rss - before;
await hooks.close();
console.log(JSON.stringify({ ...result, lengths: [stdout.length, stderr.length], grown }));
`,
  );
  const flooded = Bun.spawn([process.execPath, script], { stdin: "ignore", stdout: "pipe", stderr: "inherit" });
  const { grown, ...result } = JSON.parse(await new Response(flooded.stdout).text());
  expect(result).toEqual({
    outcome: "error",
    exitCode: 2,
    lengths: [1024 * 1024, 1024 * 1024],
    problem: "It printed more than 1 MiB to stdout and stderr; the rest was dropped",
  });
  expect(grown).toBeLessThan(100_000_000);
});

test("if we are killed, no hook keeps running", async () => {
  const home = join(place, "doomed");
  mkdirSync(home);
  const script = join(home, "doomed.ts");
  writeFileSync(
    script,
    `import { createHookProcesses } from ${JSON.stringify(join(import.meta.dir, "processes.ts"))};
const hooks = createHookProcesses();
const options = { cwd: "${home}", env: { PATH: "/usr/bin:/bin" }, timeoutMs: 90000, signal: new AbortController().signal };
await hooks.run({ type: "command", command: "(setsid bash -c 'trap \\"\\" TERM HUP; echo $$ > a; while :; do sleep 30; done' > /dev/null 2>&1 &)" }, "{}", options);
await hooks.run({ type: "command", command: "(env -i setsid bash -c 'trap \\"\\" TERM HUP; echo $$ > d; while :; do sleep 30; done' > /dev/null 2>&1 &)" }, "{}", options);
void hooks.run({ type: "command", command: "trap '' TERM; echo $$ > b; while :; do sleep 30; done" }, "{}", options);
void hooks.run({ type: "command", command: "/bin/bash", args: ["-c", "echo $$ > c; sleep 64"] }, "{}", options);
`,
  );
  const doomed = Bun.spawn([process.execPath, script], { stdin: "ignore", stdout: "inherit", stderr: "inherit" });
  const files = ["a", "b", "c", "d"].map((name) => join(home, name));
  await until(() => files.every(hasPid), "the hooks wrote their ids");
  const pids = files.map(pidIn);
  expect(pids.map(isAlive)).toEqual([true, true, true, true]);
  const token = /KEELSON_SHELL=([0-9a-f]+)/.exec(readFileSync(`/proc/${pids[0]}/environ`, "latin1"))![1]!;

  doomed.kill("SIGKILL");
  await doomed.exited;
  await until(() => !pids.some(isAlive) && markedProcesses(token).length === 0, "all hooks are gone");
});

test("no descriptor is left open, whether or not a hook could be started", async () => {
  await using w = world();
  await w.run("true");
  const before = openInodes();
  for (let n = 0; n < 5; n++) {
    await w.run("true");
    await w.run({ command: "/no/such/program", args: [] });
    await w.run("sleep 60", { timeoutMs: 20 });
  }
  await until(() => openInodes().isSubsetOf(before), "every new descriptor was closed");
});
