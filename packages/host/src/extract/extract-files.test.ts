import { afterAll, expect, test } from "bun:test";
import {
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { testUnless } from "@keelson/testkit";
import { extractFiles } from "./extract-files.ts";

const place = realpathSync(mkdtempSync(join(tmpdir(), "keelson-extract-")));
afterAll(() => rmSync(place, { recursive: true, force: true }));
const mode = (path: string) => statSync(path).mode & 0o777;

test("extractFiles() writes private files to a private folder with a new name each time", () => {
  const directory = join(place, "private");
  const files: [string, string][] = [
    ["a.md", "one"],
    ["sub/deep/b.md", "two"],
    ["sub/deep/c.md", "three"],
  ];
  const first = extractFiles(directory, files);
  const second = extractFiles(directory, files);

  expect(first.folder).not.toBe(second.folder);
  expect(readdirSync(directory)).toHaveLength(2);
  for (const { folder } of [first, second]) {
    expect(files.map(([name]) => readFileSync(join(folder, name), "utf8"))).toEqual(["one", "two", "three"]);
    expect(["", "sub", "sub/deep"].map((name) => mode(join(folder, name)))).toEqual([0o700, 0o700, 0o700]);
    expect(mode(join(folder, "sub/deep/b.md"))).toBe(0o600);
  }

  first.remove();
  expect(existsSync(first.folder)).toBe(false);
  expect(existsSync(second.folder)).toBe(true);
});

for (const name of ["/etc/x", "..", "../x", "a/../../x", "a/..", "./a", "a//b", "a/", "", "C:\\x", "..\\x", "a\0b"]) {
  test(`extractFiles() rejects the name ${JSON.stringify(name)} and leaves nothing behind`, () => {
    const directory = join(place, "names");
    const files: [string, string][] = [
      ["good.md", "x"],
      [name, "x"],
    ];
    expect(() => extractFiles(directory, files)).toThrow("is not a relative path inside the folder");
    expect(readdirSync(directory)).toEqual([]);
    expect(existsSync(join(place, "x"))).toBe(false);
  });
}

test("extractFiles() does not use a folder or link that has its name already, and keeps what is in it", () => {
  const directory = join(place, "taken");
  const target = join(place, "target");
  mkdirSync(join(directory, "folder"), { recursive: true });
  mkdirSync(target);
  writeFileSync(join(directory, "folder", "theirs"), "kept");
  symlinkSync(target, join(directory, "link"));
  symlinkSync(join(place, "missing"), join(directory, "dangling"));

  for (const nonce of ["folder", "link", "dangling"]) {
    expect(() => extractFiles(directory, [["a.md", "x"]], nonce)).toThrow("EEXIST");
  }

  expect(readFileSync(join(directory, "folder", "theirs"), "utf8")).toBe("kept");
  expect(readdirSync(target)).toEqual([]);
  expect(existsSync(join(place, "missing"))).toBe(false);
});

/** What someone could put in the way after the folder was created and before a file is. */
const planted: Readonly<Record<string, (folder: string, victim: string) => void>> = {
  "a link in place of a file": (folder, victim) => symlinkSync(victim, join(folder, "b.md")),
  "a dangling link in place of a file": (folder) => symlinkSync(join(place, "new"), join(folder, "b.md")),
  "a file": (folder) => writeFileSync(join(folder, "b.md"), "theirs"),
  "a link in place of a folder": (folder, victim) => symlinkSync(join(victim, ".."), join(folder, "sub")),
};

for (const [what, plant] of Object.entries(planted)) {
  test(`extractFiles() stops at ${what} and writes nothing through it`, () => {
    const directory = join(place, "raced");
    const outside = mkdtempSync(join(place, "outside-"));
    const victim = join(outside, "victim");
    writeFileSync(victim, "intact");
    function* files(): Generator<[string, string]> {
      yield ["a.md", "x"];
      plant(join(directory, "n"), victim);
      yield ["b.md", "x"];
      yield ["sub/c.md", "x"];
    }

    expect(() => extractFiles(directory, files(), "n")).toThrow("EEXIST");
    expect(readFileSync(victim, "utf8")).toBe("intact");
    expect(readdirSync(outside)).toEqual(["victim"]);
    expect(existsSync(join(place, "new"))).toBe(false);
    expect(readdirSync(directory)).toEqual([]);
  });
}

const asRoot = testUnless(process.geteuid?.() === 0 ? null : "only root can make a folder for another user", test);

asRoot("extractFiles() refuses a directory that someone planted in a shared one", () => {
  const theirs = join(place, "shared", "claude-0");
  mkdirSync(theirs, { recursive: true });
  Bun.spawnSync(["chmod", "1777", join(place, "shared")]);
  chownSync(theirs, 12_345, 12_345);
  expect(() => extractFiles(join(theirs, "skills"), [["a.md", "x"]])).toThrow(`'${theirs}' belongs to another user`);
});
