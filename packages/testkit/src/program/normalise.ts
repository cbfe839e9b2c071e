// Makes two runs comparable: replaces what differs from run to run with placeholders, numbered by first appearance.
// Works on parsed values (messages, entries, requests) and on plain text.

import { isObject } from "@keelson/protocol";

export interface Volatile {
  /** A temporary home: its folders become `<home>`, `<project>` and `<root>`. */
  readonly home?: { readonly home: string; readonly project: string; readonly root: string };
  /** Directories by placeholder name: `{ home: "/tmp/x/home" }` makes that path `<home>`. */
  readonly paths?: Readonly<Record<string, string>>;
}

/** Normalizes one value on its own. */
export function normalise<T>(value: T, volatile: Volatile = {}): T {
  return normaliser(volatile)(value);
}

/** Returns a function that keeps counting: the same id gets the same placeholder in everything it is given. */
export function normaliser(volatile: Volatile = {}): <T>(value: T) => T {
  const names = new Map<string, string>();
  const counts = new Map<string, number>();
  const nameOf = (kind: string, found: string) => {
    const key = `${kind} ${found.toLowerCase()}`;
    const known = names.get(key);
    if (known) return known;
    const count = (counts.get(kind) ?? 0) + 1;
    counts.set(kind, count);
    const name = `<${kind}-${count}>`;
    names.set(key, name);
    return name;
  };
  const { home, project, root } = volatile.home ?? {};
  const paths = pathsOf({ home, project, root, ...volatile.paths });

  const text = (value: string): string => {
    let result = value;
    for (const [path, name] of paths) result = result.replaceAll(path, name);
    for (const [pattern, name] of FIXED) result = result.replace(pattern, name);
    for (const [pattern, kind] of NUMBERED) result = result.replace(pattern, (found) => nameOf(kind, found));
    return result;
  };
  const walk = (value: unknown, key: string): unknown => {
    if (typeof value === "string") return fieldText(key, value) ?? text(value);
    if (typeof value === "number") return fieldNumber(key, value);
    if (Array.isArray(value)) return value.map((item) => walk(item, key));
    if (!isObject(value)) return value;
    return Object.fromEntries(Object.entries(value).map(([name, inner]) => [text(name), walk(inner, name)]));
  };
  return <T>(value: T) => walk(value, "") as T;
}

// Longest first, so a project inside the home is not replaced as part of it. A transcript folder is named after its
// project, with everything but letters and digits replaced by dashes; that form is replaced too.
function pathsOf(paths: Readonly<Record<string, string | undefined>>): readonly (readonly [string, string])[] {
  return Object.entries(paths)
    .flatMap(([name, path]) =>
      path === undefined
        ? []
        : [[path, `<${name}>`] as const, [path.replace(/[^a-zA-Z0-9]/g, "-"), `<${name}-key>`] as const],
    )
    .sort(([a], [b]) => b.length - a.length);
}

const FIXED: readonly (readonly [RegExp, string])[] = [
  [/\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:?\d\d)/g, "<time>"],
  [/(?<=\bdate\b[^.\n]{0,20})\b\d{4}-\d\d-\d\d\b/gi, "<date>"],
  [/(?<=\b(?:127\.0\.0\.1|localhost|\[::1\]):)\d+/g, "<port>"],
  [/(?<=\b(?:claude-cli|claude-code|keelson|bun)\/)\d+\.\d+\.\d+[\w.-]*/gi, "<version>"],
];

const NUMBERED: readonly (readonly [RegExp, string])[] = [
  [/\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b/gi, "uuid"],
  [/\bmsg_\w+/g, "message"],
  [/\b(?:toolu|call)_\w+/g, "call"],
  [/\breq_\w+/g, "request"],
  [/\ba[0-9a-f]{16}\b/g, "agent"],
  [/\b[0-9a-f]{64}\b/g, "hash"],
];

function fieldText(key: string, value: string): string | undefined {
  if (/version/i.test(key) && /^v?\d+\.\d+\.\d+/.test(value)) return "<version>";
  return key.toLowerCase() === "content-length" ? "<length>" : undefined;
}

// Milliseconds since 1970 between 2017 and 2096: no count or price is that large.
const isEpoch = (value: number) => value > 1.5e12 && value < 4e12;

function fieldNumber(key: string, value: number): unknown {
  if (/duration|elapsed/i.test(key) || /(?:_ms|Ms|MS)$/.test(key)) return "<duration>";
  if (key === "pid") return "<pid>";
  if (key === "at" || isEpoch(value)) return "<time>";
  return value;
}
