import { afterEach, beforeEach, expect, test } from "bun:test";
import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { load } from "@keelson/config";
import { readGlobalState } from "@keelson/config/global-state";
import { put, removed, scratch } from "../commands/command-io.test-support.ts";
import { isFirstAutoMode, noteEnd, noteStart } from "./bookkeeping.ts";

let root: string;
beforeEach(() => {
  root = scratch("bookkeeping");
});
afterEach(() => removed(root));

const snapshot = () =>
  load({ cwd: join(root, "project"), home: join(root, "home"), env: {}, flags: {}, platform: "linux", uid: 1000 });
const backups = () => readdirSync(join(root, "home/.claude/backups")).toSorted();

test("a start is counted and not yet a good end; the end says how it went", async () => {
  const { cwd } = snapshot();
  expect(await noteStart(snapshot(), 0)).toBeUndefined();
  expect(readGlobalState(snapshot())).toEqual({
    numStartups: 1,
    firstStartTime: "1970-01-01T00:00:00.000Z",
    projects: { [cwd]: { lastGracefulShutdown: false } },
  });
  const used = { inputTokens: 3, outputTokens: 4, cacheReadInputTokens: 1, cacheCreationInputTokens: 2, costUSD: 0.5 };
  const usage = { one: { ...used, webSearchRequests: 0 }, two: { ...used, webSearchRequests: 2 } };
  const result = { total_cost_usd: 0.5, duration_api_ms: 20, modelUsage: usage };
  expect(await noteEnd(snapshot(), { sessionId: "s", duration: 99.6, result: result as never })).toBeUndefined();
  expect(readGlobalState(snapshot())["projects"]).toEqual({
    [cwd]: {
      lastGracefulShutdown: true,
      lastCost: 0.5,
      lastAPIDuration: 20,
      lastDuration: 100,
      lastTotalInputTokens: 6,
      lastTotalOutputTokens: 8,
      lastTotalCacheCreationInputTokens: 4,
      lastTotalCacheReadInputTokens: 2,
      lastTotalWebSearchRequests: 2,
      lastModelUsage: usage,
      lastSessionId: "s",
    },
  });
});

test("the file is copied before it is changed, at most once a minute, and five copies are kept", async () => {
  const before = put(root, "home/.claude.json", { numStartups: 41, mine: true });
  const text = readFileSync(before, "utf8");
  for (const minute of [1, 1.5, 2, 3, 4, 5, 6, 7]) await noteStart(snapshot(), minute * 60_000);
  expect(readGlobalState(snapshot())).toMatchObject({ numStartups: 49, mine: true });
  expect(backups()).toEqual([3, 4, 5, 6, 7].map((minute) => `.claude.json.backup.${minute * 60_000}`));
  expect(text).toContain("41");
  expect(statSync(join(root, "home/.claude/backups", backups()[0]!)).mode & 0o777).toBe(0o600);
});

test("auto mode is explained once", async () => {
  expect([await isFirstAutoMode(snapshot()), await isFirstAutoMode(snapshot())]).toEqual([true, false]);
});
