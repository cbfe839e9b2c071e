// Lists for clients: rules, hooks, versions, and plugins and the like, which are always empty so far.

import { statSync } from "node:fs";
import { hookEventCatalog, handlerName } from "@keelson/engine/hooks";
import { COMPATIBLE_VERSION, VERSION } from "@keelson/protocol";
import { styleNames } from "../../prompt/styles.ts";
import { done, type ControlHandler } from "../reply.ts";

export const getBinaryVersion: ControlHandler = () => {
  // The program has no build time, so use that of its file.
  const buildTime = statSync(process.execPath).mtime.toISOString();
  return done({ version: COMPATIBLE_VERSION, buildTime, keelsonVersion: VERSION });
};

export const listPermissionRules: ControlHandler = (_request, { gate, workspace, snapshot }) =>
  done({
    state: {
      rules: gate.rules.map(({ source, behavior, tool, content }) => ({
        source,
        ruleBehavior: behavior,
        ruleValue: { toolName: tool, ...(content === undefined ? {} : { ruleContent: content }) },
      })),
      workspaceDirectories: workspace.directories.slice(1),
      originalCwd: workspace.root,
      managedOnly: snapshot().settings.allowManagedPermissionRulesOnly === true,
    },
  });

export const getHooksListing: ControlHandler = (_request, targets) => {
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

/** Plugins and skills are not loaded yet. */
export const reloadPlugins: ControlHandler = (_request, { mcp }) =>
  done({
    commands: mcp?.servers?.commands() ?? [],
    agents: [],
    plugins: [],
    mcpServers: mcp?.servers?.status() ?? [],
    error_count: 0,
  });
export const reloadSkills: ControlHandler = () => done({ skills: [] });

export const reloadOutputStyles: ControlHandler = (_request, targets) => {
  targets.reloadStyle();
  return done({ available_output_styles: styleNames(targets.snapshot()) });
};
