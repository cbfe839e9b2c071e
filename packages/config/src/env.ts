// Environment variables: which of them a folder's settings may set, and which of them children may see. Pure.

export type Environment = Readonly<Record<string, string | undefined>>;

/** Our own environment with the settings' blocks applied, lowest scope first. */
export function applyBlocks(env: Environment, blocks: readonly unknown[]): Record<string, string | undefined> {
  return Object.assign({}, env, ...blocks) as Record<string, string | undefined>;
}

/** What shell commands, hooks and servers inherit: everything but our credentials and the switches of our own runtime. */
export function inheritedEnvironment(env: Environment): Record<string, string> {
  const kept: Record<string, string> = {};
  for (const [name, value] of Object.entries(env)) {
    if (value !== undefined && reachesChildren(name)) kept[name] = value;
  }
  return kept;
}

/** Whether a variable of this name is passed on, wherever it comes from. */
export function reachesChildren(name: string): boolean {
  return !isOurs(name);
}

/**
 * Whether settings that live in a folder may set a variable. `never`: it makes programs load code unasked.
 * `if trusted`: it is not known to be harmless. Programs read thousands of variables, and many of them name a program, a
 * file or an address, so that only a list of what is harmless can be complete.
 */
export function mayFolderSet(name: string): "yes" | "if trusted" | "never" {
  const upper = name.toUpperCase();
  if (NEVER_EXACT.has(upper) || NEVER_PREFIX.test(upper)) return "never";
  return HARMLESS.has(name) ? "yes" : "if trusted";
}

const SECRET_ENDING = /^(ANTHROPIC|CLAUDE)_.*(KEY|TOKEN|SECRET|HEADERS|PASSPHRASE|CREDENTIALS)$/;
const OURS = new Set([
  "AWS_BEARER_TOKEN_BEDROCK",
  "MCP_CLIENT_SECRET",
  "BUN_OPTIONS",
  "BUN_BE_BUN",
  "CLAUDE_AGENT_SDK_VERSION",
]);

function isOurs(name: string): boolean {
  const upper = name.toUpperCase();
  return OURS.has(upper) || SECRET_ENDING.test(upper);
}

const NEVER_PREFIX = /^(BUN_|LD_|DYLD_|BASH_FUNC_)/;
const NEVER_EXACT = new Set(
  "ENV BASH_ENV NODE_OPTIONS PERL5OPT PERL5DB RUBYOPT PYTHONSTARTUP JAVA_TOOL_OPTIONS _JAVA_OPTIONS GCONV_PATH GLIBC_TUNABLES".split(
    " ",
  ),
);

const words = (text: string) => text.trim().split(/\s+/);

/** Which model, and how much of it. */
const MODEL = words(`
  ANTHROPIC_MODEL ANTHROPIC_SMALL_FAST_MODEL ANTHROPIC_DEFAULT_MODEL ANTHROPIC_DEFAULT_OPUS_MODEL
  ANTHROPIC_DEFAULT_SONNET_MODEL ANTHROPIC_DEFAULT_HAIKU_MODEL ANTHROPIC_DEFAULT_FABLE_MODEL CLAUDE_CODE_SUBAGENT_MODEL
  CLAUDE_CODE_EFFORT_LEVEL MAX_THINKING_TOKENS CLAUDE_CODE_MAX_OUTPUT_TOKENS CLAUDE_CODE_MAX_CONTEXT_TOKENS
  CLAUDE_CODE_MAX_TURNS CLAUDE_CODE_MAX_RETRIES DISABLE_INTERLEAVED_THINKING
  DISABLE_PROMPT_CACHING DISABLE_PROMPT_CACHING_OPUS DISABLE_PROMPT_CACHING_SONNET DISABLE_PROMPT_CACHING_HAIKU
  DISABLE_PROMPT_CACHING_FABLE ENABLE_PROMPT_CACHING_1H FORCE_PROMPT_CACHING_5M
  DISABLE_COMPACT DISABLE_AUTO_COMPACT CLAUDE_CODE_AUTO_COMPACT_WINDOW CLAUDE_AUTOCOMPACT_PCT_OVERRIDE
`);

/** How long tools may take, and how much they may say. */
const LIMITS = words(`
  BASH_DEFAULT_TIMEOUT_MS BASH_MAX_TIMEOUT_MS BASH_MAX_OUTPUT_LENGTH TASK_MAX_OUTPUT_LENGTH
  CLAUDE_BASH_MAINTAIN_PROJECT_WORKING_DIR CLAUDE_CODE_FILE_READ_MAX_OUTPUT_TOKENS CLAUDE_CODE_GLOB_HIDDEN
  CLAUDE_CODE_GLOB_NO_IGNORE CLAUDE_CODE_GLOB_TIMEOUT_SECONDS CLAUDE_CODE_QUESTION_PREVIEW_FORMAT
  CLAUDE_CODE_MAX_TOOL_USE_CONCURRENCY CLAUDE_CODE_MAX_CONCURRENT_SUBAGENTS SLASH_COMMAND_TOOL_CHAR_BUDGET
  MCP_TIMEOUT MCP_TOOL_TIMEOUT MAX_MCP_OUTPUT_TOKENS MAX_STRUCTURED_OUTPUT_RETRIES
`);

/** Features that need no guard, and talking to others less. Not what would switch off instructions or checkpoints. */
const FEATURES = words(`
  CLAUDE_CODE_ENABLE_TASKS CLAUDE_CODE_ENABLE_TODO_TOOLS CLAUDE_CODE_EXPERIMENTAL_AGENT_TEAMS CLAUDE_CODE_FORK_SUBAGENT
  CLAUDE_AUTO_BACKGROUND_TASKS ENABLE_TOOL_SEARCH
  DISABLE_TELEMETRY DISABLE_ERROR_REPORTING DISABLE_AUTOUPDATER DISABLE_COST_WARNINGS DO_NOT_TRACK
`);
const DISABLED = words(`
  1M_CONTEXT ADAPTIVE_THINKING ADVISOR_TOOL AGENT_VIEW ALTERNATE_SCREEN ARTIFACT ATTACHMENTS AUTO_MEMORY BACKGROUND_TASKS
  BUNDLED_SKILLS CRON EXPERIMENTAL_BETAS EXPLORE_PLAN_AGENTS FAST_MODE FEEDBACK_SURVEY GIT_INSTRUCTIONS MOUSE
  NONESSENTIAL_TRAFFIC NONSTREAMING_FALLBACK TERMINAL_TITLE THINKING VIRTUAL_SCROLL WORKFLOWS
`).map((feature) => `CLAUDE_CODE_DISABLE_${feature}`);

/** What other programs take as a mere switch, or as a word to print and compare. */
const COMMON = words(`
  CI NODE_ENV RAILS_ENV RACK_ENV APP_ENV FLASK_ENV MIX_ENV LOG_LEVEL PORT TZ LANG LANGUAGE LC_ALL LC_CTYPE
  NO_COLOR FORCE_COLOR CLICOLOR CLICOLOR_FORCE PYTHONDONTWRITEBYTECODE PYTHONUNBUFFERED PYTHONUTF8 PYTHONHASHSEED
  RUST_BACKTRACE RUST_LOG NEXT_TELEMETRY_DISABLED TURBO_TELEMETRY_DISABLED ASTRO_TELEMETRY_DISABLED
  DOTNET_CLI_TELEMETRY_OPTOUT PIP_DISABLE_PIP_VERSION_CHECK
`);

/** Whatever the value, nothing becomes wider: no program, file or address is named, and no guard is switched off. */
const HARMLESS: ReadonlySet<string> = new Set([...MODEL, ...LIMITS, ...FEATURES, ...DISABLED, ...COMMON]);
