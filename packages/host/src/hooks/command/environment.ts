// The environment of a command hook: the session's, plus variables for the project, plugin and env file.

import { pathOutside } from "../../programs/find-program.ts";
import { sessionEnvironment, type ChildOrigin } from "../../shell/environment/child-env.ts";

export interface HookEnvironmentOptions extends ChildOrigin {
  /** Where the session was started; does not change with its working directory. */
  readonly projectDir: string;
  /** A folder that is not trusted: no programs are found in it, whatever the PATH says. */
  readonly outside?: string | undefined;
  /** The effort level, for events that have one. */
  readonly effort?: string;
  /** From `envFileFor`. Without it the variable is unset, even if the user has set one. */
  readonly envFile?: string;
  /** The folder of the plugin or skill. */
  readonly root?: string;
  /** The plugin's data folder. */
  readonly data?: string;
  /** The user's settings for the plugin. */
  readonly pluginOptions?: Readonly<Record<string, string>>;
}

export function hookEnvironment(options: HookEnvironmentOptions): Record<string, string> {
  const { projectDir, outside, effort, envFile, root, data, pluginOptions = {} } = options;
  const session = Object.entries(sessionEnvironment(options)).filter(([name]) => !NOT_INHERITED.test(name));
  const chosen = Object.entries(pluginOptions).map(([key, value]) => [optionVariable(key), value]);
  return {
    ...Object.fromEntries(session),
    ...(outside === undefined ? {} : { PATH: pathOutside(options.childEnv["PATH"], outside) }),
    CLAUDE_PROJECT_DIR: projectDir,
    CLAUDE_SESSION_ID: options.sessionId,
    ...(effort === undefined ? {} : { CLAUDE_EFFORT: effort }),
    ...(envFile === undefined ? {} : { CLAUDE_ENV_FILE: envFile }),
    ...(root === undefined ? {} : { CLAUDE_PLUGIN_ROOT: root, CLAUDE_PLUGIN_PATH: root }),
    ...(data === undefined ? {} : { CLAUDE_PLUGIN_DATA: data }),
    ...Object.fromEntries(chosen),
  };
}

/** Set by an outer session or by the user for shell commands; a hook would mistake them for its own. */
const NOT_INHERITED = /^(OTEL_|CLAUDE_PLUGIN_|CLAUDE_EFFORT$|CLAUDE_ENV_FILE$)/;

/** The variable of a plugin's option. */
export const optionVariable = (key: string) =>
  `CLAUDE_PLUGIN_OPTION_${key.toUpperCase().replaceAll(/[^A-Z0-9_]/g, "_")}`;
