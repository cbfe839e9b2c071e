// The environment of a server program: the session's, plus the project folder.

import { sessionEnvironment, type ChildOrigin } from "../shell/environment/child-env.ts";

export interface ServerEnvironmentOptions extends ChildOrigin {
  /** Where the session was started. */
  readonly projectDir: string;
}

/** Where a program finds what it needs to run, and no more of what the user's shell has. */
const BASIC =
  /^(?:HOME|LOGNAME|PATH|SHELL|TERM|USER|LANG|LC_\w+|TZ|TMPDIR|TEMP|TMP|APPDATA|LOCALAPPDATA|HOMEDRIVE|HOMEPATH|USERNAME|USERPROFILE|SYSTEMDRIVE|SYSTEMROOT|PATHEXT|COMSPEC|PROCESSOR_ARCHITECTURE)$/i;

export function basicVariables(env: ChildOrigin["childEnv"]): ChildOrigin["childEnv"] {
  return Object.fromEntries(Object.entries(env).filter(([name]) => BASIC.test(name)));
}

export function serverEnvironment(options: ServerEnvironmentOptions): Record<string, string> {
  return { ...sessionEnvironment(options), CLAUDE_PROJECT_DIR: options.projectDir };
}
