// Every environment variable that Keelson reads, one row each: whether the settings inside a folder may set it, what it
// does, and which packages read it. Loaded only when a folder's settings have an `env` block.

/**
 * Whether the settings inside a folder may set a variable.
 * - `yes`: also in an untrusted folder. No value makes anything less strict: the variable names no program, file or
 *   address and turns off no guard
 * - `if trusted`: only in a trusted folder
 * - `user only`: it holds a key of a server, or decides where such a key comes from or is sent; or it makes the
 *   session send or write what it does somewhere
 * - `never`: it makes programs load code
 */
export type FolderMaySet = "yes" | "if trusted" | "user only" | "never";

type Reader =
  "cli" | "config" | "engine" | "host" | "model" | "routines" | "runtime" | "sdk" | "store" | "tools" | "tui";

export interface Variable {
  readonly folder: FolderMaySet;
  readonly does: string;
  readonly readBy: readonly Reader[];
  /** A variable of the system, or one that Keelson sets itself: docs/configuration.md does not list it. */
  readonly undocumented?: true;
}

const variable = (folder: FolderMaySet, does: string, ...readBy: readonly Reader[]): Variable => ({
  folder,
  does,
  readBy,
});
const system = (does: string, ...readBy: readonly Reader[]): Variable => ({
  ...variable("if trusted", does, ...readBy),
  undocumented: true,
});
const harmless = (does: string, ...readBy: readonly Reader[]): Variable => ({
  ...variable("yes", does, ...readBy),
  undocumented: true,
});
/** Where the user's own files with credentials are. */
const ownFolder = (does: string, ...readBy: readonly Reader[]): Variable => ({
  ...variable("user only", does, ...readBy),
  undocumented: true,
});

export const VARIABLES: Readonly<Record<string, Variable>> = {
  ANTHROPIC_API_KEY: variable("if trusted", "API key", "model", "cli"),
  ANTHROPIC_AUTH_TOKEN: variable("if trusted", "bearer token; takes precedence over the API key", "model"),
  ANTHROPIC_BASE_URL: variable("if trusted", "address of the Messages API", "model", "cli", "runtime"),
  CLAUDE_CODE_API_KEY_HELPER_TTL_MS: variable("if trusted", "how long a key from apiKeyHelper is used", "model"),
  CLAUDE_CODE_SUBPROCESS_ENV_SCRUB: variable("user only", "keep keys of all providers from child processes", "config"),
  CLAUDE_CODE_USE_BEDROCK: variable("if trusted", "use models on Amazon Bedrock", "model"),
  CLAUDE_CODE_USE_VERTEX: variable("if trusted", "use models on Google Vertex AI", "model"),
  CLAUDE_CODE_USE_FOUNDRY: variable("if trusted", "use models on Microsoft Foundry", "model"),
  CLAUDE_CODE_USE_MANTLE: variable("if trusted", "use models on Amazon Bedrock's Messages endpoint", "model"),
  CLAUDE_CODE_USE_ANTHROPIC_AWS: variable("if trusted", "use models on Claude Platform on AWS", "model"),
  OPENAI_API_KEY: variable("user only", "key for openai", "model"),
  OPENAI_BASE_URL: variable("user only", "address of openai, or of a compatible server", "model"),
  OPENAI_API_BASE: variable("user only", "the same, under an older name", "model"),
  GEMINI_API_KEY: variable("user only", "key for gemini", "model"),
  GOOGLE_API_KEY: variable("user only", "key for gemini, unless GEMINI_API_KEY is set", "model"),
  GOOGLE_GEMINI_BASE_URL: variable("user only", "address of gemini", "model"),
  AZURE_OPENAI_API_KEY: variable("user only", "key for azure", "model"),
  AZURE_TENANT_ID: variable("user only", "tenant of the application that signs in to azure and foundry", "model"),
  AZURE_CLIENT_ID: variable("user only", "id of that application", "model"),
  AZURE_CLIENT_SECRET: variable("user only", "secret of that application", "model"),
  AZURE_FEDERATED_TOKEN_FILE: variable("user only", "file with a token that replaces the secret", "model"),
  AZURE_AUTHORITY_HOST: variable("user only", "where it signs in, for national clouds", "model"),
  AZURE_OPENAI_ENDPOINT: variable("user only", "address of azure", "model"),
  OPENAI_API_VERSION: variable("if trusted", "API version for azure", "model"),
  AZURE_OPENAI_API_VERSION: variable("if trusted", "the same, under another name", "model"),
  OPENROUTER_API_KEY: variable("user only", "key for openrouter", "model"),
  OPENROUTER_BASE_URL: variable("user only", "address of openrouter", "model"),
  OLLAMA_HOST: variable("user only", "address of ollama: host, host:port or URL", "model"),
  LMSTUDIO_BASE_URL: variable("user only", "address of lmstudio", "model"),
  DEEPSEEK_API_KEY: variable("user only", "key for deepseek", "model"),
  GROQ_API_KEY: variable("user only", "key for groq", "model"),
  MISTRAL_API_KEY: variable("user only", "key for mistral", "model"),
  XAI_API_KEY: variable("user only", "key for xai", "model"),
  CEREBRAS_API_KEY: variable("user only", "key for cerebras", "model"),
  ZAI_API_KEY: variable("user only", "key for zai", "model"),
  AWS_BEARER_TOKEN_BEDROCK: variable("user only", "key for bedrock", "model"),
  AWS_REGION: variable("if trusted", "region for bedrock", "model"),
  AWS_DEFAULT_REGION: variable("if trusted", "the same, if AWS_REGION is not set", "model"),
  AWS_PROFILE: variable("if trusted", "profile in AWS's own files with credentials and region", "model"),
  AWS_ACCESS_KEY_ID: variable("user only", "AWS credentials", "model"),
  AWS_SECRET_ACCESS_KEY: variable("user only", "AWS credentials", "model"),
  AWS_SESSION_TOKEN: variable("user only", "AWS credentials", "model"),
  ANTHROPIC_BEDROCK_BASE_URL: variable("user only", "address of bedrock", "model"),
  ANTHROPIC_BEDROCK_REGION_PREFIX: variable("if trusted", "prefix of model ids on bedrock, such as eu", "model"),
  ANTHROPIC_BEDROCK_SERVICE_TIER: variable("if trusted", "service tier for bedrock", "model"),
  ANTHROPIC_SMALL_FAST_MODEL_AWS_REGION: variable("if trusted", "region of the model haiku on bedrock", "model"),
  ANTHROPIC_BEDROCK_MANTLE_BASE_URL: variable("user only", "address of mantle", "model"),
  ANTHROPIC_AWS_API_KEY: variable("user only", "key for anthropic-aws", "model"),
  ANTHROPIC_AWS_BASE_URL: variable("user only", "address of anthropic-aws", "model"),
  ANTHROPIC_AWS_WORKSPACE_ID: variable("if trusted", "workspace for anthropic-aws", "model"),
  ANTHROPIC_FOUNDRY_API_KEY: variable("user only", "key for foundry", "model"),
  ANTHROPIC_FOUNDRY_AUTH_TOKEN: variable("user only", "bearer token for foundry", "model"),
  ANTHROPIC_FOUNDRY_RESOURCE: variable("user only", "resource of foundry, which is part of its address", "model"),
  ANTHROPIC_FOUNDRY_BASE_URL: variable("user only", "address of foundry", "model"),
  CLOUD_ML_REGION: variable("if trusted", "region for vertex", "model"),
  ANTHROPIC_VERTEX_PROJECT_ID: variable("if trusted", "project for vertex", "model"),
  GOOGLE_CLOUD_PROJECT: variable(
    "if trusted",
    "project for vertex, unless ANTHROPIC_VERTEX_PROJECT_ID is set",
    "model",
  ),
  GOOGLE_CLOUD_LOCATION: variable("if trusted", "region for vertex, unless CLOUD_ML_REGION is set", "model"),
  GOOGLE_APPLICATION_CREDENTIALS: variable("user only", "file with Google credentials", "config", "model"),
  GOOGLE_OAUTH_ACCESS_TOKEN: variable("user only", "access token for vertex", "model"),
  ANTHROPIC_VERTEX_BASE_URL: variable("user only", "address of vertex", "model"),
  GOOGLE_VERTEX_BASE_URL: variable("user only", "address of vertex for Gemini", "model"),
  CLAUDE_CODE_SKIP_BEDROCK_AUTH: variable("if trusted", "send no credentials to bedrock", "model"),
  CLAUDE_CODE_SKIP_VERTEX_AUTH: variable("if trusted", "send no credentials to vertex", "model"),
  CLAUDE_CODE_SKIP_FOUNDRY_AUTH: variable("if trusted", "send no credentials to foundry", "model"),
  CLAUDE_CODE_SKIP_MANTLE_AUTH: variable("if trusted", "send no credentials to mantle", "model"),
  CLAUDE_CODE_SKIP_ANTHROPIC_AWS_AUTH: variable("if trusted", "send no credentials to anthropic-aws", "model"),
  ANTHROPIC_MODEL: variable("yes", "the model; --model takes precedence", "model", "runtime", "cli"),
  ANTHROPIC_DEFAULT_MODEL: variable("yes", "model for the alias default", "model"),
  ANTHROPIC_DEFAULT_SONNET_MODEL: variable("yes", "model for the alias sonnet", "model"),
  ANTHROPIC_DEFAULT_OPUS_MODEL: variable("yes", "model for the alias opus", "model"),
  ANTHROPIC_DEFAULT_HAIKU_MODEL: variable("yes", "model for the alias haiku", "model"),
  ANTHROPIC_DEFAULT_FABLE_MODEL: variable("yes", "model for the alias fable", "model"),
  ANTHROPIC_SMALL_FAST_MODEL: variable("yes", "model for the alias haiku, under an older name", "model"),
  ANTHROPIC_CUSTOM_HEADERS: variable("if trusted", "headers for every request, one `Name: Value` per line", "model"),
  ANTHROPIC_BETAS: variable("if trusted", "beta names to send, separated by commas", "model"),
  CLAUDE_CODE_EXTRA_BODY: variable("if trusted", "JSON object to merge into every request", "model"),
  CLAUDE_CODE_EFFORT_LEVEL: variable("yes", "effort, unless a flag or setting chooses one", "model"),
  MAX_THINKING_TOKENS: variable("yes", "thinking budget; 0 turns thinking off", "model"),
  CLAUDE_CODE_DISABLE_THINKING: variable("yes", "turn thinking off", "model"),
  DISABLE_INTERLEAVED_THINKING: variable("yes", "do not send that beta name", "model"),
  CLAUDE_CODE_DISABLE_EXPERIMENTAL_BETAS: variable("yes", "send no beta names that Keelson chooses", "model"),
  CLAUDE_CODE_MAX_OUTPUT_TOKENS: variable("yes", "length limit of one reply", "model"),
  CLAUDE_CODE_MAX_CONTEXT_TOKENS: variable("yes", "context window to report", "model"),
  CLAUDE_CODE_DISABLE_1M_CONTEXT: variable("yes", "do not use long context", "model"),
  DISABLE_AUTO_COMPACT: variable("yes", "compact the conversation only by /compact", "runtime"),
  DISABLE_COMPACT: variable("yes", "never compact the conversation, not even by /compact", "runtime"),
  CLAUDE_CODE_AUTO_COMPACT_WINDOW: variable("yes", "compact as if the context window had this many tokens", "runtime"),
  CLAUDE_AUTOCOMPACT_PCT_OVERRIDE: variable("yes", "compact at this percentage of the window, if earlier", "runtime"),
  DISABLE_PROMPT_CACHING: variable("yes", "turn off prompt caching", "model"),
  ENABLE_PROMPT_CACHING_1H: variable("yes", "cache for an hour", "model"),
  FORCE_PROMPT_CACHING_5M: variable("yes", "always cache for five minutes", "model"),
  CLAUDE_CODE_MAX_RETRIES: variable("yes", "retries of a failed request", "model"),
  CLAUDE_CODE_DISABLE_NONSTREAMING_FALLBACK: variable("yes", "never retry a broken stream without streaming", "model"),
  API_TIMEOUT_MS: variable("if trusted", "time limit for the start of a reply", "model"),
  CLAUDE_STREAM_IDLE_TIMEOUT_MS: variable("if trusted", "time limit between two parts of a reply", "model"),
  HTTP_PROXY: variable("if trusted", "proxy for http", "model"),
  HTTPS_PROXY: variable("if trusted", "proxy for https", "model"),
  ALL_PROXY: variable("if trusted", "proxy for both", "model"),
  NO_PROXY: variable("if trusted", "hosts to reach without a proxy", "model"),
  NODE_EXTRA_CA_CERTS: variable("if trusted", "PEM file with more certificate authorities", "model"),
  CLAUDE_CODE_CERT_STORE: variable("if trusted", "certificate authorities to use: bundled, system or both", "model"),
  CLAUDE_CODE_CLIENT_CERT: variable("if trusted", "client certificate", "model"),
  CLAUDE_CODE_CLIENT_KEY: variable("if trusted", "key of the client certificate", "model"),
  CLAUDE_CODE_CLIENT_KEY_PASSPHRASE: variable("if trusted", "passphrase of that key", "model"),

  BASH_DEFAULT_TIMEOUT_MS: variable("yes", "default time limit of a command", "tools"),
  BASH_MAX_TIMEOUT_MS: variable("yes", "longest time limit a command may ask for", "tools"),
  BASH_MAX_OUTPUT_LENGTH: variable("yes", "characters of output to show", "tools"),
  TASK_MAX_OUTPUT_LENGTH: variable("yes", "bytes of a background task's output to show", "tools"),
  CLAUDE_CODE_USE_POWERSHELL_TOOL: variable("if trusted", "1: offer the PowerShell tool", "runtime"),
  CLAUDE_CODE_ENABLE_TASKS: variable("yes", "1: the shared task list instead of TodoWrite; 0: TodoWrite", "runtime"),
  CLAUDE_CODE_TASK_LIST_ID: variable("if trusted", "name of the task list to use", "runtime"),
  CLAUDE_CODE_EXPERIMENTAL_AGENT_TEAMS: variable("yes", "1: the model may lead a team of agents", "runtime"),
  TMUX: variable("if trusted", "the tmux that shows teammates, as tmux sets it", "cli", "runtime", "tui"),
  CLAUDE_CODE_DISABLE_BACKGROUND_TASKS: variable("yes", "never run commands in the background", "runtime"),
  CLAUDE_BASH_MAINTAIN_PROJECT_WORKING_DIR: variable("yes", "run every command in the working directory", "tools"),
  CLAUDE_CODE_ACCESSIBILITY: variable("yes", "turn off animations and a changing window title", "tui"),
  CLAUDE_CODE_DISABLE_TERMINAL_TITLE: variable("yes", "do not change the window title", "tui"),
  CLAUDE_CODE_SKIP_PROMPT_HISTORY: variable("yes", "do not save prompts typed at the terminal", "runtime"),
  VISUAL: variable("if trusted", "the editor for Ctrl+G", "cli"),
  EDITOR: variable("if trusted", "the editor for Ctrl+G, unless VISUAL is set", "cli"),
  CLAUDE_CODE_SHELL: variable("if trusted", "the shell that runs commands", "host", "cli"),
  SHELL: variable("if trusted", "the shell that runs commands, unless CLAUDE_CODE_SHELL is set", "host", "runtime"),
  CLAUDE_CODE_SHELL_PREFIX: variable("if trusted", "program to run each command with", "host", "config"),
  CLAUDE_ENV_FILE: variable("if trusted", "script to source before each command", "host", "config"),
  CLAUDE_CODE_FILE_READ_MAX_OUTPUT_TOKENS: variable("yes", "longest text one Read returns", "tools"),
  CLAUDE_CODE_GLOB_HIDDEN: variable("yes", "false: Glob skips hidden files", "tools"),
  CLAUDE_CODE_GLOB_NO_IGNORE: variable("yes", "false: Glob respects ignore files", "tools"),
  CLAUDE_CODE_GLOB_TIMEOUT_SECONDS: variable("yes", "time limit of a search", "tools"),
  KEELSON_RG: variable("if trusted", "the ripgrep program", "host"),
  USE_BUILTIN_RIPGREP: variable("if trusted", "0: use the ripgrep of the system, if there is one", "host"),
  CLAUDE_CODE_MAX_WEB_SEARCHES_PER_SESSION: variable(
    "if trusted",
    "how many web searches a session may make",
    "runtime",
  ),
  BRAVE_API_KEY: variable("user only", "key for searching with brave", "runtime"),
  TAVILY_API_KEY: variable("user only", "key for searching with tavily", "runtime"),
  MCP_TIMEOUT: variable("yes", "time limit to connect to an MCP server", "runtime"),
  CLAUDE_CODE_MCP_STARTUP_WAIT_MS: variable(
    "if trusted",
    "how long the first request waits for MCP servers",
    "runtime",
  ),
  MCP_CONNECTION_NONBLOCKING: variable("if trusted", "0: wait longer for the MCP servers of files", "runtime"),
  MCP_CONNECT_TIMEOUT_MS: variable("if trusted", "how much longer, less 2 s", "runtime"),
  CLAUDE_CODE_MCP_ALLOWLIST_ENV: variable(
    "user only",
    "1: MCP programs get few variables besides their own",
    "runtime",
  ),
  MCP_TOOL_TIMEOUT: variable("yes", "time limit of an MCP tool call", "runtime"),
  MCP_SERVER_CONNECTION_BATCH_SIZE: variable("yes", "local MCP servers to connect to at a time", "runtime"),
  MCP_REMOTE_SERVER_CONNECTION_BATCH_SIZE: variable("yes", "remote MCP servers to connect to at a time", "runtime"),
  CLAUDE_CODE_MCP_TOOL_IDLE_TIMEOUT: variable("yes", "time an MCP tool call may be silent", "runtime"),
  ENABLE_TOOL_SEARCH: variable("yes", "which tools are deferred", "runtime"),
  MCP_CLIENT_SECRET: variable("if trusted", "secret of the OAuth client, for keelson mcp login", "cli", "runtime"),
  MCP_OAUTH_CALLBACK_PORT: variable("if trusted", "port of the redirect address of keelson mcp login", "runtime"),
  MAX_MCP_OUTPUT_TOKENS: variable("yes", "length of an MCP result to show", "runtime"),
  CLAUDE_CODE_QUESTION_PREVIEW_FORMAT: variable("yes", "format of previews in AskUserQuestion", "runtime"),

  CLAUDE_CONFIG_DIR: variable("if trusted", "folder to use instead of ~/.claude", "config", "cli", "store", "tui"),
  CLAUDE_CODE_PROJECT_DIR_NAME: variable("if trusted", "name of the transcript folder", "runtime", "cli"),
  CLAUDE_CODE_PLUGIN_CACHE_DIR: variable("if trusted", "folder for installed plugins and their data", "config"),
  NPM_CONFIG_REGISTRY: variable("user only", "the npm registry that plugins come from", "host"),
  NPM_CONFIG_USERCONFIG: variable("user only", "the user's .npmrc, for plugins from npm", "host"),
  CLAUDE_CODE_PLUGIN_GIT_TIMEOUT_MS: variable(
    "if trusted",
    "time limit for git to fetch a plugin or marketplace",
    "host",
  ),
  CLAUDE_CODE_TMPDIR: variable("if trusted", "folder for the output of background tasks", "host", "store"),
  CLAUDE_TMPDIR: variable("if trusted", "folder for temporary files in the full sandbox", "host"),
  XDG_CACHE_HOME: variable("if trusted", "folder to use instead of ~/.cache", "host"),
  XDG_CONFIG_HOME: variable("if trusted", "folder to use instead of ~/.config", "config", "host"),
  CLAUDE_CODE_MAX_TURNS: variable("yes", "turn limit", "runtime"),
  CLAUDE_CODE_MAX_TOOL_USE_CONCURRENCY: variable("yes", "read-only calls to run in parallel", "runtime"),
  MAX_STRUCTURED_OUTPUT_RETRIES: variable("yes", "attempts at structured output", "runtime"),
  CLAUDE_CODE_SIMPLE: variable("if trusted", "same as --bare", "config"),
  CLAUDE_CODE_SAFE_MODE: variable("if trusted", "same as --safe-mode", "config"),
  CLAUDE_CODE_DISABLE_CLAUDE_MDS: variable("if trusted", "read only managed instruction files", "config"),
  CLAUDE_CODE_DISABLE_POLICY_SKILLS: variable("if trusted", "do not use managed skills", "config"),
  CLAUDE_CODE_DISABLE_BUNDLED_SKILLS: variable("if trusted", "leave out the skills that come with Keelson", "runtime"),
  CLAUDE_CODE_DISABLE_CRON: variable("if trusted", "turn off scheduled jobs", "runtime"),
  CLAUDE_CODE_DISABLE_EXPLORE_PLAN_AGENTS: variable("yes", "leave out the agents Explore and Plan", "runtime"),
  CLAUDE_CODE_SUBAGENT_MODEL: variable("yes", "the model of all subagents", "engine"),
  CLAUDE_CODE_MAX_SUBAGENT_SPAWN_DEPTH: variable("if trusted", "how deeply subagents may be nested", "runtime"),
  CLAUDE_CODE_MAX_CONCURRENT_SUBAGENTS: variable("if trusted", "subagents that work at the same time", "runtime"),
  CLAUDE_CODE_FORK_SUBAGENT: variable("if trusted", "an Agent call without a type starts a fork", "runtime"),
  CLAUDE_CODE_FORWARD_SUBAGENT_TEXT: variable("if trusted", "same as --forward-subagent-text", "runtime"),
  SLASH_COMMAND_TOOL_CHAR_BUDGET: variable("if trusted", "characters for the list of skills", "runtime"),
  CLAUDE_CODE_ADDITIONAL_DIRECTORIES_CLAUDE_MD: variable(
    "if trusted",
    "also read the instruction files of --add-dir folders",
    "config",
  ),
  CLAUDE_CODE_DISABLE_GIT_INSTRUCTIONS: variable("yes", "do not tell the model the git state", "runtime"),
  CLAUDE_CODE_DISABLE_AUTO_MEMORY: variable("yes", "turn memory off", "config", "runtime"),
  CLAUDE_CODE_ENABLE_SDK_FILE_CHECKPOINTING: variable("if trusted", "turn file checkpoints on", "runtime"),
  CLAUDE_CODE_DISABLE_FILE_CHECKPOINTING: variable("if trusted", "turn file checkpoints off", "runtime"),
  CLAUDE_CODE_SESSIONEND_HOOKS_TIMEOUT_MS: variable("if trusted", "time limit of all SessionEnd hooks", "engine"),
  CLAUDE_CODE_SDK_READS_SESSION_STATE: variable("if trusted", "report when work starts and ends", "runtime"),
  CLAUDE_CODE_EMIT_SESSION_STATE_EVENTS: variable(
    "if trusted",
    "report when work starts and ends; without a key, fail a prompt instead of using the offline model",
    "model",
    "runtime",
  ),
  KEELSON_GIT_CREDENTIALS: variable("user only", "file with credentials for repositories of routines", "routines"),
  KEELSON_ROUTINES_URL: variable("user only", "address of the routines server, for RemoteTrigger", "runtime"),
  KEELSON_ROUTINES_TOKEN: variable("user only", "token for the routines server", "runtime"),
  KEELSON_SERVE_DB: variable("user only", "database of keelson serve: a file, or postgres://…", "cli"),
  KEELSON_WORKER_TOKEN: variable("user only", "token of a worker of keelson serve", "cli"),
  KEELSON_OIDC_SECRET: variable("user only", "secret of the client of keelson serve at a provider", "cli"),
  KEELSON_STATE_DIR: variable("user only", "state of a Keelson that is run as a command", "cli", "host"),
  KEELSON_BIN: variable("if trusted", "the program that the SDK starts", "sdk"),
  CLAUDE_CODE_ENTRYPOINT: variable("if trusted", "how Keelson was started, for transcripts and requests", "cli", "sdk"),
  CLAUDE_AGENT_SDK_CLIENT_APP: variable("if trusted", "name of the application, for the user agent", "model"),
  CLAUDE_CODE_DEBUG_LOGS_DIR: variable("if trusted", "file of the debug log", "cli"),
  CLAUDE_CODE_ENABLE_TELEMETRY: variable("user only", "1: report to an OpenTelemetry collector", "runtime", "cli"),
  OTEL_METRICS_EXPORTER: variable("user only", "where metrics go: otlp, console or none", "runtime"),
  OTEL_LOGS_EXPORTER: variable("user only", "where events go", "runtime"),
  OTEL_TRACES_EXPORTER: variable("user only", "where spans go", "runtime"),
  OTEL_EXPORTER_OTLP_PROTOCOL: variable("user only", "http/protobuf or http/json", "runtime"),
  OTEL_EXPORTER_OTLP_ENDPOINT: variable("user only", "address of the collector", "runtime"),
  OTEL_EXPORTER_OTLP_HEADERS: variable("user only", "headers for it: name=value, separated by commas", "runtime"),
  OTEL_EXPORTER_OTLP_COMPRESSION: variable("user only", "gzip: compress requests to it", "runtime"),
  OTEL_EXPORTER_OTLP_TIMEOUT: variable("user only", "milliseconds to wait for its answer", "runtime"),
  OTEL_EXPORTER_OTLP_METRICS_TEMPORALITY_PREFERENCE: variable("user only", "delta or cumulative", "runtime"),
  OTEL_METRIC_EXPORT_INTERVAL: variable("user only", "milliseconds between reports of metrics", "runtime"),
  OTEL_LOGS_EXPORT_INTERVAL: variable("user only", "milliseconds between reports of events", "runtime"),
  OTEL_TRACES_EXPORT_INTERVAL: variable("user only", "milliseconds between reports of spans", "runtime"),
  OTEL_RESOURCE_ATTRIBUTES: variable(
    "user only",
    "attributes of all reports: name=value, separated by commas",
    "runtime",
  ),
  OTEL_SERVICE_NAME: variable("user only", "the name of the service in reports", "runtime"),
  OTEL_SDK_DISABLED: variable("user only", "true: report nothing", "runtime"),
  OTEL_LOG_USER_PROMPTS: variable("user only", "1: reports contain prompts", "runtime"),
  OTEL_LOG_TOOL_DETAILS: variable("user only", "1: reports contain commands, paths and names of MCP tools", "runtime"),
  OTEL_LOG_TOOL_CONTENT: variable("user only", "1: spans contain inputs and results of tools", "runtime"),
  OTEL_LOG_ASSISTANT_RESPONSES: variable("user only", "1: reports contain replies of the model", "runtime"),
  OTEL_METRICS_INCLUDE_SESSION_ID: variable("user only", "false: metrics without the id of the session", "runtime"),
  OTEL_METRICS_INCLUDE_VERSION: variable("user only", "true: metrics with the version", "runtime"),
  OTEL_METRICS_INCLUDE_ENTRYPOINT: variable("user only", "true: metrics with how Keelson was started", "runtime"),
  OTEL_METRICS_INCLUDE_RESOURCE_ATTRIBUTES: variable(
    "user only",
    "false: metrics without OTEL_RESOURCE_ATTRIBUTES",
    "runtime",
  ),
  CLAUDE_CODE_OTEL_HEADERS_HELPER_DEBOUNCE_MS: variable(
    "user only",
    "milliseconds until otelHeadersHelper is run again",
    "runtime",
  ),
  CLAUDE_CODE_OTEL_SHUTDOWN_TIMEOUT_MS: variable(
    "user only",
    "milliseconds that the end of a session waits for the collector",
    "runtime",
  ),
  TRACEPARENT: variable("if trusted", "the span that started this session", "runtime"),
  KEELSON_TRACE: variable("user only", "1: log exact times for keelson trace; or the file to log them to", "runtime"),
  IS_SANDBOX: variable("if trusted", "let root use bypassPermissions", "config", "runtime"),
  NO_COLOR: variable("yes", "no colors on a terminal", "cli", "tui"),
  FORCE_COLOR: variable("yes", "colors on a terminal, how many: 0 to 3", "tui"),
  FORCE_HYPERLINK: variable("yes", "links on a terminal: 0 or 1", "tui"),
  BROWSER: variable("if trusted", "the browser that keelson mcp login opens", "host"),

  TERM: system("the kind of terminal", "cli", "tui"),
  TERM_PROGRAM: system("the name of the terminal", "cli", "tui"),
  COLORTERM: system("the colors a terminal has", "tui"),
  COLORFGBG: system("the background of a terminal", "tui"),
  STY: system("set inside GNU screen", "tui"),
  WT_SESSION: system("set by Windows Terminal", "tui"),
  KONSOLE_VERSION: system("set by Konsole", "tui"),
  VTE_VERSION: system("set by GNOME terminals", "tui"),
  DOMTERM: system("set by DomTerm", "tui"),
  LC_ALL: harmless("language and character set", "tui"),
  LC_CTYPE: harmless("character set, unless LC_ALL is set", "tui"),
  LANG: harmless("language and character set, unless another variable sets them", "tui"),
  DISPLAY: system("the X11 screen, for pictures from the clipboard", "cli"),
  WAYLAND_DISPLAY: system("the Wayland screen, for pictures from the clipboard", "cli"),
  HOME: ownFolder("home folder", "cli", "host", "model", "routines", "store", "tools"),
  USERPROFILE: ownFolder("home folder on Windows", "model"),
  APPDATA: ownFolder("folder of programs' settings on Windows", "model"),
  AWS_CONFIG_FILE: system("AWS's configuration file", "model"),
  AWS_SHARED_CREDENTIALS_FILE: system("AWS's credentials file", "model"),
  AWS_DEFAULT_PROFILE: system("AWS profile, unless AWS_PROFILE is set", "model"),
  AWS_ROLE_ARN: ownFolder("AWS role of AWS_WEB_IDENTITY_TOKEN_FILE", "model"),
  AWS_ROLE_SESSION_NAME: system("name of that role's sessions", "model"),
  AWS_WEB_IDENTITY_TOKEN_FILE: system("token that AWS exchanges for credentials", "model"),
  AWS_CONTAINER_CREDENTIALS_FULL_URI: system("where a container gets AWS credentials", "model"),
  AWS_CONTAINER_CREDENTIALS_RELATIVE_URI: system("where a container gets AWS credentials", "model"),
  AWS_CONTAINER_AUTHORIZATION_TOKEN: system("token for AWS credentials of a container", "model"),
  AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE: system("file with that token", "model"),
  AWS_EC2_METADATA_DISABLED: system("do not use the machine's AWS credentials", "model"),
  AWS_EC2_METADATA_SERVICE_ENDPOINT: system("where a machine gets AWS credentials", "model"),
  AWS_EC2_METADATA_SERVICE_ENDPOINT_MODE: system("address family of that address", "model"),
  AWS_ENDPOINT_URL: system("address of AWS's services", "model"),
  AWS_USE_FIPS_ENDPOINT: system("use AWS's FIPS addresses", "model"),
  CLOUDSDK_CONFIG: system("folder of gcloud's settings", "config", "model"),
  GCE_METADATA_HOST: system("where a machine gets Google credentials", "model"),
  GCE_METADATA_IP: system("the same, as an IP address", "model"),
  NO_GCE_CHECK: system("do not use the machine's Google credentials", "model"),
  GOOGLE_CLOUD_QUOTA_PROJECT: system("Google project to bill", "model"),
  GOOGLE_EXTERNAL_ACCOUNT_ALLOW_EXECUTABLES: system("let a program provide Google credentials", "config", "model"),
  NODE_OPTIONS: system("options of every Node program; hooks and servers get one more", "host"),
  JAVA_TOOL_OPTIONS: system("options of every Java program; servers get one more", "host"),
  PATH: system("folders to look for programs in", "cli", "config", "host", "routines", "runtime", "sdk"),
  ZDOTDIR: system("folder of zsh's start files", "config", "host"),
  GIT_CONFIG_GLOBAL: system("git's configuration file of the user", "config"),
  GIT_CONFIG_COUNT: system("how many of git's settings are in the environment", "host"),
  WSL_DISTRO_NAME: system("set inside WSL", "host", "tools"),
  DBUS_SESSION_BUS_ADDRESS: system(
    "address of the secret service and of the session bus, which commands get in part",
    "host",
  ),
  SSH_CONNECTION: system("that the terminal is on another machine", "cli"),
  SSH_AUTH_SOCK: system("socket of the SSH agent, which commands may use", "host"),
  XDG_RUNTIME_DIR: system("where the session bus is if it has no address", "host"),
  CLAUDE_PROJECT_DIR: system("project folder; Keelson sets it for hooks", "host"),
};

/** `value` matters only for NODE_OPTIONS, with which many projects raise a limit of memory. */
export function mayFolderSet(name: string, value = ""): FolderMaySet {
  const upper = name.toUpperCase();
  if (name === "NODE_OPTIONS" && LIMITS_ONLY.test(value)) return "if trusted";
  if (LOADS_CODE.has(upper) || LOADS_CODE_PREFIX.test(upper)) return "never";
  if (USER_ONLY.test(upper) || REPORTS.test(upper) || upper === "CLOUDSDK_CONFIG") return "user only";
  if (Object.hasOwn(VARIABLES, name)) return VARIABLES[name]!.folder;
  return HARMLESS.has(name) ? "yes" : "if trusted";
}

/** Of any cloud or provider: credentials, addresses, and files that hold either. */
const USER_ONLY = new RegExp(
  "^(?:ANTHROPIC_(?:AWS|BEDROCK|FOUNDRY|VERTEX)|AWS|AZURE|AZURE_OPENAI|CEREBRAS|DEEPSEEK|GCE|GEMINI|GOOGLE|GROQ|" +
    "LMSTUDIO|MISTRAL|OLLAMA|OPENAI|OPENROUTER|XAI|ZAI)_(?:.*_)?" +
    "(?:API_BASE|BASE_URL|CONFIG_FILE|CREDENTIALS|CREDENTIALS_FILE|ENDPOINT|EXECUTABLES|HOST|IP|KEY|KEY_ID|RESOURCE|" +
    "SECRET|TOKEN|TOKEN_BEDROCK|TOKEN_FILE|URI|URL(?:_[A-Z_]+)?)$",
);

/** What is reported, and to whom. */
const REPORTS = /^(?:OTEL_|CLAUDE_CODE_OTEL_)/;

const words = (text: string) => text.trim().split(/\s+/);

/** Options of Node that load nothing. */
const LIMITS_ONLY =
  /^(?:\s*--(?:max-(?:old-space|semi-space|http-header)-size[= ]\d+|no-warnings|no-deprecation)(?=\s|$))+\s*$/;

const LOADS_CODE_PREFIX = /^(BUN_|LD_|DYLD_|BASH_FUNC_)/;
const LOADS_CODE = new Set(
  words(`
    ENV BASH_ENV NODE_OPTIONS PERL5OPT PERL5DB RUBYOPT PYTHONSTARTUP JAVA_TOOL_OPTIONS _JAVA_OPTIONS GCONV_PATH
    GLIBC_TUNABLES
  `),
);

/** Variables of compatible programs that Keelson does not read yet. */
const NOT_READ_YET = words(`
  DISABLE_PROMPT_CACHING_OPUS DISABLE_PROMPT_CACHING_SONNET DISABLE_PROMPT_CACHING_HAIKU
  DISABLE_PROMPT_CACHING_FABLE
  CLAUDE_CODE_ENABLE_TODO_TOOLS CLAUDE_AUTO_BACKGROUND_TASKS
  DISABLE_TELEMETRY DISABLE_ERROR_REPORTING DISABLE_AUTOUPDATER DISABLE_COST_WARNINGS DO_NOT_TRACK
`);
const NOT_DISABLED_YET = words(`
  ADAPTIVE_THINKING ADVISOR_TOOL AGENT_VIEW ALTERNATE_SCREEN ARTIFACT ATTACHMENTS BUNDLED_SKILLS CRON
  FAST_MODE FEEDBACK_SURVEY MOUSE NONESSENTIAL_TRAFFIC VIRTUAL_SCROLL WORKFLOWS
`).map((feature) => `CLAUDE_CODE_DISABLE_${feature}`);

/** Variables that other programs use as a switch, or as a word to print or compare. */
const COMMON = words(`
  CI NODE_ENV RAILS_ENV RACK_ENV APP_ENV FLASK_ENV MIX_ENV LOG_LEVEL PORT TZ LANGUAGE
  CLICOLOR CLICOLOR_FORCE PYTHONDONTWRITEBYTECODE PYTHONUNBUFFERED PYTHONUTF8 PYTHONHASHSEED
  RUST_BACKTRACE RUST_LOG NEXT_TELEMETRY_DISABLED TURBO_TELEMETRY_DISABLED ASTRO_TELEMETRY_DISABLED
  DOTNET_CLI_TELEMETRY_OPTOUT PIP_DISABLE_PIP_VERSION_CHECK
`);

// Programs read thousands of variables, and many of them name a program, a file or an address, so only a list of the
// harmless ones can be complete.
const HARMLESS: ReadonlySet<string> = new Set([...NOT_READ_YET, ...NOT_DISABLED_YET, ...COMMON]);
