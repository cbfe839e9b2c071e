import { afterAll, expect, test } from "bun:test";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { testUnless } from "@keelson/testkit";
import { createShell, type ShellOptions } from "./shell.ts";
import { markedProcesses } from "./process/marked.ts";
import { createTasks } from "../tasks/task-table.ts";
import type { Task } from "../tasks/task.ts";
import { isAlive, until } from "../alive.test-support.ts";

const place = realpathSync(mkdtempSync(join(tmpdir(), "keelson-shell-")));
afterAll(() => rmSync(place, { recursive: true, force: true }));
let count = 0;
// Starts and ends real processes, which is slow on a busy machine.

function world(options: Partial<ShellOptions> = {}) {
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
    ...options,
  });
  const run = (
    command: string,
    more: { timeoutMs?: number; signal?: AbortSignal; cwd?: string; maxOutput?: number } = {},
  ) =>
    shell.run(command, {
      cwd: home,
      timeoutMs: 20_000,
      signal: new AbortController().signal,
      maxOutput: 30_000,
      id: "toolu_1",
      ...more,
    });
  return { home, shell, tasks, ended, run, [Symbol.asyncDispose]: () => shell.close() };
}

test("the user's start files are read once, before the first command is known", async () => {
  await using w = world();
  writeFileSync(join(w.home, ".bashrc"), 'echo read >> "$HOME/read"\nexport FROM_START=1\n');
  expect(await w.shell.hasRun()).toBe(false);
  await w.shell.warm();
  const times = () => readFileSync(join(w.home, "read"), "utf8");
  expect([times(), await w.shell.hasRun()]).toEqual(["read\n", true]);
  await Promise.all([w.run("true"), w.run("ls"), w.shell.warm()]);
  expect(times()).toBe("read\n");
});

test("stdout and stderr are interleaved, with the exit code and the directory", async () => {
  await using w = world();
  mkdirSync(join(w.home, "sub dir"));
  const result = await w.run("echo one; echo two >&2; echo three; cd 'sub dir'; exit 3");
  expect(result).toEqual({
    text: "one\ntwo\nthree\n",
    tail: "",
    size: 14,
    path: null,
    code: 3,
    timedOut: false,
    aborted: false,
    cwd: join(w.home, "sub dir"),
  });
});

test("reports the directory after a failed command, with `set -e`, and with an exit trap", async () => {
  await using w = world();
  expect(await w.run("cd /usr; false")).toMatchObject({ code: 1, cwd: "/usr" });
  expect(await w.run("set -e; cd /usr; false; echo no")).toMatchObject({ code: 1, cwd: "/usr", text: "" });
  expect(await w.run("trap 'echo bye' EXIT; cd /usr")).toMatchObject({ code: 0, cwd: "/usr", text: "bye\n" });
});

for (const kind of ["sh", "zsh"] as const) {
  const path = Bun.which(kind);
  testUnless(path ? null : `${kind} is not installed`, test)(
    `where there is no bash, ${kind} runs commands and reports the directory they ended in`,
    async () => {
      await using w = world({ choice: { program: { path: path!, kind } } });
      mkdirSync(join(w.home, "sub"));
      expect(await w.run("cd sub; echo one; echo two >&2; exit 3")).toMatchObject({
        text: "one\ntwo\n",
        code: 3,
        cwd: join(w.home, "sub"),
      });
      expect(await w.run("cd sub")).toMatchObject({ text: "", code: 0, cwd: join(w.home, "sub") });
    },
  );
}

test("odd commands: quotes, comments, here-documents, syntax errors, /dev/stderr, descriptor 3", async () => {
  await using w = world();
  expect(await w.run(`echo "it's" 'a "test"' # it's a comment`)).toMatchObject({ text: `it's a "test"\n`, code: 0 });
  expect(await w.run("cat <<'X'\n$HOME 'q'\nX")).toMatchObject({ text: "$HOME 'q'\n", code: 0 });
  expect(await w.run("echo 'unterminated")).toMatchObject({ code: 2, text: expect.stringContaining("unexpected EOF") });
  expect(await w.run("echo a; echo b > /dev/stderr; echo c > /dev/stdout; echo d")).toMatchObject({
    text: "a\nb\nc\nd\n",
  });
  expect(await w.run("exec 3>three; echo x >&3; cat three")).toMatchObject({ text: "x\n", cwd: w.home });
  expect(await w.run("cat; [ -t 0 ] || echo no tty; echo $#")).toMatchObject({ text: "no tty\n0\n" });
});

test("a command longer than the argument limit works and leaves no file", async () => {
  await using w = world();
  const long = "x".repeat(300_000);
  expect(await w.run(`echo ${long} | wc -c; cd /usr`)).toMatchObject({ text: "300001\n", code: 0, cwd: "/usr" });
  expect(readdirSync(join(w.home, "tool-results"))).toEqual([]);
});

test("nothing persists between commands except the directory the caller passes", async () => {
  await using w = world();
  await w.run("export A=1; b() { :; }");
  expect(await w.run('echo "[$A]"; type b 2>/dev/null || echo none')).toMatchObject({ text: "[]\nnone\n" });
});

test("a timeout ends the whole group, even a child that ignores TERM", async () => {
  await using w = world();
  const pids = join(w.home, "pids");
  const result = await w.run(`echo first; bash -c 'trap "" TERM; echo $$ >> ${pids}; while :; do sleep 30; done'`, {
    timeoutMs: 1_000,
  });
  const pid = Number(readFileSync(pids, "utf8"));
  // It gets TERM first and KILL a while later; no one waits for that.
  expect(isAlive(pid)).toBe(true);
  expect(result).toMatchObject({ text: "first\n", code: null, timedOut: true, aborted: false });
  await until(() => !isAlive(pid), "the stubborn child was killed");
});

test("abort ends the command at once", async () => {
  await using w = world();
  const controller = new AbortController();
  const running = w.run("echo started > flag; sleep 60", { signal: controller.signal });
  await until(() => existsSync(join(w.home, "flag")), "the command started");
  controller.abort();
  expect(await running).toMatchObject({ code: null, aborted: true, timedOut: false });
  expect(await w.run("sleep 60", { signal: controller.signal })).toMatchObject({ aborted: true });
});

test("a child left with & does not delay the result, keeps running, and ends on close", async () => {
  const w = world();
  const result = await w.run("sleep 61 & echo $!");
  const pid = Number(result.text);
  expect(isAlive(pid)).toBe(true);
  await w.run("true");
  expect(isAlive(pid)).toBe(true);
  await w.shell.close();
  expect(isAlive(pid)).toBe(false);
});

test("a child left with & can keep printing", async () => {
  await using w = world();
  await w.run("{ for i in 1 2 3; do head -c 100000 /dev/zero; done; echo done > flag; } &");
  await until(() => existsSync(join(w.home, "flag")), "the child printed all of it");
});

test("close() ends children that ignore TERM or started their own session", async () => {
  const w = world();
  const result = await w.run(
    `setsid bash -c 'trap "" TERM HUP; echo $$ > a; while :; do sleep 30; done' & env -i bash -c 'trap "" TERM; echo $$ > b; while :; do /bin/sleep 30; done' & while [ ! -s a ] || [ ! -s b ]; do sleep 0.01; done; cat a b`,
  );
  const pids = result.text.trim().split("\n").map(Number);
  expect(pids.map(isAlive)).toEqual([true, true]);
  await w.shell.close();
  expect(pids.map(isAlive)).toEqual([false, false]);
});

test("200 MB of output goes to a private file, not to memory", async () => {
  const home = join(place, "flooded");
  mkdirSync(home);
  const script = join(home, "flooded.ts");
  // Use a separate process, so memory from other tests does not count.
  writeFileSync(
    script,
    `import { createShell } from ${JSON.stringify(join(import.meta.dir, "shell.ts"))};
import { createTasks } from ${JSON.stringify(join(import.meta.dir, "../tasks/task-table.ts"))};
const shell = createShell({ configDir: "${home}/.claude", sessionId: "s", entrypoint: "cli", childEnv: { PATH: "/usr/bin:/bin", HOME: "${home}" },
  env: { PATH: "/usr/bin:/bin" }, resultsDir: "${home}/r", tasksDir: "${home}/t", tasks: createTasks() });
const options = { cwd: "${home}", timeoutMs: 20000, signal: new AbortController().signal, maxOutput: 30000, id: "toolu_1" };
await shell.run("true", options);
const before = process.memoryUsage().rss;
const result = await shell.run("head -c 200000000 /dev/zero | tr '\\\\0' 'a'; printf end", options);
const grown = process.memoryUsage().rss - before;
await shell.close();
console.log(JSON.stringify({ ...result, grown }));
`,
  );
  const flooded = Bun.spawn([process.execPath, script], { stdin: "ignore", stdout: "pipe", stderr: "inherit" });
  const { grown, ...result } = JSON.parse(await new Response(flooded.stdout).text());

  expect(grown).toBeLessThan(100_000_000);
  const path = join(home, "r", "toolu_1.txt");
  expect({ ...result, text: result.text.length, tail: result.tail.slice(-5) }).toEqual({
    text: 30_000,
    tail: "aaend",
    size: 200_000_003,
    path,
    code: 0,
    timedOut: false,
    aborted: false,
    cwd: home,
  });
  expect(result.tail.length).toBe(5_000);
  expect({ size: statSync(path).size, mode: statSync(path).mode & 0o777 }).toEqual({ size: 200_000_003, mode: 0o600 });
});

test("children get the session's variables and no loader variables", async () => {
  await using w = world({
    childEnv: {
      HOME: place,
      PATH: "/usr/bin:/bin",
      BUN_OPTIONS: "--preload x",
      BUN_BE_BUN: "1",
      BUN_INSTALL: "/b",
      MINE: "yes",
    },
  });
  const { text } = await w.run("env", { cwd: place });
  const names = text.split("\n").filter((line) => /^(BUN_|CLAUDE|AI_AGENT|MINE|GIT_EDITOR)/.test(line));
  expect(names.toSorted()).toEqual([
    "AI_AGENT=keelson",
    "BUN_INSTALL=/b",
    "CLAUDECODE=1",
    "CLAUDE_CODE_CHILD_SESSION=1",
    "CLAUDE_CODE_ENTRYPOINT=cli",
    `CLAUDE_CODE_EXECPATH=${process.execPath}`,
    "CLAUDE_CODE_SESSION_ID=11111111-2222-4333-8444-555555555555",
    "GIT_EDITOR=true",
    "MINE=yes",
  ]);
});

test("functions, aliases, options and PATH of the user's startup files apply; the snapshot is private and removed", async () => {
  const w = world();
  writeFileSync(
    join(w.home, ".bashrc"),
    'case $- in *i*) ;; *) return;; esac\necho noise\ngreet() { echo "hello $1"; }\n_completion() { :; }\nalias shout=\'echo LOUD\'\nshopt -s globstar\nexport PATH="$HOME/bin:$PATH"\n',
  );
  const result = await w.run(
    "greet you; shout; shopt globstar; type _completion >/dev/null 2>&1 || echo left out; echo $PATH",
  );
  const lines = result.text.split("\n");
  expect(lines.slice(0, 4)).toEqual(["hello you", "LOUD", "globstar       \ton", "left out"]);
  expect(lines[4]).toStartWith(`/usr/local/bin:/usr/bin:/bin:${w.home}/bin`);
  const directory = join(w.home, ".claude", "shell-snapshots");
  const [name] = readdirSync(directory);
  expect(statSync(join(directory, name!)).mode & 0o777).toBe(0o600);
  await w.shell.close();
  expect(readdirSync(directory)).toEqual([]);
});

test("CLAUDE_ENV_FILE is sourced first, and CLAUDE_CODE_SHELL_PREFIX wraps every command", async () => {
  const file = join(place, "env.sh");
  writeFileSync(file, "export FROM_FILE=yes\n");
  const wrapper = join(place, "wrapper.sh");
  writeFileSync(wrapper, '#!/bin/bash\necho wrapped\nexec bash -c "$1"\n', { mode: 0o755 });
  await using w = world({ env: { PATH: "/usr/bin:/bin", CLAUDE_ENV_FILE: file, CLAUDE_CODE_SHELL_PREFIX: wrapper } });
  expect(await w.run("echo $FROM_FILE; cd /usr")).toMatchObject({ text: "wrapped\nyes\n", cwd: "/usr" });
});

test("env files from hooks apply to each command in order; missing and broken files are ignored", async () => {
  const file = (name: string, text: string) => {
    const path = join(place, name);
    writeFileSync(path, text);
    return path;
  };
  const files = [
    file("it's one.sh", "export ONE=1 BOTH=first\n"),
    join(place, "gone.sh"),
    file("broken.sh", "export BROKEN='\n"),
    file("leaves.sh", "export BEFORE=1\nexit 3\n"),
    file("fails.sh", "set -e\nfalse\nset +e\n"),
    file("last.sh", "export BOTH=last\n"),
  ];
  await using w = world({ envFiles: () => files });
  const { text, ...result } = await w.run('echo "[$ONE $BOTH $BEFORE]"; cd /usr; exit 4');
  expect(result).toMatchObject({ code: 4, cwd: "/usr" });
  const lines = text.trim().split("\n");
  expect(lines.at(-1)).toBe("[1 last 1]");
  expect(lines.slice(0, -1).every((line) => line.includes("broken.sh"))).toBe(true);

  files.splice(1);
  writeFileSync(files[0]!, "export ONE=new\n");
  expect(await w.run('echo "[$ONE $BOTH]"')).toMatchObject({ text: "[new ]\n", code: 0 });
});

test("folders with programs are at the end of the PATH, also if the user's script replaces it", async () => {
  const bin = join(place, "it's bin $HOME");
  mkdirSync(bin);
  for (const name of ["own-tool", "ls"])
    writeFileSync(join(bin, name), "#!/bin/sh\necho from the plugin\n", { mode: 0o755 });
  const file = join(place, "replaces-path.sh");
  writeFileSync(file, "export PATH=/usr/bin:/bin\n");
  await using w = world({ envFiles: () => [file], programFolders: () => [bin, "/a:b", "relative"] });
  const { text } = await w.run('own-tool; ls / | head -1; echo "$PATH"');
  expect(text).toBe(`from the plugin\nbin\n/usr/bin:/bin:${bin}\n`);
});

test("a background command writes to its own file and ends in the task table", async () => {
  await using w = world();
  const { id, outputPath } = await w.shell.background("echo working; exit 4", {
    cwd: w.home,
    description: "Work",
    toolUseId: "toolu_2",
  });
  expect(id).toMatch(/^b[0-9a-z]{8}$/);
  expect(outputPath).toBe(join(w.home, "tasks", `${id}.output`));
  await w.tasks.wait(id, { timeoutMs: 5_000, signal: new AbortController().signal });
  expect(w.ended).toEqual([
    {
      id,
      type: "local_bash",
      command: "echo working; exit 4",
      description: "Work",
      inBackground: true,
      toolUseId: "toolu_2",
      outputPath,
      status: "failed",
      exitCode: 4,
      startMs: expect.any(Number),
      endMs: expect.any(Number),
    },
  ]);
  expect(w.tasks.output(id, 4)).toEqual({ text: "ing\n", size: 8 });
  expect(statSync(outputPath).mode & 0o777).toBe(0o600);
});

test("a background command is stopped by its id or by close(), and is reported as killed", async () => {
  const w = world();
  const start = (name: string) => w.shell.background("sleep 62", { cwd: w.home, description: name, toolUseId: name });
  const one = await start("one");
  const two = await start("two");
  expect(await w.tasks.stop(one.id)).toBe(true);
  expect(await w.tasks.stop(one.id)).toBe(false);
  await w.shell.close();
  expect(w.ended.map(({ id, status }) => ({ id, status }))).toEqual([
    { id: one.id, status: "killed" },
    { id: two.id, status: "killed" },
  ]);
  expect(w.shell.background("true", { cwd: w.home, description: "", toolUseId: "" })).rejects.toThrow("closing");
});

test("if we are killed, nothing of ours keeps running", async () => {
  const home = join(place, "doomed");
  mkdirSync(home);
  const script = join(home, "doomed.ts");
  writeFileSync(
    script,
    `import { createShell } from ${JSON.stringify(join(import.meta.dir, "shell.ts"))};
import { createTasks } from ${JSON.stringify(join(import.meta.dir, "../tasks/task-table.ts"))};
const shell = createShell({ configDir: "${home}/.claude", sessionId: "s", entrypoint: "cli", childEnv: { PATH: "/usr/bin:/bin", HOME: "${home}" },
  env: { PATH: "/usr/bin:/bin" }, resultsDir: "${home}/r", tasksDir: "${home}/t", tasks: createTasks() });
const cwd = "${home}";
await shell.background("trap '' TERM; echo $$ > a; while :; do sleep 30; done", { cwd, description: "", toolUseId: "" });
await shell.run("setsid sleep 63 & echo $! > b", { cwd, timeoutMs: 9000, signal: new AbortController().signal, maxOutput: 1000, id: "x" });
void shell.run("echo $$ > c; sleep 64", { cwd, timeoutMs: 90000, signal: new AbortController().signal, maxOutput: 1000, id: "y" });
`,
  );
  const doomed = Bun.spawn([process.execPath, script], { stdin: "ignore", stdout: "inherit", stderr: "inherit" });
  const written = () =>
    ["a", "b", "c"]
      .flatMap((name) => (existsSync(join(home, name)) ? [readFileSync(join(home, name), "utf8").trim()] : []))
      .filter(Boolean);
  await until(() => written().length === 3, "the children wrote their ids");
  const pids = written().map(Number);
  expect(pids.map(isAlive)).toEqual([true, true, true]);
  const token = /KEELSON_SHELL=([0-9a-f]+)/.exec(readFileSync(`/proc/${pids[0]}/environ`, "latin1"))![1]!;

  doomed.kill("SIGKILL");
  await doomed.exited;
  await until(() => !pids.some(isAlive) && markedProcesses(token).length === 0, "all children are gone");
  const reapers = () =>
    readdirSync("/proc").filter((pid) => Number(pid) > 0 && isAlive(Number(pid)) && commandLine(pid).includes(token));
  await until(() => reapers().length === 0, "the reaper is gone");
});

function commandLine(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "latin1");
  } catch {
    return "";
  }
}
