// Names of MCP servers: which are accepted, and when two of them are the same to permission rules. Pure.

/** The server's part of a tool name, which rules match: `my srv.x` becomes `my_srv_x`. */
export function ruleName(name: string): string {
  return name.replace(/[^a-zA-Z0-9_-]/g, "_");
}

/**
 * Whether a tool of one server may have the same full name as a tool of the other, and so be covered by its rules:
 * `mcp__a__b__t` is tool `b__t` of `a`, and tool `t` of `a__b`.
 */
export function mayShareRules(one: string, other: string): boolean {
  const [a, b] = [`${ruleName(one)}__`, `${ruleName(other)}__`];
  return a.startsWith(b) || b.startsWith(a);
}

const MAX_LENGTH = 200;
/** Servers that programs built on the reference provide themselves. */
const RESERVED: ReadonlySet<string> = new Set(
  ["workspace", "claude-in-chrome", "computer-use", "Claude Preview", "Claude Browser", "__proto__"].map(folded),
);
/** Control and format characters, and what stands for no character at all. Spaces and dots are fine. */
const INVISIBLE = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/u;

/** Why a server cannot have this name; undefined if it can. */
export function nameProblem(name: string): string | undefined {
  if (name.trim() === "") return "has an empty name";
  if (name.length > MAX_LENGTH) return `has a name longer than ${MAX_LENGTH} characters`;
  if (INVISIBLE.test(name)) return "has invisible characters in its name";
  // The model reads names between tags.
  if (/[<>]/.test(name)) return 'has "<" or ">" in its name';
  return RESERVED.has(folded(name)) ? "has a reserved name; use another one" : undefined;
}

function folded(name: string): string {
  return ruleName(name).toLowerCase();
}
