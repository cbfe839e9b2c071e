import { afterAll, expect, test } from "bun:test";
import {
  chmodSync,
  existsSync,
  linkSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { ToolError } from "@keelson/engine";
import { openInodes } from "../descriptors.test-support.ts";
import { createFiles } from "./files.ts";
import { readRegularFile } from "./regular-file.ts";

const place = realpathSync(mkdtempSync(join(tmpdir(), "keelson-files-")));
afterAll(() => rmSync(place, { recursive: true, force: true }));
const { read, readSmall, stat, write, names } = createFiles();
const at = (...parts: string[]) => join(place, ...parts);
const text = async (path: string, maxBytes?: number) =>
  new TextDecoder().decode(await read(path, maxBytes === undefined ? {} : { maxBytes }));
const bytes = (value: string) => new TextEncoder().encode(value);

async function refusal(work: Promise<unknown>): Promise<string> {
  try {
    await work;
  } catch (error) {
    expect(error).toBeInstanceOf(ToolError);
    return (error as ToolError).message;
  }
  throw new Error("It was not refused");
}

test("read() reads small and large files, whole or in part, through links too", async () => {
  writeFileSync(at("small"), "hello");
  writeFileSync(at("large"), "x".repeat(3_000_000));
  symlinkSync(at("small"), at("link"));
  expect(await text(at("small"))).toBe("hello");
  expect(await text(at("link"))).toBe("hello");
  expect(await text(at("small"), 2)).toBe("he");
  expect((await read(at("large"))).length).toBe(3_000_000);
  expect((await read(at("large"), { maxBytes: 2_000_000 })).length).toBe(2_000_000);
});

test("readSmall() gives what stat() and read() do, or nothing", async () => {
  writeFileSync(at("few"), "few words");
  symlinkSync(at("few"), at("few-link"));
  for (const path of [at("few"), at("few-link")]) {
    const { stat: found, bytes: content } = readSmall!(path)!;
    const { kind, size, mtimeMs, realPath } = (await stat(path))!;
    expect({ ...found }).toEqual({ kind, size, mtimeMs, realPath });
    expect(content).toEqual(await read(path));
  }
  writeFileSync(at("many"), "x".repeat(300_000));
  symlinkSync("/dev/zero", at("endless"));
  mkdirSync(at("a-folder"));
  expect(Bun.spawnSync(["mkfifo", at("a-fifo")]).exitCode).toBe(0);
  for (const name of ["many", "endless", "a-folder", "a-fifo", "absent"]) expect(readSmall!(at(name))).toBeUndefined();

  // Judged as a file, and a link by now.
  writeFileSync(at("judged"), "judged");
  const judged = createFiles(() => at("judged"));
  expect(new TextDecoder().decode(judged.readSmall!(at("judged"))!.bytes)).toBe("judged");
  rmSync(at("judged"));
  symlinkSync(at("few"), at("judged"));
  expect(judged.readSmall!(at("judged"))).toBeUndefined();
});

test("read() rejects anything but a regular file, even behind a link", async () => {
  const fifo = at("fifo");
  expect(Bun.spawnSync(["mkfifo", fifo]).exitCode).toBe(0);
  symlinkSync("/dev/zero", at("zero"));
  symlinkSync("/proc/self/environ", at("environ"));
  mkdirSync(at("folder"));
  const blocking = (path: string) => `Cannot read '${path}': this device file would block or produce infinite output.`;

  expect(await refusal(read("/dev/zero"))).toBe(blocking("/dev/zero"));
  expect(await refusal(read(at("zero")))).toBe(blocking(at("zero")));
  expect(await refusal(read(fifo))).toBe(blocking(fifo));
  expect(await refusal(read("/proc/self/environ"))).toContain("/proc/self/environ");
  expect(await refusal(read("/proc/self/root/etc/hostname"))).toContain("/proc");
  expect(await refusal(read(at("environ")))).toContain("/proc");
  expect(await refusal(read(at("folder")))).toBe(`EISDIR: illegal operation on a directory, read '${at("folder")}'`);
  expect(await refusal(read(at("nowhere")))).toBe(`ENOENT: no such file or directory ('${at("nowhere")}')`);
});

test("stat() returns the kind and the real path, or null if the file does not exist", async () => {
  writeFileSync(at("seen"), "abc");
  symlinkSync(at("seen"), at("alias"));
  symlinkSync(at("gone"), at("dangling"));
  const file = { kind: "file", size: 3, mtimeMs: statSync(at("seen")).mtimeMs, realPath: at("seen") };
  expect(await stat(at("alias"))).toEqual(file as never);
  expect((await stat(place))?.kind).toBe("directory");
  expect((await stat("/dev/null"))?.kind).toBe("other");
  expect(await stat(at("nowhere"))).toBeNull();
  expect(await stat(at("seen", "below"))).toBeNull();
  expect(await stat(at("dangling"))).toBeNull();
});

test("write() creates folders, keeps the mode, writes through links and leaves no temporary file", async () => {
  await write(at("new", "deep", "file"), bytes("one"));
  expect(readFileSync(at("new", "deep", "file"), "utf8")).toBe("one");
  chmodSync(at("new", "deep", "file"), 0o755);
  symlinkSync("deep/file", at("new", "pointer"));
  await write(at("new", "pointer"), bytes("two"));
  expect(lstatSync(at("new", "pointer")).isSymbolicLink()).toBe(true);
  expect(readFileSync(at("new", "deep", "file"), "utf8")).toBe("two");
  expect(statSync(at("new", "deep", "file")).mode & 0o777).toBe(0o755);
  expect(readdirSync(at("new", "deep"))).toEqual(["file"]);
});

test("write() replaces the file: a process with the old one open keeps the old text", async () => {
  writeFileSync(at("shared"), "old");
  linkSync(at("shared"), at("other-name"));
  await write(at("shared"), bytes("new"));
  expect([readFileSync(at("shared"), "utf8"), readFileSync(at("other-name"), "utf8")]).toEqual(["new", "old"]);
});

test("write() rejects folders, devices and dangling links with a reason", async () => {
  mkdirSync(at("dir"));
  symlinkSync(at("missing-target"), at("lost"));
  expect(await refusal(write(at("dir"), bytes("x")))).toBe(
    `EISDIR: illegal operation on a directory, open '${at("dir")}'`,
  );
  expect(await refusal(write(at("lost"), bytes("x")))).toContain(`'${at("missing-target")}', which does not exist`);
  expect(existsSync(at("missing-target"))).toBe(false);
  await refusal(write("/dev/null", bytes("x")));
  await refusal(write("/proc/self/comm", bytes("x")));
  writeFileSync(at("plain"), "");
  expect(await refusal(write(at("plain", "below"), bytes("x")))).toContain(at("plain", "below"));
});

test("names() lists a folder and is empty for anything else", async () => {
  mkdirSync(at("listed"));
  writeFileSync(at("listed", "a"), "");
  expect(await names(at("listed"))).toEqual(["a"]);
  expect(await names(at("nowhere"))).toEqual([]);
});

test("read() and write() use the checked path, whatever the path leads to by then", async () => {
  for (const name of ["judged", "elsewhere"]) mkdirSync(at("swap", name), { recursive: true });
  writeFileSync(at("swap/judged/file"), "judged");
  writeFileSync(at("swap/elsewhere/file"), "elsewhere");
  symlinkSync(at("swap/elsewhere"), at("swap/link"));
  const path = at("swap/link/file");

  const judged = createFiles((asked) => (asked === path ? at("swap/judged/file") : undefined));
  expect(new TextDecoder().decode(await judged.read(path))).toBe("judged");
  await judged.write(path, bytes("new"));
  expect([readFileSync(at("swap/judged/file"), "utf8"), readFileSync(at("swap/elsewhere/file"), "utf8")]).toEqual([
    "new",
    "elsewhere",
  ]);
  // A path that was not checked is followed as it is now.
  expect(new TextDecoder().decode(await judged.read(at("swap/link/../elsewhere/file")))).toBe("elsewhere");

  const moved = createFiles(() => path);
  expect(await refusal(moved.read(path))).toContain("was replaced while it was being opened");
  expect(await refusal(moved.stat(path))).toContain("was replaced while it was being opened");
  await refusal(moved.write(path, bytes("x")));
  await refusal(createFiles(() => at("swap/link/new/file")).write(path, bytes("x")));
  expect(readdirSync(at("swap/elsewhere"))).toEqual(["file"]);
  expect(readFileSync(at("swap/elsewhere/file"), "utf8")).toBe("elsewhere");
});

test("write() works in a folder that can be entered but not listed", async () => {
  mkdirSync(at("blind"));
  chmodSync(at("blind"), 0o300);
  await write(at("blind", "deep", "file"), bytes("one"));
  chmodSync(at("blind"), 0o700);
  expect(readFileSync(at("blind", "deep", "file"), "utf8")).toBe("one");
});

test("read() leaves no descriptor open, whether it gave the file or refused it", async () => {
  const made = ["small", "large", "huge"].map((name) => at(`closed-${name}`)) as [string, string, string];
  writeFileSync(made[0], "hello");
  writeFileSync(made[1], "x".repeat(3_000_000));
  writeFileSync(made[2], "");
  truncateSync(made[2], 600 * 1024 * 1024);
  symlinkSync(place, at("closed-link"));
  const inodes = new Set(made.map((path) => statSync(path).ino));
  for (const path of made.slice(0, 2)) {
    await read(path);
    await read(path, { maxBytes: 1 });
    readRegularFile(path, 10);
    // As if a folder on the way had become a link after the gate decided.
    await refusal(createFiles(() => at("closed-link", basename(path))).read(path));
  }
  expect(await refusal(read(made[2]))).toContain("too large");
  expect(openInodes().isDisjointFrom(inodes)).toBe(true);
});
