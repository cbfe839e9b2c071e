// What the official schema says of a message that we send. Every message of every test goes through it.

import published from "@agentclientprotocol/sdk/schema/v1/schema.json" with { type: "json" };
import { z } from "zod";

type Definition = Readonly<Record<string, unknown>>;

const definitions = Object.entries(published.$defs as Readonly<Record<string, Definition>>);

/** The definition of what one side sends for a method. */
function definitionOf(
  kind: "Request" | "Response" | "Notification",
  side: string,
  method: string,
): z.ZodType | undefined {
  const found = definitions.find(
    ([name, { "x-side": of, "x-method": its }]) => its === method && of === side && name.endsWith(kind),
  );
  if (found === undefined) return undefined;
  const { $schema, $defs }: any = published;
  return z.fromJSONSchema({ $schema, $defs, $ref: `#/$defs/${found[0]}` });
}

const schemas = new Map<string, z.ZodType | undefined>();

function schemaOf(...about: Parameters<typeof definitionOf>): z.ZodType | undefined {
  const key = about.join(" ");
  if (!schemas.has(key)) schemas.set(key, definitionOf(...about));
  return schemas.get(key);
}

/** Why a message of ours does not fit; undefined if it does. `asked`: the method of the request with this id. */
export function schemaProblem(message: any, asked: (id: unknown) => string | undefined): string | undefined {
  if (message?.jsonrpc !== "2.0") return `no JSON-RPC 2.0: ${JSON.stringify(message)}`;
  const { id, method, params, result, error } = message;
  if (error !== undefined) {
    return Number.isInteger(error.code) && typeof error.message === "string" ? undefined : "a wrong error";
  }
  const isReply = method === undefined;
  const name = isReply ? asked(id) : method;
  const kind = isReply ? "Response" : id === undefined ? "Notification" : "Request";
  const side = isReply ? "agent" : name === "$/cancel_request" ? "protocol" : "client";
  const schema = name === undefined ? undefined : schemaOf(kind, side, name);
  if (schema === undefined) return `not of the protocol: ${JSON.stringify(message).slice(0, 300)}`;
  const read = schema.safeParse(isReply ? result : params);
  return read.success ? undefined : `${name}: ${read.error.message} in ${JSON.stringify(message).slice(0, 600)}`;
}
