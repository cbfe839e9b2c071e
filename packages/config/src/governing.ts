// Which files a session is governed by, whatever their names are and wherever they lie: settings, environment files,
// scripts that hooks and helpers run. What a session may do is decided by them, so nothing it does may change them.

import { join, resolve } from "node:path";
import { scriptsIn } from "./scripts.ts";
import type { Snapshot } from "./snapshot.ts";

const ZSH_FILES = [".zshenv", ".zprofile", ".zshrc", ".zlogin", ".zlogout"];
/** Settings that name a program to run. */
const HELPERS = ["apiKeyHelper", "awsAuthRefresh", "awsCredentialExport", "gcpAuthRefresh", "otelHeadersHelper"];
const COMMANDS = ["statusLine", "subagentStatusLine", "fileSuggestion"];

/** Absolute paths, links not resolved, some of them missing. */
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

/** Every command line that runs outside the shield because the settings say so; exec form as words. */
function commandsOf({ hooks, settings, env }: Snapshot): readonly CommandLine[] {
  const fromHooks = hooks.active.flatMap(({ handler }): CommandLine[] => {
    if (handler.type !== "command") return [];
    return handler.args === undefined ? [handler.command] : [[handler.command, ...handler.args]];
  });
  const values = settings as Readonly<Record<string, unknown>>;
  const commands = COMMANDS.map((key) => (values[key] as { readonly command?: unknown } | undefined)?.command);
  const others = [...HELPERS.map((key) => values[key]), ...commands, env["CLAUDE_CODE_SHELL_PREFIX"]];
  return [...fromHooks, ...others.filter((text) => typeof text === "string")];
}
