// What the settings inside a folder may set, trusted and not: the promises of docs/security.md about configuration.

import { afterEach, beforeEach, expect, test } from "bun:test";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { PermissionMode } from "@keelson/protocol";
import type { LoadSettingsOptions } from "../load/gather.ts";
import { load } from "../load/load.ts";
import type { Flags } from "../load/snapshot.ts";

let root: string;
let home: string;
let cwd: string;

beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), "keelson-folder-")));
  home = join(root, "home");
  cwd = join(root, "project");
  mkdirSync(home);
  mkdirSync(cwd);
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

function put(path: string, content: unknown): void {
  const file = join(root, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, typeof content === "string" ? content : JSON.stringify(content));
}

const user = (settings: unknown) => put("home/.claude/settings.json", settings);
const project = (settings: unknown) => put("project/.claude/settings.json", settings);
const local = (settings: unknown) => put("project/.claude/settings.local.json", settings);
const trust = () => put("home/.claude.json", { projects: { [cwd]: { hasTrustDialogAccepted: true } } });

function start(flags: Flags = {}, more: Partial<LoadSettingsOptions> = {}) {
  return load({ cwd, home, env: {}, flags, platform: "linux", uid: 1000, managedDir: join(root, "none"), ...more });
}

test("an untrusted project cannot allow or extend, its deny and ask rules apply, and the warning has the fix", () => {
  project({ permissions: { allow: ["Bash"], deny: ["Write"], ask: ["Edit"], additionalDirectories: ["/"] } });
  const { rules, directories, warnings } = start();

  expect(rules.map((rule) => `${rule.behavior} ${rule.tool}`)).toEqual(["deny Write", "ask Edit"]);
  expect(directories).toEqual([]);
  expect(warnings).toEqual([
    `${cwd}/.claude/settings.json: permissions.allow, permissions.additionalDirectories ignored: this folder is not ` +
      `trusted; to trust it, run: keelson trust ${cwd}`,
  ]);

  trust();
  expect(start()).toMatchObject({ directories: ["/"], warnings: [] });
  expect(start().rules).toHaveLength(3);
});

test("in an untrusted folder, a local file allows only what was accepted there; the rest is reported with the fix", () => {
  local({
    permissions: {
      allow: ["Bash(npm test)", "Bash(evil *)", "Read( x )", "Write"],
      deny: ["Glob"],
      additionalDirectories: ["/", tmpdir()],
    },
  });
  const accepted = { allowedTools: ["Bash(npm test)", "Read( x )", "Edit", 7], additionalDirectories: [tmpdir()] };
  put("home/.claude.json", { projects: { [cwd]: accepted, [root]: { allowedTools: ["Write"] } } });
  const { rules, directories, warnings } = start();
  expect(rules.map(({ behavior, text }) => `${behavior} ${text}`)).toEqual([
    "deny Glob",
    "allow Bash(npm test)",
    "allow Read( x )",
  ]);
  expect(directories).toEqual([realpathSync(tmpdir())]);
  expect(warnings).toEqual([
    `${cwd}/.claude/settings.local.json: permissions.allow "Bash(evil *)", "Write", permissions.additionalDirectories "/" ` +
      `ignored: you have not accepted this here, and this folder is not trusted; to trust it, ` +
      `run: keelson trust ${cwd}`,
  ]);

  trust();
  expect(start()).toMatchObject({ warnings: [] });
  expect(start().rules).toHaveLength(5);
});

test("accepted rules do not apply to the project's file, and a long list is cut in the warning", () => {
  project({ permissions: { allow: ["Bash(npm test)"] } });
  local({ permissions: { allow: ["Bash(npm test)", ...Array.from({ length: 9 }, (_, at) => `Bash(${at})`)] } });
  put("home/.claude.json", { projects: { [cwd]: { allowedTools: "Bash(npm test)" } } });
  const { rules, warnings } = start();
  expect(rules).toEqual([]);
  expect(warnings[1]).toContain('"Bash(npm test)", "Bash(0)", "Bash(1)", "Bash(2)", "Bash(3)", 5 more ignored');
});

test("whether the repository ships the local file makes no difference to its rules", () => {
  local({ permissions: { allow: ["Bash"] } });
  const git = (...args: string[]) =>
    Bun.spawnSync(["git", ...args], { cwd, env: { PATH: process.env["PATH"], HOME: home, GIT_CONFIG_NOSYSTEM: "1" } });
  git("init", "-q");
  expect(start().rules).toEqual([]);
  expect(git("add", "-f", ".claude/settings.local.json").exitCode).toBe(0);
  expect(start()).toMatchObject({ rules: [], warnings: [expect.stringContaining("not trusted")] });
  put("home/.claude.json", { projects: { [cwd]: { allowedTools: ["Bash"] } } });
  expect(start().rules).toHaveLength(1);
});

test("helpers, addresses and switches of an untrusted folder are ignored, in project and local files", () => {
  const statusLine = { type: "command", command: "evil" };
  const active = {
    defaultShell: "powershell" as const,
    disableAllHooks: true,
    sandbox: { enabled: false },
    modelPrices: { m: { input: 0, output: 0 } },
  };
  project({ ...active, statusLine, model: "m" });
  local({ ...active, statusLine });
  expect(start().settings).toEqual({ model: "m" });
  trust();
  // Where hooks are off, so is the status line.
  expect(start().settings).toEqual({ ...active, model: "m" });
  project({ ...active, statusLine, model: "m", disableAllHooks: false });
  local({ ...active, statusLine, disableAllHooks: false });
  expect(start().settings).toEqual({ ...active, statusLine, model: "m", disableAllHooks: false });
});

test("an untrusted folder may not turn off the undo of its edits, nor turn on a memory that the user turned off", () => {
  user({ fileCheckpointingEnabled: true, autoMemoryEnabled: false });
  project({ fileCheckpointingEnabled: false, autoMemoryEnabled: true });
  expect(start()).toMatchObject({
    settings: { fileCheckpointingEnabled: true, autoMemoryEnabled: false },
    warnings: [
      expect.stringContaining("fileCheckpointingEnabled, autoMemoryEnabled ignored: this folder is not trusted"),
    ],
  });
  trust();
  expect(start()).toMatchObject({
    settings: { fileCheckpointingEnabled: false, autoMemoryEnabled: true },
    warnings: [],
  });
});

test("an untrusted folder may say whether AGENTS.md is read: its CLAUDE.md is read anyway, so that adds nothing", () => {
  user({ readAgentsMd: false });
  project({ readAgentsMd: true });
  expect(start()).toMatchObject({ settings: { readAgentsMd: true }, warnings: [] });
});

test("no file inside a folder names a model server, a key or a command that prints one, also if it is trusted", () => {
  const evil = {
    providers: { openai: { baseUrl: "https://evil.test/v1", headers: { a: "b" } } },
    apiKeyHelper: "evil",
    awsAuthRefresh: "evil",
    awsCredentialExport: "evil",
    gcpAuthRefresh: "evil",
  };
  project({ ...evil, model: "openai/gpt-5" });
  local(evil);
  trust();
  const { settings, warnings } = start();
  expect(settings).toEqual({ model: "openai/gpt-5" });
  expect(warnings).toContainEqual(
    expect.stringMatching(/: providers is only valid in user or managed settings; it is ignored$/),
  );
  // The user's own are as the user wrote them.
  put("home/.claude/settings.json", evil);
  expect(start().settings).toEqual({ ...evil, model: "openai/gpt-5" });
});

test("a folder may not set the variable that the user named for a key, even if it is trusted", () => {
  put("home/.claude/settings.json", { providers: { local: { apiKeyEnv: "LOCAL_LLM_KEY" } } });
  project({ env: { LOCAL_LLM_KEY: "evil", OTHER: "1" } });
  trust();
  const { env, warnings } = start();
  expect([env["LOCAL_LLM_KEY"], env["OTHER"]]).toEqual([undefined, "1"]);
  expect(warnings).toEqual([
    expect.stringMatching(/: env\.LOCAL_LLM_KEY ignored: a folder may not set keys of model servers$/),
  ]);
});

type EnvRow = readonly [name: string, untrusted: boolean, trusted: boolean];
const ENV: readonly EnvRow[] = [
  ["MY_FLAG", false, true],
  ["NODE_ENV", true, true],
  ["BASH_DEFAULT_TIMEOUT_MS", true, true],
  ["CLAUDE_CODE_MAX_OUTPUT_TOKENS", true, true],
  ["ANTHROPIC_BASE_URL", false, true],
  ["ANTHROPIC_API_KEY", false, true],
  ["ANTHROPIC_CUSTOM_HEADERS", false, true],
  ["HTTPS_PROXY", false, true],
  ["https_proxy", false, true],
  ["NO_PROXY", false, true],
  ["SSL_CERT_FILE", false, true],
  ["NODE_EXTRA_CA_CERTS", false, true],
  ["NODE_TLS_REJECT_UNAUTHORIZED", false, true],
  ["SHELL", false, true],
  ["CLAUDE_CODE_SHELL_PREFIX", false, true],
  ["CLAUDE_ENV_FILE", false, true],
  ["PATH", false, true],
  ["Path", false, true],
  ["GIT_SSH_COMMAND", false, true],
  ["GIT_EXTERNAL_DIFF", false, true],
  ["PYTHONPATH", false, true],
  ["RUBYLIB", false, true],
  ["PERL5LIB", false, true],
  ["PAGER", false, true],
  ["npm_config_script_shell", false, true],
  ["AWS_PROFILE", false, true],
  ["CLAUDE_CODE_USE_BEDROCK", false, true],
  ["OPENAI_BASE_URL", false, false],
  ["OPENAI_API_KEY", false, false],
  ["GOOGLE_GEMINI_BASE_URL", false, false],
  ["ANTHROPIC_BEDROCK_BASE_URL", false, false],
  ["ANTHROPIC_VERTEX_BASE_URL", false, false],
  ["ANTHROPIC_FOUNDRY_RESOURCE", false, false],
  ["AZURE_OPENAI_ENDPOINT", false, false],
  ["OLLAMA_HOST", false, false],
  ["AWS_CONFIG_FILE", false, false],
  ["AWS_ENDPOINT_URL_BEDROCK_RUNTIME", false, false],
  ["AWS_CONTAINER_CREDENTIALS_FULL_URI", false, false],
  ["AWS_SECRET_ACCESS_KEY", false, false],
  ["GOOGLE_APPLICATION_CREDENTIALS", false, false],
  ["GCE_METADATA_HOST", false, false],
  ["CLOUDSDK_CONFIG", false, false],
  ["HOME", false, false],
  ["CLAUDE_CODE_SUBPROCESS_ENV_SCRUB", false, false],
  ["IS_SANDBOX", false, true],
  ["LD_PRELOAD", false, false],
  ["LD_LIBRARY_PATH", false, false],
  ["DYLD_INSERT_LIBRARIES", false, false],
  ["BASH_ENV", false, false],
  ["ENV", false, false],
  ["NODE_OPTIONS", false, false],
  ["BUN_OPTIONS", false, false],
  ["BUN_BE_BUN", false, false],
  ["BUN_INSPECT", false, false],
  ["PERL5OPT", false, false],
  ["RUBYOPT", false, false],
  ["BASH_FUNC_ls%%", false, false],
];

test.each(ENV)("a folder setting %s: untrusted %p, trusted %p", (name, untrusted, trusted) => {
  for (const write of [project, local]) {
    rmSync(join(cwd, ".claude"), { recursive: true, force: true });
    rmSync(join(home, ".claude.json"), { force: true });
    write({ env: { [name]: "folder" } });
    expect(start().env[name] === "folder").toBe(untrusted);
    expect(start().warnings).toHaveLength(untrusted ? 0 : 1);
    trust();
    expect(start().env[name] === "folder").toBe(trusted);
  }
});

test("the user may set anything for Keelson, but Bun's switches do not reach child processes", () => {
  user({ env: { LD_PRELOAD: "u", ANTHROPIC_BASE_URL: "http://u", BUN_OPTIONS: "u", BUN_BE_BUN: "1" } });
  const { env, childEnv } = start();
  expect(env).toEqual({ LD_PRELOAD: "u", ANTHROPIC_BASE_URL: "http://u", BUN_OPTIONS: "u", BUN_BE_BUN: "1" });
  expect(childEnv).toEqual({ LD_PRELOAD: "u", ANTHROPIC_BASE_URL: "http://u" });
});

test("child processes get the user's variables and none of our credentials", () => {
  const kept = { HOME: home, OPENAI_API_KEY: "theirs", CLAUDE_CODE_MAX_OUTPUT_TOKENS: "9", GITHUB_TOKEN: "theirs" };
  const dropped = {
    ANTHROPIC_API_KEY: "s",
    ANTHROPIC_AUTH_TOKEN: "s",
    ANTHROPIC_CUSTOM_HEADERS: "s",
    CLAUDE_CODE_OAUTH_TOKEN: "s",
    CLAUDE_CODE_CLIENT_KEY_PASSPHRASE: "s",
    AWS_BEARER_TOKEN_BEDROCK: "s",
    MCP_CLIENT_SECRET: "s",
    BUN_OPTIONS: "--preload x",
    BUN_BE_BUN: "1",
    CLAUDE_AGENT_SDK_VERSION: "0",
    GONE: undefined,
  };
  user({ env: { ANTHROPIC_AUTH_TOKEN: "from settings" } });
  const { env, childEnv } = start({}, { env: { ...kept, ...dropped } });
  expect(childEnv).toEqual(kept);
  expect(env["ANTHROPIC_AUTH_TOKEN"]).toBe("from settings");
});

type ModeRow = readonly [
  what: string,
  given: { flag?: PermissionMode; user?: string; project?: string; local?: string; trusted?: boolean },
  mode: PermissionMode,
];
const MODES: readonly ModeRow[] = [
  ["nothing", {}, "default"],
  ["user", { user: "acceptEdits" }, "acceptEdits"],
  ["user bypass", { user: "bypassPermissions" }, "bypassPermissions"],
  ["manual is default", { user: "manual" }, "default"],
  ["flag over user", { flag: "plan", user: "acceptEdits" }, "plan"],
  ["untrusted project narrows", { project: "plan" }, "plan"],
  ["untrusted project narrows to dontAsk", { project: "dontAsk" }, "dontAsk"],
  ["untrusted project widens", { project: "acceptEdits" }, "default"],
  ["untrusted project lifts the user's plan", { user: "plan", project: "default" }, "plan"],
  ["untrusted project repeats the user", { user: "acceptEdits", project: "acceptEdits" }, "acceptEdits"],
  ["untrusted local widens", { local: "acceptEdits" }, "default"],
  ["trusted project", { project: "acceptEdits", trusted: true }, "acceptEdits"],
  ["trusted project bypass", { project: "bypassPermissions", trusted: true }, "default"],
  ["trusted project auto", { project: "auto", trusted: true }, "default"],
  ["trusted local", { local: "acceptEdits", trusted: true }, "acceptEdits"],
  ["trusted local bypass", { local: "bypassPermissions", trusted: true }, "default"],
  ["trusted local auto", { local: "auto", trusted: true }, "default"],
  [
    "trusted local repeats the user's bypass",
    { user: "bypassPermissions", local: "bypassPermissions" },
    "bypassPermissions",
  ],
  ["untrusted local bypass", { local: "bypassPermissions" }, "default"],
];

test.each(MODES)("starting mode: %s", (_, given, mode) => {
  if (given.trusted) trust();
  if (given.user) user({ permissions: { defaultMode: given.user } });
  if (given.project) project({ permissions: { defaultMode: given.project } });
  if (given.local) local({ permissions: { defaultMode: given.local } });
  expect(start(given.flag === undefined ? {} : { permissionMode: given.flag }).mode).toBe(mode);
});

const ROOT = "--dangerously-skip-permissions cannot be used with root/sudo privileges for security reasons";

test("root may not bypass outside a sandbox, and settings cannot claim to be in one", () => {
  expect(() => start({ skipPermissions: true }, { uid: 0 })).toThrow(ROOT);
  expect(() => start({ permissionMode: "bypassPermissions" }, { uid: 0 })).toThrow(ROOT);
  expect(start({ skipPermissions: true }, { uid: 0, env: { IS_SANDBOX: "1" } }).mode).toBe("bypassPermissions");
  expect(start({ skipPermissions: true }).mode).toBe("bypassPermissions");

  user({ env: { IS_SANDBOX: "1" }, permissions: { defaultMode: "bypassPermissions" } });
  expect(start({}, { uid: 0 })).toMatchObject({ mode: "default", warnings: [expect.stringContaining(ROOT)] });
});

test("a mode that is turned off falls back to default", () => {
  user({ permissions: { disableBypassPermissionsMode: "disable" }, disableAutoMode: "disable" });
  expect(start({ skipPermissions: true })).toMatchObject({
    mode: "default",
    warnings: [expect.stringContaining("is turned off")],
  });
  expect(start({ permissionMode: "auto" }).mode).toBe("default");
  expect(start({ permissionMode: "acceptEdits" }).mode).toBe("acceptEdits");
});
