// What the official schema says of a message that we send. Every message of every test goes through it.

import published from "@agentclientprotocol/sdk/schema/v1/schema.json" with { type: "json" };
import { faultsOf } from "../../../packages/acp/src/schema/official.test-support.ts";

type Definition = Readonly<Record<string, unknown>>;

const definitions = Object.entries(published.$defs as Readonly<Record<string, Definition>>);

/** The name of what one side sends for a method. */
const typeOf = (kind: "Request" | "Response" | "Notification", side: string, method: string): string | undefined =>
  definitions.find(
    ([name, { "x-side": of, "x-method": its }]) => its === method && of === side && name.endsWith(kind),
  )?.[0];

/** Why a message of ours does not fit; undefined if it does. `asked`: the method of the request with this id. */
export function schemaProblem(message: any, asked: (id: unknown) => string | undefined): string | undefined {
  if (message?.jsonrpc !== "2.0") return `no JSON-RPC 2.0: ${JSON.stringify(message)}`;
  const { id, method, params, result, error } = message;
  if (error !== undefined) {
    return Number.isInteger(error.code) && typeof error.message === "string" ? undefined : "a wrong error";
  }
  const isReply = method === undefined;
  const name = isReply ? asked(id) : method;
  // Replies to methods that are not of the protocol.
  if (isReply && name?.startsWith("_") === true) return undefined;
  const kind = isReply ? "Response" : id === undefined ? "Notification" : "Request";
  const side = isReply ? "agent" : name === "$/cancel_request" ? "protocol" : "client";
  const type = name === undefined ? undefined : typeOf(kind, side, name);
  if (type === undefined) return `not of the protocol: ${JSON.stringify(message).slice(0, 300)}`;
  const faults = faultsOf(type, isReply ? result : params);
  return faults.length === 0 ? undefined : `${name}: ${faults.join("; ")} in ${JSON.stringify(message).slice(0, 600)}`;
}
