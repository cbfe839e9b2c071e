// /status: what this session is and where its settings come from.

import { OFFLINE_ID } from "@keelson/model";
import { COMPATIBLE_VERSION, VERSION } from "@keelson/protocol";
import type { ControlTargets } from "../../controls/targets.ts";
import { expectNoArguments, points, type RunCommand } from "../command.ts";

export const statusCommand: RunCommand = async (args, { request, targets }) => {
  expectNoArguments("status", args);
  const { sources, applied } = await request("get_settings");
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
    ...languageServers(targets),
    ...(sources.length === 0 ? ["Settings files: none"] : sources.map(({ path, source }) => `${path} (${source})`)),
  ]);
};

/** Nothing if there are none. */
function languageServers({ snapshot, languageServers: used }: ControlTargets): readonly string[] {
  const { servers } = snapshot().lsp;
  const known = used?.() ?? [];
  return servers.map(({ name }) => {
    const own = known.filter((each) => each.name === name);
    const states = own.map(({ state, reason, restarts }) => {
      const again = restarts > 0 ? `, ended ${restarts} ${restarts === 1 ? "time" : "times"}: ${reason}` : "";
      return `${state}${again}`;
    });
    return `Language server ${name}: ${states.length === 0 ? "not started" : states.join("; ")}`;
  });
}
