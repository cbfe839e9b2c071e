import { afterEach, beforeEach, expect, test } from "bun:test";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, relative } from "node:path";
import { ConfigError } from "../errors.ts";
import type { LoadSettingsOptions } from "./gather.ts";
import { load, reload, withEnvironment } from "./load.ts";
import type { Flags } from "./snapshot.ts";
import { changed } from "./sources.ts";

let root: string;
let home: string;
let cwd: string;

beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), "keelson-config-")));
  home = join(root, "home");
  cwd = join(root, "project");
  mkdirSync(home);
  mkdirSync(cwd);
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

function put(path: string, content: unknown): string {
  const file = join(root, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, typeof content === "string" ? content : JSON.stringify(content));
  return file;
}

const user = (settings: unknown) => put("home/.claude/settings.json", settings);
const project = (settings: unknown) => put("project/.claude/settings.json", settings);
const local = (settings: unknown) => put("project/.claude/settings.local.json", settings);
const managed = (settings: unknown) => put("managed/managed-settings.json", settings);
const trust = () => put("home/.claude.json", { projects: { [cwd]: { hasTrustDialogAccepted: true } } });

function start(flags: Flags = {}, more: Partial<LoadSettingsOptions> = {}) {
  return load({ cwd, home, env: {}, flags, platform: "linux", uid: 1000, managedDir: join(root, "managed"), ...more });
}

/** The folder and all folders around it. */
function upFrom(folder: string): readonly string[] {
  return dirname(folder) === folder ? [folder] : [folder, ...upFrom(dirname(folder))];
}

test("without any file, the snapshot has defaults and is deeply frozen", () => {
  const snapshot = start({ model: "m", betas: ["b"] }, { env: { PATH: "/bin" } });

  expect(snapshot).toEqual({
    cwd,
    home,
    configDir: join(home, ".claude"),
    env: { PATH: "/bin" },
    childEnv: { PATH: "/bin" },
    settings: {},
    flags: { model: "m", betas: ["b"] },
    rules: [],
    hooks: {
      active: [],
      off: [],
      policy: { disabledByPolicy: false, managedOnly: false, pluginsOnly: false, bare: false, safe: false },
    },
    mcp: { servers: [], unused: [] },
    lsp: { servers: [], unused: [] },
    plugins: { active: [], unused: [] },
    mode: "default",
    directories: [],
    trusted: false,
    requireTrust: false,
    sources: [
      ".claude.json",
      ".claude/settings.json",
      "../project/.claude/settings.json",
      "../project/.claude/settings.local.json",
      "../managed/managed-settings.d",
      "../managed/managed-settings.json",
      "../managed/managed-mcp.json",
      ...upFrom(cwd).map((folder) => join(relative(home, folder), ".mcp.json")),
    ].map((path) => ({ path: join(home, path), stamp: "absent" })),
    origin: {
      cwd,
      env: { PATH: "/bin" },
      platform: "linux",
      uid: 1000,
      managedDir: join(root, "managed"),
      flags: { model: "m", betas: ["b"] },
    },
    warnings: [],
  });
  for (const part of [
    snapshot,
    snapshot.env,
    snapshot.childEnv,
    snapshot.flags.betas,
    snapshot.rules,
    snapshot.warnings,
  ]) {
    expect(Object.isFrozen(part)).toBe(true);
  }
});

test("scopes merge: managed over flags over local over project over user", () => {
  trust();
  user({ model: "u", effortLevel: "low", cleanupPeriodDays: 1, language: "u", verbose: true, outputStyle: "u" });
  project({ model: "p", effortLevel: "medium", cleanupPeriodDays: 2, language: "p", outputStyle: "p" });
  local({ model: "l", effortLevel: "high", cleanupPeriodDays: 3, language: "l" });
  managed({ model: "m" });

  expect(start({ settings: '{"model": "f", "effortLevel": "max"}' }).settings).toEqual({
    model: "m",
    effortLevel: "max",
    cleanupPeriodDays: 3,
    language: "l",
    outputStyle: "p",
    verbose: true,
  });
});

test("lists join without duplicates, objects merge by key, fallbackModel is replaced as a whole", () => {
  trust();
  user({ permissions: { deny: ["A", "B"] }, fallbackModel: ["u1", "u2"], modelPrices: { x: { input: 1, output: 2 } } });
  project({ permissions: { deny: ["B", "C"] }, fallbackModel: ["p"], modelPrices: { y: { input: 3, output: 4 } } });

  expect(start().settings).toEqual({
    permissions: { deny: ["A", "B", "C"] },
    fallbackModel: ["p"],
    modelPrices: { x: { input: 1, output: 2 }, y: { input: 3, output: 4 } },
  });
});

test("drop-in policy files apply in name order, hidden ones do not", () => {
  managed({ model: "base" });
  put("managed/managed-settings.d/20-b.json", { model: "b" });
  put("managed/managed-settings.d/10-a.json", { model: "a", language: "a" });
  put("managed/managed-settings.d/.99-hidden.json", { model: "hidden" });

  expect(start().settings).toEqual({ model: "b", language: "a" });
});

test("--setting-sources selects user, project and local; policy and flags always apply", () => {
  trust();
  user({ permissions: { deny: ["U"] } });
  project({ permissions: { deny: ["P"] } });
  local({ permissions: { deny: ["L"] } });
  managed({ permissions: { deny: ["M"] } });
  const denied = (flags: Flags) => start(flags).rules.map((rule) => rule.tool);

  expect(denied({ settingSources: ["project"] })).toEqual(["P", "M"]);
  expect(denied({ settingSources: [], settings: '{"permissions":{"deny":["F"]}}' })).toEqual(["F", "M"]);
});

test("rules have their source and the folder that a leading slash means", () => {
  trust();
  const files = {
    user: user({ permissions: { allow: ["Read(/u)"] } }),
    project: project({ permissions: { ask: ["Bash(git push *)"] } }),
    local: local({ permissions: { allow: ["Bash(npm test)"] } }),
    managed: managed({ permissions: { deny: ["WebFetch"] } }),
  };
  const { rules } = start({
    allowedTools: ["Bash(git log *, --all),Read", "Edit(/src/**) Glob"],
    disallowedTools: ["Write"],
  });
  const configDir = join(home, ".claude");
  const cli = { source: "cliArg", base: cwd } as const;

  expect(rules).toEqual([
    {
      behavior: "allow",
      tool: "Read",
      content: "/u",
      source: "userSettings",
      base: configDir,
      file: files.user,
      text: "Read(/u)",
    },
    {
      behavior: "ask",
      tool: "Bash",
      content: "git push *",
      source: "projectSettings",
      base: cwd,
      file: files.project,
      text: "Bash(git push *)",
    },
    {
      behavior: "allow",
      tool: "Bash",
      content: "npm test",
      source: "localSettings",
      base: cwd,
      file: files.local,
      text: "Bash(npm test)",
    },
    { behavior: "deny", tool: "WebFetch", source: "policySettings", base: cwd, file: files.managed, text: "WebFetch" },
    { behavior: "deny", tool: "Write", ...cli, text: "Write" },
    { behavior: "allow", tool: "Bash", content: "git log *, --all", ...cli, text: "Bash(git log *, --all)" },
    { behavior: "allow", tool: "Read", ...cli, text: "Read" },
    { behavior: "allow", tool: "Edit", content: "/src/**", ...cli, text: "Edit(/src/**)" },
    { behavior: "allow", tool: "Glob", ...cli, text: "Glob" },
  ]);
});

test("with managed rules only, other files may still ask and deny but not allow", () => {
  trust();
  managed({ allowManagedPermissionRulesOnly: true, permissions: { allow: ["Read"] } });
  user({ allowManagedPermissionRulesOnly: false, permissions: { allow: ["Bash"], deny: ["Write"], ask: ["Edit"] } });

  expect(start({ allowedTools: ["Glob"] }).rules.map((rule) => `${rule.behavior} ${rule.tool}`)).toEqual([
    "deny Write",
    "ask Edit",
    "allow Read",
  ]);
});

test("an invalid value drops only itself, and the warning has the file, the key and what is expected", () => {
  const file = user({
    model: 7,
    cleanupPeriodDays: 0,
    permissions: { allow: ["Bash(git *)", "Bash(", 3], deny: "Write", defaultMode: "yolo" },
    env: { GOOD: "1", COUNT: 2, BAD: { a: 1 }, "NOT A NAME": "x" },
    somethingNew: { kept: true },
  });
  const { settings, warnings, rules } = start();

  expect<unknown>(settings).toEqual({
    permissions: { allow: ["Bash(git *)"], deny: ["Write"] },
    env: { GOOD: "1", COUNT: "2" },
    somethingNew: { kept: true },
  });
  expect(rules.map((rule) => rule.text)).toEqual(["Write", "Bash(git *)"]);
  expect(warnings).toEqual([
    `${file}: model should be a string, not 7; it is ignored`,
    `${file}: cleanupPeriodDays should be a whole number of at least 1, not 0; it is ignored`,
    `${file}: permissions.allow[1] should be a rule such as "Bash(git *)" or "Read", not "Bash("; it is ignored`,
    `${file}: permissions.allow[2] should be a rule such as "Bash(git *)" or "Read", not 3; it is ignored`,
    `${file}: permissions.defaultMode should be one of acceptEdits, auto, bypassPermissions, default, dontAsk, plan, not "yolo"; it is ignored; until this is fixed, modes less strict than default are ignored too`,
    `${file}: env.BAD should be a string, not {"a":1}; it is ignored`,
    `${file}: env.NOT A NAME is not a variable name; it is ignored`,
  ]);
});

test("comments and trailing commas are allowed", () => {
  user('{\n  // mine\n  "model": "m", /* so */\n}\n');
  expect(start()).toMatchObject({ settings: { model: "m" }, warnings: [] });
});

test("a file that does not parse is reported with its line; its deny rules apply, and nothing is allowed", () => {
  const broken = user('{\n  "model": "m",\n  "permissions": { "deny": [ "A", "Read(.env)" ] ]\n}\n');
  local({ model: "l", permissions: { allow: ["Bash(npm test)"], ask: ["Edit"], defaultMode: "acceptEdits" } });
  trust();
  const { settings, rules, mode, warnings } = start({ allowedTools: ["Glob"], skipPermissions: true });

  expect(settings.model).toBe("l");
  expect(rules.map(({ behavior, text }) => `${behavior} ${text}`)).toEqual(["deny A", "deny Read(.env)", "ask Edit"]);
  expect(mode).toBe("default");
  expect(settings.permissions).toMatchObject({
    disableBypassPermissionsMode: "disable",
    disableAutoMode: "disable",
  });
  expect(warnings).toHaveLength(2);
  expect(warnings[0]).toStartWith(`${broken} is not valid JSON: line 3: `);
  expect(warnings[1]).toBe(
    `${broken}: deny or ask rules may be missing; until this is fixed, allow rules are ignored, and so are modes less strict than default`,
  );
});

test("files that are not settings files are reported, not read", () => {
  mkdirSync(join(home, ".claude", "settings.json"), { recursive: true });
  project("[1]");
  local(`${'{"a":'.repeat(100)}1${"}".repeat(100)}`);
  expect(
    start()
      .warnings.slice(0, 3)
      .map((text) => text.replace(root, "")),
  ).toEqual([
    "/home/.claude/settings.json is not a regular file; it is ignored",
    "/project/.claude/settings.json is not a JSON object; only its deny and ask rules are used",
    "/project/.claude/settings.local.json is nested deeper than 32 levels; only its deny and ask rules are used",
  ]);
});

test("a FIFO in place of a settings file does not hang the start", () => {
  mkdirSync(join(cwd, ".claude"));
  const made = Bun.spawnSync(["mkfifo", join(cwd, ".claude", "settings.json")]);
  expect(made.exitCode).toBe(0);
  expect(start().warnings[0]).toBe(`${join(cwd, ".claude", "settings.json")} is not a regular file; it is ignored`);
});

test("settings cannot set a prototype", () => {
  user('{"__proto__": {"polluted": 1}, "env": {"__proto__": "x"}, "permissions": {"__proto__": {"allow": ["Bash"]}}}');
  local('{"permissions": {"__proto__": {"allow": ["Bash"]}}}');
  const { settings, rules } = start();
  expect([
    (settings as Record<string, unknown>)["polluted"],
    rules,
    ({} as Record<string, unknown>)["polluted"],
  ]).toEqual([undefined, [], undefined]);
});

test("keys apply only in the files that may hold them", () => {
  const file = user({ allowManagedPermissionRulesOnly: true, sandbox: { bwrapPath: "/x", enabled: true } });
  expect(start()).toMatchObject({
    settings: { sandbox: { enabled: true } },
    warnings: [
      `${file}: allowManagedPermissionRulesOnly is only valid in managed settings; it is ignored`,
      `${file}: sandbox.bwrapPath is only valid in managed settings; it is ignored`,
    ],
  });
});

test("a snapshot notices when a file is changed, created or deleted, and is made again as a whole", () => {
  const before = start({ settings: put("flag.json", { model: "f" }) });
  expect(changed(before)).toBe(false);

  const file = project({ permissions: { deny: ["Bash"] } });
  expect(changed(before)).toBe(true);
  const after = reload(before);
  expect([changed(after), before.rules, after.rules.map(({ text }) => text)]).toEqual([false, [], ["Bash"]]);
  expect({ ...reload(after), sources: [] }).toEqual({ ...after, sources: [] });

  rmSync(file);
  expect(changed(after)).toBe(true);
  for (const write of [user, local, managed, trust, () => put("managed/managed-settings.d/a.json", {})]) {
    const now = reload(before);
    write({});
    expect(changed(now)).toBe(true);
  }
  const now = reload(before);
  put("flag.json", { model: "other" });
  expect([changed(now), reload(now).settings.model]).toEqual([true, "other"]);
});

test("--settings must exist and parse", () => {
  const missing = join(cwd, "no.json");
  const bad = put("project/bad.json", "{nope");
  const table: [string, string][] = [
    ["no.json", `Settings file not found: ${missing}`],
    ["bad.json", `Settings file ${bad} is not valid JSON`],
    ['{"model":', "Invalid JSON provided to --settings: line 1: "],
  ];
  for (const [settings, message] of table) {
    const error = caught(() => start({ settings }));
    expect(error).toBeInstanceOf(ConfigError);
    expect((error as Error).message).toStartWith(message);
  }
});

test("an unreadable policy stops the start", () => {
  managed("{ broken");
  expect(caught(() => start())).toBeInstanceOf(ConfigError);
});

test("$CLAUDE_CONFIG_DIR moves the user's settings and the trust file", () => {
  put("elsewhere/settings.json", { model: "e" });
  put("elsewhere/.claude.json", { projects: { [cwd]: { hasTrustDialogAccepted: true } } });
  user({ model: "not read" });
  const snapshot = start({}, { env: { CLAUDE_CONFIG_DIR: join(root, "elsewhere") } });

  expect(snapshot).toMatchObject({ configDir: join(root, "elsewhere"), settings: { model: "e" }, trusted: true });
});

test("links in the start directory are resolved, and it is trusted under both paths", () => {
  const link = join(root, "link");
  symlinkSync(cwd, link);
  put("home/.claude.json", { projects: { [link]: { hasTrustDialogAccepted: true } } });
  expect(start({}, { cwd: link })).toMatchObject({ cwd, trusted: true });
  expect(start().trusted).toBe(false);
});

test("trust in a folder does not extend to its subfolders", () => {
  put("home/.claude.json", { projects: { [root]: { hasTrustDialogAccepted: true } } });
  expect(start().trusted).toBe(false);
});

test("--bare skips customization in settings files and keeps their rules", () => {
  trust();
  user({ hooks: { Stop: [] }, outputStyle: "x", model: "m", permissions: { deny: ["Bash"] } });
  managed({ hooks: { SessionStart: [] } });
  const expected = { hooks: { SessionStart: [] }, model: "m", permissions: { deny: ["Bash"] } };
  expect(start({ bare: true }).settings).toEqual(expected);
  expect(start({}, { env: { CLAUDE_CODE_SIMPLE: "1" } })).toMatchObject({ settings: expected, flags: { bare: true } });
});

test("additional directories are resolved; a bad setting warns, a bad flag stops the start", () => {
  mkdirSync(join(home, "notes"));
  mkdirSync(join(root, "other"));
  symlinkSync(join(root, "other"), join(cwd, "link"));
  const file = user({ permissions: { additionalDirectories: ["~/notes", "link", "missing", "."] } });

  expect(start({ addDirs: ["../other", "../home"] })).toMatchObject({
    directories: [join(home, "notes"), join(root, "other"), home],
    warnings: [`${file}: permissions.additionalDirectories "missing" does not exist`],
  });
  expect(caught(() => start({ addDirs: ["nowhere"] }))).toEqual(new ConfigError("--add-dir: 'nowhere' does not exist"));
  expect(caught(() => start({ addDirs: [file] }))).toEqual(new ConfigError(`--add-dir: '${file}' is not a directory`));
});

test("an invalid rule on the command line stops the start", () => {
  expect((caught(() => start({ allowedTools: ["Bash(git"] })) as Error).message).toContain("'Bash(git' is not a rule");
});

function caught(action: () => unknown): unknown {
  try {
    action();
  } catch (error) {
    return error;
  }
  throw new Error("Expected a failure");
}

test("added variables reach child processes and later snapshots; settings, credentials and folders do not change", () => {
  const settings = JSON.stringify({ env: { MODE: "set" } });
  const before = start({ settings }, { env: { A: "1" } });
  const after = withEnvironment(before, {
    A: "2",
    MODE: "given",
    ANTHROPIC_API_KEY: "secret",
    CLAUDE_CONFIG_DIR: "/else",
    IS_SANDBOX: "1",
  });
  expect(after.childEnv).toEqual({ A: "2", MODE: "set" });
  expect(after.env).toEqual({ A: "2", MODE: "set", ANTHROPIC_API_KEY: "secret" });
  expect(after.origin.env).toEqual({ A: "2", MODE: "given", ANTHROPIC_API_KEY: "secret" });
  expect(before.childEnv).toEqual({ A: "1", MODE: "set" });
});
