// The argv for a command hook: a shell that runs the command, or in exec form the program itself.

import { resolve } from "node:path";
import type { CommandHook } from "@keelson/protocol";
import { findProgram } from "../../programs/find-program.ts";
import { optionVariable } from "./environment.ts";

type Environment = Readonly<Record<string, string>>;

export type HookArgv = { readonly argv: readonly string[] } | { readonly problem: string };

/** A relative program path is resolved against `cwd`. */
export function hookArgv({ command, args, shell }: CommandHook, env: Environment, cwd: string): HookArgv {
  if (args) return programArgv(substitute(command, env), args, env, cwd);
  if (shell === "powershell") return powershellArgv(command, env);
  return { argv: [findProgram("bash", env["PATH"]) ?? "/bin/sh", "-c", command] };
}

function programArgv(program: string, args: readonly string[], env: Environment, cwd: string): HookArgv {
  const found = program.includes("/") ? resolve(cwd, program) : findProgram(program, env["PATH"]);
  if (found === null) return { problem: `'${program}' was not found on the PATH; install it or use its full path` };
  return { argv: [found, ...args.map((arg) => substitute(arg, env))] };
}

function powershellArgv(command: string, env: Environment): HookArgv {
  const program = findProgram("pwsh", env["PATH"]) ?? findProgram("powershell", env["PATH"]);
  if (program === null) {
    return { problem: "PowerShell ('pwsh') was not found on the PATH; install it or write the hook for bash" };
  }
  // In PowerShell the environment is `${env:NAME}`. Values are never inserted into the script.
  const script = command.replaceAll(PLACEHOLDER, (_, name: string) => `\${env:${name}}`);
  return { argv: [program, "-NoProfile", "-NonInteractive", "-Command", script] };
}

/** Without a shell we expand these ourselves. A placeholder without a value stays unchanged. */
function substitute(text: string, env: Environment): string {
  return text.replaceAll(PLACEHOLDER_OR_OPTION, (placeholder, name: string | undefined, option: string | undefined) => {
    return env[name ?? optionVariable(option ?? "")] ?? placeholder;
  });
}

const PLACEHOLDER = /\$\{(CLAUDE_PROJECT_DIR|CLAUDE_SESSION_ID|CLAUDE_PLUGIN_\w+)\}/g;
/** `${user_config.KEY}` is an option of a plugin; only the exec form may use it. */
const PLACEHOLDER_OR_OPTION = new RegExp(`${PLACEHOLDER.source}|\\$\\{user_config\\.(\\w+)\\}`, "g");
