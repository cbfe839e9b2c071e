// One line of what a client sends: a prompt or a control message. Unknown types are ignored, because newer clients send them;
// invalid JSON is an error.

import { isObject } from "../json.ts";
import { readControlResponse, type ControlRequest } from "./control.ts";
import type { Inbound } from "./session.ts";

/** Invalid input. The message is printed to standard error; the exit code is 1. */
export class InputError extends Error {
  override readonly name = "InputError";
}

/** The longest line a client may send. */
export const LONGEST_INBOUND = 64 * 1024 * 1024;

/** The message in one line; undefined if the line can be ignored. */
export function readInbound(line: string): Inbound | undefined {
  if (line.trim() === "") return undefined;
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch (error) {
    throw unreadable((error as Error).message);
  }
  if (!isObject(value)) return undefined;
  switch (value["type"]) {
    case "user":
      return prompt(value);
    case "control_request":
      return request(value);
    case "control_response":
      return readControlResponse(value);
    case "control_cancel_request":
      return typeof value["request_id"] === "string"
        ? { type: "control_cancel_request", request_id: value["request_id"] }
        : undefined;
    case "update_environment_variables":
      return { type: "update_environment_variables", variables: variablesIn(value["variables"]) };
    default:
      return undefined;
  }
}

function variablesIn(given: unknown): Readonly<Record<string, string>> {
  const usable = ([name, value]: [string, unknown]) =>
    /^[A-Za-z_][A-Za-z0-9_]*$/.test(name) && typeof value === "string" && !value.includes("\0");
  return Object.fromEntries(Object.entries(isObject(given) ? given : {}).filter(usable)) as Record<string, string>;
}

function prompt(value: Record<string, unknown>): Inbound {
  const message = isObject(value["message"]) ? value["message"] : {};
  // The wording of the reference, which clients may look for.
  if (message["role"] !== "user") {
    throw new InputError(`error: Expected message role 'user', got '${String(message["role"])}'`);
  }
  const content = message["content"];
  if (typeof content !== "string" && !(Array.isArray(content) && content.every(isObject))) {
    throw new InputError("error: Expected message content to be a string or a list of content blocks");
  }
  return { parent_tool_use_id: null, ...value } as Inbound;
}

/** A request with an ID gets a reply even if it is malformed; without an ID it is ignored. */
function request({ request_id: id, request: body }: Record<string, unknown>): Inbound | undefined {
  if (typeof id !== "string") return undefined;
  const fields = isObject(body) ? body : {};
  return {
    type: "control_request",
    request_id: id,
    request: { ...fields, subtype: String(fields["subtype"]) } as ControlRequest["request"],
  };
}

// Wrappers look for this sentence of the reference. The line itself is left out: it may contain anything.
export const unreadable = (why: string) => new InputError(`Error parsing streaming input line (${why})`);
