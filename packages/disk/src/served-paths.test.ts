// What servers have outside the configuration folder, and the folders that they do not take.

import { afterAll, expect, test } from "bun:test";
import { mkdirSync, mkdtempSync, realpathSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { processStart } from "./process-identity.ts";
import { recordServed, SERVE_STATE, servedPaths } from "./served-paths.ts";

const root = realpathSync(mkdtempSync(join(tmpdir(), "keelson-served-")));
afterAll(() => rmSync(root, { recursive: true }));

function place(name: string) {
  const configDir = join(root, name);
  const state = join(configDir, SERVE_STATE);
  mkdirSync(state, { recursive: true });
  return { configDir, state, folder: join(configDir, "work") };
}

test("each server's folder and files are listed, those of its last start", async () => {
  const { configDir, state, folder } = place("listed");
  expect(servedPaths(configDir)).toEqual([]);
  await recordServed(state, { folder, files: ["/db", "/notify"] });
  await recordServed(state, { folder: undefined, files: ["/other-db"] });
  await recordServed(state, { folder: undefined, files: ["/other-db"] });
  await recordServed(state, { folder: undefined, files: [] });
  writeFileSync(join(folder, "run"), "");
  await recordServed(state, { folder, files: ["/db"] });
  expect(servedPaths(configDir).toSorted()).toEqual(["/db", "/other-db", folder].toSorted());
});

test("a second process with the same folder leaves what the first one has guarded for as long as that runs", async () => {
  const { configDir, state, folder } = place("shared");
  const first = { pid: process.ppid, procStart: processStart(process.ppid)! };
  await recordServed(state, { folder, files: ["/db", "/notify"] }, first);
  await recordServed(state, { folder, files: [] });
  expect(new Set(servedPaths(configDir))).toEqual(new Set([folder, "/db", "/notify"]));
  // However many others start and end.
  for (let number = 0; number < 25; number++)
    await recordServed(state, { folder: undefined, files: [`/other-${number}`] }, { pid: 2 ** 30, procStart: "1" });
  expect(servedPaths(configDir)).toContain("/db");
});

test("what an ended process had with the same folder is replaced", async () => {
  const { configDir, state, folder } = place("ended");
  await recordServed(state, { folder, files: ["/old-db"] }, { pid: process.ppid, procStart: "1" });
  await recordServed(state, { folder, files: ["/db"] });
  expect(servedPaths(configDir)).toEqual([folder, "/db"]);
});

test("a folder with files that no server put there is not taken, an empty one is", async () => {
  const { state, folder } = place("taken");
  const take = () => recordServed(state, { folder, files: [] });
  mkdirSync(folder);
  await take();
  writeFileSync(join(folder, "run"), "");
  await take();
  renameSync(folder, `${folder}.old`);
  mkdirSync(folder);
  writeFileSync(join(folder, "planted"), "");
  expect(take()).rejects.toThrow(
    `"${folder}" has files that were not put there by "keelson serve"; empty it, or choose another folder with --folder`,
  );
});

test("a damaged list names nothing, and is written anew", async () => {
  const { configDir, state, folder } = place("damaged");
  for (const text of ["", "{", "null", "[1]", '[{"folder": 1}]']) {
    writeFileSync(join(state, "outside.json"), text);
    expect(servedPaths(configDir)).toEqual([]);
  }
  await recordServed(state, { folder, files: ["/db"] });
  expect(servedPaths(configDir)).toEqual([folder, "/db"]);
});
