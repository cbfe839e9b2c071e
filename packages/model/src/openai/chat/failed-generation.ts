// Calls that a model wrote in words its server does not understand. Groq refuses such a reply and sends its text with the
// error (`failed_generation`); the calls are read out of it. Pure.

import { isObject, tryParse } from "@keelson/protocol";
import { ObjectScanner } from "../shared/arguments.ts";

export interface RefusedCall {
  readonly name: string;
  /** As JSON text. */
  readonly arguments: string;
}

// <function=Read>{…}</function>, <function=Read{…}>, <function=Read={…}>, <function(Read){…}>
const TAGGED = /<\|?function[=(:\s]+["']?([\w.:-]+)["']?[^{<]*(?=[{<]|$)/g;

/** The calls in a text; empty if there are none. */
export function refusedCalls(text: string): readonly RefusedCall[] {
  const tagged = [...text.matchAll(TAGGED)].map((match) => ({
    name: match[1]!,
    arguments: objectAt(text, match.index + match[0].length) ?? "{}",
  }));
  if (tagged.length > 0) return tagged;
  return objectsIn(text).flatMap(callsOf);
}

/** The JSON object that begins here. */
function objectAt(text: string, start: number): string | undefined {
  if (text[start] !== "{") return undefined;
  const rest = text.slice(start);
  const end = new ObjectScanner().push(rest);
  return end < 0 ? undefined : rest.slice(0, end);
}

/** Every JSON object or list in a text, from left to right. */
function objectsIn(text: string): readonly unknown[] {
  const found: unknown[] = [];
  for (let at = text.search(/[{[]/); at >= 0 && at < text.length;) {
    const rest = text.slice(at);
    const end = new ObjectScanner().push(rest);
    const value = end < 0 ? undefined : tryParse(rest.slice(0, end));
    if (value !== undefined) found.push(value);
    const from = at + (value === undefined ? 1 : end);
    const next = text.slice(from).search(/[{[]/);
    at = next < 0 ? -1 : from + next;
    if (found.length > MOST_CALLS) break;
  }
  return found;
}

const MOST_CALLS = 100;

/** `{name, arguments}`, `{name, parameters}`, `{function: {…}}`, and lists of them, also under `tool_calls`. */
function callsOf(value: unknown): readonly RefusedCall[] {
  if (Array.isArray(value)) return value.flatMap(callsOf);
  if (!isObject(value)) return [];
  if (Array.isArray(value["tool_calls"])) return value["tool_calls"].flatMap(callsOf);
  if (isObject(value["function"])) return callsOf(value["function"]);
  const { name, arguments: given = value["parameters"] ?? value["input"] } = value;
  // Other data may have a name too.
  if (typeof name !== "string" || name === "" || given === undefined) return [];
  return [{ name, arguments: typeof given === "string" ? given : JSON.stringify(given) }];
}
