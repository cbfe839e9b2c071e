import { expect, test } from "bun:test";
import { mkdirSync, mkdtempSync, realpathSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createOtherNames, namesOnOtherMounts } from "./other-mounts.ts";

test("a path has another name wherever its file system is mounted again", () => {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "keelson-mounts-")));
  mkdirSync(join(root, "home/a b"), { recursive: true });
  writeFileSync(join(root, "home/a b/file"), "");
  mkdirSync(join(root, "other"));
  // Stands for a second mount: the same file under another name.
  symlinkSync(join(root, "home"), join(root, "again"));
  const line = (device: string, from: string, at: string) =>
    `1 0 ${device} ${from} ${join(root, at)} rw - ext4 x rw`.replace("a b", "a\\040b");
  const mounts = [
    `1 0 8:1 / / rw - ext4 x rw`,
    line("8:2", "/users", "home"),
    line("8:2", "/users", "again"),
    // Something else covers it there.
    line("8:2", "/users", "other"),
    line("8:2", "/elsewhere", "none"),
    line("8:3", "/users", "different"),
  ];
  const names = namesOnOtherMounts(mounts.join("\n"));
  const file = join(root, "home/a b/file");
  expect(names([file, join(root, "other")])).toEqual([file, join(root, "again/a b/file"), join(root, "other")]);
  expect(namesOnOtherMounts(mounts.slice(0, 2).join("\n"))([file])).toEqual([file]);
});

test("the mounts are looked through again when they changed, and not otherwise", () => {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "keelson-mounts-")));
  mkdirSync(join(root, "home"));
  symlinkSync(join(root, "home"), join(root, "again"));
  const line = (at: string) => `1 0 8:2 /users ${join(root, at)} rw - ext4 x rw`;
  let mounts = line("home");
  const names = createOtherNames(() => mounts);
  const first = names();
  expect(names()).toBe(first);
  expect(first([join(root, "home")])).toEqual([join(root, "home")]);
  mounts += `\n${line("again")}`;
  expect(names()([join(root, "home")])).toEqual([join(root, "home"), join(root, "again")]);
});
