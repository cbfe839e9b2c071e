// Where settings come from, with line numbers, and setting one of them.

import { afterEach, beforeEach, expect, test } from "bun:test";
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { inspect, settingsFiles } from "./inspect.ts";
import { load } from "../load/load.ts";
import { locateRules } from "./locate.ts";
import { setValue, type SetRequest } from "../write/set-value.ts";

let root: string;
let cwd: string;
let home: string;

beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), "keelson-inspect-")));
  [cwd, home] = [join(root, "project"), join(root, "home")];
  for (const folder of [cwd, home]) mkdirSync(folder);
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

function put(path: string, text: string): string {
  const file = join(root, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
  return file;
}

const options = (flags = {}) => ({
  cwd,
  home,
  env: {},
  flags,
  platform: "linux",
  uid: 1000,
  managedDir: join(root, "managed"),
});

test("every rule has its line, even duplicates, single strings, after comments and in a broken file", async () => {
  const user = put(
    "home/.claude/settings.json",
    '{\n  // "Read"\n  "permissions": {\n    "allow": [\n      "Read",\n      "Bash(git *)", "Read"\n    ],\n    "deny":\n      "Write",\n  }\n}\n',
  );
  const project = put("project/.claude/settings.json", '{\n"permissions": {"deny": [\n"Edit"\n]]}}\n');
  const located = await locateRules(load(options({ disallowedTools: ["Glob"] })));
  expect(located.map(({ text, file, line }) => [text, file, line])).toEqual([
    ["Write", user, 8],
    ["Edit", project, 3],
    ["Glob", undefined, undefined],
  ]);
  rmSync(project);
  const { rules } = load(options());
  expect((await locateRules({ rules })).map(({ text, line }) => [text, line])).toEqual([
    ["Write", 8],
    ["Read", 5],
    ["Bash(git *)", 6],
    ["Read", 6],
  ]);
  expect(rules.every(({ line }) => line === undefined)).toBe(true);
});

test("each value is listed with the files and lines it comes from", async () => {
  const user = put(
    "home/.claude/settings.json",
    '{\n  "model": "u",\n  "env": { "A": "1" },\n  "fallbackModel": ["x"],\n  "permissions": {\n    "deny": ["A"]\n  }\n}',
  );
  const local = put(
    "project/.claude/settings.local.json",
    '{ "model": "l",\n "fallbackModel": ["y"], "permissions": { "deny": ["B"] } }',
  );
  const { values } = await inspect(options({ settings: '{"effortLevel": "low"}' }));
  const at = (file: string, line: number, source: string) => ({ source, file, line });
  expect(values).toEqual([
    { key: "model", value: "l", from: [at(local, 1, "localSettings")] },
    { key: "env.A", value: "1", from: [at(user, 3, "userSettings")] },
    { key: "fallbackModel", value: ["y"], from: [at(local, 2, "localSettings")] },
    { key: "permissions.deny", value: ["A", "B"], from: [at(local, 2, "localSettings"), at(user, 6, "userSettings")] },
    { key: "effortLevel", value: "low", from: [{ source: "flagSettings" }] },
  ] as never);
});

test("keys without effect are reported, planned and unknown ones", async () => {
  put(
    "home/.claude/settings.json",
    '{ "$schema": "x", "prUrlTemplate": "dark",\n "modle": "m", "worktree": { "bgIsolation": "none" }, "model": "m" }',
  );
  const { idle } = await inspect(options());
  expect(idle.map(({ key, status, line }) => [key, status, line])).toEqual([
    ["prUrlTemplate", "later", 1],
    ["modle", "unknown", 2],
    ["worktree.bgIsolation", "later", 2],
  ]);
});

test("the files are listed highest precedence first, with their problems", async () => {
  const managed = put("managed/managed-settings.json", "{}");
  const dropIn = put("managed/managed-settings.d/10.json", "{}");
  const user = put("home/.claude/settings.json", "[]");
  expect(await settingsFiles(options())).toEqual([
    { scope: "managed", file: dropIn, state: "present" },
    { scope: "managed", file: managed, state: "present" },
    { scope: "local", file: join(cwd, ".claude/settings.local.json"), state: "absent" },
    { scope: "project", file: join(cwd, ".claude/settings.json"), state: "absent" },
    { scope: "user", file: user, state: "broken", problem: "not a JSON object" },
  ]);
});

const set = (key: string, value: string, scope: SetRequest["scope"] = "user") =>
  setValue(
    { key, value, scope },
    { cwd, home, configDir: join(home, ".claude"), env: {}, origin: { cwd, env: {}, platform: "linux", flags: {} } },
  );

test("setting a value keeps the rest of the file", async () => {
  const file = put(
    "home/.claude/settings.json",
    '{\n    // which one\n    "model": "a", // this one\n    "env": {}\n}\n',
  );
  expect(await set("model", "b")).toMatchObject({ ok: true, file, value: "b" });
  expect(await set("env.SOME.NAME", "1")).toMatchObject({ ok: true, path: ["env", "SOME.NAME"], value: "1" });
  expect(await set("permissions.deny", '["Read(./.env)"]')).toMatchObject({ ok: true });
  expect(readFileSync(file, "utf8")).toBe(
    '{\n    // which one\n    "model": "b", // this one\n    "env": {\n        "SOME.NAME": "1"\n    },\n    "permissions": {\n        "deny": [\n            "Read(./.env)"\n        ]\n    }\n}\n',
  );
  expect(statSync(file).mode & 0o777).toBe(0o600);
});

type Refusal = readonly [key: string, value: string, scope: SetRequest["scope"], problem: string];
const REFUSALS: readonly Refusal[] = [
  ["modle", "x", "user", '"modle" is not a settings key'],
  ["permissions", "{}", "user", '"permissions" is not a settings key'],
  ["alwaysThinkingEnabled", "maybe", "user", "alwaysThinkingEnabled: 'maybe' is not JSON; write, for example, 'true'"],
  ["alwaysThinkingEnabled", '"true"', "user", 'alwaysThinkingEnabled should be true or false, not "true"'],
  ["cleanupPeriodDays", "0", "user", "cleanupPeriodDays should be a whole number of at least 1, not 0"],
  [
    "permissions.allow",
    '["Bash("]',
    "user",
    'permissions.allow[0] should be a rule such as "Bash(git *)" or "Read", not "Bash("',
  ],
  ["permissions.allow", "Bash", "user", `permissions.allow: 'Bash' is not JSON; write, for example, '["Bash(git *)"]'`],
  [
    "providers.x.api",
    "openai-chat",
    "user",
    `providers.x.api: 'openai-chat' is not JSON; write, for example, '{"api": "openai-chat", "baseUrl": "http://127.0.0.1:8000/v1"}'`,
  ],
  [
    "permissions.defaultMode",
    "yolo",
    "user",
    'permissions.defaultMode should be one of acceptEdits, auto, bypassPermissions, default, dontAsk, plan, not "yolo"',
  ],
  [
    "allowManagedPermissionRulesOnly",
    "true",
    "user",
    "allowManagedPermissionRulesOnly is only valid in managed settings, not in user settings",
  ],
  [
    "requireTrust",
    "true",
    "project",
    "requireTrust is only valid in user or managed settings, not in project settings",
  ],
  [
    "permissionExplainerEnabled",
    "true",
    "user",
    "permissionExplainerEnabled is only valid in the global config file, not in user settings",
  ],
  ["env.A B", "x", "user", "env.A B is not a variable name"],
  [
    "modelPrices.x",
    '{"input": -1, "output": 2}',
    "user",
    'modelPrices.x should be prices such as {"input": 3, "output": 15} in dollars per million tokens, not {"input":-1,"output":2}',
  ],
];

test.each(REFUSALS)("set %s %s in %s settings is refused", async (key, value, scope, problem) => {
  expect(await set(key, value, scope)).toEqual({ ok: false, problem });
});
