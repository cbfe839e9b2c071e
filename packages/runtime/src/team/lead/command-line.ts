// How a teammate is started: this program once more, with the flags of the session that leads it. What narrows the lead
// narrows the teammate too. Pure.

import type { Snapshot } from "@keelson/config";
import type { Rule } from "@keelson/engine";
import type { PermissionMode } from "@keelson/protocol";
import type { TeammateIdentity } from "../team-world.ts";

export interface TeammateChoice {
  readonly identity: TeammateIdentity;
  readonly sessionId: string;
  readonly agentType: string;
  readonly model: string | undefined;
  readonly mode: PermissionMode;
  /** The lead's rules, with those that were accepted since it started. */
  readonly rules: readonly Rule[];
  /** What the lead's rules deny or ask about outside the folder where the member works. */
  readonly elsewhere: readonly Rule[];
  /** The folder whose `.claude` the lead uses, if it is another than where the member works, as in a worktree. */
  readonly configRoot: string | undefined;
  /** What is left of the lead's budget. */
  readonly budgetUsd: number | undefined;
}

export function teammateArguments({ origin }: Snapshot, choice: TeammateChoice): readonly string[] {
  const { flags } = origin;
  const { identity, mode, model, agentType, budgetUsd } = choice;
  const { allow, deny } = sessionRules(choice);
  const given = (flag: string, value: string | number | undefined) =>
    value === undefined || value === "" ? [] : [`--${flag}=${value}`];
  const on = (flag: string, value: boolean | undefined) => (value ? [`--${flag}`] : []);
  const each = (flag: string, values: readonly string[] | undefined) =>
    (values ?? []).map((value) => `--${flag}=${value}`);
  return [
    "-p",
    "--input-format=stream-json",
    "--output-format=stream-json",
    "--verbose",
    "--permission-prompt-tool=stdio",
    ...given("session-id", choice.sessionId),
    ...given("agent-id", identity.agentId),
    ...given("agent-name", identity.name),
    ...given("team-name", identity.team),
    ...given("agent-color", identity.color),
    ...given("parent-session-id", identity.leadSessionId),
    ...given("agent-hooks", identity.clientHooks && JSON.stringify(identity.clientHooks)),
    ...on("plan-mode-required", identity.planModeRequired),
    ...(agentType === "general-purpose" ? [] : given("agent", agentType)),
    ...given("agents", flags.agents && JSON.stringify(flags.agents)),
    ...given("model", model ?? flags.model),
    ...given("fallback-model", flags.fallbackModels?.join(",")),
    ...given("effort", flags.effort),
    ...given("max-thinking-tokens", flags.maxThinkingTokens),
    ...each("betas", flags.betas),
    ...given("max-turns", flags.maxTurns),
    ...given("max-budget-usd", budgetUsd),
    ...given("append-system-prompt", flags.appendSystemPrompt),
    ...given("system-prompt", flags.systemPrompt),
    ...permissionMode(identity, mode, flags.skipPermissions === true),
    ...each("allowedTools", allow),
    ...each("disallowedTools", deny),
    ...(flags.tools === undefined ? [] : [`--tools=${flags.tools.join(",")}`]),
    ...each("add-dir", flags.addDirs),
    ...given("settings", flags.settings),
    ...given("managed-settings", flags.managedSettings && JSON.stringify(flags.managedSettings)),
    ...given("project-config-root", choice.configRoot),
    ...given("setting-sources", flags.settingSources?.join(",")),
    ...on("require-trust", Boolean(flags.requireTrust)),
    ...servers(flags),
    ...on("strict-mcp-config", flags.strictMcpConfig),
    ...(flags.pluginDirs ?? []).map(({ path, withoutMcp }) => `--plugin-dir${withoutMcp ? "-no-mcp" : ""}=${path}`),
    ...on("bare", flags.bare),
    ...on("safe-mode", flags.safe),
    ...on("restricted", flags.restricted),
    ...on("disable-slash-commands", flags.disableSlashCommands),
  ];
}

/** A teammate whose plan the lead has to approve starts in plan mode, without a way around it. */
function permissionMode({ planModeRequired }: TeammateIdentity, mode: PermissionMode, mayBypass: boolean): string[] {
  if (planModeRequired) return ["--permission-mode=plan"];
  if (mode === "bypassPermissions" && mayBypass) return ["--dangerously-skip-permissions"];
  return [`--permission-mode=${mode}`];
}

/**
 * Rules that only the lead's own process knows; those in files are read again. What the session asks about is denied: there
 * is no flag that asks.
 */
export function sessionRules({
  rules,
  elsewhere,
  configRoot,
}: Pick<TeammateChoice, "rules" | "elsewhere" | "configRoot">) {
  const own = rules.filter(({ source }) => source === "cliArg" || source === "session");
  const allow = own.filter(({ behavior }) => behavior === "allow").map(({ text }) => text);
  const narrowing = (each: readonly Rule[]) => each.filter(({ behavior }) => behavior !== "allow");
  const deny = narrowing(own).map(({ text }) => text);
  // In a worktree, rules for paths of the main checkout hold in both; read again, they would hold in one.
  const placed = [...narrowing(configRoot === undefined ? own : rules), ...elsewhere].flatMap(absoluteText);
  return { allow: [...new Set(allow)], deny: [...new Set([...deny, ...placed])] };
}

function absoluteText({ tool, content = "", base }: Rule): readonly string[] {
  if (!content.startsWith("/")) return [];
  const folder = base.replace(/[*?[\]\\]/g, "\\$&").replace(/\/$/, "");
  return [`${tool}(${content.startsWith("//") ? content : `/${folder}${content}`})`];
}

/** Servers inside the client stay there. */
function servers({ mcpServers }: Snapshot["flags"]): string[] {
  const own = Object.entries(mcpServers ?? {}).filter(
    ([, entry]) => (entry as { type?: string } | null)?.type !== "sdk",
  );
  return own.length === 0 ? [] : [`--mcp-config=${JSON.stringify({ mcpServers: Object.fromEntries(own) })}`];
}
