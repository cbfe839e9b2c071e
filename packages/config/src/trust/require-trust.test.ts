// With trust required, an untrusted folder may only deny and ask.

import { afterEach, beforeEach, expect, test } from "bun:test";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { load } from "../load/load.ts";
import type { Flags } from "../load/snapshot.ts";

let root: string;
let cwd: string;

beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), "keelson-trust-")));
  cwd = join(root, "project");
  mkdirSync(cwd);
  const folder = {
    model: "theirs",
    env: { MY_FLAG: "1" },
    hooks: { Stop: [] },
    permissions: { allow: ["Bash"], deny: ["Write"], ask: ["Edit"], defaultMode: "plan", additionalDirectories: ["/"] },
  };
  put("project/.claude/settings.json", folder);
  put("project/.claude/settings.local.json", folder);
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

function put(path: string, content: unknown): void {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), JSON.stringify(content));
}

const start = (flags: Flags = {}) =>
  load({
    cwd,
    home: join(root, "home"),
    env: {},
    flags,
    platform: "linux",
    uid: 1000,
    managedDir: join(root, "managed"),
  });

const ONLY_STRICTER = {
  settings: { permissions: { deny: ["Write"], ask: ["Edit"] } },
  env: {},
  mode: "default" as const,
  directories: [],
  requireTrust: true,
};

test("--require-trust keeps only the deny and ask rules of an untrusted folder, and the warning has the fix", () => {
  const snapshot = start({ requireTrust: true });
  expect(snapshot).toMatchObject(ONLY_STRICTER);
  expect(snapshot.settings).toEqual(ONLY_STRICTER.settings);
  expect(snapshot.rules.map(({ behavior, source }) => `${behavior} ${source}`)).toEqual([
    "deny projectSettings",
    "ask projectSettings",
    "deny localSettings",
    "ask localSettings",
  ]);
  expect(snapshot.warnings).toEqual(
    ["settings.json", "settings.local.json"].map(
      (name) =>
        `${cwd}/.claude/${name}: model, env, hooks, permissions.allow, permissions.defaultMode, ` +
        "permissions.additionalDirectories ignored: trust is required and this folder is not trusted; to trust it, " +
        `run: keelson trust ${cwd}`,
    ),
  );
});

test("managed or user settings can require trust for every start; a folder cannot turn it off", () => {
  expect(start().requireTrust).toBe(false);
  put("home/.claude/settings.json", { requireTrust: true });
  expect(start()).toMatchObject(ONLY_STRICTER);
  put("managed/managed-settings.json", { requireTrust: true });
  put("home/.claude/settings.json", { requireTrust: false });
  expect(start()).toMatchObject(ONLY_STRICTER);
  put("project/.claude/settings.json", { requireTrust: false });
  expect(start().requireTrust).toBe(true);
});

test("a trusted folder is not restricted by it", () => {
  put("home/.claude.json", { projects: { [cwd]: { hasTrustDialogAccepted: true } } });
  expect(start({ requireTrust: true })).toMatchObject({ settings: { model: "theirs" }, mode: "plan", warnings: [] });
});
