// Converts options to the program's flags. Options without a flag go into the `initialize` request.

import { splitServers } from "../mcp/config.ts";
import type { Options } from "./options.ts";
import { joinSandbox } from "./sandbox.ts";

/** Messages in both directions, one per line. */
const STREAM = ["--output-format", "stream-json", "--verbose", "--input-format", "stream-json"];

export function toArguments(options: Options): string[] {
  return [
    ...STREAM,
    ...session(options),
    ...model(options),
    ...permissions(options),
    ...tools(options),
    ...settings(options),
    ...flag("include-partial-messages", options.includePartialMessages),
    ...flag("include-hook-events", options.includeHookEvents),
    ...flag("debug", options.debug),
    ...value("debug-file", options.debugFile),
    ...extra(options.extraArgs),
  ];
}

function session(options: Options): string[] {
  return [
    ...flag("continue", options.continue),
    ...value("resume", options.resume),
    ...flag("fork-session", options.forkSession),
    ...value("session-id", options.sessionId),
    ...value("resume-session-at", options.resumeSessionAt),
    ...value("resume-drops-turn", options.resumeDropsTurn),
    ...flag("no-session-persistence", options.persistSession === false),
    ...flag("session-mirror", options.sessionStore !== undefined),
  ];
}

function model(options: Options): string[] {
  return [
    ...value("model", options.model),
    ...value("fallback-model", options.fallbackModel),
    ...list("betas", options.betas?.length ? options.betas : undefined),
    ...thinking(options),
    ...value("effort", options.effort),
    ...value("max-turns", options.maxTurns),
    ...value("max-budget-usd", options.maxBudgetUsd),
    ...value("task-budget", options.taskBudget?.total),
    ...value("agent", options.agent),
    ...value("json-schema", options.outputFormat && JSON.stringify(options.outputFormat.schema)),
  ];
}

function thinking({ thinking: config, maxThinkingTokens }: Options): string[] {
  if (config === undefined) return value("max-thinking-tokens", maxThinkingTokens);
  if (config.type === "disabled") return ["--thinking=disabled"];
  const amount =
    config.type === "enabled" && config.budgetTokens !== undefined
      ? value("max-thinking-tokens", config.budgetTokens)
      : value("thinking", config.type);
  return [...amount, ...value("thinking-display", config.display)];
}

function permissions(options: Options): string[] {
  const answerer = options.canUseTool === undefined ? options.permissionPromptToolName : "stdio";
  return [
    ...value("permission-mode", options.permissionMode),
    ...flag("allow-dangerously-skip-permissions", options.allowDangerouslySkipPermissions),
    ...value("permission-prompt-tool", answerer),
    ...(options.permissionPrompts === "none" ? ["--permission-prompts=none"] : []),
    ...(options.additionalDirectories ?? []).map((folder) => `--add-dir=${folder}`),
  ];
}

function tools(options: Options): string[] {
  const { skills, mcpServers, plugins = [] } = options;
  const ofSkills = skills === "all" ? ["Skill"] : (skills ?? []).map((name) => `Skill(${name})`);
  const allowed = [...(options.allowedTools ?? []), ...ofSkills];
  const { elsewhere } = splitServers(mcpServers);
  const hasServers = Object.keys(elsewhere).length > 0;
  const sendsServers = options.mcpServersDelivery === "initialize";
  const sendsPlugins = options.pluginDelivery === "initialize";
  const pluginFlags = plugins.map(
    ({ path, skipMcpDiscovery }) => `--${skipMcpDiscovery ? "plugin-dir-no-mcp" : "plugin-dir"}=${path}`,
  );
  return [
    ...list("tools", Array.isArray(options.tools) ? options.tools : options.tools && ["default"]),
    ...list("allowedTools", allowed.length > 0 ? allowed : undefined),
    ...list("disallowedTools", options.disallowedTools?.length ? options.disallowedTools : undefined),
    ...(hasServers && !sendsServers ? ["--mcp-config", JSON.stringify({ mcpServers: elsewhere })] : []),
    ...flag("strict-mcp-config", options.strictMcpConfig),
    ...(sendsPlugins ? [] : pluginFlags),
    ...flag("await-initialize", sendsPlugins || (hasServers && sendsServers)),
  ];
}

function settings(options: Options): string[] {
  const { settingSources, managedSettings } = options;
  const own = flagSettings(options);
  return [
    ...(own === undefined ? [] : ["--settings", own]),
    ...(managedSettings === undefined ? [] : ["--managed-settings", JSON.stringify(managedSettings)]),
    ...list("setting-sources", settingSources),
    ...value("project-config-root", options.projectConfigRoot),
  ];
}

function flagSettings({ settings: given, sandbox }: Options): string | undefined {
  if (sandbox === undefined) return typeof given === "object" ? JSON.stringify(given) : given;
  const base = typeof given === "string" ? (JSON.parse(given) as Record<string, unknown>) : (given ?? {});
  return JSON.stringify({ ...base, sandbox: joinSandbox(base["sandbox"], sandbox) });
}

const flag = (name: string, on: boolean | undefined) => (on ? [`--${name}`] : []);

const value = (name: string, text: string | number | undefined) => (text === undefined ? [] : [`--${name}=${text}`]);

const list = (name: string, items: readonly string[] | undefined) => value(name, items?.join(","));

const extra = (more: Options["extraArgs"] = {}) =>
  Object.entries(more).flatMap(([name, text]) => (text === null ? [`--${name}`] : [`--${name}`, text]));
