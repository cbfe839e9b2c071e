// The environment of a command hook: the session's, and what tells a hook which project, plugin and file it is for.

import { sessionEnvironment, type ChildOrigin } from "../../shell/environment/child-env.ts";

export interface HookEnvironmentOptions extends ChildOrigin {
  /** Where the session was started; stays the same when it moves. */
  readonly projectDir: string;
  /** Of events that say how hard the model thinks. */
  readonly effort?: string;
  /** From `envFileFor`; events without one see none, not even the user's own. */
  readonly envFile?: string;
  /** Of the registration: the folder of the plugin or skill, and the plugin's place for data. */
  readonly root?: string;
  readonly data?: string;
  /** What the user chose for a plugin. */
  readonly pluginOptions?: Readonly<Record<string, string>>;
}

export function hookEnvironment(options: HookEnvironmentOptions): Record<string, string> {
  const { projectDir, effort, envFile, root, data, pluginOptions = {} } = options;
  const session = Object.entries(sessionEnvironment(options)).filter(([name]) => !NOT_INHERITED.test(name));
  const chosen = Object.entries(pluginOptions).map(([key, value]) => [
    `CLAUDE_PLUGIN_OPTION_${toVariableName(key)}`,
    value,
  ]);
  return {
    ...Object.fromEntries(session),
    CLAUDE_PROJECT_DIR: projectDir,
    CLAUDE_SESSION_ID: options.sessionId,
    ...(effort === undefined ? {} : { CLAUDE_EFFORT: effort }),
    ...(envFile === undefined ? {} : { CLAUDE_ENV_FILE: envFile }),
    ...(root === undefined ? {} : { CLAUDE_PLUGIN_ROOT: root, CLAUDE_PLUGIN_PATH: root }),
    ...(data === undefined ? {} : { CLAUDE_PLUGIN_DATA: data }),
    ...Object.fromEntries(chosen),
  };
}

/** Of a session around ours, or the user's own script for shell commands: a hook would take them for its own. */
const NOT_INHERITED = /^(OTEL_|CLAUDE_PLUGIN_|CLAUDE_EFFORT$|CLAUDE_ENV_FILE$)/;

const toVariableName = (key: string) => key.toUpperCase().replaceAll(/[^A-Z0-9_]/g, "_");
