// /status: what this session is and where its settings come from.

import { OFFLINE_ID } from "@keelson/model";
import { COMPATIBLE_VERSION, VERSION } from "@keelson/protocol";
import { expectNoArguments, points, type RunCommand } from "../command.ts";

interface Settings {
  readonly sources: readonly { readonly source: string; readonly path: string }[];
  readonly applied: { readonly effort: string | null };
}

export const statusCommand: RunCommand = async (args, { request, targets }) => {
  expectNoArguments("status", args);
  const { sources, applied } = (await request("get_settings")) as Settings;
  const { profile, apiKeySource, providerName = "anthropic" } = targets.model();
  const title = targets.title();
  const servers = targets.mcp?.servers?.all.length ?? 0;
  return points([
    `Version: ${VERSION} (compatible with ${COMPATIBLE_VERSION})`,
    `Session: ${targets.sessionId}${title === undefined ? "" : ` (${title})`}`,
    `Working directory: ${targets.workspace.cwd}`,
    `Model: ${profile.id}${applied.effort === null ? "" : `, effort ${applied.effort}`}`,
    ...(profile.id === OFFLINE_ID ? [] : [`Provider: ${providerName}`]),
    `API key: ${apiKeySource}`,
    `Permission mode: ${targets.mode()}`,
    `MCP servers: ${servers === 0 ? "none" : servers}`,
    ...(sources.length === 0 ? ["Settings files: none"] : sources.map(({ path, source }) => `${path} (${source})`)),
  ]);
};
