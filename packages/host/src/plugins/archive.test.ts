import { afterAll, expect, test } from "bun:test";
import { execFileSync } from "node:child_process";
import {
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
import { readArchive, readArchiveFile } from "./archive.ts";
import { contentHash } from "./content-hash.ts";
import { readFolder } from "./folder-files.ts";
import { placeFiles } from "./place-files.ts";
import type { PluginFile } from "./plugin-files.ts";
import { makeZip } from "./zip.test-support.ts";

const place = realpathSync(mkdtempSync(join(tmpdir(), "keelson-archive-")));
afterAll(() => rmSync(place, { recursive: true, force: true }));

const shown = (files: readonly PluginFile[]) =>
  files.map(({ path, executable, bytes }) => `${path}${executable ? "*" : ""}: ${Buffer.from(bytes()).toString()}`);

test("a zip archive is unpacked, without the one folder around everything", () => {
  const zip = makeZip([
    { name: "plugin-1.0/" },
    { name: "plugin-1.0/.claude-plugin/plugin.json", content: "{}" },
    { name: "plugin-1.0/bin/run", content: "#!/bin/sh", mode: 0o100755, stored: true },
    { name: "plugin-1.0/.git/config", content: "evil" },
  ]);
  expect(shown(readArchive(zip))).toEqual([".claude-plugin/plugin.json: {}", "bin/run*: #!/bin/sh"]);
  expect(shown(readArchive(makeZip([{ name: "skills/a/SKILL.md", content: "a" }])))).toEqual(["skills/a/SKILL.md: a"]);
});

test.each([
  ["../evil", 'has ".." in its name'],
  ["a/../../evil", 'has ".." in its name'],
  ["/etc/evil", "has an absolute name"],
  ["C:/evil", "has an absolute name"],
  ["a\\..\\evil", "has a character in its name that is not allowed"],
  ["a\0b", "has a character in its name that is not allowed"],
  [`${"a/".repeat(40)}b`, "is in too many folders"],
  ["n".repeat(2_000), "has a name that is too long"],
])("a zip archive with %p is refused", (name, why) => {
  expect(() => readArchive(makeZip([{ name, content: "x" }]))).toThrow(why);
});

test("a zip archive with links, lies, encryption or damage is refused", () => {
  const refusal = (bytes: Uint8Array) => {
    try {
      for (const file of readArchive(bytes)) file.bytes();
      return "accepted";
    } catch (error) {
      return (error as Error).message;
    }
  };
  const good = makeZip([{ name: "a", content: "text" }]);
  const bomb = makeZip([{ name: "a", content: Buffer.alloc(1_000_000), size: 10 }]);
  const huge = makeZip(Array.from({ length: 9 }, (_, at) => ({ name: `f${at}`, content: "", size: 63 * 1024 * 1024 })));
  const damaged = "The archive is damaged, or packed in a way that is not supported";
  expect([
    refusal(makeZip([{ name: "link", content: "/etc/passwd", mode: 0o120777 }])),
    refusal(makeZip([{ name: "a", flags: 1 }])),
    refusal(bomb),
    refusal(huge),
    refusal(makeZip([{ name: "a", content: "x", size: 100 * 1024 * 1024 }])),
    refusal(good.subarray(0, good.length - 10)),
    refusal(Buffer.concat([good.subarray(0, 20), good.subarray(30)])),
    refusal(makeZip([])),
  ]).toEqual([
    'The archive has a link, "link"',
    "The archive is encrypted",
    damaged,
    "It is larger than 512 MiB",
    "It has a file of more than 64 MiB",
    "It is not a zip archive, or it is not complete",
    expect.stringContaining("damaged"),
    "The archive has no files",
  ]);
  expect(() => placeFiles(readArchive(makeZip([{ name: "a" }, { name: "a" }])), join(place, "twice"))).toThrow(
    "It has two files of the same name",
  );
  expect(readdirSync(join(place, "twice"))).toEqual([]);
});

test("random damage never does anything but refuse", () => {
  const good = makeZip([
    { name: "a/b", content: "text ".repeat(50) },
    { name: "c", content: "x", stored: true },
  ]);
  for (let round = 0; round < 500; round++) {
    const bytes = Buffer.from(good);
    for (let at = 0; at < 3; at++) bytes[(round * 7 + at * 131) % bytes.length] = (round * 37 + at * 11) % 256;
    try {
      for (const file of readArchive(bytes)) file.bytes();
    } catch (error) {
      expect((error as Error).name).toBe("PluginFetchError");
    }
  }
});

test("a tar archive is unpacked; a link inside becomes a copy, one that leads out is left out", () => {
  const folder = join(place, "tree");
  mkdirSync(join(folder, "package/deep"), { recursive: true });
  writeFileSync(join(folder, "package/a.md"), "text");
  writeFileSync(join(folder, `package/deep/${"long".repeat(40)}.md`), "long");
  writeFileSync(join(folder, "package/run"), "x", { mode: 0o755 });
  symlinkSync("../a.md", join(folder, "package/deep/link.md"));
  symlinkSync("/etc/passwd", join(folder, "package/out"));
  symlinkSync("../../../etc", join(folder, "package/deep/up"));
  const file = join(place, "package.tgz");
  execFileSync("tar", ["-czf", file, "-C", folder, "package"]);
  expect(shown(readArchiveFile(file)).toSorted()).toEqual([
    "a.md: text",
    "deep/link.md: text",
    `deep/${"long".repeat(40)}.md: long`,
    "run*: x",
  ]);
  execFileSync("tar", [
    "-cf",
    `${file}.bad`,
    "-P",
    "-C",
    folder,
    "--transform",
    "s,package/a.md,../a.md,",
    "package/a.md",
  ]);
  expect(() => readArchiveFile(`${file}.bad`)).toThrow('has ".." in its name');
});

test("an archive with another digest than promised is refused", () => {
  const zip = makeZip([{ name: "a", content: "x" }]);
  const sha256 = new Bun.CryptoHasher("sha256").update(zip).digest("hex");
  expect(readArchive(zip, sha256)).toHaveLength(1);
  expect(() => readArchive(zip, "0".repeat(64))).toThrow(`it has ${sha256}`);
});

test("a folder is copied as it is, without what leads out; the digest depends on names, modes and content", () => {
  const folder = join(place, "source");
  mkdirSync(join(folder, "sub"), { recursive: true });
  mkdirSync(join(folder, ".git"));
  writeFileSync(join(folder, ".git/config"), "");
  writeFileSync(join(folder, "sub/run"), "#!/bin/sh\n", { mode: 0o755 });
  symlinkSync("sub/run", join(folder, "same"));
  symlinkSync("/etc/passwd", join(folder, "out"));
  symlinkSync("..", join(folder, "sub/loop"));
  expect(Bun.spawnSync(["mkfifo", join(folder, "pipe")]).success).toBe(true);
  const files = readFolder(folder);
  expect(shown(files)).toEqual(["same*: #!/bin/sh\n", "sub/run*: #!/bin/sh\n"]);

  const placed = placeFiles(files, join(place, "cache"));
  expect(statSync(placed).mode & 0o777).toBe(0o700);
  expect(statSync(join(placed, "sub/run")).mode & 0o111).not.toBe(0);
  expect(readFileSync(join(placed, "same"), "utf8")).toBe("#!/bin/sh\n");
  expect(contentHash(readFolder(placed))).toBe(contentHash(files));
  writeFileSync(join(placed, "same"), "changed");
  expect(contentHash(readFolder(placed))).not.toBe(contentHash(files));
});
