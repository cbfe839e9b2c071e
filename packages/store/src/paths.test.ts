import { expect, test } from "bun:test";
import { keyPrefix, projectDir, projectKey, tasksDir, toolResultsDir, transcriptPath } from "./paths.ts";

test("projectKey() replaces every character that is not a letter or digit with a dash", () => {
  expect(projectKey("/home/u/my.proj x")).toBe("-home-u-my-proj-x");
  expect(projectKey("/home/é")).toBe("-home--");
  expect(projectKey("/home/e\u0301")).toBe("-home--");
});

test("projectKey() cuts long names and adds the hash of the whole path", () => {
  const path = `/${"a".repeat(250)}`;
  const key = projectKey(path);
  expect(key).toBe(`-${"a".repeat(199)}-${key.slice(201)}`);
  expect(key.slice(201)).toMatch(/^[0-9a-z]{1,7}$/);
  expect(projectKey(`${path}b`)).not.toBe(key);
  expect(keyPrefix(key)).toBe(`-${"a".repeat(199)}-`);
  expect(keyPrefix("-short")).toBeUndefined();
  expect(projectKey(`/${"a".repeat(199)}`)).toBe(`-${"a".repeat(199)}`);
});

test("a given folder name replaces the key but cannot leave the projects folder", () => {
  const place = { configDir: "/c", cwd: "/w" };
  expect(projectDir(place)).toBe("/c/projects/-w");
  expect(projectDir({ ...place, dirName: "mine" })).toBe("/c/projects/mine");
  expect(projectDir({ ...place, dirName: "../../etc" })).toBe("/c/projects/..-..-etc");
  expect(projectDir({ ...place, dirName: ".." })).toBe("/c/projects/-w");
});

test("the other files of a session are beside its transcript", () => {
  expect(transcriptPath("/d", "id")).toBe("/d/id.jsonl");
  expect(toolResultsDir("/d", "id")).toBe("/d/id/tool-results");
  expect(tasksDir("/tmp/claude-7", "-w", "id")).toBe("/tmp/claude-7/-w/id/tasks");
});
