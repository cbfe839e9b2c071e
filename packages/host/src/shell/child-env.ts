// The environment of a command: what configuration lets through, plus the variables that say who started it.

/** Set in every process of one shell, so that those which left their process group can still be found and ended. */
const MARK = "KEELSON_SHELL";

export function childEnvironment(options: {
  readonly childEnv: Readonly<Record<string, string>>;
  readonly sessionId: string;
  readonly entrypoint: string;
  readonly token: string;
}): Record<string, string> {
  // BUN_OPTIONS and BUN_BE_BUN would change what a nested copy of ourselves is; BUN_INSTALL is only a folder.
  const passed = Object.entries(options.childEnv).filter(
    ([name]) => !name.startsWith("BUN_") || name === "BUN_INSTALL",
  );
  return {
    ...Object.fromEntries(passed),
    CLAUDECODE: "1",
    CLAUDE_CODE_ENTRYPOINT: options.entrypoint,
    CLAUDE_CODE_SESSION_ID: options.sessionId,
    CLAUDE_CODE_CHILD_SESSION: "1",
    AI_AGENT: "keelson",
    GIT_EDITOR: "true",
    [MARK]: options.token,
  };
}
