// What a session tells about itself: to the model in the system prompt, to clients in `init` and `initialize`.

import { release } from "node:os";
import type { Snapshot } from "@keelson/config";
import { renderSystemPrompt, type Tool } from "@keelson/engine";
import type { ResolvedModel } from "@keelson/model";
import { COMPATIBLE_VERSION, VERSION, type PermissionMode } from "@keelson/protocol";

export function systemPrompt(
  { flags, cwd, directories, env }: Snapshot,
  facts: { model: ResolvedModel; branch: string; tools: readonly Tool[]; date: Date },
): string[] {
  return renderSystemPrompt({
    cwd,
    directories,
    platform: process.platform,
    osVersion: release(),
    shell: env["SHELL"] ?? "unknown",
    date: facts.date.toISOString().slice(0, 10),
    gitBranch: facts.branch,
    model: facts.model.profile.id,
    toolNames: facts.tools.map(({ name }) => name),
    replacement: flags.systemPrompt,
    appended: flags.appendSystemPrompt,
    bare: flags.bare,
  });
}

export function initSignal(facts: {
  snapshot: Snapshot;
  model: ResolvedModel;
  tools: readonly Tool[];
  cwd: string;
  mode: PermissionMode;
}) {
  return {
    type: "system" as const,
    subtype: "init" as const,
    cwd: facts.cwd,
    tools: facts.tools.map(({ name }) => name),
    mcp_servers: [],
    model: facts.model.profile.id,
    permissionMode: facts.mode,
    slash_commands: [],
    apiKeySource: facts.model.apiKeySource,
    claude_code_version: COMPATIBLE_VERSION,
    output_style: "default",
    agents: [],
    skills: [],
    plugins: [],
    keelson_version: VERSION,
  };
}

/** The reply to `initialize`. */
export function describeClient(model: ResolvedModel): Record<string, unknown> {
  return {
    commands: [],
    agents: [],
    output_style: "default",
    available_output_styles: ["default"],
    models: [{ value: "default", resolvedModel: model.profile.id, displayName: model.profile.id, description: "" }],
    account: { tokenSource: "none", apiKeySource: model.apiKeySource, apiProvider: "firstParty" },
    pid: process.pid,
    claude_code_version: COMPATIBLE_VERSION,
  };
}
