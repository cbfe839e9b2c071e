// A question of an MCP server for the user. Elicitation hooks answer first, then the client; with neither, it is
// cancelled. ElicitationResult hooks may change or refuse what the client answered.

import { isDeeperThan } from "@keelson/mcp";
import {
  isObject,
  type ClientQuestion,
  type HookEvent,
  type HookOutcome,
  type Json,
  type JsonObject,
} from "@keelson/protocol";

export interface ElicitOptions {
  fire(event: HookEvent, input: JsonObject, signal: AbortSignal): Promise<HookOutcome>;
  /** Sends the question to the client. Absent if no client answers questions. */
  person?(body: ClientQuestion<"elicitation">, signal: AbortSignal): Promise<unknown>;
}

export interface ElicitAnswer {
  readonly action: "accept" | "decline" | "cancel";
  readonly content?: JsonObject;
}

/** Far more than a form that people fill in. */
const MAX_LENGTH = 100_000;
const MAX_DEPTH = 100;
const ACTIONS: readonly unknown[] = ["accept", "decline", "cancel"];

/**
 * Never rejects. `params` is what the server sent with `elicitation/create`. Fields of a form that are left out have
 * their default values, as with the official clients.
 */
export async function answerElicitation(
  server: string,
  params: JsonObject,
  options: ElicitOptions,
  signal: AbortSignal,
): Promise<ElicitAnswer> {
  const answer = await answerTo(server, params, options, signal);
  const defaults = params["mode"] === "url" ? {} : defaultsIn(params["requestedSchema"]);
  if (answer.action !== "accept" || Object.keys(defaults).length === 0) return answer;
  return { ...answer, content: { ...defaults, ...answer.content } };
}

function defaultsIn(schema: unknown): JsonObject {
  const properties = isObject(schema) && isObject(schema["properties"]) ? Object.entries(schema["properties"]) : [];
  return Object.fromEntries(
    properties.flatMap(([name, field]) =>
      isObject(field) && field["default"] !== undefined ? [[name, field["default"] as Json]] : [],
    ),
  );
}

async function answerTo(
  server: string,
  params: JsonObject,
  { fire, person }: ElicitOptions,
  signal: AbortSignal,
): Promise<ElicitAnswer> {
  const mode = params["mode"] === "url" ? ("url" as const) : ("form" as const);
  if (mode === "url" && !isWebPage(textOf(params["url"]))) return DECLINED;
  if (isDeeperThan(MAX_DEPTH, params) || JSON.stringify(params).length > MAX_LENGTH) return DECLINED;
  const id = mode === "url" ? { elicitation_id: textOf(params["elicitationId"]) } : {};
  const about = {
    mcp_server_name: server,
    message: textOf(params["message"]),
    mode,
    ...(mode === "url" ? { url: textOf(params["url"]), ...id } : {}),
    ...(isObject(params["requestedSchema"]) ? { requested_schema: params["requestedSchema"] as JsonObject } : {}),
  };
  const asked = await fire("Elicitation", about, signal);
  const byHook = asked.verdict === "deny" ? DECLINED : answerIn(asked.fields);
  if (byHook) return byHook;
  if (!person) return { action: "cancel" };
  const { properties } = isObject(params["requestedSchema"]) ? params["requestedSchema"] : {};
  const order = isObject(properties) ? { property_order: Object.keys(properties) } : {};
  const answer = answerIn(await person({ subtype: "elicitation", ...about, ...order }, signal)) ?? DECLINED;
  const { action, content } = answer;
  const checked = await fire(
    "ElicitationResult",
    { mcp_server_name: server, mode, ...id, action, ...(content ? { content } : {}) },
    signal,
  );
  if (checked.verdict === "deny") return DECLINED;
  return answerIn(checked.fields) ?? answer;
}

/**
 * Whoever shows the address may open it, and systems know more kinds than these. With a user name, an address looks like
 * one of another host: `https://bank.example@evil.example`.
 */
function isWebPage(address: string): boolean {
  const url = URL.parse(address);
  return url !== null && /^https?:$/.test(url.protocol) && url.username === "" && url.password === "";
}

const DECLINED: ElicitAnswer = { action: "decline" };

export const isElicitationAnswer = (value: unknown): boolean => answerIn(value) !== undefined;

function answerIn(value: unknown): ElicitAnswer | undefined {
  if (!isObject(value) || !ACTIONS.includes(value["action"])) return undefined;
  const action = value["action"] as ElicitAnswer["action"];
  const { content } = value;
  return { action, ...(action === "accept" && isObject(content) ? { content: content as JsonObject } : {}) };
}

const textOf = (value: unknown) => (typeof value === "string" ? value : "");
