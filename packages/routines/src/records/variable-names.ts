// Which variables and secrets a routine's environment may name. Pure.

/** Of the program: its own, and the accounts, addresses and reports that it has from the worker. Commands would not get those either. */
const OF_PROGRAM = [
  ...["ANTHROPIC", "CLAUDE", "KEELSON", "OTEL", "MCP", "BASH", "DISABLE"],
  ...[
    "OPENAI",
    "AZURE",
    "AWS",
    "GOOGLE",
    "GEMINI",
    "GCE",
    "GCP",
    "CLOUD_ML",
    "CLOUDSDK",
    "VERTEX",
    "OPENROUTER",
    "OLLAMA",
  ],
  ...["LMSTUDIO", "DEEPSEEK", "GROQ", "MISTRAL", "XAI", "CEREBRAS", "ZAI", "BRAVE", "TAVILY"],
];
/** Of what loads programs, finds their settings, or is git. */
const OF_LOADERS = ["LD", "DYLD", "BUN", "GIT", "XDG"];
const PREFIX = new RegExp(`^(?:${[...OF_PROGRAM, ...OF_LOADERS].join("|")})_`, "i");
/** Of Node only these change nothing about how programs are loaded. */
const NODE = /^NODE_(?!ENV$|AUTH_TOKEN$)/i;
const PROXY = /^(?:HTTP|HTTPS|ALL|NO|FTP|WS|WSS)_PROXY$/i;
const EXACT = new Set([
  ...["PATH", "HOME", "TMPDIR", "SHELL", "IFS", "ENV", "PS4", "PROMPT_COMMAND", "ZDOTDIR", "USERPROFILE", "APPDATA"],
  ...["CLAUDECODE", "IS_SANDBOX", "TRACEPARENT", "TRACESTATE", "TMUX", "NO_GCE_CHECK", "WSL_DISTRO_NAME"],
  ...["PYTHONSTARTUP", "PERL5OPT", "PERL5DB", "RUBYOPT", "JAVA_TOOL_OPTIONS", "_JAVA_OPTIONS", "GCONV_PATH"],
  ...["GLIBC_TUNABLES", "SSL_CERT_FILE", "SSL_CERT_DIR", "SSH_AUTH_SOCK", "DBUS_SESSION_BUS_ADDRESS"],
  ...["API_TIMEOUT_MS", "ENABLE_PROMPT_CACHING_1H", "ENABLE_TOOL_SEARCH", "FORCE_PROMPT_CACHING_5M"],
  ...["MAX_THINKING_TOKENS", "MAX_STRUCTURED_OUTPUT_RETRIES", "MAX_MCP_OUTPUT_TOKENS", "TASK_MAX_OUTPUT_LENGTH"],
  ...["SLASH_COMMAND_TOOL_CHAR_BUDGET", "USE_BUILTIN_RIPGREP"],
]);

/** Variables of a routine's environment are for its commands; they change neither the program nor how others are loaded. */
export const isOwnName = (name: string) => /^[A-Za-z_][A-Za-z0-9_]*$/.test(name) && !isReservedName(name);

function isReservedName(name: string): boolean {
  return EXACT.has(name.toUpperCase()) || PREFIX.test(name) || NODE.test(name) || PROXY.test(name);
}

/** The first of these names that never arrives, and why. */
export function problemOfNames(names: readonly string[]): string | undefined {
  const name = names.find(isReservedName);
  return name === undefined
    ? undefined
    : `"${name}" is a name that the program of a run, or what loads programs, uses itself; choose another name, such as "MY_${name}"`;
}
