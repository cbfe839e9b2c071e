// Environment variables: which of them a folder's settings may set, and which of them children may see. Pure.

export type Environment = Readonly<Record<string, string | undefined>>;

/** Our own environment with the settings' blocks applied, lowest scope first. */
export function applyBlocks(env: Environment, blocks: readonly unknown[]): Record<string, string | undefined> {
  return Object.assign({}, env, ...blocks) as Record<string, string | undefined>;
}

/** What shell commands, hooks and servers inherit: everything but our credentials and the switches of our own runtime. */
export function childEnvironment(env: Environment): Record<string, string> {
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
 * `if trusted`: it moves addresses, credentials, search paths, shells, or names a program to run.
 */
export function mayFolderSet(name: string): "yes" | "if trusted" | "never" {
  const upper = name.toUpperCase();
  if (NEVER_EXACT.has(upper) || NEVER_PREFIX.test(upper)) return "never";
  if (TUNING.has(upper) || HARMLESS_PREFIX.test(upper)) return "yes";
  return TRUST_EXACT.has(upper) || TRUST_PREFIX.test(upper) || TRUST_ENDING.test(upper) ? "if trusted" : "yes";
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

// Names of our own that are safe although their family is not.
const TUNING = new Set(
  (
    "ANTHROPIC_MODEL ANTHROPIC_SMALL_FAST_MODEL ANTHROPIC_DEFAULT_MODEL ANTHROPIC_DEFAULT_OPUS_MODEL " +
    "ANTHROPIC_DEFAULT_SONNET_MODEL ANTHROPIC_DEFAULT_HAIKU_MODEL ANTHROPIC_DEFAULT_FABLE_MODEL " +
    "BASH_DEFAULT_TIMEOUT_MS BASH_MAX_TIMEOUT_MS BASH_MAX_OUTPUT_LENGTH TASK_MAX_OUTPUT_LENGTH MAX_THINKING_TOKENS " +
    "CLAUDE_CODE_MAX_OUTPUT_TOKENS CLAUDE_CODE_MAX_TURNS CLAUDE_CODE_EFFORT_LEVEL CLAUDE_CODE_SUBAGENT_MODEL " +
    "CLAUDE_CODE_FILE_READ_MAX_OUTPUT_TOKENS CLAUDE_BASH_MAINTAIN_PROJECT_WORKING_DIR CLAUDE_CODE_ENABLE_TASKS NODE_ENV"
  ).split(" "),
);
const HARMLESS_PREFIX = /^CLAUDE_CODE_DISABLE_/;

const TRUST_EXACT = new Set(
  (
    "PATH PATHEXT COMSPEC SHELL HOME USERPROFILE TMPDIR TEMP TMP IFS PS4 PROMPT_COMMAND ZDOTDIR CDPATH IS_SANDBOX " +
    "EDITOR VISUAL PAGER BROWSER LESSOPEN LESSCLOSE CC CXX LD AR AS MAKE MAKEFLAGS MFLAGS MAKEFILES CLASSPATH " +
    "RIPGREP_CONFIG_PATH CURL_HOME CURL_CA_BUNDLE REQUESTS_CA_BUNDLE WGETRC TERMINFO INPUTRC API_TIMEOUT_MS " +
    "SHELLOPTS BASHOPTS FPATH VIMINIT EXINIT LOCPATH NLSPATH HOSTALIASES RES_OPTIONS LIBRARY_PATH CPATH COMPILER_PATH " +
    "GCC_EXEC_PREFIX EMACSLOADPATH TCLLIBPATH PSQLRC"
  ).split(" "),
);
const TRUST_PREFIX = new RegExp(
  "^(" +
    (
      "ANTHROPIC_ CLAUDE KEELSON_ BASH_ GIT_ SSH_ SSL_ GPG GNUPG NODE_ NPM_ YARN_ PNPM_ COREPACK_ DENO_ TSX_ TS_NODE_ PYTHON PIP_ UV_ " +
      "CONDA_ VIRTUAL_ENV PERL RUBY GEM_ BUNDLE_ IRB JAVA_ JDK_ MAVEN_ GRADLE_ CARGO_ RUST GO[A-Z]*$ LUA_ PHP R_ DOTNET_ COMPLUS_ " +
      "CORECLR_ CMAKE_ XDG_ SUDO_ DOCKER_ KUBE HELM_ AWS_ AZURE_ GOOGLE_ GCLOUD_ CLOUDSDK_ VERTEX_ OPENAI_ GEMINI_ OTEL_ MCP_ VAULT_ " +
      "OPENSSL PYTEST_ ERL_ ELIXIR_ JULIA_ GUILE_"
    )
      .split(" ")
      .join("|") +
    ")",
);
const TRUST_ENDING =
  /(_PROXY|PAGER|_EDITOR|_ASKPASS|_PRELOAD|_BASE_URL|_API_KEY|_WRAPPER|_OPTIONS|_OPTS|_RSH|_MODULES)$/;
