// Agents that a client or the command line describes as JSON: `{ "name": { "description": …, "prompt": … } }`.

import { isObject, type JsonObject } from "@keelson/protocol";
import type { HeadMap, HeadNode } from "../skills/frontmatter/head-node.ts";
import type { AgentPage } from "./facts.ts";

export interface JsonAgent {
  readonly name: string;
  /** The fields as if they were in a frontmatter, `name` among them. */
  readonly fields: AgentPage["fields"];
  readonly prompt: string;
}

const MOST_AGENTS = 1_000;
const LONGEST_PROMPT = 1024 * 1024;

/** Why an entry is not an agent is reported with its name. */
export function agentsInJson(given: JsonObject, refuse: (name: string, why: string) => void): readonly JsonAgent[] {
  const entries = Object.entries(given);
  if (entries.length > MOST_AGENTS) refuse("", `there are more than ${MOST_AGENTS} agents; only the first are used`);
  return entries.slice(0, MOST_AGENTS).flatMap(([name, value]) => {
    if (!isObject(value)) return refused(refuse, name, "it is not an object");
    const { prompt, ...rest } = value;
    if (typeof prompt !== "string") return refused(refuse, name, "it has no `prompt`; add one");
    if (prompt.length > LONGEST_PROMPT) return refused(refuse, name, "its `prompt` is longer than 1 MiB; shorten it");
    const node = nodeOf({ ...rest, name });
    return node?.kind === "map" ? [{ name, fields: node.entries, prompt: prompt.toWellFormed() }] : [];
  });
}

function refused(refuse: (name: string, why: string) => void, name: string, why: string): readonly [] {
  refuse(name, why);
  return [];
}

const DEEPEST = 16;

/** Undefined for null, and for what is nested too deeply. */
function nodeOf(value: unknown, depth = 0): HeadNode | undefined {
  if (value === null || value === undefined || depth > DEEPEST) return undefined;
  if (typeof value === "string") return { kind: "text", text: value, quoted: true, line: 1 };
  if (Array.isArray(value))
    return { kind: "list", items: value.flatMap((item) => nodeOf(item, depth + 1) ?? []), line: 1 };
  if (typeof value !== "object") return { kind: "text", text: String(value), quoted: false, line: 1 };
  const entries: HeadMap["entries"] = new Map(
    Object.entries(value).flatMap(([key, item]) => {
      const node = nodeOf(item, depth + 1);
      return node === undefined ? [] : [[key, node] as const];
    }),
  );
  return { kind: "map", entries, line: 1 };
}
