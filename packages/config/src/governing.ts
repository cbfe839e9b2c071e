// The files that decide what a session may do: settings, environment files, and scripts that hooks and helpers run. The
// session itself must not change them, wherever they are.

import { join, resolve } from "node:path";
import { scriptsIn } from "./scripts.ts";
import type { Snapshot } from "./snapshot.ts";

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
  const { cwd, home, configDir, env, sources, flags } = snapshot;
  const named = (name: string) => (env[name] ? [resolve(cwd, env[name])] : []);
  const scripts = commandsOf(snapshot).flatMap((words) => scriptsIn(words, { cwd, home }));
  return [
    ...new Set([
      ...sources.map(({ path }) => path),
      join(configDir, "CLAUDE.md"),
      ...(flags.mcpConfigFiles ?? []).map((path) => resolve(cwd, path)),
      ...named("CLAUDE_ENV_FILE"),
      ...named("GIT_CONFIG_GLOBAL"),
      ...named("XDG_CONFIG_HOME").map((folder) => join(folder, "git")),
      ...named("ZDOTDIR").flatMap((folder) => ZSH_FILES.map((name) => join(folder, name))),
      ...scripts,
    ]),
  ];
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
  const others = [...HELPERS.map((key) => settings[key]), ...commands, ...forServers, env["CLAUDE_CODE_SHELL_PREFIX"]];
  return [...fromHooks, ...others.filter((text) => typeof text === "string")];
}
