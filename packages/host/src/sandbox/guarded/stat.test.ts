import { expect, test } from "bun:test";
import { mkdirSync, mkdtempSync, realpathSync, renameSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createEntryLookup, type AbsentNames } from "./stat.ts";

type Change = (folder: string) => void;
const CHANGES: readonly (readonly [how: string, change: Change])[] = [
  ["was created", (folder) => writeFileSync(join(folder, "rc"), "")],
  ["was renamed into the folder", (folder) => renameSync(join(folder, "other"), join(folder, "rc"))],
  [
    "came with another folder",
    (folder) => {
      renameSync(folder, `${folder}-old`);
      mkdirSync(folder);
      writeFileSync(join(folder, "rc"), "");
    },
  ],
  [
    "was created, and the folder made to look as old as before",
    (folder) => {
      writeFileSync(join(folder, "rc"), "");
      utimesSync(folder, 1, 1);
    },
  ],
];

test.each(CHANGES)("a file that was not there is found when it %s", async (_, change) => {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "keelson-entries-")));
  const folder = join(root, "f");
  mkdirSync(folder);
  writeFileSync(join(folder, "other"), "");
  utimesSync(folder, 1, 1);
  const absent: AbsentNames = new Map();
  const looks = () => createEntryLookup(absent)(folder, "rc") !== null;
  // Until the folder is old enough for its absence to be remembered.
  while (!absent.get(folder)?.names.has("rc")) {
    expect(looks()).toBe(false);
    await Bun.sleep(5);
  }
  expect(looks()).toBe(false);
  change(folder);
  expect(looks()).toBe(true);
  rmSync(root, { recursive: true });
});
