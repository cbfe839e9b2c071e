// The argv for a command hook: a shell that runs the command, or in exec form the program itself.

import { resolve } from "node:path";
import type { CommandHook } from "@keelson/protocol";
import type { Programs, ResolvedProgram } from "../../programs/registry/programs.ts";
import { optionVariable } from "./environment.ts";

type Environment = Readonly<Record<string, string>>;

export type HookArgv =
  | { readonly argv: readonly string[] }
  /** `isChanged` if the program is there, but is not what it was. */
  | { readonly problem: string; readonly isChanged?: boolean };

/** A relative program path is resolved against `cwd`. */
export function hookArgv(
  { command, args, shell }: CommandHook,
  { env, cwd, programs }: { readonly env: Environment; readonly cwd: string; readonly programs: Programs },
): HookArgv {
  const place = { path: env["PATH"], cwd };
  const changed = programs.changedIn([command, ...(args ?? [])].join(" "), env["PATH"]);
  if (changed) return changed;
  const find = (name: string) =>
    name.includes("/") ? programs.script(resolve(cwd, name), place) : programs.configured(name, place);
  if (args) return programArgv(substitute(command, env), args, env, { cwd, find });
  if (shell === "powershell") return powershellArgv(command, find);
  const bash = programs.shell(env["PATH"]);
  return "path" in bash
    ? { argv: [bash.path, "-c", command] }
    : bash.isChanged
      ? bash
      : { argv: ["/bin/sh", "-c", command] };
}

type Find = (name: string) => ResolvedProgram;

function programArgv(
  program: string,
  args: readonly string[],
  env: Environment,
  { cwd, find }: { readonly cwd: string; readonly find: Find },
): HookArgv {
  const found = find(program);
  const argv = (path: string) => ({ argv: [path, ...args.map((arg) => substitute(arg, env))] });
  if ("path" in found) return argv(found.path);
  if (found.isChanged) return found;
  // Starting it fails with a better reason: it may be a folder, or not executable.
  if (program.includes("/")) return argv(resolve(cwd, program));
  return { problem: `'${program}' was not found on the PATH; install it or use its full path` };
}

function powershellArgv(command: string, find: Find): HookArgv {
  const [first, second] = [find("pwsh"), find("powershell")];
  const program = "path" in first || first.isChanged ? first : second;
  if ("problem" in program) {
    if (program.isChanged) return program;
    return { problem: "PowerShell ('pwsh') was not found on the PATH; install it or write the hook for bash" };
  }
  // In PowerShell the environment is `${env:NAME}`. Values are never inserted into the script.
  const script = command.replaceAll(PLACEHOLDER, (_, name: string) => `\${env:${name}}`);
  return { argv: [program.path, "-NoProfile", "-NonInteractive", "-Command", script] };
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

/** `python3 -c "import json"`, `python3 - <<END`. */
const PYTHON_TEXT = /\bpython[\d.]*(?:\s+-[A-Za-z]+)*?\s+(?:-[A-Za-z]*c\b|-(?=\s|$)|<<)/;
const PYTHON_FILE = /\bpython[\d.]*\s[^|;&\n]*\.py\b/;

/**
 * If Python runs a text, it looks for every module in the working directory first, where a command may have put one. A script
 * finds those beside it, which this would prevent.
 */
export function pythonVariables({ command, args = [] }: CommandHook, programs: Programs): Environment {
  const text = programs.text([command, ...args].join(" "));
  return PYTHON_TEXT.test(text) && !PYTHON_FILE.test(text) ? { PYTHONSAFEPATH: "1" } : {};
}
