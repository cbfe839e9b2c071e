// keelson config and doctor with fake I/O: what they print and write, and their errors.

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

test("list shows every value and the file and line it comes from", async () => {
  put(root, "home/.claude/settings.json", {
    model: "opus",
    env: { ANTHROPIC_API_KEY: "secret" },
    prUrlTemplate: "dark",
  });
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
    'prUrlTemplate          "dark"                ~/.claude/settings.json:6  (no effect in this version)',
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

test("list shows no key that was written into a provider, in force or ignored, and nothing else is hidden", async () => {
  const own = { api: "openai-chat", apiKey: "sk-1", headers: { x: "sk-2" }, models: { m: { maxTokens: 9 } } };
  put(root, "home/.claude/settings.json", { providers: { a: own, b: { apiKeyEnv: "B_KEY", query: { k: "sk-3" } } } });
  put(root, "project/.claude/settings.json", { providers: { c: { apiKey: "sk-4" }, d: { apiKeyEnv: "D_KEY" } } });
  for (const more of [[], ["--json"]]) {
    const { out } = await keelson("config", "list", ...more);
    expect([out.includes("sk-"), out.includes("D_KEY")]).toEqual([false, true]);
  }
});

test("list shows values that are ignored, and why", async () => {
  put(root, "home/.claude/settings.json", { model: 1, allowManagedHooksOnly: true });
  put(root, "project/.claude/settings.json", {
    permissions: { allow: ["Bash(make)"], deny: ["Write"], defaultMode: "acceptEdits" },
    env: { MY_TOKEN: "secret", LD_PRELOAD: "x.so" },
    modle: "opus",
    hooks: { Stop: [{ hooks: [{ type: "shell", command: "x" }] }] },
  });
  const untrusted = "this folder is not trusted; to trust it, run: keelson trust /project";

  const { code, out, err } = await keelson("config", "list");
  expect({ code, err }).toEqual({ code: 0, err: [] });
  const lines = out.replaceAll(root, "").split("\n");
  expect(lines.map((line) => line.trimEnd().replaceAll(/(?<=\S) {2,}/g, "  "))).toEqual([
    'permissions.deny  ["Write"]  .claude/settings.json:6',
    'modle  "opus"  .claude/settings.json:15  (unknown key; did you mean "model"?)',
    'hooks  {"Stop":[{"hooks":[]}]}  .claude/settings.json:16',
    "",
    "Ignored:",
    '  permissions.allow  ["Bash(make)"]  .claude/settings.json:3',
    `      ${untrusted}`,
    '  permissions.defaultMode  "acceptEdits"  .claude/settings.json:9',
    `      ${untrusted}`,
    "  env.MY_TOKEN  (hidden)  .claude/settings.json:12",
    `      ${untrusted}`,
    '  env.LD_PRELOAD  "x.so"  .claude/settings.json:13',
    "      a folder may not set variables that make programs load code; set them in your user settings",
    '  hooks.Stop  [{"hooks":[{"type":"shell","command":"x"}]}]  .claude/settings.json:17',
    '      should be one of command, http, mcp_tool, prompt, agent, not "shell"',
    "  model  1  ~/.claude/settings.json:2",
    "      should be a string, not 1",
    "  allowManagedHooksOnly  true  ~/.claude/settings.json:3",
    "      is only valid in managed settings",
    "",
  ]);

  const { ignored } = JSON.parse((await keelson("config", "list", "--json")).out);
  expect(ignored[0]).toEqual({
    key: "permissions.allow",
    value: ["Bash(make)"],
    why: untrusted.replace("/project", join(root, "project")),
    source: "projectSettings",
    file: join(root, "project/.claude/settings.json"),
    line: 3,
  });
  expect(ignored[2]).toMatchObject({ key: "env.MY_TOKEN", value: null, hidden: true });
});

test("list says under its heading only why a value is ignored, and for each value its own reason", async () => {
  put(root, "home/.claude/settings.json", {
    permissions: { deny: [3], defaultMode: 7 },
    hooks: { Nope: [] },
  });
  put(root, "project/.claude/settings.json", { lspServers: { own: { command: "x" } }, hooks: { Nope: [] } });
  const { out } = await keelson("config", "list");
  const reasons = out.split("\n").filter((line) => line.startsWith("      "));
  expect(reasons.map((line) => line.trim().replaceAll(root, ""))).toEqual([
    "this folder is not trusted; to trust it, run: keelson trust /project",
    'should be a rule such as "Bash(git *)" or "Read", not 3; until this is fixed, allow rules are ignored too',
    "should be one of acceptEdits, auto, bypassPermissions, default, dontAsk, plan, not 7; " +
      "until this is fixed, modes less strict than default are ignored too",
  ]);
});

test("list prints nothing that a terminal would act on", async () => {
  const escape = "\u001b]0;owned\u0007\n\u009b2J";
  put(root, "project/.claude/settings.json", {
    [escape]: escape,
    env: { [`LD_${escape}`]: escape },
    model: { [escape]: escape },
    permissions: { allow: [escape], defaultMode: escape },
  });
  const { out } = await keelson("config", "list");
  expect(out).toContain("Ignored:");
  expect(out).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f]/);
});

test("list shows only the items of a list that are ignored", async () => {
  put(root, "project/.claude/settings.local.json", { permissions: { allow: ["Bash(ls)", "Write"] } });
  put(root, "home/.claude.json", { projects: { [join(root, "project")]: { allowedTools: ["Bash(ls)"] } } });
  const { out } = await keelson("config", "list");
  expect(out.split("\n").slice(0, 4)).toEqual([
    'permissions.allow  ["Bash(ls)"]  .claude/settings.local.json:3',
    "",
    "Ignored:",
    '  permissions.allow  ["Write"]  .claude/settings.local.json:3',
  ]);
});

test("get prints the value, plain for a string and JSON for the rest", async () => {
  put(root, "home/.claude/settings.json", {
    model: "opus",
    permissions: { deny: ["Write"] },
    modelPrices: { "a.b": { input: 1, output: 2 } },
  });
  expect(await keelson("config", "get", "model")).toEqual({ code: 0, out: "opus\n", err: [] });
  expect((await keelson("config", "get", "permissions.deny")).out).toBe('["Write"]\n');
  expect((await keelson("config", "get", "modelPrices.a.b")).out).toBe('{"input":1,"output":2}\n');
  expect(await keelson("config", "get", "effortLevel")).toEqual({
    code: 1,
    out: "",
    err: ["error: effortLevel is not set"],
  });
  expect((await keelson("config", "get", "modle")).err).toEqual([
    'error: "modle" is not a settings key; did you mean "model"?',
  ]);
});

test("get says why a value in a file is ignored", async () => {
  put(root, "project/.claude/settings.json", '{ "permissions": { "allow": ["Bash(make)"] } }');
  expect((await keelson("config", "get", "permissions.allow")).err).toEqual([
    "error: permissions.allow is not set; the value in .claude/settings.json:1 is ignored: " +
      `this folder is not trusted; to trust it, run: keelson trust ${join(root, "project")}`,
  ]);
});

test("set writes to the given scope, and warns when the value does not apply", async () => {
  expect(await keelson("config", "set", "model", "opus")).toEqual({
    code: 0,
    out: 'model = "opus" in ~/.claude/settings.json\n',
    err: [],
  });
  const { out, err } = await keelson("config", "set", "permissions.allow", '["Bash(ls)"]', "--scope", "project");
  expect(out).toBe('permissions.allow = ["Bash(ls)"] in .claude/settings.json\n');
  expect(err).toEqual([expect.stringContaining("permissions.allow ignored: this folder is not trusted")]);
  // A value set with --scope local is accepted at the same time; what was already in the file is not.
  put(root, "project/.claude/settings.local.json", { permissions: { allow: ["Write"] } });
  const own = await keelson("config", "set", "permissions.allow", '["Bash(ls)"]', "--scope", "local");
  expect(own).toEqual({ code: 0, out: 'permissions.allow = ["Bash(ls)"] in .claude/settings.local.json\n', err: [] });
  put(root, "project/.claude/settings.local.json", { permissions: { allow: ["Write", "Bash(ls)"] } });
  const { values } = JSON.parse((await keelson("config", "list", "--json")).out);
  expect(values.find(({ key }: { key: string }) => key === "permissions.allow").value).toEqual(["Bash(ls)"]);
  rmSync(join(root, "project/.claude/settings.local.json"));
  await keelson("config", "set", "--scope=local", "model", "haiku");
  expect((await keelson("config", "set", "model", "sonnet")).err).toEqual([
    "warning: model is overridden by .claude/settings.local.json:2",
  ]);
  expect((await keelson("config", "set", "prUrlTemplate", "dark")).err).toEqual([
    "warning: prUrlTemplate has no effect in this version",
  ]);
  expect((await keelson("config", "set", "attribution.sessionUrl", "false")).err).toEqual([
    "warning: attribution.sessionUrl has no effect: no link is added to commits and pull requests, because a session has no address that others can open",
  ]);
  expect((await keelson("config", "set", "env.MY_TOKEN", "abc")).out).toBe(
    "env.MY_TOKEN = (hidden) in ~/.claude/settings.json\n",
  );
  expect(Bun.JSONC.parse(readFileSync(join(root, "home/.claude/settings.json"), "utf8"))).toEqual({
    attribution: { sessionUrl: false },
    model: "sonnet",
    prUrlTemplate: "dark",
    env: { MY_TOKEN: "abc" },
  });
});

test("set refuses invalid keys and values, and writes nothing", async () => {
  const file = put(root, "home/.claude/settings.json", "{ broken");
  const cases: [string[], string][] = [
    [["modle", "x"], 'error: "modle" is not a settings key; did you mean "model"?'],
    [["cleanupPeriodDays", "0"], "error: cleanupPeriodDays should be a whole number of at least 1, not 0"],
    [
      ["allowManagedPermissionRulesOnly", "true"],
      "error: allowManagedPermissionRulesOnly is only valid in managed settings, not in user settings",
    ],
    [["model", "opus"], `error: ${file} is not valid JSON: line 1: `],
    [["model"], "error: usage: keelson config set <key> <value>"],
    [["model", "x", "--scope", "managed"], 'error: invalid value "managed" for --scope; use user, project or local'],
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

test("commands have help, a typo gets a suggestion, and broken managed settings are an error", async () => {
  expect((await keelson("config")).out).toStartWith("Usage: keelson config");
  expect((await keelson("help", "config")).out).toStartWith("Usage: keelson config");
  expect((await keelson("config", "help")).out).toStartWith("Usage: keelson config");
  expect((await keelson("config", "help", "set")).out).toStartWith("Usage: keelson config");
  expect((await keelson("config", "list", "--help")).out).toStartWith("Usage: keelson config");
  expect((await keelson("doctor", "--help")).out).toStartWith("Usage: keelson doctor");
  expect((await keelson("help")).out).toContain("  permissions   ");
  expect(await keelson("config", "lst")).toEqual({
    code: 1,
    out: "",
    err: ['error: unknown command "config lst"; did you mean "config list"?'],
  });
  expect((await keelson("config", "eslint", "for", "tests")).err).toEqual([
    "error: unknown command \"config eslint\"; use list, get, set, path or resolve\nTo send it as a prompt: keelson -p 'config eslint for tests'",
  ]);
  expect((await keelson("config", "sett", "up", "eslint")).err).toEqual([
    'error: unknown command "config sett"; did you mean "config set"?\nTo send it as a prompt: keelson -p \'config sett up eslint\'',
  ]);
  expect((await keelson("doctor", "the", "readme")).err).toEqual([
    "error: usage: keelson doctor [--json]\nTo send it as a prompt: keelson -p 'doctor the readme'",
  ]);
  expect((await keelson("config", "list", "the", "files")).err).toEqual([
    "error: usage: keelson config list\nTo send it as a prompt: keelson -p 'config list the files'",
  ]);
  // What was typed may be a key.
  expect((await keelson("config", "set", "apiKeyHelper", "sk-1", "x")).err.join()).not.toContain("sk-1");
  expect((await keelson("explain", "what", "--forse", "does")).err).toEqual([
    "error: unknown option '--forse'\nTo send it as a prompt: keelson -p 'explain what --forse does'",
  ]);
  expect((await keelson("config", "list", "--jsn")).err).toEqual([
    "error: unknown option '--jsn' (did you mean --json?)",
  ]);
  put(root, "managed/managed-settings.json", "{");
  expect((await keelson("config", "list")).err[0]).toStartWith("error: managed settings file");
});

test("words that are not a command, or do not come first, are a prompt", async () => {
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

test("doctor shows every check and exits with 1 when something is broken", async () => {
  put(root, "home/.claude/settings.json", {
    prUrlTemplate: "dark",
    modle: "x",
    env: { ANTHROPIC_API_KEY: "sk-secret" },
  });
  const fine = await keelson("doctor");
  expect(fine.out).toContain("prUrlTemplate (~/.claude/settings.json:2): not implemented yet");
  expect(fine.out).toContain('modle (~/.claude/settings.json:3): unknown key; did you mean "model"?');
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
});

test("doctor reports broken managed settings instead of failing", async () => {
  put(root, "managed/managed-settings.json", "{");
  const { code, out } = await keelson("doctor");
  expect(code).toBe(1);
  expect(out).toContain("✗ settings");
});
