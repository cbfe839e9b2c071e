// Every settings key, one row each: its type, whether a folder's own files may set it, which files may hold it, and what
// it does. `Settings`, the checks, `keelson config`, `keelson doctor` and docs/settings.schema.json derive from this table.

/**
 * The type of a value. `strict` replaces an invalid value where dropping it would weaken a protection; without `strict`,
 * an invalid value is dropped. `wins`: it only restricts, so a scope that turns it on decides, and no other turns it off.
 */
export type ValueType =
  | { readonly kind: "any"; readonly wins?: true }
  | { readonly kind: "text" | "object" | "mode" | "models" | "variables" | "prices" | "hooks" | "providers" }
  | { readonly kind: "flag"; readonly strict?: boolean; readonly wins?: true }
  | { readonly kind: "number"; readonly least?: number; readonly most?: number; readonly whole?: true }
  | { readonly kind: "choice"; readonly of: readonly string[]; readonly strict?: string }
  | { readonly kind: "list"; readonly of: ListItem; readonly strict?: readonly never[] | "unread" }
  | { readonly kind: "rules"; readonly behavior: "allow" | "ask" | "deny" }
  | { readonly kind: "map"; readonly of: "text" | "flag" | "guard" | "texts" | "any" };

type ListItem = "text" | "credential" | "server" | "any";

/** The files that may hold a key: user (and `--settings`), project, local, managed. `global` is not a settings file. */
export type Holder = "user" | "project" | "local" | "managed" | "global";

/**
 * Whether the settings files inside a folder may set a key.
 * - `yes`: also in an untrusted folder
 * - `if trusted`: only in a trusted folder
 * - `if accepted`: in an untrusted folder, only entries the user accepted there
 * - `if narrower`: in an untrusted folder, only a stricter value
 * - `by variable`: each variable has its own row in the table of environment variables
 * - `never`: no file inside a folder may hold it
 */
export type FolderMay = "yes" | "if trusted" | "if accepted" | "if narrower" | "by variable" | "never";

export interface SettingsRow {
  readonly type: ValueType;
  readonly folder: FolderMay;
  readonly holders: readonly Holder[];
  /** Absent: the key is known and checked but has no effect. */
  readonly means?: string;
  /** Why it can have none here; absent if it only has none yet. */
  readonly whyNot?: string;
}

const any = { kind: "any" } as const;
const text = { kind: "text" } as const;
const object = { kind: "object" } as const;
const flag = { kind: "flag" } as const;
const texts = { kind: "list", of: "text" } as const;
/** Switches that only restrict: an invalid value means on, and on in one scope is on. */
const guard = { kind: "flag", strict: true, wins: true } as const;
/** Switches that protect, and also allow something: an invalid value means on. */
const protect = { kind: "flag", strict: true } as const;
/** Switches that permit: an invalid value means off. */
const permit = { kind: "flag", strict: false } as const;
/** Lists that protect: an invalid entry may have been a protection, so allow rules are ignored until it is fixed. */
const guards = { kind: "list", of: "text", strict: "unread" } as const;
/** Lists that limit: an invalid list means an empty one. */
const limit = { kind: "list", of: "text", strict: [] } as const;
/** Entries are `{ path or name, mode: "deny" or "mask" }`. */
const credentials = { kind: "list", of: "credential", strict: "unread" } as const;
/** Entries are `{ serverName }`, `{ serverCommand }` or `{ serverUrl }`. */
const limitServers = { kind: "list", of: "server", strict: [] } as const;
const guardServers = { kind: "list", of: "server", strict: "unread" } as const;
const disable = { kind: "choice", of: ["disable"], strict: "disable" } as const;
const searchProvider = { kind: "choice", of: ["anthropic", "searxng", "brave", "tavily", "mcp"] } as const;
const port = { kind: "number", least: 1, most: 65_535, whole: true } as const;
const effort = { kind: "choice", of: ["low", "medium", "high", "xhigh", "max"] } as const;
const wait = { kind: "choice", of: ["60s", "5m", "10m", "never"] } as const;
const allowRules = { kind: "rules", behavior: "allow" } as const;
const askRules = { kind: "rules", behavior: "ask" } as const;
const denyRules = { kind: "rules", behavior: "deny" } as const;

const ANY: readonly Holder[] = ["user", "project", "local", "managed"];
const NEAR: readonly Holder[] = ["user", "local", "managed"];
const OWN: readonly Holder[] = ["user", "managed"];
const MANAGED: readonly Holder[] = ["managed"];
const GLOBAL: readonly Holder[] = ["global"];

/** A key with an effect. */
const works = <const T extends ValueType>(type: T, folder: FolderMay, means: string, holders = ANY) => ({
  type,
  folder,
  holders,
  means,
});
/** A key of compatible programs that has no effect yet. */
const later = <const T extends ValueType>(type: T, folder: FolderMay, holders = ANY) => ({ type, folder, holders });
/** A key of compatible programs for something that there is not. */
const without = <const T extends ValueType>(type: T, folder: FolderMay, whyNot: string, holders = ANY) => ({
  type,
  folder,
  holders,
  whyNot,
});

export const SETTINGS_TABLE = {
  $schema: works(text, "yes", "URL of this schema, for editors"),

  "permissions.allow": works(allowRules, "if accepted", "tool calls that run without asking"),
  "permissions.ask": works(askRules, "yes", "tool calls that always ask"),
  "permissions.deny": works(denyRules, "yes", "tool calls that are always refused"),
  "permissions.additionalDirectories": works(texts, "if accepted", "more working directories"),
  "permissions.defaultMode": works({ kind: "mode" }, "if narrower", "permission mode to start in"),
  "permissions.disableBypassPermissionsMode": works(disable, "yes", "turn off bypassPermissions mode"),
  "permissions.disableAutoMode": works(disable, "yes", "turn off auto mode"),
  disableAutoMode: works(disable, "yes", "turn off auto mode"),
  allowManagedPermissionRulesOnly: works(guard, "never", "only managed allow rules apply", MANAGED),
  requireTrust: works(guard, "never", "an untrusted folder may only deny and ask", OWN),
  "autoMode.environment": works(texts, "never", "what the auto mode classifier should know about this machine", OWN),
  "autoMode.allow": works(texts, "never", "what the classifier may allow, in prose", OWN),
  "autoMode.soft_deny": works(texts, "never", "what it allows only if the user asked for exactly that", OWN),
  "autoMode.hard_deny": works(guards, "never", "what it never allows", OWN),
  "autoMode.classifyAllShell": works(guard, "never", "also classify commands that allow rules match", OWN),
  useAutoModeDuringPlan: later(permit, "yes", NEAR),
  skipDangerousModePermissionPrompt: works(
    permit,
    "if trusted",
    "start in bypassPermissions mode without a warning",
    NEAR,
  ),
  skipAutoPermissionPrompt: later(permit, "never", OWN),
  skipWebFetchPreflight: later(permit, "if trusted"),
  "webSearch.provider": works(searchProvider, "never", "where WebSearch searches", OWN),
  "webSearch.url": works(text, "never", "address of SearXNG, or of another server that answers like it", OWN),
  "webSearch.apiKeyEnv": works(text, "never", "variable with the key for the search", OWN),
  "webSearch.tool": works(text, "never", "MCP tool that searches, by its full name", OWN),
  permissionExplainerEnabled: later(flag, "never", GLOBAL),
  disableSkillShellExecution: works(guard, "yes", "run no commands in the text of skills and commands"),
  disableSideloadFlags: works(guard, "never", "refuse MCP servers, plugins and agents on the command line", MANAGED),
  isolatePeerMachines: later(guard, "yes"),
  crossSessionInbound: later(text, "yes"),

  "sandbox.enabled": works(protect, "if trusted", "run commands in an operating system sandbox"),
  "sandbox.failIfUnavailable": works(guard, "if trusted", "refuse to start if the sandbox is not available"),
  "sandbox.autoAllowBashIfSandboxed": works(permit, "if trusted", "run sandboxed commands without asking"),
  "sandbox.allowUnsandboxedCommands": works(permit, "if trusted", "let a command ask to run outside the sandbox"),
  "sandbox.excludedCommands": works(texts, "if trusted", "commands that run outside the sandbox"),
  "sandbox.ignoreViolations": works({ kind: "map", of: "texts" }, "if trusted", "violations not to report, by command"),
  "sandbox.enableWeakerNestedSandbox": works(permit, "if trusted", "use a weaker sandbox, for containers"),
  "sandbox.enableWeakerNetworkIsolation": works(permit, "if trusted", "isolate the network less, for macOS"),
  "sandbox.filesystem.allowWrite": works(texts, "if trusted", "more paths that commands may write"),
  "sandbox.filesystem.denyWrite": works(guards, "if trusted", "paths that commands may not write"),
  "sandbox.filesystem.denyRead": works(guards, "if trusted", "paths that commands may not read"),
  "sandbox.filesystem.allowRead": works(texts, "if trusted", "paths inside denyRead that commands may read"),
  "sandbox.filesystem.disabled": works(permit, "never", "do not restrict files", OWN),
  "sandbox.filesystem.allowManagedReadPathsOnly": works(guard, "never", "only managed allowRead applies", MANAGED),
  "sandbox.network.allowedDomains": works(texts, "if trusted", "hosts that commands may reach"),
  "sandbox.network.deniedDomains": works(guards, "if trusted", "hosts that commands may not reach"),
  "sandbox.network.allowUnixSockets": works(texts, "if trusted", "Unix sockets that commands may open"),
  "sandbox.network.allowMachLookup": works(texts, "if trusted", "macOS services that commands may look up"),
  "sandbox.network.allowAllUnixSockets": works(permit, "if trusted", "let commands open any Unix socket"),
  "sandbox.network.allowLocalBinding": works(permit, "if trusted", "let commands listen on local ports"),
  "sandbox.network.httpProxyPort": works(port, "if trusted", "port of your own HTTP proxy"),
  "sandbox.network.socksProxyPort": works(port, "if trusted", "port of your own SOCKS proxy"),
  "sandbox.network.strictAllowlist": works(guard, "never", "refuse other hosts instead of asking", OWN),
  "sandbox.network.tlsTerminate": later(object, "never", OWN),
  "sandbox.network.allowManagedDomainsOnly": works(guard, "never", "only managed allowedDomains apply", MANAGED),
  "sandbox.credentials.files": works(credentials, "if trusted", "files with secrets, to deny or mask"),
  "sandbox.credentials.envVars": works(credentials, "if trusted", "variables with secrets, to deny or mask"),
  "sandbox.credentials.allowPlaintextInject": later(permit, "never", OWN),
  "sandbox.credentials.awsPairs": later({ kind: "list", of: "any" }, "never", OWN),
  "sandbox.credentials.sigv4": later(object, "never", OWN),
  "sandbox.ripgrep.command": works(text, "never", "ripgrep program for the sandbox", OWN),
  "sandbox.ripgrep.args": works(texts, "never", "arguments to put first when running it", OWN),
  "sandbox.allowAppleEvents": works(permit, "never", "let commands control other programs on macOS", OWN),
  "sandbox.mcpServers": works({ kind: "map", of: "guard" }, "never", "MCP servers to run in the sandbox", OWN),
  "sandbox.projectMcpServers": works(guard, "never", "run the MCP servers of .mcp.json files in the sandbox", OWN),
  "sandbox.lspServers": works(
    { kind: "map", of: "guard" },
    "never",
    "language servers to run in the sandbox; * for all",
    OWN,
  ),
  "sandbox.bwrapPath": works(text, "never", "path of bubblewrap", MANAGED),
  "sandbox.socatPath": works(text, "never", "path of socat", MANAGED),

  model: works(text, "yes", "the model, unless --model or ANTHROPIC_MODEL is set"),
  fallbackModel: works({ kind: "models" }, "yes", "models to try when the first one is overloaded"),
  exploreModel: works(text, "yes", "the model of the Explore agent; inherit for that of the session"),
  effortLevel: works(effort, "yes", "how much effort the model puts into an answer"),
  alwaysThinkingEnabled: works(flag, "yes", "false turns off thinking"),
  modelPrices: works({ kind: "prices" }, "if trusted", "US dollars per million tokens, by model"),
  providers: works({ kind: "providers" }, "never", "model servers by name: address, kind, key, models", OWN),
  summarizeOnMaxTurns: works(flag, "yes", "ask for a closing summary when the turn limit is reached"),
  env: works({ kind: "variables" }, "by variable", "environment variables for Keelson and the commands it runs"),
  availableModels: later(texts, "yes"),
  enforceAvailableModels: later(guard, "yes"),
  modelOverrides: works({ kind: "map", of: "text" }, "if trusted", "the id to send, by the vendor's full model id"),
  advisorModel: later(text, "yes"),
  outputStyle: works(text, "yes", "output style: a built-in one, or one of your own"),
  language: later(text, "yes"),
  showThinkingSummaries: later(flag, "yes"),
  fastMode: later(flag, "yes"),
  fastModePerSessionOptIn: later(flag, "yes"),
  switchModelsOnFlag: later(flag, "yes"),
  ultracode: later(flag, "yes"),
  workflowKeywordTriggerEnabled: later(flag, "yes"),
  workflowSizeGuideline: later(text, "yes"),

  autoCompactEnabled: works(flag, "yes", "false: the conversation is compacted only by /compact"),
  autoCompactWindow: works(
    { kind: "number", least: 100_000, most: 1_000_000, whole: true },
    "yes",
    "compact as if the context window had this many tokens, if it has more",
  ),
  autoMemoryEnabled: works(flag, "if trusted", "false turns off memory"),
  autoMemoryDirectory: works(text, "if trusted", "folder for memory files"),
  fileCheckpointingEnabled: works(flag, "if trusted", "keep copies of files before tools change them"),
  plansDirectory: works(text, "if trusted", "folder for the plans of plan mode"),
  agent: works(text, "if trusted", "the agent that sessions run as; --agent takes precedence"),
  teammateMode: works(
    { kind: "choice", of: ["auto", "process", "tmux", "in-process"] },
    "yes",
    "where teammates run: auto (a tmux pane inside tmux, else a process), process, tmux or in-process",
  ),
  claudeMd: works(text, "never", "instructions for all users", MANAGED),
  claudeMdExcludes: works(texts, "if trusted", "instruction files to skip, as absolute paths"),
  readAgentsMd: works(flag, "yes", "false stops AGENTS.md from being read where there is no CLAUDE.md"),
  "worktree.symlinkDirectories": works(texts, "yes", "folders that worktrees share with the main checkout by links"),
  "worktree.sparsePaths": works(texts, "yes", "the only folders that worktrees check out"),
  cleanupPeriodDays: works(
    { kind: "number", least: 1, whole: true },
    "if trusted",
    "days to keep file checkpoints of past sessions and unused worktrees; default 30",
  ),
  disableAgentView: later(flag, "yes"),
  awaySummaryEnabled: later(flag, "yes"),
  showClearContextOnPlanAccept: later(flag, "yes"),
  "worktree.baseRef": works(
    { kind: "choice", of: ["fresh", "head"] },
    "yes",
    "what new worktrees start from: fresh (the remote's main branch) or head",
  ),
  "worktree.bgIsolation": later(text, "yes"),
  askUserQuestionTimeout: later(wait, "never", OWN),
  dialogExpiry: later(wait, "never", OWN),

  hooks: works({ kind: "hooks" }, "yes", "commands, HTTP requests and prompts to run on events"),
  disableAllHooks: works(permit, "if trusted", "run no hooks except managed ones"),
  allowManagedHooksOnly: works(guard, "never", "run only managed hooks", MANAGED),
  allowedHttpHookUrls: works(limit, "if trusted", "URLs that http hooks may call; * matches anything"),
  httpHookAllowedEnvVars: works(limit, "if trusted", "variables that http hooks may put in headers"),
  disableBundledSkills: works(flag, "yes", "leave out the skills that come with Keelson"),
  skillOverrides: works({ kind: "map", of: "any" }, "if trusted", "by name: on, name-only, user-invocable-only or off"),
  skillListingBudgetFraction: works(
    { kind: "number", least: 0 },
    "if trusted",
    "the part of the context window that the list of skills may take; 0.01 by default",
  ),
  skillListingMaxDescChars: works({ kind: "number", least: 0 }, "if trusted", "the longest description in that list"),
  syncClaudeAiSkills: later(flag, "yes", NEAR),
  enabledPlugins: works(object, "if trusted", "which plugins are used, by name@marketplace"),
  extraKnownMarketplaces: works(object, "if trusted", "marketplaces that plugins may be installed from"),
  pluginConfigs: works(object, "never", "values of the options of plugins", OWN),
  strictKnownMarketplaces: works(any, "never", "the only marketplaces whose plugins may be used", MANAGED),
  blockedMarketplaces: works(any, "never", "marketplaces whose plugins may not be used", MANAGED),
  pluginSuggestionMarketplaces: later(any, "never", MANAGED),
  pluginTrustMessage: later(any, "never", MANAGED),
  disableCommandPluginSources: later(any, "never", MANAGED),
  allowedChannelPlugins: later(any, "never", MANAGED),
  channelsEnabled: later(any, "never", MANAGED),
  strictPluginOnlyCustomization: works(
    { kind: "any", wins: true },
    "never",
    "hooks and MCP servers come only from plugins and managed settings",
    MANAGED,
  ),
  enableAllProjectMcpServers: works(permit, "if trusted", "approve all servers of .mcp.json files"),
  enabledMcpjsonServers: works(texts, "if trusted", "servers of .mcp.json files that are approved"),
  disabledMcpjsonServers: works(texts, "yes", "servers of .mcp.json files that are not used"),
  allowedMcpServers: works(limitServers, "if trusted", "MCP servers that may be used; without it, all"),
  deniedMcpServers: works(guardServers, "yes", "MCP servers that may not be used"),
  allowManagedMcpServersOnly: works(guard, "never", "only a managed allowedMcpServers applies", MANAGED),
  managedMcpServers: works({ kind: "map", of: "any" }, "never", "remote MCP servers for all users", MANAGED),
  lspServers: works({ kind: "map", of: "any" }, "if trusted", "language servers, by name"),
  lspDiagnostics: works(flag, "yes", "report new errors and warnings after edits; true by default"),
  lspMemoryLimitMb: works(
    { kind: "number", least: 16, whole: true },
    "if trusted",
    "the memory at which a language server is restarted; 4096 by default",
  ),
  allowAllClaudeAiMcps: later(permit, "never", MANAGED),
  disableClaudeAiConnectors: later(guard, "yes"),
  disableWorkflows: later(guard, "yes"),
  disableArtifact: later(guard, "yes"),
  enableWorkflows: later(flag, "yes"),
  enableArtifact: later(flag, "never", OWN),

  apiKeyHelper: works(text, "never", "command that prints the API key", OWN),
  awsAuthRefresh: works(text, "never", "command to run after AWS refused the credentials", OWN),
  awsCredentialExport: works(text, "never", "command that prints AWS credentials as JSON", OWN),
  gcpAuthRefresh: works(text, "never", "command to run after Google refused the credentials", OWN),
  otelHeadersHelper: works(text, "never", "command that prints headers for the telemetry collector, as JSON", OWN),
  forceLoginMethod: later(text, "if trusted"),
  forceLoginOrgUUID: later(any, "if trusted"),
  forceLoginGatewayUrl: later(any, "never", MANAGED),
  forceRemoteSettingsRefresh: later(any, "never", MANAGED),
  policyHelper: later(any, "never", MANAGED),
  parentSettingsBehavior: later(any, "never", MANAGED),
  wslInheritsWindowsSettings: later(any, "never", MANAGED),
  requiredMinimumVersion: later(any, "never", MANAGED),
  requiredMaximumVersion: later(any, "never", MANAGED),
  minimumVersion: later(text, "yes"),
  autoUpdatesChannel: later(text, "yes"),
  processWrapper: later(text, "never", OWN),

  "attribution.commit": works(text, "yes", "text that the model puts at the end of commit messages"),
  "attribution.pr": works(text, "yes", "text that the model puts at the end of the description of pull requests"),
  prUrlTemplate: later(text, "yes"),
  "attribution.sessionUrl": without(
    flag,
    "yes",
    "no link is added to commits and pull requests, because a session has no address that others can open",
  ),
  includeCoAuthoredBy: without(flag, "yes", "no co-author is added to commits; attribution.commit can name one"),
  includeGitInstructions: works(
    flag,
    "yes",
    "false: do not tell the model the state of the git repository, and how to make commits and pull requests",
  ),
  respectGitignore: works(flag, "yes", "false: also suggest files that .gitignore excludes"),

  theme: works(text, "yes", "colors: dark, light, auto, their -daltonized and -ansi variants, or custom:NAME"),
  tui: works(text, "yes", "default: the main screen with its scrollback, the only one there is"),
  viewMode: works(text, "yes", "default, or verbose: the complete output of tools"),
  preferredNotifChannel: works(
    text,
    "yes",
    "how the terminal notifies: auto, terminal_bell, iterm2, iterm2_with_bell, kitty, ghostty or notifications_disabled",
  ),
  verbose: works(flag, "yes", "show the complete output of tools"),
  editorMode: works({ kind: "choice", of: ["normal", "vim"] }, "yes", "how the prompt is edited"),
  keybindingFlavor: later({ kind: "choice", of: ["classic", "readline"] }, "yes"),
  vimInsertModeRemaps: later(object, "never", OWN),
  statusLine: works(
    object,
    "if trusted",
    'a command whose output is shown below the prompt: { type: "command", command }',
  ),
  subagentStatusLine: later(object, "if trusted"),
  fileSuggestion: works(
    object,
    "if trusted",
    'a command that suggests files for @: { type: "command", command }; a JSON object with query on stdin, paths on stdout',
  ),
  spinnerTipsOverride: works(object, "yes", "tips of your own: { tips: [ … ], excludeDefault }"),
  spinnerVerbs: works(
    object,
    "yes",
    'words to show while the model works: { mode: "append" or "replace", verbs: [ … ] }',
  ),
  spinnerTipsEnabled: works(flag, "yes", "show a tip at the start; false turns it off"),
  respondToBashCommands: later(flag, "yes"),
  showTurnDuration: works(flag, "yes", "show how long each turn took; false turns it off"),
  terminalProgressBarEnabled: later(flag, "yes"),
  terminalTitleFromRename: later(flag, "yes"),
  autoScrollEnabled: later(flag, "yes"),
  wheelScrollAccelerationEnabled: later(flag, "yes"),
  promptSuggestionEnabled: later(flag, "yes"),
  emojiCompletionEnabled: later(flag, "yes"),
  prefersReducedMotion: works(flag, "yes", "turn off animations"),
  syntaxHighlightingDisabled: works(flag, "yes", "turn off syntax highlighting"),
  axScreenReader: works(flag, "yes", "only append text, for screen readers; also --ax-screen-reader"),
  voiceEnabled: later(flag, "yes"),
  defaultShell: works(
    { kind: "choice", of: ["bash", "powershell"] },
    "if trusted",
    "the shell for commands after ! and the status line",
  ),
  companyAnnouncements: works(texts, "yes", "announcements; one of them is shown at each start"),
  feedbackSurveyRate: later({ kind: "number", least: 0, most: 1 }, "yes"),
  footerLinksRegexes: later(any, "never", OWN),
  spellcheck: later(any, "never", OWN),
  sshConfigs: later(any, "never", OWN),
  voice: later(object, "yes"),
  agentPushNotifEnabled: works(flag, "if trusted", "let the model notify you (PushNotification); false turns it off"),
  "notifications.desktop": works(flag, "never", "show its notifications on the desktop", OWN),
  "notifications.command": works(texts, "never", "program and arguments that receive each notification on stdin", OWN),
  "notifications.url": works(
    text,
    "never",
    "address that each notification is sent to by POST, such as an ntfy topic",
    OWN,
  ),
  "onboarding.url": works(text, "never", "address that ShareOnboardingGuide may upload to", OWN),
  "onboarding.tokenVariable": works(text, "never", "name of the variable with the bearer token for it", OWN),
  "routines.url": works(text, "never", "address of the routines server; KEELSON_ROUTINES_URL takes precedence", OWN),
  "routines.tokenVariable": works(text, "never", "name of the variable with its token; KEELSON_ROUTINES_TOKEN", OWN),
  "notifications.tokenVariable": works(text, "never", "name of the variable with the bearer token for it", OWN),
  inputNeededNotifEnabled: later(flag, "yes"),
  disableRemoteControl: later(any, "yes"),
  disableDeepLinkRegistration: later(any, "yes"),
  remoteControlAtStartup: later(any, "yes"),
  "remote.defaultEnvironmentId": later(any, "yes"),
  sshHostAllowlist: later(any, "never", MANAGED),
  browserExternalPageTools: later(any, "never", MANAGED),
  disableBrowserExternalNavigation: later(any, "never", MANAGED),
  disableMobileSimulatorTools: later(any, "never", MANAGED),
} satisfies Readonly<Record<string, SettingsRow>>;
