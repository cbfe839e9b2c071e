// The environment of commands: the configured variables, plus those that identify the session.

import { carried } from "../../programs/loader-variables.ts";
import { plainEnvironment } from "./cleared-variables.ts";

/** Set in every process that we start, so that what it started can be found and ended. */
const MARK = "KEELSON_SHELL";

export interface ChildOrigin {
  readonly childEnv: Readonly<Record<string, string>>;
  readonly sessionId: string;
  readonly entrypoint: string;
}

export interface CommandOrigin extends ChildOrigin {
  /** Where a Keelson that is run as a command writes what it cannot write to the configuration folder. */
  readonly stateDir: string;
  /** The effort of the model, if known. */
  readonly effort?: string | undefined;
}

/** For what starts a command: the script of the command gives the loader's variables their names back. */
export function commandEnvironment(options: CommandOrigin): Record<string, string> {
  const { effort, stateDir } = options;
  return {
    ...carried(plainEnvironment(sessionEnvironment(options))),
    GIT_EDITOR: "true",
    CLAUDE_CODE_EXECPATH: process.execPath,
    KEELSON_STATE_DIR: stateDir,
    ...(effort === undefined ? {} : { CLAUDE_EFFORT: effort }),
  };
}

/** Shared by shell commands and hooks. */
export function sessionEnvironment({ childEnv, sessionId, entrypoint }: ChildOrigin): Record<string, string> {
  const passed = Object.entries(childEnv).filter(([name]) => isInherited(name));
  return {
    ...Object.fromEntries(passed),
    CLAUDECODE: "1",
    CLAUDE_CODE_ENTRYPOINT: entrypoint,
    CLAUDE_CODE_SESSION_ID: sessionId,
    CLAUDE_CODE_CHILD_SESSION: "1",
    AI_AGENT: "keelson",
  };
}

/** BUN_OPTIONS and BUN_BE_BUN would change a nested Keelson; BUN_INSTALL is only a folder. Each process has a mark of its own. */
export function isInherited(name: string): boolean {
  return (!name.startsWith("BUN_") || name === "BUN_INSTALL") && name !== MARK;
}

export function withMark(env: Readonly<Record<string, string>>, mark: string): Record<string, string> {
  return { ...env, [MARK]: mark };
}

/** Node cannot listen here: the address is reserved for documentation. */
const NO_INSPECTOR = "--inspect-port=192.0.2.1:9229";

/**
 * For programs that run outside the shield. At a signal, which every command can send, Node listens for a debugger, which
 * runs code in it. A program that is started with a debugger keeps it.
 */
export function withoutNodeDebugger(
  env: Readonly<Record<string, string>>,
  argv: readonly string[],
): Readonly<Record<string, string>> {
  const options = env["NODE_OPTIONS"] ?? "";
  if ([options, ...argv].some((text) => text.includes("--inspect"))) return env;
  return { ...env, NODE_OPTIONS: `${options} ${NO_INSPECTOR}`.trim() };
}

/** The same for Java, which says on stderr that it read the variable. */
export function withoutJavaDebugger(env: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  const options = env["JAVA_TOOL_OPTIONS"] ?? "";
  if (options.includes("AttachMechanism")) return env;
  return { ...env, JAVA_TOOL_OPTIONS: `${options} -XX:+DisableAttachMechanism`.trim() };
}
