// What a session says about itself: to the model in the system prompt, to clients in `system/init`.

import { release } from "node:os";
import type { Snapshot } from "@keelson/config";
import { renderSystemPrompt, type Tool } from "@keelson/engine";
import type { ResolvedModel } from "@keelson/model";
import { COMPATIBLE_VERSION, VERSION, type PermissionMode } from "@keelson/protocol";

export function systemPrompt(
  { flags, cwd, directories, env }: Snapshot,
  facts: { model: ResolvedModel; branch: string; tools: readonly Tool[]; memory?: string },
): string[] {
  return renderSystemPrompt({
    cwd,
    directories,
    platform: process.platform,
    osVersion: release(),
    shell: env["SHELL"] ?? "unknown",
    gitBranch: facts.branch,
    model: facts.model.profile.id,
    toolNames: facts.tools.map(({ name }) => name),
    memory: facts.memory,
    replacement: flags.systemPrompt,
    appended: flags.appendSystemPrompt,
    bare: flags.bare,
  });
}

export function initSignal(facts: {
  snapshot: Snapshot;
  model: ResolvedModel;
  tools: readonly Tool[];
  deferredTools: readonly Tool[];
  cwd: string;
  mode: PermissionMode;
  memory?: string;
  mcpServers: readonly object[];
  commands: readonly { readonly name: string }[];
  skills: readonly { readonly name: string }[];
}) {
  return {
    type: "system" as const,
    subtype: "init" as const,
    cwd: facts.cwd,
    // A client need not know which of them the model has to load first.
    tools: [...facts.tools, ...facts.deferredTools].map(({ name }) => name),
    mcp_servers: facts.mcpServers,
    model: facts.model.profile.id,
    permissionMode: facts.mode,
    slash_commands: facts.commands.map(({ name }) => name),
    apiKeySource: facts.model.apiKeySource,
    claude_code_version: COMPATIBLE_VERSION,
    output_style: "default",
    agents: [],
    skills: facts.skills.map(({ name }) => name),
    ...describePlugins(facts.snapshot),
    ...(facts.memory === undefined ? {} : { memory_paths: { auto: `${facts.memory}/` } }),
    keelson_version: VERSION,
  };
}

/** Plugins as clients see them. Errors only if there are any. */
export function describePlugins({ plugins: { active, unused } }: Pick<Snapshot, "plugins">) {
  const plugins = active.map(({ name, root, id, version }) => ({
    name,
    path: root,
    source: id,
    ...(version === undefined ? {} : { version }),
  }));
  const errors = unused
    .filter(({ kind }) => kind !== "disabled")
    .map(({ id, kind, why, root }) => ({
      plugin: id,
      type: kind,
      message: why,
      ...(root === undefined ? {} : { path: root }),
    }));
  return { plugins, ...(errors.length === 0 ? {} : { plugin_errors: errors }) };
}
