// keelson config, in a world of our own: what it prints, what it writes, how it refuses.

import { afterEach, beforeEach, expect, test } from "bun:test";
import { readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { main } from "../../main.ts";
import { withFakeIO, put, removed, scratch } from "../command-io.test-support.ts";

let root: string;

beforeEach(() => {
  root = scratch("config-command");
});
afterEach(() => removed(root));

/** Runs the program; a prompt would open a session, which here is a failure. */
const keelson = (...argv: string[]) => withFakeIO(root, (io) => main(argv, io));

test("list says what is in force and which line of which file it comes from", async () => {
  put(root, "home/.claude/settings.json", { model: "opus", env: { ANTHROPIC_API_KEY: "secret" }, theme: "dark" });
  put(root, "project/.claude/settings.json", { permissions: { deny: ["Write"] }, model: "haiku" });
  put(root, "managed/managed-settings.json", { permissions: { deny: ["WebFetch"] } });

  const { code, out } = await keelson("config", "list");
  expect(code).toBe(0);
  expect(
    out
      .replaceAll(root, "")
      .split("\n")
      .map((line) => line.trimEnd()),
  ).toEqual([
    'model                  "haiku"               .claude/settings.json:7',
    "env.ANTHROPIC_API_KEY  (hidden)              ~/.claude/settings.json:4",
    'theme                  "dark"                ~/.claude/settings.json:6  (no effect in this version)',
    'permissions.deny       ["Write","WebFetch"]  /managed/managed-settings.json:3, .claude/settings.json:3',
    "",
  ]);

  const { values } = JSON.parse((await keelson("config", "list", "--json")).out);
  expect(values[0]).toEqual({
    key: "model",
    value: "haiku",
    from: [{ source: "projectSettings", file: join(root, "project/.claude/settings.json"), line: 7 }],
  });
  expect(values[1]).toMatchObject({ key: "env.ANTHROPIC_API_KEY", value: null, hidden: true });
});

test("get prints the value in force, plain for a text and JSON for the rest", async () => {
  put(root, "home/.claude/settings.json", {
    model: "opus",
    permissions: { deny: ["Write"] },
    modelPrices: { "a.b": { input: 1, output: 2 } },
  });
  expect(await keelson("config", "get", "model")).toEqual({ code: 0, out: "opus\n", err: [] });
  expect((await keelson("config", "get", "permissions.deny")).out).toBe('["Write"]\n');
  expect((await keelson("config", "get", "modelPrices.a.b")).out).toBe('{"input":1,"output":2}\n');
  expect(await keelson("config", "get", "effortLevel")).toEqual({ code: 1, out: "", err: ["effortLevel is not set"] });
  expect((await keelson("config", "get", "modle")).err).toEqual([
    "modle is not set, and is no known key\n(Did you mean model?)",
  ]);
});

test("set writes to the scope that was asked for, and says when the value does not count", async () => {
  expect(await keelson("config", "set", "model", "opus")).toEqual({
    code: 0,
    out: 'model = "opus" in ~/.claude/settings.json\n',
    err: [],
  });
  const { out, err } = await keelson("config", "set", "permissions.allow", '["Bash(ls)"]', "--scope", "project");
  expect(out).toBe('permissions.allow = ["Bash(ls)"] in .claude/settings.json\n');
  expect(err).toEqual([expect.stringContaining("permissions.allow ignored: this folder is not trusted")]);
  // What is set for oneself is meant: in the local file it counts, beside what the folder came with, which does not.
  put(root, "project/.claude/settings.local.json", { permissions: { allow: ["Write"] } });
  const own = await keelson("config", "set", "permissions.allow", '["Bash(ls)"]', "--scope", "local");
  expect(own).toEqual({ code: 0, out: 'permissions.allow = ["Bash(ls)"] in .claude/settings.local.json\n', err: [] });
  put(root, "project/.claude/settings.local.json", { permissions: { allow: ["Write", "Bash(ls)"] } });
  const { values } = JSON.parse((await keelson("config", "list", "--json")).out);
  expect(values.find(({ key }: { key: string }) => key === "permissions.allow").value).toEqual(["Bash(ls)"]);
  rmSync(join(root, "project/.claude/settings.local.json"));
  await keelson("config", "set", "--scope=local", "model", "haiku");
  expect((await keelson("config", "set", "model", "sonnet")).err).toEqual([
    "Note: .claude/settings.local.json:2 says otherwise and wins",
  ]);
  expect((await keelson("config", "set", "theme", "dark")).err).toEqual(["Note: theme has no effect in this version"]);
  expect((await keelson("config", "set", "env.MY_TOKEN", "abc")).out).toBe(
    "env.MY_TOKEN = (hidden) in ~/.claude/settings.json\n",
  );
  expect(Bun.JSONC.parse(readFileSync(join(root, "home/.claude/settings.json"), "utf8"))).toEqual({
    model: "sonnet",
    theme: "dark",
    env: { MY_TOKEN: "abc" },
  });
});

test("set refuses what makes no sense, and writes nothing", async () => {
  const file = put(root, "home/.claude/settings.json", "{ broken");
  const cases: [string[], string][] = [
    [["modle", "x"], "error: 'modle' is not a settings key\n(Did you mean model?)"],
    [["cleanupPeriodDays", "0"], "error: cleanupPeriodDays should be a whole number of at least 1, not 0"],
    [
      ["allowManagedPermissionRulesOnly", "true"],
      "error: allowManagedPermissionRulesOnly is only valid in managed settings, not in user settings",
    ],
    [["model", "opus"], `error: ${file} is not valid JSON: line 1: `],
    [["model"], "error: usage: keelson config set <key> <value>"],
    [
      ["model", "x", "--scope", "managed"],
      "error: option '--scope <scope>' argument 'managed' is invalid. Allowed choices are user, project, local.",
    ],
  ];
  for (const [words, message] of cases) {
    const { code, out, err } = await keelson("config", "set", ...words);
    expect({ code, out }).toEqual({ code: 1, out: "" });
    expect(err.join("\n")).toStartWith(message);
  }
  expect(readFileSync(file, "utf8")).toBe("{ broken");
});

test("path lists the files, highest first", async () => {
  put(root, "home/.claude/settings.json", "{ broken");
  put(root, "project/.claude/settings.json", {});
  const lines = (await keelson("config", "path")).out.replaceAll(root, "").split("\n");
  expect(lines.map((line) => line.replace(/ +/g, " "))).toEqual([
    "managed /managed/managed-settings.json absent",
    "local /project/.claude/settings.local.json absent",
    "project /project/.claude/settings.json present",
    expect.stringMatching(/^user \/home\/\.claude\/settings\.json broken: not valid JSON: line 1: /),
    "",
  ]);
});

test("commands explain themselves, a wrong one is told apart, and a damaged policy stops them", async () => {
  expect((await keelson("config")).out).toStartWith("Usage: keelson config");
  expect((await keelson("help", "config")).out).toStartWith("Usage: keelson config");
  expect((await keelson("config", "list", "--help")).out).toStartWith("Usage: keelson config");
  expect((await keelson("doctor", "--help")).out).toStartWith("Usage: keelson doctor");
  expect((await keelson("help")).out).toContain("  permissions   ");
  expect(await keelson("config", "lst")).toEqual({
    code: 1,
    out: "",
    err: ["error: unknown command 'config lst'\n(Did you mean list?)"],
  });
  expect((await keelson("config", "list", "--jsn")).err).toEqual([
    "error: unknown option '--jsn'\n(Did you mean --json?)",
  ]);
  put(root, "managed/managed-settings.json", "{");
  expect((await keelson("config", "list")).err[0]).toStartWith("Error: Managed settings file");
});

test("words that are not exactly a command, or do not come first, are prompts", async () => {
  for (const argv of [
    ["configure it"],
    ["-p", "config"],
    ["help me with the tests"],
    ["help", "me", "please"],
    ["help", "me"],
  ]) {
    const outcome = await keelson(...argv, "--print").catch((error: Error) => error.message);
    expect(outcome).toBe("A session was opened");
  }
});

test("doctor shows what is there and exits with 1 when something is broken", async () => {
  put(root, "home/.claude/settings.json", { theme: "dark", modle: "x", env: { ANTHROPIC_API_KEY: "sk-secret" } });
  const fine = await keelson("doctor");
  expect(fine.out).toContain("theme (~/.claude/settings.json:2): not implemented yet");
  expect(fine.out).toContain("modle (~/.claude/settings.json:3): no key that Keelson knows; did you mean model?");
  expect(fine.out).toMatch(/✓ model +claude-\S+, ANTHROPIC_API_KEY \(~\/\.claude\/settings\.json:5\)/);
  expect(fine.out).toContain("is not trusted");
  expect(fine.out).not.toContain("sk-secret");
  expect([fine.code, fine.err]).toEqual([0, []]);

  put(root, "project/.claude/settings.local.json", { permissions: { deny: ["Bash("] } });
  const broken = JSON.parse((await keelson("doctor", "--json")).out);
  expect(broken.ok).toBe(false);
  expect(broken.findings.find(({ name }: { name: string }) => name === "settings")).toMatchObject({
    state: "broken",
    details: [expect.stringContaining("permissions.deny[0] should be a rule")],
  });
  expect(broken.findings.find(({ name }: { name: string }) => name === "rules").text).toStartWith(
    "0 deny, 1 ask, 0 allow",
  );
  expect((await keelson("doctor")).code).toBe(1);
}, 20_000);

test("doctor names a damaged policy instead of failing on it", async () => {
  put(root, "managed/managed-settings.json", "{");
  const { code, out } = await keelson("doctor");
  expect(code).toBe(1);
  expect(out).toContain("✗ settings");
});
