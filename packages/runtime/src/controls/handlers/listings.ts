// Lists for clients: hooks, agents, versions, plugins, skills and output styles.

import { statSync } from "node:fs";
import { reload } from "@keelson/config";
import { hookEventCatalog, handlerName } from "@keelson/engine/hooks";
import { COMPATIBLE_VERSION, VERSION, type AgentDefinition } from "@keelson/protocol";
import { styleNames } from "../../prompt/styles.ts";
import { describePlugins } from "../../session/facts.ts";
import { done, type ControlHandler } from "../reply.ts";

export const getBinaryVersion: ControlHandler<"get_binary_version"> = () => {
  // The program has no build time, so use that of its file.
  const buildTime = statSync(process.execPath).mtime.toISOString();
  return done({ version: COMPATIBLE_VERSION, buildTime, keelsonVersion: VERSION });
};

export const getHooksListing: ControlHandler<"get_hooks_listing"> = (_request, targets) => {
  const registered = targets.hooks();
  const { settings } = targets.snapshot();
  const managedOnly = settings.allowManagedHooksOnly === true;
  return done({
    events: [...new Set(registered.map(({ event }) => event))],
    hooks: registered.map(({ event, matcher, handler, source, file }) => ({
      event,
      ...(matcher === undefined ? {} : { matcher }),
      type: handler.type,
      label: handlerName(handler),
      source,
      ...(file === undefined ? {} : { file }),
      ...(handler.timeout === undefined ? {} : { timeout: handler.timeout }),
    })),
    eventCatalog: hookEventCatalog(),
    policy: {
      disabledByPolicy: false,
      managedOnly,
      pluginOnly: false,
      allDisabled: settings.disableAllHooks === true,
      policyHookCount: registered.filter(({ source }) => source === "policySettings").length,
    },
  });
};

/** An agent as clients list it. */
export const describeAgent = ({ name, description, model }: AgentDefinition) => ({
  name,
  description,
  ...(model === undefined ? {} : { model }),
});

/** More than `initialize` says of them: where each comes from and what it may use. */
export const listAgentsControl: ControlHandler<"list_agents"> = (_request, targets) =>
  done({
    agents: targets.agents().map((agent) => ({
      ...describeAgent(agent),
      source: agent.source,
      ...(agent.tools === undefined ? {} : { tools: agent.tools }),
      ...(agent.disallowedTools.length === 0 ? {} : { disallowed_tools: agent.disallowedTools }),
      ...(agent.file === undefined || agent.source === "built-in" ? {} : { file: agent.file }),
      ...(agent.untrusted ? { untrusted: true } : {}),
    })),
  });

/** Reads everything again, because plugins also have hooks and servers. */
export const reloadPlugins: ControlHandler<"reload_plugins"> = async (_request, targets) => {
  const next = reload(targets.snapshot());
  if (await targets.mayAdopt(next)) targets.adopt(next);
  const { plugins, plugin_errors: errors = [] } = describePlugins(targets.snapshot());
  return done({
    commands: targets.commands(),
    agents: targets.agents().map(describeAgent),
    plugins,
    mcpServers: targets.mcp?.servers?.status() ?? [],
    error_count: errors.length,
  });
};

export const reloadSkills: ControlHandler<"reload_skills"> = (_request, { skills, reloadSkills: readAgain }) => {
  readAgain();
  return done({ skills: skills() });
};

export const reloadOutputStyles: ControlHandler<"reload_output_styles"> = (_request, targets) => {
  targets.reloadStyle();
  return done({ available_output_styles: styleNames(targets.snapshot()) });
};
