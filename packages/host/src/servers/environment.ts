// The environment of a server program: the session's, plus the project folder and the variables of its own entry.

import { sessionEnvironment, type ChildOrigin } from "../shell/environment/child-env.ts";

export interface ServerEnvironmentOptions extends ChildOrigin {
  /** Where the session was started. */
  readonly projectDir: string;
  /** The variables of the entry; they win. */
  readonly entryEnv: Readonly<Record<string, string>>;
}

export function serverEnvironment(options: ServerEnvironmentOptions): Record<string, string> {
  return { ...sessionEnvironment(options), CLAUDE_PROJECT_DIR: options.projectDir, ...options.entryEnv };
}
