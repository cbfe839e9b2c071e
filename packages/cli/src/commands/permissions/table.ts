// Reads a table of calls and expected verdicts, as lines or as JSON. Pure.

import { jsonProblem } from "../../args/flag-values.ts";
import { isObject, isPermissionMode, type JsonObject, type PermissionMode } from "@keelson/protocol";
import type { Explanation } from "@keelson/runtime/explain";
import { parseCall } from "./call.ts";

export interface Case {
  /** `file:line`, or `file[index]` in JSON. */
  readonly where: string;
  /** The call as written. */
  readonly text: string;
  readonly tool: string;
  readonly input: JsonObject;
  readonly expected: Explanation["verdict"];
  readonly mode?: PermissionMode;
}

export type Table =
  { readonly ok: true; readonly cases: readonly Case[] } | { readonly ok: false; readonly message: string };

const MOST_CASES = 20_000;

/** One invalid line rejects the whole table: a test that was not run must not pass. */
export function readTable(text: string, file: string): Table {
  try {
    const cases = isJson(text) ? fromJson(text, file) : fromLines(text, file);
    if (cases.length === 0) throw new Mistake(`${file} contains no calls`);
    if (cases.length > MOST_CASES) throw new Mistake(`${file} contains more than ${MOST_CASES} calls`);
    return { ok: true, cases };
  } catch (error) {
    if (error instanceof Mistake) return { ok: false, message: error.message };
    throw error;
  }
}

class Mistake extends Error {}

/** Decided by the first character that is neither white space nor part of a comment. */
function isJson(text: string): boolean {
  const comment = /\s*(?:\/\/[^\n]*|\/\*[\s\S]*?\*\/)/y;
  let at = 0;
  while (comment.test(text)) at = comment.lastIndex;
  return /^\s*[[{]/.test(text.slice(at));
}

function fromLines(text: string, file: string): Case[] {
  let mode: PermissionMode | undefined;
  return text.split("\n").flatMap((raw, at) => {
    const where = `${file}:${at + 1}`;
    const line = raw.trim();
    if (line === "" || line.startsWith("#")) return [];
    const section = /^mode:\s*(\S+)$/.exec(line)?.[1];
    if (section !== undefined) {
      mode = modeOf(section, where);
      return [];
    }
    const [, expected, call] = /^(\S+)\s+(.+)$/.exec(line) ?? [];
    if (call === undefined)
      throw new Mistake(`${where}: expected a verdict and a call, such as "allow Bash(npm test)"`);
    return [caseOf(where, call, verdictOf(expected, where), mode)];
  });
}

/** A list of `{ "call": "Bash(npm test)", "expect": "allow" }`, or with `tool` and `input`, and optionally `mode`. */
function fromJson(text: string, file: string): Case[] {
  let value: unknown;
  try {
    value = Bun.JSONC.parse(text);
  } catch (error) {
    throw new Mistake(`${file} is not valid JSON: ${jsonProblem(error)}`);
  }
  const shared = isObject(value) ? value["mode"] : undefined;
  const list = isObject(value) ? value["calls"] : value;
  if (!Array.isArray(list)) throw new Mistake(`${file} must be a list of calls, or an object with a list "calls"`);
  return list.map((item: unknown, at) => {
    const where = `${file}[${at}]`;
    if (!isObject(item)) throw new Mistake(`${where}: expected an object with "call" and "expect"`);
    const mode = item["mode"] ?? shared;
    const chosen = mode === undefined ? undefined : modeOf(mode, where);
    const expected = verdictOf(item["expect"], where);
    if (typeof item["call"] === "string") return caseOf(where, item["call"], expected, chosen);
    const { tool, input } = item;
    if (typeof tool !== "string" || !isObject(input)) {
      throw new Mistake(`${where}: expected "call", or "tool" and "input"`);
    }
    const written = `${tool} ${JSON.stringify(input)}`;
    return { where, text: written, tool, input: input as JsonObject, expected, ...(chosen && { mode: chosen }) };
  });
}

function caseOf(where: string, text: string, expected: Case["expected"], mode: PermissionMode | undefined): Case {
  const parsed = parseCall(text);
  if (!parsed.ok) throw new Mistake(`${where}: ${parsed.message}`);
  return { where, text, ...parsed.call, expected, ...(mode && { mode }) };
}

function verdictOf(value: unknown, where: string): Case["expected"] {
  if (value === "allow" || value === "ask" || value === "deny") return value;
  throw new Mistake(`${where}: invalid verdict "${String(value)}"; use allow, ask or deny`);
}

function modeOf(value: unknown, where: string): PermissionMode {
  const mode = value === "manual" ? "default" : value;
  if (isPermissionMode(mode)) return mode;
  throw new Mistake(`${where}: invalid permission mode "${String(value)}"`);
}
