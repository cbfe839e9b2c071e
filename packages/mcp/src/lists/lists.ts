// Reads the lists a server offers: tools, prompts, resources and resource templates. All pages are read, up to limits of
// number, size and time. An invalid entry is skipped and reported; it does not fail the rest.

import { isObject, type JsonObject } from "@keelson/protocol";
import type { Client, RequestLimit } from "../connection/client.ts";
import { plainLine } from "../plain-text.ts";
import { readPrompt, readResource, readResourceTemplate } from "./entries.ts";
import { INTERNAL_ERROR, McpError, METHOD_NOT_FOUND } from "../connection/rpc.ts";
import { readTool } from "../tools/tool-facts.ts";

const MAX_PAGES = 100;
const MAX_ENTRIES = 1_000;
const MAX_PROBLEMS = 20;
/** Of all entries of one list together, in characters of JSON. */
const MAX_LENGTH = 10_000_000;

export interface Listed<T> {
  readonly entries: readonly T[];
  /** One sentence for each thing that was skipped. */
  readonly problems: readonly string[];
}

type Read<T> = T | { readonly problem: string };

interface ListKindOf<T> {
  readonly method: string;
  /** The field of the result. */
  readonly field: string;
  /** What one entry is called. */
  readonly noun: string;
  read(value: unknown): Read<T>;
  /** Two entries with the same key are the same; the first wins. */
  key(entry: T): string;
}

export const TOOLS = listKind("tools/list", "tools", "tool", readTool, ({ name }) => name);
export const PROMPTS = listKind("prompts/list", "prompts", "prompt", readPrompt, ({ name }) => name);
export const RESOURCES = listKind("resources/list", "resources", "resource", readResource, ({ uri }) => uri);
export const TEMPLATES = listKind(
  "resources/templates/list",
  "resourceTemplates",
  "resource template",
  readResourceTemplate,
  ({ uriTemplate }) => uriTemplate,
);

/** Fetches all pages, up to a limit, within one timeout. */
export async function fetchList<T extends object>(
  client: Client,
  kind: ListKindOf<T>,
  { timeoutMs, signal }: RequestLimit,
): Promise<Listed<T>> {
  const until = performance.now() + timeoutMs;
  const reader = createReader(kind);
  const seen = new Set<string>();
  let cursor: string | undefined;
  for (let page = 0; page < MAX_PAGES && !reader.isFull(); page++) {
    const params: JsonObject = cursor === undefined ? {} : { cursor };
    const limit = { timeoutMs: Math.max(1, until - performance.now()), signal };
    const result = await client.request(kind.method, params, limit).catch((error: unknown) => {
      // Some servers announce what they do not have, and many with resources know nothing of templates.
      if (error instanceof McpError && error.code === METHOD_NOT_FOUND) return { [kind.field]: [] };
      throw error;
    });
    if (!isObject(result) || !Array.isArray(result[kind.field])) {
      throw new McpError(INTERNAL_ERROR, `the result of ${kind.method} has no list of ${kind.noun}s`);
    }
    reader.add(result[kind.field] as unknown[]);
    const next: unknown = result["nextCursor"];
    // A cursor we have seen before would make us loop.
    if (typeof next !== "string" || next === "" || seen.has(next)) break;
    seen.add(next);
    cursor = next;
  }
  return reader.result();
}

/** Reads a list that is already here. */
export function readList<T extends object>(kind: ListKindOf<T>, raw: readonly unknown[]): Listed<T> {
  const reader = createReader(kind);
  reader.add(raw);
  return reader.result();
}

function createReader<T extends object>({ noun, read, key }: ListKindOf<T>) {
  const entries = new Map<string, T>();
  const problems = new Set<string>();
  let seen = 0;
  let length = 0;
  const isFull = () => seen > MAX_ENTRIES || length > MAX_LENGTH;
  return {
    isFull,
    add(raw: readonly unknown[]) {
      for (const value of raw) {
        if (isFull() || ++seen > MAX_ENTRIES) return;
        const entry = read(value);
        if ("problem" in entry) {
          problems.add(entry.problem as string);
          continue;
        }
        length += JSON.stringify(entry).length;
        if (length > MAX_LENGTH) return;
        if (!entries.has(key(entry))) entries.set(key(entry), entry);
        else problems.add(`The ${noun} "${plainLine(key(entry), 200)}" is listed twice; using the first`);
      }
    },
    result(): Listed<T> {
      const cut = isFull() ? [`Too many ${noun}s; using the first ${entries.size}`] : [];
      return { entries: [...entries.values()], problems: [...cut, ...problems].slice(0, MAX_PROBLEMS) };
    },
  };
}

function listKind<T extends object>(
  method: string,
  field: string,
  noun: string,
  read: (value: unknown) => Read<T>,
  key: (entry: T) => string,
): ListKindOf<T> {
  return { method, field, noun, read, key };
}
