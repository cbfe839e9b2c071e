import { afterEach, expect, test } from "bun:test";
import {
  appendFileSync,
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { lineOf } from "./line.ts";
import { readEntries } from "../read/read-transcript.ts";
import { prompt, SESSION } from "../samples.test-support.ts";
import { nullTranscript, openTranscript } from "./writer.ts";

const homes: string[] = [];
const home = () => {
  const dir = mkdtempSync(join(tmpdir(), "keelson-store-"));
  homes.push(dir);
  return dir;
};
afterEach(() => {
  for (const dir of homes.splice(0)) rmSync(dir, { recursive: true, force: true });
});

test("folder and file are created with the first entry, private", () => {
  const dir = home();
  const path = join(dir, "projects", "-w", "s.jsonl");
  const writer = openTranscript({ path });
  expect(existsSync(join(dir, "projects"))).toBe(false);
  expect(writer.append([prompt("u1", null), '{"type":"mode","mode":"normal"}'])).toBe(true);
  expect(readFileSync(path, "utf8")).toBe(`${lineOf(prompt("u1", null))}\n{"type":"mode","mode":"normal"}\n`);
  expect((statSync(path).mode & 0o777).toString(8)).toBe("600");
  expect((statSync(join(dir, "projects")).mode & 0o777).toString(8)).toBe("700");
  writer.close();
});

test("an incomplete last line is closed before anything is appended", () => {
  const path = join(home(), "s.jsonl");
  writeFileSync(path, `${lineOf(prompt("u1", null))}\n{"parentUuid":"u1","ty`);
  const writer = openTranscript({ path });
  writer.append([prompt("u2", "u1")]);
  writer.append([prompt("u3", "u2")]);
  writer.close();
  expect(readFileSync(path, "utf8").split("\n").length).toBe(5);
  expect([...readEntries(path)].map((entry) => ("uuid" in entry ? entry.uuid : ""))).toEqual(["u1", "u2", "u3"]);
});

test("a failed write is reported once, and its lines are written later", () => {
  const dir = home();
  const blocked = join(dir, "projects");
  writeFileSync(blocked, "a file where a folder should be");
  const failures: string[] = [];
  const path = join(blocked, "s.jsonl");
  const writer = openTranscript({ path, onFailure: (error) => failures.push((error as NodeJS.ErrnoException).code!) });
  expect(writer.append([prompt("u1", null)])).toBe(false);
  expect(writer.append([prompt("u2", "u1")])).toBe(false);
  expect(failures).toHaveLength(1);
  expect(failures[0]).toMatch(/ENOTDIR|EEXIST/);
  rmSync(blocked);
  expect(writer.append([prompt("u3", "u2")])).toBe(true);
  writer.close();
  expect([...readEntries(path)]).toEqual([prompt("u1", null), prompt("u2", "u1"), prompt("u3", "u2")]);
});

test("a device in place of the transcript is never written to", () => {
  const failures: string[] = [];
  const writer = openTranscript({ path: "/dev/full", onFailure: (error) => failures.push(error.message) });
  expect(writer.append([prompt("u1", null)])).toBe(false);
  expect(failures).toEqual(['"/dev/full" is not a regular file; remove it']);
  writer.close();
});

test("after a partial write, the file can be continued", async () => {
  const path = join(home(), "s.jsonl");
  // The shell's limit on file sizes simulates a full disk: the last write is cut at 8 KiB, later ones fail.
  const script = ["-c", `trap '' XFSZ; ulimit -f 8; exec "$@"`, "sh", ...appending(path, "name", 200)];
  const child = Bun.spawn(["sh", ...script]);
  expect(await new Response(child.stdout).json()).toEqual({ failures: ["EFBIG"] });
  expect(statSync(path).size % 512).toBe(0);
  const before = [...readEntries(path)];
  expect(before.length).toBeGreaterThan(3);

  const writer = openTranscript({ path });
  expect(writer.append([prompt("after", null)])).toBe(true);
  writer.close();
  expect([...readEntries(path)]).toEqual([...before, prompt("after", null)]);
});

/** A separate process that appends and reports errors. */
function appending(path: string, name: string, count: number): string[] {
  const code = `
    const { openTranscript } = await import(${JSON.stringify(join(import.meta.dir, "writer.ts"))});
    const { prompt } = await import(${JSON.stringify(join(import.meta.dir, "../samples.test-support.ts"))});
    const failures = [];
    const writer = openTranscript({ path: ${JSON.stringify(path)}, onFailure: (error) => failures.push(error.code) });
    for (let index = 0; index < ${count}; index++)
      writer.append([prompt("${name}-" + index, null, "${name}".repeat(1 + (index % 300)))]);
    writer.close();
    console.log(JSON.stringify({ failures }));`;
  return [process.execPath, "-e", code];
}

test("a link in place of the transcript is not followed", () => {
  const dir = home();
  writeFileSync(join(dir, "target"), "");
  symlinkSync(join(dir, "target"), join(dir, "s.jsonl"));
  const failures: string[] = [];
  const writer = openTranscript({
    path: join(dir, "s.jsonl"),
    onFailure: (error) => failures.push(error.message),
  });
  expect(writer.append([prompt("u1", null)])).toBe(false);
  expect(failures).toEqual([expect.stringContaining("is reached through a link, which is not followed")]);
  expect(readFileSync(join(dir, "target"), "utf8")).toBe("");
  writer.close();
});

test("a title stays within the last 64 KiB", () => {
  const path = join(home(), "s.jsonl");
  const title = { type: "custom-title", customTitle: "a name", sessionId: SESSION } as const;
  const writer = openTranscript({ path });
  writer.append([title]);
  for (let index = 0; index < 40; index++) {
    writer.append([prompt(`u${index}`, null, "x".repeat(10_000))]);
    expect(readFileSync(path).subarray(-65_536).toString()).toContain(lineOf(title));
  }
  writer.close();

  const resumed = openTranscript({ path, sticky: [title] });
  resumed.append([prompt("again", null)]);
  resumed.close();
  expect(readFileSync(path, "utf8")).toEndWith(`${lineOf(title)}\n`);
});

test("a name from another process is the one that is repeated, unless ours is newer", () => {
  const path = join(home(), "s.jsonl");
  const title = (customTitle: string) => ({ type: "custom-title", customTitle, sessionId: SESSION }) as const;
  const tag = { type: "tag", tag: "kept", sessionId: SESSION } as const;
  const last = () => {
    const named = [...readEntries(path)].filter(({ type }) => type === "custom-title" || type === "tag");
    return Object.fromEntries(named.map((entry) => [entry.type, entry]));
  };
  const long = (uuid: string) => prompt(uuid, null, "x".repeat(50_000));

  const writer = openTranscript({ path, sticky: [title("ours")] });
  writer.append([prompt("u1", null)]);
  appendFileSync(path, `${lineOf(title("theirs"))}\n${lineOf(tag)}\n`);
  writer.append([long("u2")]);
  expect(last()).toEqual({ "custom-title": title("theirs"), tag });
  expect(readFileSync(path, "utf8")).toEndWith(`${lineOf(title("theirs"))}\n${lineOf(tag)}\n`);

  writer.append([title("ours again"), long("u3")]);
  expect(last()).toEqual({ "custom-title": title("ours again"), tag });
  writer.append([long("u4")]);
  expect(last()).toEqual({ "custom-title": title("ours again"), tag });
  writer.close();

  const resumed = openTranscript({ path, sticky: [title("ours again")] });
  appendFileSync(path, `${lineOf(title("renamed before it went on"))}\n`);
  resumed.append([prompt("u5", null)]);
  resumed.close();
  expect(last()["custom-title"]).toEqual(title("renamed before it went on"));
});

test("two processes can write to one file without breaking lines", async () => {
  const path = join(home(), "s.jsonl");
  const writers = ["left", "right"].map((name) => Bun.spawn(appending(path, name, 2_000)));
  expect(await Promise.all(writers.map((writer) => writer.exited))).toEqual([0, 0]);
  const uuids = [...readEntries(path)].map((entry) => ("uuid" in entry ? entry.uuid : ""));
  const of = (name: string) => uuids.filter((uuid) => uuid.startsWith(name));
  const expected = (name: string) => Array.from({ length: 2_000 }, (_, index) => `${name}-${index}`);
  expect(of("left")).toEqual(expected("left"));
  expect(of("right")).toEqual(expected("right"));
  // There may be an empty line if one process opened the file during a write of the other.
  const lines = readFileSync(path, "utf8").split("\n");
  expect(lines.filter((line) => line !== "")).toHaveLength(4_000);
});

test("without persistence, there is a writer but no file", () => {
  const writer = nullTranscript();
  expect([writer.path, writer.append([prompt("u1", null)])]).toEqual([null, true]);
  writer.close();
});

test("an existing file keeps lines from other writers", () => {
  const path = join(home(), "s.jsonl");
  const writer = openTranscript({ path });
  writer.append([prompt("u1", null)]);
  appendFileSync(path, `${lineOf(prompt("other", null))}\n`);
  writer.append([prompt("u2", "u1")]);
  writer.close();
  expect([...readEntries(path)]).toEqual([prompt("u1", null), prompt("other", null), prompt("u2", "u1")]);
});

test("a folder without write permission is a failure, not an exception", () => {
  if (process.getuid?.() === 0) return;
  const dir = join(home(), "read-only");
  mkdirSync(dir);
  chmodSync(dir, 0o500);
  const writer = openTranscript({ path: join(dir, "s.jsonl") });
  expect(writer.append([prompt("u1", null)])).toBe(false);
  writer.close();
});
