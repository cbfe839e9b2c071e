// Checks one server entry of a configuration file. Unknown keys are ignored. Pure.

import { isObject, type JsonObject, type McpServerConfig, type McpToolPolicy } from "@keelson/protocol";
import { TooLong } from "./expand.ts";

export interface CheckEntryOptions {
  /** Applied to command, args, env, url and headers. */
  expand(text: string): string;
  /** Only the client may choose these: they say which calls run without approval, or use an account. */
  readonly fromClient: boolean;
}

export type CheckedEntry =
  | { readonly config: McpServerConfig; readonly notes: readonly string[] }
  /** Follows the name of the server: `needs a command`. */
  | { readonly problem: string };

const REMOTE = { http: "http", "streamable-http": "http", sse: "sse", ws: "ws" } as const;

export function checkEntry(raw: unknown, options: CheckEntryOptions): CheckedEntry {
  try {
    return check(raw, options);
  } catch (error) {
    if (error instanceof Invalid) return { problem: error.message };
    if (error instanceof TooLong) return { problem: "is too long after its variables were expanded" };
    throw error;
  }
}

class Invalid extends Error {}

function check(raw: unknown, { expand, fromClient }: CheckEntryOptions): CheckedEntry {
  if (!isObject(raw)) throw new Invalid("should be an object");
  const { type, command, url } = raw;
  const notes: string[] = [];
  const options = () => serverOptions(raw, fromClient, notes);
  if (type === "stdio" || (type === undefined && command !== undefined)) {
    if (typeof command !== "string" || command.trim() === "") throw new Invalid('needs a "command"');
    const args = texts(raw["args"]).map(expand);
    const env = expanded(strings(raw["env"], "env"), expand);
    return { config: { type: "stdio", command: expand(command), args, env, ...options() }, notes };
  }
  if (type === undefined) {
    throw new Invalid(
      url === undefined
        ? 'needs a "command", or a "url" with a "type"'
        : 'has a "url" but no "type"; add "type": "http" ("sse" and "ws" are others)',
    );
  }
  if (typeof type === "string" && Object.hasOwn(REMOTE, type)) {
    const kind = REMOTE[type as keyof typeof REMOTE];
    const headers = checkedHeaders(expanded(strings(raw["headers"], "headers"), expand));
    const config = { type: kind, url: checkedUrl(url, kind, expand), headers, ...remoteOptions(raw, notes) };
    return { config: { ...config, ...options() }, notes };
  }
  if (type === "claudeai-proxy" && fromClient && typeof raw["id"] === "string") {
    return { config: { type, url: checkedUrl(url, "http", expand), id: raw["id"], ...options() }, notes };
  }
  if (type === "sdk") throw new Invalid('has type "sdk", which only a client can use');
  throw new Invalid(`has an unknown type (${shown(type)}); use stdio, http, sse or ws`);
}

const MIN_TIMEOUT_MS = 1_000;

function serverOptions(raw: JsonObject | Readonly<Record<string, unknown>>, fromClient: boolean, notes: string[]) {
  const { timeout, alwaysLoad, tools } = raw;
  const hasTimeout = typeof timeout === "number" && Number.isFinite(timeout) && timeout >= MIN_TIMEOUT_MS;
  if (timeout !== undefined && !hasTimeout) {
    notes.push(`timeout should be a number of at least ${MIN_TIMEOUT_MS} (milliseconds); it is ignored`);
  }
  const policies = fromClient && Array.isArray(tools) ? tools.filter(isToolPolicy) : [];
  return {
    ...(hasTimeout ? { timeout } : {}),
    ...(alwaysLoad === true ? { alwaysLoad } : {}),
    ...(policies.length > 0 ? { tools: policies } : {}),
  };
}

function isToolPolicy(tool: unknown): tool is McpToolPolicy {
  if (!isObject(tool) || typeof tool["name"] !== "string") return false;
  return ["always_allow", "always_ask", "always_deny"].includes(tool["permission_policy"] as string);
}

function remoteOptions(raw: Readonly<Record<string, unknown>>, notes: string[]) {
  const { headersHelper: helper, oauth } = raw;
  if (helper !== undefined && (typeof helper !== "string" || helper.trim() === "")) {
    throw new Invalid('has a "headersHelper" that is not a command');
  }
  if (oauth !== undefined && !isObject(oauth)) notes.push("oauth should be an object; it is ignored");
  return {
    ...(helper === undefined ? {} : { headersHelper: helper }),
    ...(isObject(oauth) ? { oauth: oauthOptions(oauth, notes) } : {}),
  };
}

function oauthOptions(oauth: Readonly<Record<string, unknown>>, notes: string[]) {
  const { clientId, callbackPort, authServerMetadataUrl, scopes } = oauth;
  const isPort = Number.isInteger(callbackPort) && (callbackPort as number) > 0 && (callbackPort as number) < 65_536;
  if (callbackPort !== undefined && !isPort) notes.push("oauth.callbackPort is not a port number; it is ignored");
  return {
    ...(typeof clientId === "string" ? { clientId } : {}),
    ...(isPort ? { callbackPort: callbackPort as number } : {}),
    ...(typeof authServerMetadataUrl === "string" ? { authServerMetadataUrl } : {}),
    ...(typeof scopes === "string" ? { scopes } : {}),
  };
}

function checkedUrl(value: unknown, kind: "http" | "sse" | "ws", expand: (text: string) => string): string {
  if (typeof value !== "string") throw new Invalid('needs a "url"');
  const url = expand(value).trim();
  if (url === "") throw new Invalid('has an empty "url"');
  const schemes = kind === "ws" ? ["ws:", "wss:"] : ["http:", "https:"];
  const parsed = URL.parse(url);
  // Shows the text as written: the expanded one may contain a secret.
  if (parsed === null) throw new Invalid(`has a "url" that is not valid: ${shown(value)}`);
  if (!schemes.includes(parsed.protocol)) {
    throw new Invalid(`has a "url" that does not start with ${schemes.map((scheme) => `${scheme}//`).join(" or ")}`);
  }
  return url;
}

function texts(value: unknown): readonly string[] {
  if (value === undefined || value === null) return [];
  if (Array.isArray(value) && value.every(isScalar)) return value.map(String);
  throw new Invalid('has "args" that are not a list of strings');
}

function strings(value: unknown, key: "env" | "headers"): Readonly<Record<string, string>> {
  if (value === undefined || value === null) return {};
  if (!isObject(value)) throw new Invalid(`has "${key}" that is not an object of strings`);
  const entries = Object.entries(value).map(([name, inner]) => {
    if (!isScalar(inner)) throw new Invalid(`has a value in "${key}" that is not a string: ${shown(name)}`);
    if (key === "env" && !/^[^=\0\s]+$/.test(name))
      throw new Invalid(`has an env name that is not valid: ${shown(name)}`);
    return [name, String(inner)] as const;
  });
  return Object.fromEntries(entries);
}

/** A port or a switch is often written without quotes. */
const isScalar = (value: unknown) => ["string", "number", "boolean"].includes(typeof value);

const expanded = (map: Readonly<Record<string, string>>, expand: (text: string) => string) =>
  Object.fromEntries(Object.entries(map).map(([name, value]) => [name, expand(value)]));

/** A line break in a header would start another header. */
function checkedHeaders(headers: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  for (const [name, value] of Object.entries(headers)) {
    // oxlint-disable-next-line no-control-regex
    if (!/^[!#$%&'*+.^_`|~\w-]+$/.test(name) || /[\u0000-\u0008\u000a-\u001f\u007f]/.test(value)) {
      throw new Invalid(`has a header that is not valid: ${shown(name)}`);
    }
  }
  return headers;
}

const LONGEST = 60;

function shown(value: unknown): string {
  const text = JSON.stringify(value) ?? String(value);
  return text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text;
}
