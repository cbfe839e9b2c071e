// Another process swaps files and folders for links and pipes, as fast as it can, while we work. Nothing is read or
// written outside the allowed place, and nothing hangs.

import { afterEach, beforeEach, expect, test } from "bun:test";
import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { ToolError } from "@keelson/engine";
import { realPathOf } from "@keelson/disk/real-path";
import { createFiles } from "@keelson/host";
import { runKeelson, startMockModel, temporaryHome, type ScriptedCall, type TemporaryHome } from "@keelson/testkit";
import { STREAM, told } from "../front-door.ts";

const ROUNDS = 1_000;
const MOST_ROUNDS = 50 * ROUNDS;
const bytes = (text: string) => new TextEncoder().encode(text);
const text = (value: Uint8Array) => new TextDecoder().decode(value);

let home: TemporaryHome;
let outside: string;
beforeEach(() => {
  home = temporaryHome();
  outside = join(home.root, "outside");
  mkdirSync(outside);
  writeFileSync(join(outside, "file.txt"), "outside");
});
afterEach(() => home.remove());
const inside = (...parts: string[]) => join(home.project, ...parts);

/** Judges a path as the gate does, then works on it. What the gate would have asked about is not done. */
async function judgedFirst(
  path: string,
  work: (held: ReturnType<typeof createFiles>) => Promise<string>,
): Promise<string> {
  const judged = realPathOf(path);
  if (!judged.startsWith(`${home.project}/`)) return "asked";
  try {
    return await work(createFiles((asked) => (asked === path ? judged : undefined)));
  } catch (error) {
    expect(error).toBeInstanceOf(ToolError);
    return "refused";
  }
}

/**
 * 1,000 rounds, and more until each wanted outcome was seen: a race that only one side ran proves nothing.
 * `a|b`: either will do; which one a swap leads to is a matter of microseconds.
 */
async function race(wanted: readonly string[], round: (number: number) => Promise<string>): Promise<Set<string>> {
  const seen = new Set<string>();
  for (
    let number = 0;
    number < ROUNDS || wanted.some((either) => !either.split("|").some((outcome) => seen.has(outcome)));
    number++
  ) {
    if (number === MOST_ROUNDS) throw new Error(`No race: ${[...seen].join(", ")} in ${number} rounds`);
    seen.add(await round(number));
  }
  return seen;
}

test("a folder becomes a link to outside and back: none of 1,000 writes lands outside or creates a folder there", async () => {
  mkdirSync(inside("dir"));
  await using swapper = await swapping(inside("dir"), { link: outside });
  await race(["written", "asked|refused"], async (number) => {
    const path = number % 2 === 0 ? inside("dir", "file.txt") : inside("dir", `new-${number}`, "deep", "file.txt");
    return judgedFirst(path, async (held) => {
      await held.write(path, bytes("inside"));
      return "written";
    });
  });
  await swapper.stop();

  expect(readdirSync(outside)).toEqual(["file.txt"]);
  expect(readFileSync(join(outside, "file.txt"), "utf8")).toBe("outside");
  expect(readdirSync(inside("dir")).filter((name) => name.endsWith(".tmp"))).toEqual([]);
});

test("a folder becomes a link to outside and back: none of 1,000 reads shows what is outside", async () => {
  mkdirSync(inside("dir"));
  writeFileSync(inside("dir", "file.txt"), "inside");
  await using swapper = await swapping(inside("dir"), { link: outside });
  const path = inside("dir", "file.txt");
  const seen = await race(["inside", "asked|refused"], () =>
    judgedFirst(path, async (held) => text(await held.read(path))),
  );
  await swapper.stop();
  expect(seen.has("outside")).toBe(false);
});

test("a file becomes a link to outside and back: none of 1,000 edits and reads reaches it", async () => {
  writeFileSync(inside("file.txt"), "inside");
  await using swapper = await swapping(inside("file.txt"), { link: join(outside, "file.txt") });
  const path = inside("file.txt");
  const seen = await race(["inside", "written", "asked|refused"], (number) =>
    judgedFirst(path, async (held) => {
      if (number % 2 === 0) return text(await held.read(path));
      await held.write(path, bytes("inside"));
      return "written";
    }),
  );
  await swapper.stop();
  expect(seen.has("outside")).toBe(false);
  expect(readdirSync(outside)).toEqual(["file.txt"]);
  expect(readFileSync(join(outside, "file.txt"), "utf8")).toBe("outside");
});

test("without a judged path, a read shows the file at the path it resolved, or nothing", async () => {
  mkdirSync(inside("dir"));
  writeFileSync(inside("dir", "file.txt"), "inside");
  await using swapper = await swapping(inside("dir"), { link: outside });
  const { read, write } = createFiles();
  for (let round = 0; round < 200; round++) {
    const got = await read(inside("dir", "file.txt")).then(text, (error) => {
      expect(error).toBeInstanceOf(ToolError);
      return "refused";
    });
    expect(["inside", "outside", "refused"]).toContain(got);
    // The folder is held before anything is created, so a write never lands elsewhere.
    await write(inside("dir", "other.txt"), bytes("x")).catch((error) => expect(error).toBeInstanceOf(ToolError));
  }
  await swapper.stop();
  expect(readdirSync(inside("dir")).every((name) => !name.endsWith(".tmp"))).toBe(true);
  expect(readdirSync(outside).every((name) => !name.endsWith(".tmp"))).toBe(true);
});

test("a file becomes a pipe and back: no read waits for a writer that never comes", async () => {
  writeFileSync(inside("file.txt"), "inside");
  await using swapper = await swapping(inside("file.txt"), { pipe: true });
  const { read } = createFiles();
  await race(["inside", "Cannot read"], () =>
    read(inside("file.txt")).then(text, (error) => {
      expect(error).toBeInstanceOf(ToolError);
      return (error as ToolError).message.slice(0, 11);
    }),
  );
  await swapper.stop();
});

test("the program: a folder is swapped while the model reads and writes, and nothing outside is touched or shown", async () => {
  mkdirSync(inside("dir"));
  writeFileSync(inside("dir", "file.txt"), "inside");
  await using swapper = await swapping(inside("dir"), { link: outside });
  const calls = Array.from({ length: 120 }, (_, index): ScriptedCall => {
    if (index % 2 === 0) return { name: "Read", input: { file_path: "dir/file.txt", offset: 1, limit: index + 1 } };
    return { name: "Write", input: { file_path: `dir/new-${index}/file.txt`, content: "inside" } };
  });
  await using model = await startMockModel([{ calls }, { text: "done" }]);
  const ended = await runKeelson(["-p", "go", ...STREAM, "--permission-mode", "acceptEdits"], {
    home,
    url: model.url,
  });
  await swapper.stop();

  expect(ended.code).toBe(0);
  expect(readdirSync(outside)).toEqual(["file.txt"]);
  const shown = told(model.requests[1]!).map(({ content }) => String(content));
  expect(shown.filter((content) => /^\s*1[\t→]outside/.test(content))).toEqual([]);
});

test("the program: a folder is swapped while the model searches it, and nothing outside is found", async () => {
  mkdirSync(inside("dir"));
  writeFileSync(inside("dir", "file.txt"), "inside");
  writeFileSync(join(outside, "beyond.txt"), "outside");
  await using swapper = await swapping(inside("dir"), { link: outside });
  const calls = Array.from({ length: 120 }, (_, index): ScriptedCall => {
    if (index % 3 === 0) return { name: "Glob", input: { pattern: "*.txt", path: "dir" } };
    const output_mode = index % 3 === 1 ? "content" : "files_with_matches";
    return { name: "Grep", input: { pattern: "side", path: "dir", output_mode } };
  });
  const seen = new Set<string>();
  await using model = await startMockModel((_, number) => (number % 2 === 1 ? { calls } : { text: "done" }));
  for (let run = 0; run < 10 && seen.size < 2; run++) {
    const ended = await runKeelson(["-p", "go", ...STREAM], { home, url: model.url });
    expect(ended.code).toBe(0);
    const shown = told(model.requests.at(-1)!).map(({ content }) => String(content));
    expect(shown.filter((content) => content.includes("beyond") || content.includes(":outside"))).toEqual([]);
    for (const content of shown) {
      if (content.includes("dir/file.txt")) seen.add("found");
      else if (/replaced|permission|does not exist|directory/i.test(content)) seen.add("refused");
    }
  }
  await swapper.stop();
  expect([...seen].sort()).toEqual(["found", "refused"]);
});

test("the program: a folder in the project that links to outside counts as outside", async () => {
  symlinkSync(outside, inside("dir"));
  symlinkSync(join(outside, "not-there-yet"), inside("dangling"));
  await using model = await startMockModel([
    {
      calls: [
        { name: "Write", input: { file_path: "dir/new.txt", content: "x" } },
        { name: "Write", input: { file_path: "dangling", content: "x" } },
        { name: "Write", input: { file_path: "dangling/below.txt", content: "x" } },
        { name: "Bash", input: { command: "echo x > dangling" } },
        { name: "Bash", input: { command: "touch dir/new.txt" } },
        { name: "Read", input: { file_path: "dir/file.txt" } },
      ],
    },
    { text: "done" },
  ]);
  const { messages } = await runKeelson(["-p", "go", ...STREAM, "--permission-mode", "acceptEdits"], {
    home,
    url: model.url,
  });
  const { permission_denials } = messages.find(({ type }) => type === "result");
  expect(permission_denials.map(({ tool_use_id }: any) => tool_use_id)).toEqual(
    [1, 2, 3, 4, 5, 6].map((number) => `call_1_${number}`),
  );
  expect(readdirSync(outside)).toEqual(["file.txt"]);
});

test("the program: pipes, devices and secrets of other processes are not files, under any name", async () => {
  expect(Bun.spawnSync(["mkfifo", inside("pipe")]).success).toBe(true);
  const links = { stdin: "/dev/stdin", zero: "/dev/zero", environ: "/proc/self/environ", fd: "/proc/self/fd/0" };
  for (const [name, target] of Object.entries(links)) symlinkSync(target, inside(name));
  symlinkSync("/proc/self", inside("self"));
  const readable = ["/dev/stdin", "/dev/fd/0", "//dev/zero", "zero", "stdin", "self/environ", "self/cwd/pipe"];
  // Harmless even if a write goes through.
  const both = ["pipe", "/proc/self/environ", "/proc/self/fd/0", "/proc/self/cwd/pipe", "environ", "fd"];
  const paths = [...readable, ...both, ...both];
  const calls = paths.map((file_path, index): ScriptedCall => {
    const writes = index >= readable.length + both.length;
    return writes ? { name: "Write", input: { file_path, content: "x" } } : { name: "Read", input: { file_path } };
  });
  await using model = await startMockModel([{ calls }, { text: "done" }]);
  const ended = await runKeelson(["-p", "go", ...STREAM, "--allowedTools", "Read", "Write"], {
    home,
    url: model.url,
    stdin: "typed by somebody",
  });
  expect(ended.code).toBe(0);
  const answers = told(model.requests[1]!).slice(0, calls.length);
  expect(answers.map(({ is_error }, index) => [paths[index], is_error])).toEqual(paths.map((path) => [path, true]));
  // The prompt contains what was typed; no tool result does.
  expect(JSON.stringify(answers)).not.toContain("typed by somebody");
  expect(JSON.stringify(answers)).not.toContain("test-key");
  expect(readdirSync(home.project).sort()).toEqual(["environ", "fd", "pipe", "self", "stdin", "zero"]);
});

/** Starts a process that keeps replacing a file or folder with something else; resolves once it does. */
async function swapping(path: string, other: { readonly link?: string; readonly pipe?: true }) {
  const there = `${path}.other`;
  if (other.link !== undefined) symlinkSync(other.link, there);
  else expect(Bun.spawnSync(["mkfifo", there]).success).toBe(true);
  const child = Bun.spawn([process.execPath, "--no-env-file", "-e", SWAPPER, path, there], {
    cwd: home.root,
    env: { ...home.env, BUN_BE_BUN: "1" },
    stdin: "pipe",
    stdout: "pipe",
    stderr: "inherit",
  });
  await child.stdout.getReader().read();
  const stop = async () => {
    if (child.exitCode !== null) return;
    void child.stdin.end();
    expect(await child.exited).toBe(0);
    expect(existsSync(path)).toBe(true);
  };
  return {
    stop,
    async [Symbol.asyncDispose]() {
      child.kill("SIGKILL");
      await child.exited;
    },
  };
}

// Puts everything back when its input ends. A folder created while the real one was away is removed.
const SWAPPER = `
const { renameSync, rmSync } = require("node:fs");
const [path, other] = process.argv.slice(1);
const away = path + ".away";
let over = false;
process.stdin.on("end", () => { over = true; });
process.stdin.resume();
process.stdout.write("started\\n");
function place(from, to) {
  for (;;) {
    try {
      return renameSync(from, to);
    } catch {
      rmSync(to, { recursive: true, force: true });
    }
  }
}
(function round() {
  for (let turn = 0; turn < 50; turn++) {
    place(path, away);
    place(other, path);
    place(path, other);
    place(away, path);
  }
  if (over) process.exit(0);
  setImmediate(round);
})();
`;
