// Mistakes in settings files, one row each: the program starts, reports what it ignored, and never permits more.

import { afterEach, beforeEach, expect, test } from "bun:test";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { load } from "../load/load.ts";

let root: string;

beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), "keelson-errors-")));
  for (const name of ["home", "project"]) mkdirSync(join(root, name));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

const FILES = {
  user: "home/.claude/settings.json",
  project: "project/.claude/settings.json",
  local: "project/.claude/settings.local.json",
};

function start(files: Partial<Record<keyof typeof FILES, string>>, flags = {}) {
  for (const [name, text] of Object.entries(files)) {
    const file = join(root, FILES[name as keyof typeof FILES]);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
  }
  const { rules, mode, settings, warnings } = load({
    cwd: join(root, "project"),
    home: join(root, "home"),
    env: {},
    flags,
    platform: "linux",
    uid: 1000,
    managedDir: join(root, "managed"),
  });
  return { rules: rules.map(({ behavior, text }) => `${behavior} ${text}`), mode, settings, warnings };
}

/** One file allows a lot; the broken one denies. */
const WIDE = '{ "permissions": { "allow": ["Bash", "Read"], "defaultMode": "acceptEdits" } }';
const OPEN = ["allow Bash", "allow Read"];

type Row = readonly [what: string, local: string, rules: readonly string[], mode: string];
const ROWS: readonly Row[] = [
  ["nothing wrong", '{ "permissions": { "deny": ["Read(.env)"] } }', [...OPEN, "deny Read(.env)"], "acceptEdits"],
  ["an empty file", "", OPEN, "acceptEdits"],
  ["only a comment", "// nothing yet\n", OPEN, "acceptEdits"],
  ["a bracket too many", '{ "permissions": { "deny": ["Read(.env)"] ] } }', ["deny Read(.env)"], "default"],
  [
    "a file cut short",
    '{ "permissions": { "deny": ["Read(.env)", "Bash(rm *)"',
    ["deny Read(.env)", "deny Bash(rm *)"],
    "default",
  ],
  [
    "a forgotten comma",
    '{ "permissions": { "deny": ["Read(.env)" "Write"] } }',
    ["deny Read(.env)", "deny Write"],
    "default",
  ],
  [
    "a comma instead of a colon before it",
    '{ "model", "permissions": { "deny": ["Write"] } }',
    ["deny Write"],
    "default",
  ],
  ["single quotes", "{ 'permissions': { 'deny': ['Write'] } }", [...OPEN, "deny Write"], "acceptEdits"],
  [
    "a forgotten quote",
    '{ "permissions": { "deny": ["Read(.env),\n "Write"] } }',
    ["deny Write", "ask Read"],
    "default",
  ],
  [
    "conflict marks",
    '<<<<<<< HEAD\n{ "permissions": { "deny": ["Write"] } }\n=======\n{ "permissions": { "deny": ["Edit"] } }\n',
    ["deny Write", "deny Edit"],
    "default",
  ],
  ["a list instead of an object", '["Write"]', [], "default"],
  [
    "a key twice",
    '{ "permissions": { "deny": ["Write"] }, "permissions": { "ask": ["Edit"] } }',
    [...OPEN, "deny Write", "ask Edit"],
    "acceptEdits",
  ],
  [
    "deny twice",
    '{ "permissions": { "deny": ["Write"], "deny": ["Edit"] } }',
    [...OPEN, "deny Write", "deny Edit"],
    "acceptEdits",
  ],
  ["a lone string", '{ "permissions": { "deny": "Write" } }', [...OPEN, "deny Write"], "acceptEdits"],
  [
    "a broken rule beside a good one",
    '{ "permissions": { "deny": ["Bash(rm", "Write"] } }',
    [...OPEN, "deny Write", "ask Bash"],
    "acceptEdits",
  ],
  ["a number among the rules", '{ "permissions": { "deny": [7, "Write"] } }', ["deny Write"], "default"],
  ["an empty rule", '{ "permissions": { "ask": [""] } }', [], "default"],
  ["deny is an object", '{ "permissions": { "deny": { "Write": true } } }', [], "default"],
  ["deny is null", '{ "permissions": { "deny": null } }', [], "default"],
  ["permissions is a list", '{ "permissions": ["Write"] }', [], "default"],
  ["a misspelt deny", '{ "permissions": { "denny": ["Write"], "Deny": ["Edit"] } }', [], "default"],
  ["a key with a dot", '{ "permissions.deny": ["Write"] }', [], "default"],
  ["a broken allow rule", '{ "permissions": { "allow": ["Bash(", "Edit"] } }', [...OPEN, "allow Edit"], "acceptEdits"],
  ["allow is a string", '{ "permissions": { "allow": "Edit" } }', OPEN, "acceptEdits"],
  ["a mode nobody knows", '{ "permissions": { "defaultMode": "plann" } }', OPEN, "default"],
  ["a sandbox that is no object", '{ "sandbox": "yes" }', [], "default"],
];

/** Not quite the right format, but unambiguous. */
const HARMLESS = new Set(["nothing wrong", "an empty file", "only a comment", "single quotes", "a lone string"]);

test.each(ROWS)("%s", (what, local, rules, mode) => {
  // The user accepted it here, but the file is still broken.
  const accepted = { projects: { [join(root, "project")]: { allowedTools: ["Edit"] } } };
  mkdirSync(join(root, "home"), { recursive: true });
  writeFileSync(join(root, "home/.claude.json"), JSON.stringify(accepted));
  const found = start({ user: WIDE, local });
  expect({ rules: found.rules, mode: found.mode }).toEqual({ rules: [...rules], mode: mode as never });
  expect(found.warnings.length > 0).toBe(!HARMLESS.has(what));
  for (const text of found.warnings) expect(text).toContain("settings.local.json");
});

test("while rules may be missing, neither flags nor other files allow what they may have denied", () => {
  const local = '{ "permissions": { "deny": [';
  expect(start({ local }, { allowedTools: ["Bash"], skipPermissions: true })).toMatchObject({
    rules: [],
    mode: "default",
  });
  expect(start({ local }, { permissionMode: "plan" }).mode).toBe("plan");
});

test("invalid switches that protect are on, invalid switches that permit are off", () => {
  const file =
    '{ "permissions": { "disableBypassPermissionsMode": true }, "disableAutoMode": "yes", "requireTrust": 1 }';
  const sandbox =
    '{ "sandbox": { "enabled": "true", "failIfUnavailable": "on", "autoAllowBashIfSandboxed": "yes", "allowUnsandboxedCommands": 1 } }';
  expect(start({ user: file }).settings).toEqual({
    permissions: { disableBypassPermissionsMode: "disable" },
    disableAutoMode: "disable",
    requireTrust: true,
  });
  expect(start({ user: sandbox }).settings).toEqual({
    sandbox: {
      enabled: true,
      failIfUnavailable: true,
      autoAllowBashIfSandboxed: false,
      allowUnsandboxedCommands: false,
    },
  });
  expect(
    start({ user: '{ "permissions": { "disableBypassPermissionsMode": 1 } }' }, { skipPermissions: true }).mode,
  ).toBe("default");
});

test("values of keys without effect are checked, too", () => {
  const { settings, warnings } = start({
    user: '{ "theme": 3, "verbose": "yes", "hooks": [], "autoCompactWindow": 5, "modelOverrides": { "a": 1, "b": "c" }, "editorMode": "emacs" }',
  });
  expect(settings).toEqual({ modelOverrides: { b: "c" } } as never);
  expect(warnings.map((text) => text.slice(text.indexOf(": ") + 2))).toEqual([
    "theme should be a string, not 3; it is ignored",
    'verbose should be true or false, not "yes"; it is ignored',
    "hooks should be an object, not []; it is ignored",
    "autoCompactWindow should be a whole number from 100000 to 1000000, not 5; it is ignored",
    "modelOverrides.a should be a string, not 1; it is ignored",
    'editorMode should be one of "normal", "vim", not "emacs"; it is ignored',
  ]);
});
