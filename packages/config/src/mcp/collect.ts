// Decides which of the configured MCP servers are used, and why others are not. Loaded only if there is one.

import { isObject, type ConfiguredMcpServer, type JsonObject, type UnusedMcpServer } from "@keelson/protocol";
import { printable } from "../check/page.ts";
import type { ConfiguredMcp } from "../snapshot.ts";
import { asShellWord } from "../trust.ts";
import { approvalOf } from "./approval.ts";
import { candidatesOf, type ServerCandidate, type McpQuestion } from "./candidates.ts";
import { checkLimitedEntry } from "./limited-entry.ts";
import { nameProblem, ruleName } from "./names.ts";
import { isConfined, isServerAllowed } from "./policy.ts";

export function collectServers(question: McpQuestion): ConfiguredMcp {
  const warn = bounded(question.warn);
  const candidates = candidatesOf({ ...question, warn });
  const owned = new Set(candidates.filter(({ scope }) => scope === "user").map(({ name }) => ruleName(name)));
  // Servers inside the client come first of all.
  const taken = new Map(Object.keys(question.flags.mcpServers ?? {}).map((name) => [ruleName(name), name]));
  const servers: ConfiguredMcpServer[] = [];
  const unused: UnusedMcpServer[] = [];
  for (const candidate of candidates) {
    const { name, scope, untrusted } = candidate;
    const key = ruleName(name);
    const winner = taken.get(key);
    // The usual precedence: nothing to report.
    if (winner === name) continue;
    const judged = judge(candidate, question, warn);
    if ("why" in judged) unused.push(judged);
    else if (winner !== undefined) {
      unused.push(without(candidate, "disabled", `rules cannot tell it from "${printable(winner)}"; rename it`));
    } else if (scope === "project" && untrusted !== undefined && owned.has(key)) {
      const why = `you have a server of that name, and this folder is not trusted; to trust it, ${untrusted}`;
      warn(`${placeOf(candidate)} is not used: ${why}`);
      unused.push(without(candidate, "disabled", why));
    } else {
      taken.set(key, name);
      servers.push(judged);
    }
  }
  return { servers: servers.toSorted((a, b) => (a.name < b.name ? -1 : 1)), unused };
}

function judge(
  candidate: ServerCandidate,
  question: McpQuestion,
  warn: (text: string) => void,
): ConfiguredMcpServer | UnusedMcpServer {
  const { name, raw, scope, file, off } = candidate;
  const fail = (problem: string) => {
    warn(`${placeOf(candidate)} ${problem}; it is not used`);
    return without(candidate, "failed", `It ${problem}`);
  };
  const badName = nameProblem(name);
  if (badName !== undefined) return fail(badName);
  if (off !== undefined) return without(candidate, off.status, off.why);
  const checked = checkCandidate(candidate, question, warn);
  if ("problem" in checked) return fail(checked.problem);
  const { config } = checked;
  if (scope === "managed" && config.type !== "http" && config.type !== "sse") {
    return fail("should have type http or sse; managedMcpServers holds no others");
  }
  const { settings, global } = question;
  const written = raw as JsonObject;
  const verdict = isServerAllowed({ name, config, written }, settings);
  if (!verdict.allowed) return without(candidate, "disabled", `The setting ${verdict.why}`);
  const approval = scope === "project" ? approvalOf({ name, written }, settings, global.project) : "approved";
  if (approval === "rejected") return without(candidate, "disabled", "The setting disabledMcpjsonServers names it");
  if (approval === "changed") {
    const why = `it changed after you approved it; to approve it again, run: keelson mcp approve ${asShellWord(name)}`;
    warn(`${placeOf(candidate)} is not used: ${why}`);
    return without(candidate, "pending", why);
  }
  return {
    name,
    scope,
    config,
    written,
    ...(file === undefined ? {} : { file }),
    ...(config.type === "stdio" && isConfined(name, scope, settings) ? { confined: true } : {}),
    ...(approval === "unapproved" ? { unapproved: true } : {}),
  };
}

function checkCandidate(candidate: ServerCandidate, { env }: McpQuestion, warn: (text: string) => void) {
  const { raw, scope, untrusted } = candidate;
  const limits = { env, fromClient: scope === "dynamic", trusted: untrusted === undefined };
  const { checked, refused } = checkLimitedEntry(raw, limits);
  for (const what of refused) {
    warn(`${placeOf(candidate)}: ${what}: this folder is not trusted; to trust it, ${untrusted}`);
  }
  if ("notes" in checked) for (const note of checked.notes) warn(`${placeOf(candidate)}: ${note}`);
  return checked;
}

function without(
  { name, raw, scope, file }: ServerCandidate,
  status: UnusedMcpServer["status"],
  why: string,
): UnusedMcpServer {
  const sentence = why.charAt(0).toUpperCase() + why.slice(1);
  const written = isObject(raw) ? (raw as JsonObject) : {};
  return { name, scope, written, ...(file === undefined ? {} : { file }), status, why: sentence };
}

const placeOf = ({ name, file, scope }: ServerCandidate) =>
  `${file ?? (scope === "managed" ? "managed settings" : "--mcp-config")}: MCP server "${printable(name)}"`;

const MOST_WARNINGS = 20;

function bounded(warn: (text: string) => void): (text: string) => void {
  let count = 0;
  return (text) => {
    count++;
    if (count <= MOST_WARNINGS) warn(text);
    else if (count === MOST_WARNINGS + 1)
      warn("There are more problems with MCP servers; see them with: keelson mcp list");
  };
}
