// Decides which of the configured MCP servers are used, and why others are not. Loaded only if there is one.

import {
  isObject,
  type ConfiguredMcpServer,
  type JsonObject,
  type McpServerConfig,
  type UnusedMcpServer,
} from "@keelson/protocol";
import { printable } from "../check/page.ts";
import type { ConfiguredMcp } from "../load/snapshot.ts";
import { asShellWord } from "../trust/trust.ts";
import { approvalOf, isApprovedAs } from "./choice/approval.ts";
import { candidatesOf, type ServerCandidate, type McpQuestion } from "./candidates.ts";
import { checkLimitedEntry } from "./entry/limited-entry.ts";
import { mayShareRules, nameProblem, ruleName } from "./entry/names.ts";
import { isConfined, isServerAllowed } from "./choice/policy.ts";

export function collectServers(question: McpQuestion): ConfiguredMcp {
  const warn = bounded(question.warn);
  const candidates = candidatesOf({ ...question, warn });
  const owned = ownedNames(candidates, question);
  // Servers inside the client come first of all.
  const taken = new Map(Object.keys(question.flags.mcpServers ?? {}).map((name) => [ruleName(name), name]));
  const servers: ConfiguredMcpServer[] = [];
  const unused: UnusedMcpServer[] = [];
  for (const candidate of candidates) {
    const { name, untrusted } = candidate;
    const key = ruleName(name);
    const winner = taken.get(key);
    // The usual precedence: nothing to report.
    if (winner === name) continue;
    const judged = judge(candidate, question, warn);
    if ("why" in judged) unused.push(judged);
    else if (winner !== undefined) {
      unused.push(without(candidate, "disabled", `rules cannot tell it from "${printable(winner)}"; rename it`));
    } else if (untrusted !== undefined && owned.some((each) => mayShareRules(each, name))) {
      const owner = owned.find((each) => mayShareRules(each, name))!;
      const whose = ruleName(owner) === key ? "of that name" : `"${printable(owner)}" with the same rules`;
      const why = `you have a server ${whose}, and this folder is not trusted; to trust it, ${untrusted}`;
      warn(`${placeOf(candidate)} is not used: ${why}`);
      unused.push(without(candidate, "disabled", why));
    } else {
      const same = candidate.scope === "plugin" ? servers.find((each) => isSameEndpoint(each, judged)) : undefined;
      if (same !== undefined) {
        unused.push(without(candidate, "disabled", `it is the same server as "${printable(same.name)}"`));
        continue;
      }
      taken.set(key, name);
      servers.push(judged);
    }
  }
  return { servers: servers.toSorted((a, b) => (a.name < b.name ? -1 : 1)), unused };
}

/**
 * Names whose rules are not for an untrusted folder. Also of servers that are not used this time: their rules are still
 * there.
 */
function ownedNames(candidates: readonly ServerCandidate[], { global, flags }: McpQuestion): readonly string[] {
  const inFile = [global.value["mcpServers"], global.project["mcpServers"], flags.mcpServers];
  const names = inFile.flatMap((servers) => (isObject(servers) ? Object.keys(servers) : []));
  const trusted = candidates.filter(({ untrusted }) => untrusted === undefined);
  return [...new Set([...names, ...trusted.map(({ name }) => name)])];
}

/** Whether two servers are the same program with the same arguments, or the same address. */
function isSameEndpoint({ config: one }: ConfiguredMcpServer, { config: other }: ConfiguredMcpServer): boolean {
  if (one.type === "stdio" && other.type === "stdio") {
    return JSON.stringify([one.command, ...one.args]) === JSON.stringify([other.command, ...other.args]);
  }
  return "url" in one && "url" in other && one.url === other.url;
}

function judge(
  candidate: ServerCandidate,
  question: McpQuestion,
  warn: (text: string) => void,
): ConfiguredMcpServer | UnusedMcpServer {
  const { name, raw, scope, file, off, untrusted } = candidate;
  const fail = (problem: string) => {
    warn(`${placeOf(candidate)} ${problem}; it is not used`);
    return without(candidate, "failed", `It ${problem}`);
  };
  const badName = nameProblem(name);
  if (badName !== undefined) return fail(badName);
  if (off !== undefined) return without(candidate, off.status, off.why);
  const checked = checkCandidate(candidate, question, warn);
  if ("problem" in checked) return fail(checked.problem);
  const config = withPlugin(checked.config, candidate);
  if (scope === "managed" && config.type !== "http" && config.type !== "sse") {
    return fail("should have type http or sse; managedMcpServers holds no others");
  }
  const { settings, global, flags } = question;
  const written = raw as JsonObject;
  const verdict = isServerAllowed({ name, config, written }, settings);
  if (!verdict.allowed) return without(candidate, "disabled", `The setting ${verdict.why}`);
  const approval = scope === "project" ? approvalOf({ name, written }, settings, global.project) : "approved";
  if (approval === "rejected") return without(candidate, "disabled", "The setting disabledMcpjsonServers names it");
  const approve = `run: keelson mcp approve ${asShellWord(name)}`;
  const wait = (why: string) => {
    warn(`${placeOf(candidate)} is not used: ${why}`);
    return without(candidate, "pending", why);
  };
  if (approval === "changed") {
    return { ...wait(`it changed after you approved it; to approve it again, ${approve}`), changed: true };
  }
  if (approval === "unapproved" && flags.approvedServersOnly) {
    return { ...wait(`you have not approved it; to approve it, ${approve}`), unapproved: true };
  }
  // One that the user approved as it is now has been asked about.
  if (candidate.unasked && !isApprovedAs({ name, written }, global.project)) {
    question.held.push(candidate.unasked);
    return wait(candidate.unasked.why);
  }
  return {
    name,
    scope,
    config,
    written,
    ...(file === undefined ? {} : { file }),
    ...(config.type === "stdio" && isConfined(name, scope, settings) ? { confined: true } : {}),
    ...(approval === "unapproved" ? { unapproved: true } : {}),
    ...(untrusted === undefined ? {} : { untrusted: true }),
    ...(candidate.plugin === undefined ? {} : ownerOf(candidate.plugin)),
  };
}

/** Programs of a plugin know where it is. */
function withPlugin(config: McpServerConfig, { plugin }: ServerCandidate): McpServerConfig {
  if (plugin === undefined || config.type !== "stdio") return config;
  const { CLAUDE_PLUGIN_ROOT = "", CLAUDE_PLUGIN_DATA = "" } = plugin.variables;
  return { ...config, env: { ...config.env, CLAUDE_PLUGIN_ROOT, CLAUDE_PLUGIN_DATA } };
}

function ownerOf({ plugin: { id }, secret }: NonNullable<ServerCandidate["plugin"]>) {
  return { plugin: id, ...(secret.length > 0 ? { secretOptions: secret } : {}) };
}

function checkCandidate(candidate: ServerCandidate, { env }: McpQuestion, warn: (text: string) => void) {
  const { raw, scope, untrusted, plugin } = candidate;
  const limits = {
    env: plugin ? { ...env, ...plugin.variables } : env,
    fromClient: scope === "dynamic",
    trusted: untrusted === undefined,
  };
  const { checked, refused } = checkLimitedEntry(raw, limits);
  for (const what of refused) {
    warn(`${placeOf(candidate)}: ${what}: this folder is not trusted; to trust it, ${untrusted}`);
  }
  if (isObject(raw) && raw["disabled"] === true) {
    const fix = scope === "project" ? "name it in the setting disabledMcpjsonServers" : "remove it";
    warn(`${placeOf(candidate)}: "disabled" has no effect; to turn the server off, ${fix}`);
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
