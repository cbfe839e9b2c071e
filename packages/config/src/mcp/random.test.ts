// Random `.mcp.json` files: the configuration loads, every server is accounted for, and no secret reaches an address.

import { expect, test } from "bun:test";
import { mcpWorld } from "./world.test-support.ts";

const SECRET = "ghp_secret";
const TEXTS = [
  "",
  "x",
  "${GITHUB_TOKEN}",
  "${GITHUB_TOKEN:-d}",
  "${HOME}",
  "${",
  "a\u202eb",
  "https://a.test/${GITHUB_TOKEN}",
  "wss://b.test/",
  "\r\n",
];
const TYPES = [
  "stdio",
  "http",
  "sse",
  "ws",
  "streamable-http",
  "sdk",
  "claudeai-proxy",
  "constructor",
  undefined,
  7,
  null,
];
const NAMES = ["a", "a b", "a.b", "a__b", "a_", "__proto__", "toString", "workspace", "\u0000", "日本"];

/** Mulberry32: the same sequence on every machine. */
function random(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

test.each([1, 2, 3, 4])("random files with seed %i", (seed) => {
  using world = mcpWorld();
  const next = random(seed);
  const pick = <T>(items: readonly T[]): T => items[Math.floor(next() * items.length)]!;
  const value = (depth = 0): unknown => {
    const kind = Math.floor(next() * (depth > 2 ? 4 : 6));
    if (kind < 2) return pick(TEXTS);
    if (kind === 2) return pick([0, -1, 5_000, 1e308, true, false]);
    if (kind === 3) return pick([null, undefined]);
    if (kind === 4) return Array.from({ length: Math.floor(next() * 4) }, () => value(depth + 1));
    return Object.fromEntries([...TEXTS.slice(1, 3), "X-A"].map((name) => [name, value(depth + 1)]));
  };
  const FIELDS = [
    "command",
    "args",
    "env",
    "url",
    "headers",
    "headersHelper",
    "oauth",
    "timeout",
    "alwaysLoad",
    "tools",
  ];
  for (let round = 0; round < 100; round++) {
    const servers = NAMES.filter(() => next() < 0.6).map((name) => {
      const fields = FIELDS.filter(() => next() < 0.5).map((field) => [field, next() < 0.6 ? pick(TEXTS) : value()]);
      return [name, next() < 0.05 ? value() : Object.fromEntries([["type", pick(TYPES)], ...fields])] as const;
    });
    world.shared(Object.fromEntries(servers));
    const { mcp, warnings } = world.start({}, { env: { GITHUB_TOKEN: SECRET, HOME: "/h" } });
    const found = [...mcp.servers, ...mcp.unused].map(({ name }) => name);
    // What JSON leaves out (undefined) is not there.
    const written = Object.keys(JSON.parse(JSON.stringify(Object.fromEntries(servers))) as object);
    expect(found.toSorted()).toEqual(written.toSorted());
    const remote = mcp.servers.filter(({ config }) => config.type !== "stdio");
    expect(JSON.stringify([remote, warnings])).not.toContain(SECRET);
    expect(mcp.servers.some(({ config }) => "headersHelper" in config || "tools" in config)).toBe(false);
  }
});
