// Reads and parses one settings file: regular files up to a size limit; comments and trailing commas are allowed.

import { closeSync, constants, fstatSync, openSync, readFileSync } from "node:fs";
import { isObject } from "@keelson/protocol";
import { repeatsRuleKey, salvageRules, type Salvaged } from "./salvage.ts";

export type Reading =
  | { readonly kind: "missing" }
  | { readonly kind: "broken"; readonly problem: string; readonly salvaged?: Salvaged }
  | {
      readonly kind: "read";
      readonly value: Record<string, unknown>;
      /** If a key with rules is repeated: the deny and ask rules of all copies. */
      readonly doubled?: Salvaged;
    };

const MAX_BYTES = 4 * 1024 * 1024;
const MAX_DEPTH = 32;

export function readSettingsFile(path: string, options: { readonly maxBytes?: number } = {}): Reading {
  const text = readWholeFile(path, options.maxBytes);
  return typeof text === "string" ? parseSettings(text) : text;
}

export function parseSettings(text: string): Reading {
  const source = text.charCodeAt(0) === 0xfeff ? text.slice(1) : text;
  if (source.trim() === "") return { kind: "read", value: {} };
  const broken = (problem: string): Reading => ({ kind: "broken", problem, salvaged: salvageRules(source) });
  let value: unknown;
  try {
    value = Bun.JSONC.parse(source);
  } catch (error) {
    if (source.replace(/\/\/[^\n]*|\/\*[\s\S]*?\*\//g, "").trim() === "") return { kind: "read", value: {} };
    return broken(`not valid JSON: line ${badLine(source)}: ${plain(error)}`);
  }
  if (!isObject(value)) return broken("not a JSON object");
  if (deeper(value, MAX_DEPTH)) return broken(`nested deeper than ${MAX_DEPTH} levels`);
  return { kind: "read", value, ...(repeatsRuleKey(source) ? { doubled: salvageRules(source) } : {}) };
}

// Opens without blocking and checks the type afterwards, so a FIFO or device cannot hang the start.
export function readWholeFile(
  path: string,
  maxBytes = MAX_BYTES,
  options: { readonly noFollow?: boolean } = {},
): string | Exclude<Reading, { kind: "read" }> {
  let fd: number;
  try {
    const noFollow = options.noFollow ? (constants.O_NOFOLLOW ?? 0) : 0;
    fd = openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0) | noFollow);
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code;
    if (code === "ENOENT" || code === "ENOTDIR") return { kind: "missing" };
    return { kind: "broken", problem: `not readable (${code ?? "unknown error"})` };
  }
  try {
    const stat = fstatSync(fd);
    if (!stat.isFile()) return { kind: "broken", problem: "not a regular file" };
    if (stat.size > maxBytes) return { kind: "broken", problem: `larger than ${maxBytes / 1024 / 1024} MiB` };
    return readFileSync(fd, "utf8");
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code;
    return { kind: "broken", problem: `not readable (${code ?? "unknown error"})` };
  } finally {
    closeSync(fd);
  }
}

// The parser reports no position. As long as the first lines are merely incomplete, they are valid, so the bad line is
// the first one that changes the error.
function badLine(source: string): number {
  const lines = source.split("\n");
  let sound = 0;
  let bad = lines.length;
  while (bad - sound > 1) {
    const middle = (sound + bad) >> 1;
    if (isUnfinished(lines.slice(0, middle).join("\n"))) sound = middle;
    else bad = middle;
  }
  return bad;
}

function isUnfinished(text: string): boolean {
  try {
    Bun.JSONC.parse(text);
    return true;
  } catch (error) {
    return /end of (file|input)/i.test((error as Error).message);
  }
}

const plain = (error: unknown) => (error as Error).message.replace(/^JSONC? Parse error: /, "");

function deeper(value: unknown, levels: number): boolean {
  if (typeof value !== "object" || value === null) return false;
  return levels === 0 || Object.values(value).some((inner) => deeper(inner, levels - 1));
}
