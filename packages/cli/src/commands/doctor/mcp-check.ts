// The check of MCP servers: which are used, which are not and why, and whether their programs are found. Starts nothing
// and connects to nothing.

import type { Snapshot } from "@keelson/config";
import { isInstalled } from "@keelson/host/programs";
import type { ConfiguredMcpServer } from "@keelson/protocol";
import { oneLine, shellWord, visible } from "../permissions/words.ts";
import type { DoctorFinding } from "./doctor.ts";

/** Nothing if no server is configured. */
export function mcpServers({ mcp: { servers, unused }, childEnv, cwd }: Snapshot): readonly DoctorFinding[] {
  if (servers.length + unused.length === 0) return [];
  const isFound = ({ config }: ConfiguredMcpServer) =>
    config.type !== "stdio" || isInstalled(config.command, { path: config.env["PATH"] ?? childEnv["PATH"], cwd });
  const told = (server: (typeof unused)[number]) => `${nameOf(server)}: ${oneLine(server.why, 300)}`;
  const problems = unused.filter(({ status }) => status === "failed").map(told);
  const details = [
    ...servers.filter((server) => !isFound(server)).map((server) => `${nameOf(server)}: ${missing(server)}`),
    ...servers.filter(({ unapproved }) => unapproved).map((server) => `${nameOf(server)}: ${waiting(server)}`),
    ...unused.map(told),
  ];
  const used = servers.map(({ name, config }) => `${visible(name)} (${config.type})`).join(", ");
  const counts = [`${servers.length} used`, ...(unused.length > 0 ? [`${unused.length} not used`] : [])].join(", ");
  return [
    {
      name: "MCP servers",
      state: problems.length > 0 ? "broken" : details.length > 0 ? "note" : "ok",
      text: used === "" ? counts : `${counts}: ${used}`,
      ...(details.length > 0 ? { details, problems } : {}),
    },
  ];
}

/** Whether a warning is about a server that is not used; `mcpServers` lists these with the reason. */
export const isAboutServer = (warning: string, { mcp: { unused } }: Snapshot) =>
  unused.some(({ file }) => file !== undefined && warning.startsWith(`${file}: MCP server "`));

const nameOf = ({ name, scope }: { readonly name: string; readonly scope: string }) => `${visible(name)} [${scope}]`;

const missing = ({ written }: ConfiguredMcpServer) =>
  `program not found: "${visible(String(written["command"]))}"; install it, or correct the command`;

const waiting = ({ name }: ConfiguredMcpServer) =>
  `not approved, so only headless sessions use it; run: keelson mcp approve ${shellWord(visible(name))}`;
