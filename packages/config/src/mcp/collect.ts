// Finds the MCP servers of all files and flags, and decides which are used. Loaded only if there is one.

import { dirname } from "node:path";
import {
  isObject,
  type ConfiguredMcpServer,
  type JsonObject,
  type McpScope,
  type UnusedMcpServer,
} from "@keelson/protocol";
import { printable } from "../check/page.ts";
import type { Environment } from "../env/env.ts";
import type { Gathered } from "../gather.ts";
import type { ConfiguredMcp } from "../snapshot.ts";
import { isTrustedIn, asShellWord, trustFix } from "../trust.ts";
import { approvalOf } from "./approval.ts";
import { checkEntry } from "./entry.ts";
import { expander, withheldFrom } from "./expand.ts";
import { nameProblem, ruleName } from "./names.ts";
import { isServerAllowed } from "./policy.ts";
import { readServerFile, serversIn, type RawServers } from "./read-servers.ts";

export interface McpQuestion extends Pick<
  Gathered,
  "places" | "flags" | "settings" | "global" | "mcpFiles" | "trusted" | "requireTrust"
> {
  readonly env: Environment;
  readonly uid?: number | undefined;
  /** Servers of `--mcp-config` that are not inside the client. */
  readonly dynamic: Readonly<Record<string, unknown>>;
  readonly warn: (text: string) => void;
}

/** One server as it was found. */
interface Candidate {
  readonly name: string;
  readonly raw: unknown;
  readonly scope: McpScope;
  readonly file?: string;
  /** For a project server of a folder that is not trusted: how to trust it. */
  readonly untrusted?: string;
  /** Why no server of this source is used. */
  readonly off?: Pick<UnusedMcpServer, "status" | "why">;
}

export function collectServers(question: McpQuestion): ConfiguredMcp {
  const warn = bounded(question.warn);
  const candidates = candidatesOf({ ...question, warn });
  const owned = new Set(candidates.filter(({ scope }) => scope === "user").map(({ name }) => ruleName(name)));
  const servers = new Map<string, ConfiguredMcpServer>();
  const unused: UnusedMcpServer[] = [];
  for (const candidate of candidates) {
    const { name, scope, untrusted } = candidate;
    const key = ruleName(name);
    const winner = servers.get(key);
    // The usual precedence: nothing to report.
    if (winner?.name === name) continue;
    const judged = judge(candidate, question, warn);
    if ("why" in judged) unused.push(judged);
    else if (winner !== undefined) {
      unused.push(without(candidate, "disabled", `rules cannot tell it from "${printable(winner.name)}"; rename it`));
    } else if (scope === "project" && untrusted !== undefined && owned.has(key)) {
      const why = `you have a server of that name, and this folder is not trusted; to trust it, ${untrusted}`;
      warn(`${placeOf(candidate)} is not used: ${why}`);
      unused.push(without(candidate, "disabled", why));
    } else servers.set(key, judged);
  }
  const sorted = [...servers.values()].toSorted((a, b) => (a.name < b.name ? -1 : 1));
  return { servers: sorted, unused };
}

/** Highest precedence first. */
function candidatesOf(question: McpQuestion): readonly Candidate[] {
  const { flags, settings, global, mcpFiles, uid, warn } = question;
  const from = (scope: McpScope, servers: RawServers, more: Partial<Candidate> = {}): Candidate[] =>
    servers.map(([name, raw]) => ({ name, raw, scope, ...more }));
  const dynamic = (off?: string) =>
    from(
      "dynamic",
      serversIn(question.dynamic, "--mcp-config", warn),
      off === undefined ? {} : { off: { status: "disabled", why: off } },
    );

  const enterprise = readServerFile(mcpFiles.managed, uid, warn);
  if (enterprise !== undefined) {
    const only = `only the servers in ${mcpFiles.managed} may be used; ask your administrator`;
    return [...from("enterprise", enterprise, { file: mcpFiles.managed }), ...dynamic(only)];
  }
  if (flags.strictMcpConfig) return dynamic();
  const managed = from("managed", serversIn(settings.managedMcpServers, "managed settings", warn));
  if (isReserved(settings.strictPluginOnlyCustomization)) {
    return [
      ...managed,
      ...dynamic("managed settings allow only MCP servers of plugins (strictPluginOnlyCustomization)"),
    ];
  }
  if (flags.safe) return [...managed, ...dynamic("--safe-mode skips it")];
  if (flags.bare) return [...managed, ...dynamic()];

  const { settingSources: wanted = ["user", "project", "local"] } = flags;
  const file = global.file;
  return [
    ...managed,
    ...dynamic(),
    ...(wanted.includes("local") ? from("local", serversIn(global.project["mcpServers"], file, warn), { file }) : []),
    ...(wanted.includes("project") ? projectServers(question) : []),
    ...(wanted.includes("user") ? from("user", serversIn(global.value["mcpServers"], file, warn), { file }) : []),
  ];
}

/** The nearest file comes first. */
function projectServers({ mcpFiles, places, global, trusted, requireTrust, uid, warn }: McpQuestion): Candidate[] {
  const root = places.projectRoot ?? places.cwd;
  return mcpFiles.project.flatMap((file) => {
    const servers = readServerFile(file, uid, warn) ?? [];
    if (servers.length === 0) return [];
    const folder = dirname(file);
    // Trust does not extend to other folders, neither inside nor around.
    const isTrusted = trusted && (folder === root || isTrustedIn(global.value, folder));
    const fix = isTrusted ? {} : { untrusted: trustFix(trusted ? folder : root) };
    const why = `trust is required and this folder is not trusted; to trust it, ${fix.untrusted}`;
    const off = requireTrust && !isTrusted ? { off: { status: "pending", why } as const } : {};
    return servers.map(([name, raw]) => ({ name, raw, scope: "project" as const, file, ...fix, ...off }));
  });
}

/** True for `true` and for a list with "mcp". An invalid value also restricts: the administrator meant to. */
function isReserved(value: unknown): boolean {
  return Array.isArray(value) ? value.includes("mcp") : value !== undefined && value !== false;
}

function judge(
  candidate: Candidate,
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
    ...(config.type === "stdio" && isConfined(name, scope, question) ? { confined: true } : {}),
    ...(approval === "unapproved" ? { unapproved: true } : {}),
  };
}

function checkCandidate(candidate: Candidate, { env }: McpQuestion, warn: (text: string) => void) {
  const { raw, scope, untrusted } = candidate;
  const { type, command } = isObject(raw) ? raw : {};
  const kind = type === "stdio" || (type === undefined && command !== undefined) ? "program" : "url";
  const expand = expander(env, untrusted === undefined ? undefined : withheldFrom(kind));
  const checked = checkEntry(raw, { expand, fromClient: scope === "dynamic" });
  if (expand.withheld.size > 0) {
    const names = [...expand.withheld].map((name) => `\${${name}}`).join(", ");
    warn(`${placeOf(candidate)}: ${names} not expanded: this folder is not trusted; to trust it, ${untrusted}`);
  }
  if ("problem" in checked) return checked;
  for (const note of checked.notes) warn(`${placeOf(candidate)}: ${note}`);
  if (untrusted === undefined || !("headersHelper" in checked.config)) return checked;
  const { headersHelper: _, ...config } = checked.config;
  warn(`${placeOf(candidate)}: headersHelper ignored: this folder is not trusted; to trust it, ${untrusted}`);
  return { ...checked, config };
}

function isConfined(name: string, scope: McpScope, { settings }: McpQuestion): boolean {
  const { mcpServers = {}, projectMcpServers } = settings.sandbox ?? {};
  if (Object.hasOwn(mcpServers, name)) return mcpServers[name] === true;
  return scope === "project" && projectMcpServers === true;
}

function without(
  { name, raw, scope, file }: Candidate,
  status: UnusedMcpServer["status"],
  why: string,
): UnusedMcpServer {
  const sentence = why.charAt(0).toUpperCase() + why.slice(1);
  const written = isObject(raw) ? (raw as JsonObject) : {};
  return { name, scope, written, ...(file === undefined ? {} : { file }), status, why: sentence };
}

const placeOf = ({ name, file, scope }: Candidate) =>
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
