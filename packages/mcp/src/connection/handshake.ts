// The start of a connection, in the two forms there are: `initialize` opens a session (protocols up to 2025-11-25);
// from 2026-07-28 on there is no session, and `server/discover` says what a server can do. What it says is limited.

import { isObject, VERSION, type JsonObject } from "@keelson/protocol";
import type { Client, RequestLimit } from "./client.ts";
import { cutPlainText, plainLine } from "../plain-text.ts";
import {
  INTERNAL_ERROR,
  INVALID_PARAMS,
  INVALID_REQUEST,
  McpError,
  METHOD_NOT_FOUND,
  UNSUPPORTED_VERSION,
} from "./rpc.ts";

const SESSION_VERSION = "2025-11-25";
const DISCOVER_VERSION = "2026-07-28";
const MAX_INSTRUCTIONS_LENGTH = 4_096;
const MAX_NAME_LENGTH = 200;
const META = "io.modelcontextprotocol/";

export type ListKind = "tools" | "prompts" | "resources";

export interface ServerFacts {
  readonly serverInfo?: { readonly name: string; readonly version: string };
  readonly instructions?: string;
  readonly hasTools: boolean;
  readonly hasPrompts: boolean;
  readonly hasResources: boolean;
  /** Undefined if the server did not say. */
  readonly protocolVersion?: string;
  /** The request that opened the connection. */
  readonly openedBy: "initialize" | "discover";
  /** The lists whose changes the server announces. */
  readonly announces: readonly ListKind[];
}

export interface HandshakeOptions {
  /** What we offer to the server. */
  readonly capabilities: JsonObject;
  /** Also speak to servers that have no `initialize`. */
  readonly mayDiscover: boolean;
}

export async function openServer(
  client: Client,
  { capabilities, mayDiscover }: HandshakeOptions,
  limit: () => RequestLimit,
): Promise<ServerFacts> {
  try {
    return await initialize(client, capabilities, limit());
  } catch (error) {
    if (!mayDiscover || !isRejection(error)) throw error;
    const facts = await discover(client, capabilities, limit());
    if (!facts) throw error;
    return facts;
  }
}

async function initialize(client: Client, capabilities: JsonObject, limit: RequestLimit): Promise<ServerFacts> {
  const params = { protocolVersion: SESSION_VERSION, capabilities, clientInfo: CLIENT_INFO };
  const facts = readInitializeResult(await client.request("initialize", params, limit));
  if (!facts) throw new McpError(INTERNAL_ERROR, "the result of initialize is not an object");
  client.useVersion(facts.protocolVersion ?? SESSION_VERSION);
  client.notify("notifications/initialized");
  return facts;
}

/** Undefined if the server does not know this protocol either. */
async function discover(
  client: Client,
  capabilities: JsonObject,
  limit: RequestLimit,
): Promise<ServerFacts | undefined> {
  client.useVersion(DISCOVER_VERSION, {
    [`${META}protocolVersion`]: DISCOVER_VERSION,
    [`${META}clientInfo`]: CLIENT_INFO,
    [`${META}clientCapabilities`]: capabilities,
  });
  const result = await client.request("server/discover", {}, limit).catch((error: unknown) => {
    if (!isRejection(error)) throw error;
  });
  if (!isObject(result)) return undefined;
  const { supportedVersions, _meta: meta } = result;
  if (!Array.isArray(supportedVersions) || !supportedVersions.includes(DISCOVER_VERSION)) return undefined;
  const serverInfo = isObject(meta) ? meta[`${META}serverInfo`] : undefined;
  return readFacts({ serverInfo, ...result, protocolVersion: DISCOVER_VERSION }, "discover");
}

const CLIENT_INFO = { name: "keelson", title: "Keelson", version: VERSION };

const REJECTIONS: readonly number[] = [UNSUPPORTED_VERSION, METHOD_NOT_FOUND, INVALID_REQUEST, INVALID_PARAMS];

const isRejection = (error: unknown) => error instanceof McpError && REJECTIONS.includes(error.code);

/** Undefined if the result is not an object. */
export function readInitializeResult(result: unknown): ServerFacts | undefined {
  return isObject(result) ? readFacts(result, "initialize") : undefined;
}

function readFacts(result: Record<string, unknown>, openedBy: ServerFacts["openedBy"]): ServerFacts {
  const { serverInfo, instructions, capabilities, protocolVersion } = result;
  const offered = (kind: ListKind) => (isObject(capabilities) ? capabilities[kind] : undefined);
  const shownInstructions = typeof instructions === "string" ? cutPlainText(instructions, MAX_INSTRUCTIONS_LENGTH) : "";
  return {
    hasTools: isOffered(offered("tools")),
    hasPrompts: isOffered(offered("prompts")),
    hasResources: isOffered(offered("resources")),
    openedBy,
    announces: LISTS.filter((kind) => (offered(kind) as JsonObject | undefined)?.["listChanged"] === true),
    ...(typeof protocolVersion === "string" ? { protocolVersion: plainLine(protocolVersion, MAX_NAME_LENGTH) } : {}),
    ...(isObject(serverInfo)
      ? { serverInfo: { name: shownName(serverInfo["name"]), version: shownName(serverInfo["version"]) } }
      : {}),
    ...(shownInstructions.trim() === "" ? {} : { instructions: shownInstructions }),
  };
}

/** Some servers write `true`, or an empty list where an empty object belongs. */
const isOffered = (value: unknown) => (typeof value === "object" ? value !== null : value === true);

const LISTS: readonly ListKind[] = ["tools", "prompts", "resources"];

const shownName = (value: unknown) => (typeof value === "string" ? plainLine(value, MAX_NAME_LENGTH) : "");
