// The environment of a server program: the session's, plus the project folder.

import { sessionEnvironment, type ChildOrigin } from "../shell/environment/child-env.ts";

export interface ServerEnvironmentOptions extends ChildOrigin {
  /** Where the session was started. */
  readonly projectDir: string;
}

export function serverEnvironment(options: ServerEnvironmentOptions): Record<string, string> {
  return { ...sessionEnvironment(options), CLAUDE_PROJECT_DIR: options.projectDir };
}
