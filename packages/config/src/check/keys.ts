// Every settings key we know, as data: what belongs there, which files may set it, whether it does something yet.
// The checks, `keelson config`, `keelson doctor` and the published schema all read this table.

/**
 * What a key holds. `strict` is what a value that makes no sense is taken for, where losing it would open a door;
 * without it such a value is left out.
 */
export type ValueType =
  | { readonly kind: "text" | "any" | "object" | "mode" | "models" | "variables" | "prices" | "hooks" }
  | { readonly kind: "flag"; readonly strict?: boolean }
  | { readonly kind: "number"; readonly least?: number; readonly most?: number; readonly whole?: true }
  | { readonly kind: "choice"; readonly of: readonly string[]; readonly strict?: string }
  | { readonly kind: "list"; readonly of: "text" | "credential" | "any"; readonly strict?: readonly never[] | "unread" }
  | { readonly kind: "rules"; readonly behavior: "allow" | "ask" | "deny" }
  | { readonly kind: "map"; readonly of: "text" | "flag" | "texts" | "any" };

/** The files a key counts in: user (and `--settings`), project, local, managed; `global` is not a settings file. */
export type Holder = "user" | "project" | "local" | "managed" | "global";

export interface Key {
  readonly key: string;
  readonly type: ValueType;
  readonly holders: readonly Holder[];
  /** Absent: known, checked, without effect so far. */
  readonly means?: string;
}

const any: ValueType = { kind: "any" };
const text: ValueType = { kind: "text" };
const object: ValueType = { kind: "object" };
const flag: ValueType = { kind: "flag" };
const texts: ValueType = { kind: "list", of: "text" };
/** Switches that protect: when in doubt, on. */
const guard: ValueType = { kind: "flag", strict: true };
/** Switches that permit: when in doubt, off. */
const permit: ValueType = { kind: "flag", strict: false };
/** Lists that protect: what was lost from them is not known. */
const guards: ValueType = { kind: "list", of: "text", strict: "unread" };
/** Lists that limit: when in doubt, nothing is on them. */
const limit: ValueType = { kind: "list", of: "text", strict: [] };
/** `{ path or name, mode: "deny" or "mask" }` each. */
const credentials: ValueType = { kind: "list", of: "credential", strict: "unread" };
const disable: ValueType = { kind: "choice", of: ["disable"], strict: "disable" };
const number = (least?: number, most?: number): ValueType => ({
  kind: "number",
  ...(least === undefined ? {} : { least }),
  ...(most === undefined ? {} : { most }),
});
const whole = (least: number, most?: number): ValueType => ({ ...number(least, most), whole: true }) as ValueType;
const choice = (...of: string[]): ValueType => ({ kind: "choice", of });
const map = (of: "text" | "flag" | "texts" | "any"): ValueType => ({ kind: "map", of });
const rules = (behavior: "allow" | "ask" | "deny"): ValueType => ({ kind: "rules", behavior });

const ANY: readonly Holder[] = ["user", "project", "local", "managed"];
const OWN: readonly Holder[] = ["user", "managed"];
const NEAR: readonly Holder[] = ["user", "local", "managed"];
const MANAGED: readonly Holder[] = ["managed"];

/** A key that is acted on. */
const works = (key: string, type: ValueType, means: string, holders = ANY): Key[] => [{ key, type, holders, means }];
/** Keys of compatible programs that do nothing here yet. */
const later = (keys: string, type: ValueType, holders = ANY): Key[] =>
  keys.split(" ").map((key) => ({ key, type, holders }));

export const KEYS: readonly Key[] = [
  ...works("$schema", text, "where editors find the schema of this file"),

  ...works("permissions.allow", rules("allow"), "what runs unasked"),
  ...works("permissions.ask", rules("ask"), "what is always asked about"),
  ...works("permissions.deny", rules("deny"), "what never runs"),
  ...works("permissions.additionalDirectories", texts, "further working directories"),
  ...works("permissions.defaultMode", { kind: "mode" }, "the mode to start in"),
  ...works("permissions.disableBypassPermissionsMode", disable, "nobody gets the mode bypassPermissions"),
  ...works("permissions.disableAutoMode", disable, "nobody gets the mode auto"),
  ...works("disableAutoMode", disable, "nobody gets the mode auto"),
  ...works("allowManagedPermissionRulesOnly", guard, "only managed allow rules count", MANAGED),
  ...works("requireTrust", guard, "a folder that is not trusted may only deny and ask", OWN),
  ...works("autoMode.environment", texts, "what the classifier of auto mode should know about this place", OWN),
  ...works("autoMode.allow", texts, "what it may let run, in prose", OWN),
  ...works("autoMode.soft_deny", texts, "what it lets run only when the user asked for exactly this", OWN),
  ...works("autoMode.hard_deny", guards, "what it never lets run", OWN),
  ...works("autoMode.classifyAllShell", guard, "it also looks at commands that rules allow", OWN),
  ...later("useAutoModeDuringPlan skipDangerousModePermissionPrompt", permit, NEAR),
  ...later("skipAutoPermissionPrompt", permit, OWN),
  ...later("skipWebFetchPreflight", permit),
  ...later("permissionExplainerEnabled", flag, ["global"]),
  ...later("disableSkillShellExecution", guard),
  ...later("disableSideloadFlags", guard, MANAGED),
  ...later("isolatePeerMachines", guard),
  ...later("crossSessionInbound", text),

  ...works("sandbox.enabled", guard, "commands run confined by the operating system"),
  ...works("sandbox.failIfUnavailable", guard, "no start where the sandbox is not to be had"),
  ...works("sandbox.autoAllowBashIfSandboxed", permit, "commands in the sandbox run unasked"),
  ...works("sandbox.allowUnsandboxedCommands", permit, "a command may ask to run outside"),
  ...works("sandbox.excludedCommands", texts, "commands that run outside"),
  ...works("sandbox.ignoreViolations", map("texts"), "what commands may run into silently"),
  ...works("sandbox.enableWeakerNestedSandbox", permit, "a weaker sandbox, for containers"),
  ...works("sandbox.enableWeakerNetworkIsolation", permit, "a weaker network limit, for macOS"),
  ...works("sandbox.filesystem.allowWrite", texts, "where else commands may write"),
  ...works("sandbox.filesystem.denyWrite", guards, "where they may not write"),
  ...works("sandbox.filesystem.denyRead", guards, "what they may not read"),
  ...works("sandbox.filesystem.allowRead", texts, "what they may read inside that"),
  ...works("sandbox.filesystem.disabled", permit, "no limits on files", OWN),
  ...works("sandbox.filesystem.allowManagedReadPathsOnly", guard, "only a managed allowRead counts", MANAGED),
  ...works("sandbox.network.allowedDomains", texts, "hosts that commands may reach"),
  ...works("sandbox.network.deniedDomains", guards, "hosts that they may not reach"),
  ...works("sandbox.network.allowUnixSockets", texts, "sockets that they may open"),
  ...works("sandbox.network.allowMachLookup", texts, "macOS services that they may look up"),
  ...works("sandbox.network.allowAllUnixSockets", permit, "every socket"),
  ...works("sandbox.network.allowLocalBinding", permit, "they may listen on this machine"),
  ...works("sandbox.network.httpProxyPort", whole(1, 65_535), "a proxy of your own instead of ours"),
  ...works("sandbox.network.socksProxyPort", whole(1, 65_535), "the same for SOCKS"),
  ...works("sandbox.network.strictAllowlist", guard, "other hosts are refused, not asked about", OWN),
  ...later("sandbox.network.tlsTerminate", object, OWN),
  ...works("sandbox.network.allowManagedDomainsOnly", guard, "only managed allowedDomains count", MANAGED),
  ...works("sandbox.credentials.files", credentials, "files with secrets, denied or masked"),
  ...works("sandbox.credentials.envVars", credentials, "variables with secrets, denied or masked"),
  ...later("sandbox.credentials.allowPlaintextInject", permit, OWN),
  ...later("sandbox.credentials.awsPairs", { kind: "list", of: "any" }, OWN),
  ...later("sandbox.credentials.sigv4", object, OWN),
  ...works("sandbox.ripgrep.command", text, "the ripgrep that the sandbox uses", OWN),
  ...works("sandbox.ripgrep.args", texts, "its first arguments", OWN),
  ...works("sandbox.allowAppleEvents", permit, "macOS: they may steer other programs", OWN),
  ...works("sandbox.bwrapPath", text, "where bubblewrap is", MANAGED),
  ...works("sandbox.socatPath", text, "where socat is", MANAGED),

  ...works("model", text, "the model, when neither --model nor ANTHROPIC_MODEL says"),
  ...works("fallbackModel", { kind: "models" }, "models to turn to when the first is overloaded"),
  ...works("effortLevel", text, "how much effort the model puts into an answer"),
  ...works("alwaysThinkingEnabled", flag, "false switches thinking off"),
  ...works("modelPrices", { kind: "prices" }, "dollars for a million tokens, by model"),
  ...works("summarizeOnMaxTurns", flag, "a closing summary when turns run out"),
  ...works("env", { kind: "variables" }, "variables for Keelson and the commands it runs"),
  ...later("availableModels", texts),
  ...later("enforceAvailableModels", guard),
  ...later("modelOverrides", map("text")),
  ...later("advisorModel outputStyle language", text),
  ...later("showThinkingSummaries fastMode fastModePerSessionOptIn switchModelsOnFlag", flag),
  ...later("ultracode workflowKeywordTriggerEnabled", flag),
  ...later("workflowSizeGuideline", text),

  ...later("autoCompactEnabled", flag),
  ...later("autoCompactWindow", whole(100_000, 1_000_000)),
  ...works("autoMemoryEnabled", flag, "false: no memory is kept"),
  ...works("autoMemoryDirectory", text, "where memory is kept"),
  ...works("fileCheckpointingEnabled", flag, "copies of files are kept before tools change them"),
  ...works("plansDirectory", text, "where plans of plan mode are kept"),
  ...later("agent teammateMode", text),
  ...works("claudeMd", text, "instructions for everybody", MANAGED),
  ...works("claudeMdExcludes", texts, "instruction files to leave out, by absolute path"),
  ...works("readAgentsMd", flag, "false: AGENTS.md is not read in place of CLAUDE.md"),
  ...later("worktree.symlinkDirectories worktree.sparsePaths", texts),
  ...works("cleanupPeriodDays", whole(1), "how many days file checkpoints of past sessions are kept; 30"),
  ...later("disableAgentView awaySummaryEnabled showClearContextOnPlanAccept", flag),
  ...later("worktree.baseRef worktree.bgIsolation", text),
  ...later("askUserQuestionTimeout dialogExpiry", choice("60s", "5m", "10m", "never"), OWN),

  ...works("hooks", { kind: "hooks" }, "what runs at events: commands, requests, prompts"),
  ...works("disableAllHooks", permit, "no hooks run, except managed ones"),
  ...works("allowManagedHooksOnly", guard, "only managed hooks run", MANAGED),
  ...works("allowedHttpHookUrls", limit, "where http hooks may send to; * stands for anything"),
  ...works("httpHookAllowedEnvVars", limit, "variables that http hooks may put into headers"),
  ...later("disableBundledSkills", flag),
  ...later("skillOverrides", map("any")),
  ...later("skillListingBudgetFraction skillListingMaxDescChars", number(0)),
  ...later("syncClaudeAiSkills", flag, NEAR),
  ...later("enabledPlugins extraKnownMarketplaces", object),
  ...later("pluginConfigs", object, OWN),
  ...later("strictKnownMarketplaces blockedMarketplaces pluginSuggestionMarketplaces", any, MANAGED),
  ...later("pluginTrustMessage disableCommandPluginSources allowedChannelPlugins channelsEnabled", any, MANAGED),
  ...works("strictPluginOnlyCustomization", any, "hooks come from plugins or managed settings only", MANAGED),
  ...later("enableAllProjectMcpServers", permit),
  ...later("enabledMcpjsonServers disabledMcpjsonServers", texts),
  ...later("allowedMcpServers", { kind: "list", of: "any", strict: [] }),
  ...later("deniedMcpServers", { kind: "list", of: "any", strict: "unread" }),
  ...later("allowManagedMcpServersOnly", guard, MANAGED),
  ...later("allowAllClaudeAiMcps", permit, MANAGED),
  ...later("disableClaudeAiConnectors disableWorkflows disableArtifact", guard),
  ...later("enableWorkflows", flag),
  ...later("enableArtifact", flag, OWN),

  ...later("apiKeyHelper awsAuthRefresh awsCredentialExport gcpAuthRefresh otelHeadersHelper", text),
  ...later("forceLoginMethod", text),
  ...later("forceLoginOrgUUID", any),
  ...later("forceLoginGatewayUrl forceRemoteSettingsRefresh policyHelper parentSettingsBehavior", any, MANAGED),
  ...later("wslInheritsWindowsSettings requiredMinimumVersion requiredMaximumVersion", any, MANAGED),
  ...later("minimumVersion autoUpdatesChannel", text),
  ...later("processWrapper", text, OWN),

  ...later("attribution.commit attribution.pr prUrlTemplate", text),
  ...later("attribution.sessionUrl includeCoAuthoredBy includeGitInstructions respectGitignore", flag),

  ...later("theme tui viewMode preferredNotifChannel", text),
  ...later("verbose", flag),
  ...later("editorMode", choice("normal", "vim")),
  ...later("keybindingFlavor", choice("classic", "readline")),
  ...later("vimInsertModeRemaps", object, OWN),
  ...later("statusLine subagentStatusLine fileSuggestion spinnerTipsOverride spinnerVerbs", object),
  ...later("spinnerTipsEnabled respondToBashCommands showTurnDuration terminalProgressBarEnabled", flag),
  ...later("terminalTitleFromRename autoScrollEnabled wheelScrollAccelerationEnabled", flag),
  ...later("promptSuggestionEnabled emojiCompletionEnabled prefersReducedMotion", flag),
  ...later("syntaxHighlightingDisabled axScreenReader voiceEnabled", flag),
  ...later("defaultShell", choice("bash", "powershell")),
  ...later("companyAnnouncements", texts),
  ...later("feedbackSurveyRate", number(0, 1)),
  ...later("footerLinksRegexes spellcheck sshConfigs", any, OWN),
  ...later("voice", object),
  ...later("agentPushNotifEnabled inputNeededNotifEnabled", flag),
  ...later("disableRemoteControl disableDeepLinkRegistration", any),
  ...later("remoteControlAtStartup remote.defaultEnvironmentId", any),
  ...later("sshHostAllowlist browserExternalPageTools", any, MANAGED),
  ...later("disableBrowserExternalNavigation disableMobileSimulatorTools", any, MANAGED),
];
