// The files that decide what a session may do: settings, environment files, scripts that hooks and helpers run, and skills
// that are kept elsewhere. The session itself must not change them, wherever they are.

import { existsSync, readdirSync, realpathSync } from "node:fs";
import { dirname, join, resolve, sep } from "node:path";
import { isVariableOn } from "@keelson/protocol";
import { filesInEnvironment } from "./environment-files.ts";
import { replaceableIn, scriptsIn } from "./scripts.ts";
import type { Snapshot } from "../load/snapshot.ts";

const ZSH_FILES = [".zshenv", ".zprofile", ".zshrc", ".zlogin", ".zlogout"];
/** Settings that hold a command line. */
const HELPERS = [
  "apiKeyHelper",
  "awsAuthRefresh",
  "awsCredentialExport",
  "gcpAuthRefresh",
  "otelHeadersHelper",
] as const;
/** Settings with a command line in `command`. */
const COMMANDS = ["statusLine", "subagentStatusLine", "fileSuggestion"] as const;

/** Absolute paths, with links not resolved; some files may not exist. */
export function governingFiles(snapshot: Snapshot): readonly string[] {
  const { cwd, home, configDir, env, childEnv, sources, flags } = snapshot;
  const named = (name: string) => (env[name] ? [resolve(cwd, env[name])] : []);
  const scripts = commandsOf(snapshot).flatMap((words) => scriptsIn(words, { cwd, home }));
  return [
    ...new Set([
      ...sources.map(({ path }) => path),
      // The whole folder is protected. These may have a second name elsewhere.
      ...["CLAUDE.md", "keybindings.json"].map((name) => join(configDir, name)),
      ...(flags.mcpConfigFiles ?? []).map((path) => resolve(cwd, path)),
      // That of the working directory is protected anyway.
      ...(flags.projectConfigRoot === undefined ? [] : [join(flags.projectConfigRoot, ".claude")]).filter(
        (folder) => !isAround(folder, cwd),
      ),
      ...named("CLAUDE_ENV_FILE"),
      ...named("CLAUDE_CODE_PLUGIN_CACHE_DIR").filter((folder) => !isAround(folder, cwd)),
      ...filesInEnvironment({ ...childEnv, ...env }, { cwd, home }),
      ...["AWS_CONFIG_FILE", "AWS_SHARED_CREDENTIALS_FILE"].flatMap(named),
      ...googleCredentials(snapshot),
      ...named("XDG_CONFIG_HOME").map((folder) => join(folder, "git")),
      ...named("ZDOTDIR").flatMap((folder) => ZSH_FILES.map((name) => join(folder, name))),
      ...scripts,
      ...linkedFolders(snapshot),
      ...pluginParts(snapshot),
    ]),
  ];
}

/** They name a program that is run if the user allows it. */
function googleCredentials({ cwd, home, env }: Snapshot): readonly string[] {
  if (!isVariableOn(env["GOOGLE_EXTERNAL_ACCOUNT_ALLOW_EXECUTABLES"])) return [];
  const file = "application_default_credentials.json";
  const named = env["GOOGLE_APPLICATION_CREDENTIALS"];
  const folder = env["CLOUDSDK_CONFIG"] || join(home, ".config", "gcloud");
  return [resolve(cwd, folder, file), ...(named ? [resolve(cwd, named)] : [])];
}

/**
 * What decides what a plugin on the command line does, which may be in the working directory: `--plugin-dir ./tool`. Other
 * plugins are in the configuration folder. The rest of its folder stays free, because people develop plugins there.
 */
function pluginParts({ plugins, cwd }: Snapshot): readonly string[] {
  return plugins.active
    .filter(({ from }) => from === "inline")
    .flatMap(({ root, skillFolders, skills, commandFolders, commandFiles, agents, outputStyles }) => [
      ...PLUGIN_PARTS.map((name) => join(root, name)),
      ...skillFolders,
      ...skills.map((folder) => (isAround(folder, cwd) ? join(folder, "SKILL.md") : folder)),
      ...commandFolders,
      ...commandFiles,
      ...agents,
      ...outputStyles,
    ])
    .filter((path) => !isAround(path, cwd));
}

const PLUGIN_PARTS =
  ".claude-plugin .mcp.json .lsp.json skills commands agents hooks output-styles themes monitors bin settings.json".split(
    " ",
  );

/** Of one folder: the shield mounts each. */
const MOST_LINKS = 50;

/**
 * Links in `.claude` to skills and the like, of the user and of a trusted folder: what is written there later grants tools
 * and adds hooks. Whatever has `.claude` in its path is protected anyway.
 */
function linkedFolders({ cwd, configDir, flags, trusted }: Snapshot): readonly string[] {
  const project = join(flags.projectConfigRoot ?? cwd, ".claude");
  return [configDir, ...(trusted ? [project] : [])]
    .flatMap((root) =>
      ["skills", "commands", "agents", "output-styles", "rules", "hooks", "themes"].map((name) => join(root, name)),
    )
    .flatMap((folder) => [folder, ...linksIn(folder)])
    .filter((path) => leadsElsewhere(path, cwd));
}

function linksIn(folder: string): readonly string[] {
  try {
    const links = readdirSync(folder, { withFileTypes: true }).filter((entry) => entry.isSymbolicLink());
    return links.slice(0, MOST_LINKS).map(({ name }) => join(folder, name));
  } catch {
    return [];
  }
}

function leadsElsewhere(path: string, cwd: string): boolean {
  try {
    const real = realpathSync(path);
    return real !== path && !isAround(real, cwd);
  } catch {
    return false;
  }
}

/** Whether the working directory is in this folder: if it were guarded, nothing at all could be written. */
const isAround = (folder: string, cwd: string) =>
  `${cwd}${sep}`.startsWith(folder.endsWith(sep) ? folder : `${folder}${sep}`);

/** What a session runs outside the shield because the configuration, or the user's environment, names it. */
export function namedPrograms(snapshot: Snapshot) {
  const { cwd, home, directories, childEnv, env, settings, mcp, lsp } = snapshot;
  const lines = commandsOf(snapshot);
  const asText = (line: CommandLine) => (typeof line === "string" ? line : line.join(" "));
  const sandbox = (settings["sandbox"] ?? {}) as {
    readonly bwrapPath?: string;
    readonly socatPath?: string;
    readonly ripgrep?: { readonly command?: string };
  };
  const notifications = (settings["notifications"] ?? {}) as { readonly command?: readonly string[] };
  const firstWord = (text: string | undefined) => /^\s*["']?([^\s"':]+)/.exec(text ?? "")?.[1];
  const single = [
    ...lines.flatMap((line) => (typeof line === "string" ? [] : [line[0]])),
    ...["CLAUDE_CODE_SHELL", "SHELL", "KEELSON_RG"].map((name) => env[name] || undefined),
    ...["VISUAL", "EDITOR", "BROWSER"].map((name) => firstWord(childEnv[name])),
    ...[sandbox.bwrapPath, sandbox.socatPath, sandbox.ripgrep?.command, notifications.command?.[0]],
  ];
  const servers = [
    ...mcp.servers.flatMap(({ config, scope }) =>
      config.type === "stdio" ? [{ ...config, outside: folderToAvoid(snapshot, scope) }] : [],
    ),
    ...lsp.servers.map((server) => ({ ...server, outside: folderToAvoid(snapshot, server.scope) })),
  ];
  return {
    path: childEnv["PATH"],
    cwd,
    home,
    directories: [cwd, ...directories],
    // A program may start others that its arguments name: `env node x.js`, `sh -c "npx server"`.
    shell: [...lines, ...servers.map(({ command, args }) => [command, ...args])].map(asText),
    scripts: lines.flatMap((line) => scriptsIn(line, { cwd, home })),
    replaceable: lines.flatMap((line) => replaceableIn(line, { cwd, home })),
    programs: single.flatMap((command) => (command === undefined ? [] : [{ command }])),
    servers: servers.map(({ command, env: own, outside }) => ({ command, path: own["PATH"], outside })),
  };
}

type Around = Pick<Snapshot, "cwd" | "home" | "trusted" | "trustBasis">;

/** The project, if it is not trusted and the server is not its own: then the server's program is not taken from it. */
export function folderToAvoid(snapshot: Around, scope: string): string | undefined {
  return !snapshot.trusted && ["user", "managed", "enterprise", "plugin"].includes(scope)
    ? projectOf(snapshot)
    : undefined;
}

/**
 * The outermost project that the working directory is in: `npm run` puts the programs of all of them on the PATH. The home
 * folder and those around it are the user's own, and so is what is in a trusted folder.
 */
function projectOf({ cwd, home, trustBasis }: Around): string {
  let outermost = cwd;
  if (trustBasis) return cwd;
  for (let at = cwd; at !== dirname(at) && !`${home}${sep}`.startsWith(`${at}${sep}`); at = dirname(at)) {
    if ([".git", "package.json"].some((name) => existsSync(join(at, name)))) outermost = at;
  }
  return outermost;
}

type CommandLine = string | readonly string[];

/** Every command line in the settings that runs outside the shield; exec form as a list of words. */
function commandsOf({ hooks, settings, env, mcp }: Snapshot): readonly CommandLine[] {
  const fromHooks = hooks.active.flatMap(({ handler, root }): CommandLine[] => {
    if (handler.type !== "command") return [];
    const located = (text: string) =>
      root === undefined ? text : text.replaceAll(/\$(?:CLAUDE_PLUGIN_ROOT\b|\{CLAUDE_PLUGIN_ROOT\})/g, () => root);
    return handler.args === undefined ? [located(handler.command)] : [[handler.command, ...handler.args].map(located)];
  });
  const forServers = mcp.servers.map(({ config }) => ("headersHelper" in config ? config.headersHelper : undefined));
  const commands = COMMANDS.map((key) => settings[key]?.["command"]);
  const forProviders = Object.values(settings.providers ?? {}).map(({ apiKeyHelper }) => apiKeyHelper);
  const others = [
    ...HELPERS.map((key) => settings[key]),
    ...forProviders,
    ...commands,
    ...forServers,
    env["CLAUDE_CODE_SHELL_PREFIX"],
  ];
  return [...fromHooks, ...others.filter((text) => typeof text === "string")];
}
