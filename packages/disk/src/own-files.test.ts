import { expect, test } from "bun:test";
import {
  closeSync,
  existsSync,
  fstatSync,
  linkSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  appendOwnFile,
  createOwnFile,
  holdOwnFolder,
  namesInOwnFolder,
  NotOurFileError,
  openOwnFile,
  readOwnFile,
  readUserFile,
  removeOwnFile,
} from "./own-files.ts";
import { replaceOwnFile } from "./replace-file.ts";

function world() {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "keelson-own-")));
  const at = (name: string) => join(root, name);
  for (const name of ["ours", "outside"]) mkdirSync(at(name));
  writeFileSync(at("outside/secret"), "secret");
  return { at, [Symbol.dispose]: () => rmSync(root, { recursive: true, force: true }) };
}

/** Everything that opens, makes or removes a file. */
const ways: readonly (readonly [string, (path: string) => void])[] = [
  ["openOwnFile()", (path) => closeSync(openOwnFile(path))],
  ["readOwnFile()", (path) => void readOwnFile(path, 100)],
  ["appendOwnFile()", (path) => closeSync(appendOwnFile(path))],
  ["createOwnFile()", (path) => closeSync(createOwnFile(path))],
  ["replaceOwnFile()", (path) => replaceOwnFile(path, "x", { create: 0o700 })],
];

test.each(ways)("%s refuses a link in any part of the path, and touches nothing behind it", (_, way) => {
  using home = world();
  symlinkSync(home.at("outside"), home.at("ours/folder"));
  expect(() => way(home.at("ours/folder/secret"))).toThrow("is reached through a link, which is not followed");
  for (const name of ["new", "deeper/new"])
    try {
      way(home.at(`ours/folder/${name}`));
    } catch (error) {
      // To a reader, there is no such file.
      expect((error as Error).message).toMatch(/ENOENT|is reached through a link/);
    }
  expect([readdirSync(home.at("outside")), readFileSync(home.at("outside/secret"), "utf8")]).toEqual([
    ["secret"],
    "secret",
  ]);
});

test.each(ways.slice(0, 3))(
  "%s refuses a link, a FIFO, a folder and a socket in the place of the file",
  async (_, way) => {
    using home = world();
    symlinkSync(home.at("outside/secret"), home.at("ours/link"));
    symlinkSync(home.at("outside/missing"), home.at("ours/dangling"));
    mkdirSync(home.at("ours/dir"));
    expect(Bun.spawnSync(["mkfifo", home.at("ours/fifo")]).exitCode).toBe(0);
    const server = Bun.listen({ unix: home.at("ours/socket"), socket: { data() {} } });
    try {
      for (const name of ["link", "dangling", "fifo", "socket"])
        expect(() => way(home.at(`ours/${name}`))).toThrow(NotOurFileError);
      expect(() => way(home.at("ours/dir"))).toThrow();
    } finally {
      server.stop(true);
    }
    expect(readdirSync(home.at("outside"))).toEqual(["secret"]);
  },
);

test("a hard link is not appended to: our name gets a file of its own", () => {
  using home = world();
  linkSync(home.at("outside/secret"), home.at("ours/log"));
  const fd = appendOwnFile(home.at("ours/log"));
  writeSync(fd, " more");
  closeSync(fd);
  expect(readFileSync(home.at("ours/log"), "utf8")).toBe("secret more");
  expect(readFileSync(home.at("outside/secret"), "utf8")).toBe("secret");
  expect(readdirSync(home.at("ours"))).toEqual(["log"]);
});

test("replaceOwnFile() and removeOwnFile() take a link away, and not what it leads to", () => {
  using home = world();
  for (const name of ["a", "b"]) symlinkSync(home.at("outside/secret"), home.at(`ours/${name}`));
  replaceOwnFile(home.at("ours/a"), "ours");
  removeOwnFile(home.at("ours/b"));
  removeOwnFile(home.at("ours/b"));
  expect([lstatSync(home.at("ours/a")).isFile(), readFileSync(home.at("ours/a"), "utf8")]).toEqual([true, "ours"]);
  expect([existsSync(home.at("ours/b")), readFileSync(home.at("outside/secret"), "utf8")]).toEqual([false, "secret"]);
});

test("files and folders that are made are for the user only", () => {
  using home = world();
  closeSync(appendOwnFile(home.at("ours/a/b/log")));
  closeSync(createOwnFile(home.at("ours/c/new")));
  replaceOwnFile(home.at("ours/d/state"), "x", { create: 0o700 });
  const modes = ["a", "a/b", "a/b/log", "c", "c/new", "d", "d/state"].map((name) =>
    (statSync(home.at(`ours/${name}`)).mode & 0o777).toString(8),
  );
  expect(modes).toEqual(["700", "700", "600", "700", "600", "700", "600"]);
  expect(() => createOwnFile(home.at("ours/c/new"))).toThrow("EEXIST");
});

test("work in a folder that is held stays in it when a link takes its place", () => {
  using home = world();
  using folder = holdOwnFolder(home.at("ours"));
  renameSync(home.at("ours"), home.at("moved"));
  symlinkSync(home.at("outside"), home.at("ours"));
  if (process.platform === "linux") {
    writeFileSync(folder.at("new"), "x");
    expect(readdirSync(home.at("moved"))).toEqual(["new"]);
  } else expect(() => folder.at("new")).toThrow(NotOurFileError);
  expect([readdirSync(home.at("outside")), namesInOwnFolder(home.at("ours"))]).toEqual([["secret"], []]);
});

test("readOwnFile() reads no more than it may, also of a file that grows", () => {
  using home = world();
  writeFileSync(home.at("ours/long"), "x".repeat(1_000));
  expect(readOwnFile(home.at("ours/long"), 10)?.toString()).toBe("x".repeat(10));
  expect(readOwnFile(home.at("ours/missing"), 10)).toBeUndefined();
  expect(readOwnFile(home.at("missing/missing"), 10)).toBeUndefined();
});

test("readUserFile() follows the user's links to regular files only", () => {
  using home = world();
  symlinkSync(home.at("outside"), home.at("ours/folder"));
  expect(Bun.spawnSync(["mkfifo", home.at("ours/fifo")]).exitCode).toBe(0);
  const texts = ["folder/secret", "fifo", "folder", "missing"].map((name) =>
    readUserFile(home.at(`ours/${name}`), 100)?.toString(),
  );
  expect(texts).toEqual(["secret", undefined, undefined, undefined]);
  expect(readUserFile(home.at("ours/folder/secret"), 3)).toBeUndefined();
});

test("a descriptor is not left open by what was refused", () => {
  using home = world();
  symlinkSync(home.at("outside"), home.at("ours/folder"));
  const next = () => {
    const fd = openOwnFile(home.at("outside/secret"));
    expect(fstatSync(fd).isFile()).toBe(true);
    closeSync(fd);
    return fd;
  };
  const before = next();
  for (const [, way] of ways) expect(() => way(home.at("ours/folder/secret"))).toThrow();
  expect(next()).toBe(before);
});

test("errors name the file by its path, not by a descriptor", () => {
  using w = world();
  const long = "x".repeat(300);
  const ways = [
    () => appendOwnFile(w.at(`ours/${long}`)),
    () => createOwnFile(w.at(`ours/new/${long}`)),
    () => createOwnFile(w.at(`ours/${long}/a`)),
    () => replaceOwnFile(w.at(`ours/${long}`), ""),
  ];
  for (const way of ways) expect(way).toThrow(w.at("ours"));
  for (const way of ways) expect(way).not.toThrow("/proc/self");
});
