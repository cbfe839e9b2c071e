import { expect, test } from "bun:test";
import { mayFolderSet } from "./variables.ts";

test.each([
  [
    "never",
    "LD_PRELOAD ld_preload DYLD_INSERT_LIBRARIES BASH_ENV ENV NODE_OPTIONS BUN_OPTIONS BASH_FUNC_ls%% PERL5OPT",
  ],
  ["user only", "OPENAI_API_KEY OPENAI_BASE_URL OLLAMA_HOST AWS_ACCESS_KEY_ID AWS_SESSION_TOKEN GOOGLE_API_KEY"],
  ["if trusted", "AWS_REGION AWS_PROFILE GOOGLE_CLOUD_PROJECT CLOUD_ML_REGION OPENAI_API_VERSION"],
  ["if trusted", "ANTHROPIC_BASE_URL HTTPS_PROXY https_proxy PATH SHELL GIT_SSH_COMMAND PYTHONPATH KEELSON_RG"],
  ["if trusted", "MANPAGER TAR_OPTIONS RSYNC_RSH OPENSSL_CONF PYTEST_PLUGINS SHELLOPTS GTK_MODULES SBT_OPTS"],
  // Not known to be harmless: some program may read it.
  ["if trusted", "FOO DATABASE_URL LESSKEYIN_SYSTEM PERLLIB SVN_EDITOR2 NIX_PATH SOMETHING_NEW DEBUGINFOD_URLS TERM"],
  // Turns off something the user relies on.
  [
    "if trusted",
    "CLAUDE_CODE_DISABLE_CLAUDE_MDS CLAUDE_CODE_DISABLE_FILE_CHECKPOINTING CLAUDE_CODE_DISABLE_POLICY_SKILLS",
  ],
  [
    "if trusted",
    "CLAUDE_CODE_DISABLE_ANYTHING CLAUDE_CODE_SESSIONEND_HOOKS_TIMEOUT_MS CLAUDE_CODE_STOP_HOOK_BLOCK_CAP",
  ],
  // Variable names are case-sensitive.
  ["if trusted", "node_env Node_Env ci"],
  [
    "user only",
    "CLAUDE_CODE_ENABLE_TELEMETRY OTEL_EXPORTER_OTLP_ENDPOINT OTEL_EXPORTER_OTLP_LOGS_HEADERS KEELSON_TRACE",
  ],
  ["yes", "NODE_ENV BASH_DEFAULT_TIMEOUT_MS ANTHROPIC_MODEL CLAUDE_CODE_DISABLE_THINKING LANG CI TZ"],
  ["yes", "MAX_MCP_OUTPUT_TOKENS DISABLE_TELEMETRY CLAUDE_CODE_EXPERIMENTAL_AGENT_TEAMS PYTHONDONTWRITEBYTECODE"],
] as const)("mayFolderSet(): %s: %s", (verdict, names) => {
  const answers = names.split(" ").map((name) => [name, mayFolderSet(name)]);
  expect(answers).toEqual(names.split(" ").map((name) => [name, verdict]));
});

test.each([
  ["--max-old-space-size=8192", "if trusted"],
  [" --no-warnings --max-old-space-size 4096 ", "if trusted"],
  ["", "never"],
  ["--max-old-space-size=8192 --require ./x.js", "never"],
  ["--max-old-space-size=8192--require=./x.js", "never"],
  ["--max-old-space-size=1 --import data:text/javascript,x", "never"],
  ["--max-old-space-size ./x.js", "never"],
] as const)("a folder may set NODE_OPTIONS to %j: %s", (value, verdict) => {
  expect(mayFolderSet("NODE_OPTIONS", value)).toBe(verdict);
  expect(mayFolderSet("node_options", value)).toBe("never");
});
