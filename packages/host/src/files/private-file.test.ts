import { afterAll, expect, test } from "bun:test";
import { chownSync, closeSync, mkdirSync, mkdtempSync, realpathSync, rmSync, statSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { testUnless } from "@keelson/testkit";
import { createPrivateFile } from "./private-file.ts";

const place = realpathSync(mkdtempSync(join(tmpdir(), "keelson-private-")));
afterAll(() => rmSync(place, { recursive: true, force: true }));
const mode = (path: string) => statSync(path).mode & 0o777;

test("createPrivateFile() creates a private folder and file, and uses no name twice", () => {
  const directory = join(place, "a", "b");
  const { fd, path } = createPrivateFile(directory, "f");
  closeSync(fd);
  expect([mode(directory), mode(path)]).toEqual([0o700, 0o600]);
  expect(() => createPrivateFile(directory, "f")).toThrow("EEXIST");
  symlinkSync(join(place, "elsewhere"), join(directory, "link"));
  expect(() => createPrivateFile(directory, "link")).toThrow("EEXIST");
});

const asRoot = testUnless(process.geteuid?.() === 0 ? null : "only root can make a folder for another user", test);

asRoot("createPrivateFile() refuses a folder someone planted in a shared one", () => {
  const planted = join(place, "shared", "claude-0");
  mkdirSync(planted, { recursive: true });
  Bun.spawnSync(["chmod", "1777", join(place, "shared")]);
  chownSync(planted, 12_345, 12_345);
  expect(() => createPrivateFile(join(planted, "tasks"), "f")).toThrow(`'${planted}' belongs to another user`);
});
