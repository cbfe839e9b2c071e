// Converts options without a flag to fields of the `initialize` request.

import type { FieldsOf } from "@keelson/protocol";
import type { AnnouncedHooks } from "../hooks/callbacks.ts";
import { splitServers } from "../mcp/config.ts";
import type { InProcessServers } from "../mcp/in-process.ts";
import type { Options, SystemPromptOption } from "./options.ts";

export function toInitialize(
  options: Options,
  hooks: AnnouncedHooks | undefined,
  servers: Pick<InProcessServers, "names" | "configs">,
): FieldsOf<"initialize"> {
  const fields: FieldsOf<"initialize"> = {
    hooks,
    sdkMcpServers: servers.names.length > 0 ? servers.names : undefined,
    sdkMcpServerConfigs: servers.configs,
    jsonSchema: options.outputFormat?.schema,
    ...systemPrompt(options.systemPrompt),
    planModeInstructions: options.planModeInstructions,
    toolAliases: options.toolAliases,
    agents: options.agents,
    title: options.title,
    skills: Array.isArray(options.skills) ? options.skills : undefined,
    promptSuggestions: options.promptSuggestions,
    agentProgressSummaries: options.agentProgressSummaries,
    forwardSubagentText: options.forwardSubagentText,
    joinQueuedPrompts: options.joinQueuedPrompts,
    supportedDialogKinds: options.supportedDialogKinds,
    perTaskStopAffordance: options.perTaskStopAffordance,
    mcpServers: sentServers(options),
    plugins: options.pluginDelivery === "initialize" ? (options.plugins ?? []) : undefined,
  };
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
}

function sentServers({ mcpServers, mcpServersDelivery }: Options) {
  const { elsewhere } = splitServers(mcpServers);
  return mcpServersDelivery === "initialize" && Object.keys(elsewhere).length > 0 ? elsewhere : undefined;
}

// Without this field, the program uses its own prompt. Without the option, there should be no prompt, so we always send
// one.
function systemPrompt(option: SystemPromptOption | undefined) {
  if (option === undefined) return { systemPrompt: [""] };
  if (typeof option === "string") return { systemPrompt: [option] };
  if (Array.isArray(option)) return { systemPrompt: option };
  if (option.type === "custom") {
    const { prompt, snapshot } = option;
    return { systemPrompt: Array.isArray(prompt) ? prompt : [prompt], systemPromptSnapshot: snapshot };
  }
  return {
    appendSystemPrompt: option.append,
    excludeDynamicSections: option.excludeDynamicSections,
    systemPromptSnapshot: option.snapshot,
  };
}
