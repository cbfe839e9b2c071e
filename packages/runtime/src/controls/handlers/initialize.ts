// The `initialize` request: the options of a client, and what Keelson reports back. A client may send it again.

import { join } from "node:path";
import { reload, type Flags } from "@keelson/config";
import type { ResolvedModel } from "@keelson/model";
import {
  COMPATIBLE_VERSION,
  HOOK_EVENTS,
  isObject,
  VERSION,
  type FieldsOf,
  type HookEvent,
  type HookRegistration,
  type JsonObject,
  type ReplyTo,
  type Unchecked,
} from "@keelson/protocol";
import { styleNames } from "../../prompt/styles.ts";
import { describeAgent } from "./listings.ts";
import { describeModels } from "./models.ts";
import { withFlags } from "./with-flags.ts";
import { done, failed, type ControlHandler } from "../reply.ts";
import { FIRST_CLIENT } from "../../stream/clients.ts";
import { tasksInBackground } from "../../tasks/report.ts";
import type { ControlTargets } from "../targets.ts";

/** The options of `initialize` that other parts use. */
export interface InitializeOptions extends Omit<
  FieldsOf<"initialize">,
  "hooks" | "mcpServers" | "jsonSchema" | "systemPrompt" | "appendSystemPrompt" | "excludeDynamicSections" | "title"
> {
  readonly sdkMcpServerConfigs?: JsonObject;
  readonly sdkMcpServerManifests?: JsonObject;
  readonly agents?: JsonObject;
}

/** The capabilities of the reference that Keelson has. */
const CAPABILITIES = ["interrupt_receipt_v1", "interrupt_cancel_queued_v1"];

export const initialize: ControlHandler<"initialize"> = (request, targets, asked) => {
  const { client, pending, again, shapesSession, mayBring, showAgentText } = asked;
  const options = initializeOptions(request);
  if (!mayBring && bringsSomething(request)) return failed(WATCHER_BRINGS, "watcher");
  const hooks = callbacksIn(request.hooks, client);
  if (hooks !== undefined) targets.setClientHooks(client, hooks);
  const taken = targets.bring?.(client, options) ?? [];
  if (options.forwardSubagentText !== undefined) showAgentText(options.forwardSubagentText);
  const pluginDirs = shapesSession ? pluginDirsIn(request.plugins) : [];
  if (shapesSession) {
    targets.shapeSession?.(options);
    const flags = flagsIn(request, targets.snapshot().flags);
    if (flags !== undefined) targets.adopt(withFlags(targets.snapshot(), flags));
    // Plugins also have hooks and servers, so everything is read again.
    if (pluginDirs.length > 0) targets.adopt(reload(withFlags(targets.snapshot(), { pluginDirs })));
  }
  const serversApplied = addServers(request.mcpServers, targets, again || !shapesSession);
  const { title } = request;
  if (shapesSession && typeof title === "string" && title.trim() !== "" && targets.title() === undefined)
    targets.rename(title.trim());
  const tasks = () => tasksInBackground(targets.tasks);
  const tell = () => void targets.show({ type: "system", subtype: "background_tasks_changed", tasks: tasks() });
  // Whoever comes later was not there when they started.
  const missedTasks = client !== FIRST_CLIENT && tasks().length > 0;
  const applied = {
    ...(hooks ? { hooks_applied: true } : {}),
    ...(pluginDirs.length > 0 ? { plugins_applied: true } : {}),
    ...(serversApplied === undefined ? {} : { mcp_servers_applied: serversApplied }),
    ...(taken.length === 0 ? {} : { sdk_mcp_servers_not_added: taken }),
  };
  return done(
    { ...describe(targets), ...applied },
    {
      beside: {
        pending_permission_requests: pending.filter(({ request: { subtype } }) => subtype === "can_use_tool"),
        pending_user_dialog_requests: pending.filter(({ request: { subtype } }) => subtype === "request_user_dialog"),
      },
      ...(again || missedTasks ? { after: tell } : {}),
    },
  );
};

const WATCHER_BRINGS =
  "initialize: this client only watches the session, so it can bring no hooks, MCP servers, agents or plugins";

function bringsSomething({ hooks, agents, mcpServers, sdkMcpServers, plugins }: Unchecked<"initialize">): boolean {
  return [hooks, agents, mcpServers, sdkMcpServers, plugins].some(
    (given: unknown) => typeof given === "object" && given !== null && Object.keys(given).length > 0,
  );
}

/** Hooks that are functions in a client, by their ids. Unknown events are skipped. */
export function callbacksIn(hooks: unknown, client: string): readonly HookRegistration[] | undefined {
  if (!isObject(hooks)) return undefined;
  return Object.entries(hooks).flatMap(([event, matchers]) => {
    if (!HOOK_EVENTS.includes(event as HookEvent) || !Array.isArray(matchers)) return [];
    return matchers.filter(isObject).flatMap((each) => registrations(event as HookEvent, each, client));
  });
}

function registrations(event: HookEvent, each: Record<string, unknown>, client: string): readonly HookRegistration[] {
  const { matcher, timeout, onFailure } = each;
  const ids = Array.isArray(each["hookCallbackIds"]) ? each["hookCallbackIds"] : [];
  return ids
    .filter((id) => typeof id === "string")
    .map((callbackId) => ({
      event,
      ...(typeof matcher === "string" ? { matcher } : {}),
      handler: {
        type: "callback" as const,
        callbackId,
        client,
        ...(typeof timeout === "number" && timeout > 0 ? { timeout } : {}),
        ...(onFailure === "block" || onFailure === "continue" ? { onFailure } : {}),
      },
      source: "sdk" as const,
    }));
}

/** `{type: "local", path, skipMcpDiscovery?}`; other kinds are skipped. */
function pluginDirsIn(plugins: unknown): NonNullable<Flags["pluginDirs"]> {
  if (!Array.isArray(plugins)) return [];
  return plugins.filter(isObject).flatMap(({ type, path, skipMcpDiscovery }) => {
    if (type !== "local" || typeof path !== "string") return [];
    return [{ path, ...(skipMcpDiscovery === true ? { withoutMcp: true as const } : {}) }];
  });
}

/**
 * Servers outside the client, as one more `--mcp-config`. Only the first request adds them. Returns whether they are in
 * effect; undefined if there are none.
 */
function addServers(given: unknown, { snapshot, adopt }: ControlTargets, again: boolean): boolean | undefined {
  if (!isObject(given) || Object.keys(given).length === 0) return undefined;
  const known = (): JsonObject => snapshot().origin.flags.mcpServers ?? {};
  if (!again) adopt(reload(withFlags(snapshot(), { mcpServers: { ...known(), ...(given as JsonObject) } })));
  return Object.entries(given).every(([name, entry]) => JSON.stringify(known()[name]) === JSON.stringify(entry));
}

/** Marks where the changing part of a system prompt begins. It is not sent to the model. */
const BOUNDARY = "__SYSTEM_PROMPT_DYNAMIC_BOUNDARY__";

/** Options that also exist as flags. Undefined if none of them changes. */
function flagsIn(request: Unchecked<"initialize">, flags: Flags): Flags | undefined {
  const { systemPrompt, appendSystemPrompt, jsonSchema, excludeDynamicSections } = request;
  const parts = typeof systemPrompt === "string" ? [systemPrompt] : systemPrompt;
  const more: Flags = {
    // An empty prompt replaces ours; only an absent one keeps it.
    ...(Array.isArray(parts)
      ? { systemPrompt: parts.filter((part) => typeof part === "string" && part !== BOUNDARY).join("\n\n") }
      : {}),
    ...(typeof appendSystemPrompt === "string" ? { appendSystemPrompt } : {}),
    ...(typeof excludeDynamicSections === "boolean" ? { excludeDynamicSections } : {}),
    ...(isObject(jsonSchema) ? { jsonSchema: jsonSchema as JsonObject } : {}),
  };
  const changes = Object.entries(more).some(
    ([key, value]) => JSON.stringify(value) !== JSON.stringify(flags[key as keyof Flags]),
  );
  return changes ? more : undefined;
}

function initializeOptions(request: Unchecked<"initialize">): InitializeOptions {
  type Key = keyof typeof request;
  const object = (key: Key) => (isObject(request[key]) ? (request[key] as JsonObject) : undefined);
  const named = (key: Key) => {
    const entries = Object.entries(object(key) ?? {}).filter(([, value]) => typeof value === "string");
    return object(key) && (Object.fromEntries(entries) as Record<string, string>);
  };
  const flag = (key: Key) => (typeof request[key] === "boolean" ? request[key] : undefined);
  const text = (key: Key) => (typeof request[key] === "string" ? request[key] : undefined);
  const texts = (key: Key) => {
    const list: unknown = request[key];
    return Array.isArray(list) ? list.filter((item) => typeof item === "string") : undefined;
  };
  const all: InitializeOptions = {
    sdkMcpServers: texts("sdkMcpServers"),
    sdkMcpServerConfigs: object("sdkMcpServerConfigs"),
    sdkMcpServerManifests: object("sdkMcpServerManifests"),
    agents: object("agents"),
    skills: texts("skills"),
    plugins: Array.isArray(request.plugins) ? request.plugins : undefined,
    toolAliases: named("toolAliases"),
    planModeInstructions: text("planModeInstructions"),
    systemPromptSnapshot: request.systemPromptSnapshot,
    promptSuggestions: flag("promptSuggestions"),
    agentProgressSummaries: flag("agentProgressSummaries"),
    forwardSubagentText: flag("forwardSubagentText"),
    joinQueuedPrompts: flag("joinQueuedPrompts"),
    supportedDialogKinds: texts("supportedDialogKinds"),
    perTaskStopAffordance: flag("perTaskStopAffordance"),
  };
  return Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined));
}

/** The protocol has names for the clouds; any other server is a gateway to it. */
function apiProviderOf({ providerName }: ResolvedModel): ReplyTo<"initialize">["account"]["apiProvider"] {
  if (providerName === undefined) return "firstParty";
  const clouds: Readonly<Record<string, ReplyTo<"initialize">["account"]["apiProvider"]>> = {
    bedrock: "bedrock",
    vertex: "vertex",
    foundry: "foundry",
    mantle: "mantle",
    "anthropic-aws": "anthropicAws",
  };
  return clouds[providerName] ?? "gateway";
}

function describe(targets: ControlTargets): ReplyTo<"initialize"> {
  const model = targets.model();
  return {
    commands: targets.commands(),
    agents: targets.agents().map(describeAgent),
    output_style: targets.style(),
    available_output_styles: styleNames(targets.snapshot()),
    user_output_styles_dir: join(targets.snapshot().configDir, "output-styles"),
    models: describeModels(model, targets.snapshot()),
    account: { tokenSource: "none", apiKeySource: model.apiKeySource, apiProvider: apiProviderOf(model) },
    pid: process.pid,
    claude_code_version: COMPATIBLE_VERSION,
    keelson_version: VERSION,
    current_permission_mode: targets.mode(),
    session_state: targets.isRunning() ? "running" : "idle",
    capabilities: CAPABILITIES,
    hook_on_failure_supported: true,
  };
}
