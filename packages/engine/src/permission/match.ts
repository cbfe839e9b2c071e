// Whether a rule speaks about a tool or a path. Deny and ask take the wider reading, allow the narrower one.
// Commands have their own reading: `match-command.ts`.

import { basename, relative } from "node:path/posix";
import ignore, { type Ignore } from "ignore";
import { absolute } from "./paths.ts";
import type { Rule } from "./rule.ts";
import { overlap, wildcard } from "./wildcard.ts";

/** Where patterns are anchored. */
export interface Anchors {
  readonly cwd: string;
  readonly home: string;
  /** The working directories; the first is where the session was started. */
  readonly directories: readonly string[];
  /** Patterns made ready, for as long as one decision lasts: the matcher remembers every path it has seen. */
  readonly matchers?: Map<string, Ignore>;
}

const READ_FAMILY = new Set(["Read", "Glob", "Grep"]);
const EDIT_FAMILY = new Set(["Edit", "Write", "NotebookEdit"]);
const SAME: Readonly<Record<string, string>> = { Agent: "Task", Task: "Agent" };

/** Whether a rule names the tool itself, with or without parentheses. `mcp__server` stands for all its tools. */
export function namesTool(rule: Rule, tool: string): boolean {
  if (rule.tool === tool || SAME[rule.tool] === tool) return true;
  if (tool.startsWith("mcp__") && !rule.tool.includes("*"))
    return tool.startsWith(`${rule.tool}__`) && rule.tool.split("__").length === 2;
  if (!rule.tool.includes("*")) return false;
  // An allow pattern must name the server; `mcp__*` would allow servers nobody has seen yet.
  if (rule.behavior === "allow" && !/^mcp__[^*]+?__/.test(rule.tool)) return false;
  return wildcard(rule.tool, tool);
}

/** A rule without parentheses that covers the tool whole. */
export function coversTool(rule: Rule, tool: string): boolean {
  return rule.content === undefined && namesTool(rule, tool);
}

/** Whether a path rule governs this use of files. */
export function governs(rule: Rule, use: "read" | "edit", tool: string): boolean {
  if (rule.content === undefined) return false;
  if (use === "read" && rule.tool === "Read") return true;
  if (use === "edit" && rule.tool === "Edit") return true;
  if (rule.behavior === "allow") return false;
  // What may not be read may not be rewritten either; `Write(x)` and `Grep(x)` count when they forbid.
  if (use === "edit") return rule.tool === "Read" || (EDIT_FAMILY.has(rule.tool) && rule.tool === tool);
  return READ_FAMILY.has(rule.tool) && rule.tool === tool;
}

/** `Tool(param:value)` on a top-level scalar of the input; only for rules that forbid or ask. */
export function matchesParameter(rule: Rule, tool: string, input: Readonly<Record<string, unknown>>): boolean {
  if (rule.behavior === "allow" || rule.content === undefined || !namesTool(rule, tool)) return false;
  const colon = rule.content.indexOf(":");
  const value = colon > 0 ? input[rule.content.slice(0, colon)] : undefined;
  if (typeof value !== "string" && typeof value !== "number" && typeof value !== "boolean") return false;
  return wildcard(rule.content.slice(colon + 1).trim(), String(value));
}

/** Whether the pattern covers the path. Several bases for deny and ask: the shell may have moved since they were written. */
export function matchesPath(rule: Rule, path: string, anchors: Anchors): boolean {
  return anchored(rule, anchors).some(({ base, pattern }) => {
    const name = relative(absolute("/", base), path);
    if (name === ".." || name.startsWith("../")) return false;
    const strict = rule.behavior !== "allow";
    const matcher = matcherOf(pattern, strict, anchors.matchers);
    if (name !== "" && matcher.ignores(name)) return true;
    // A folder is denied when all that lies in it is.
    return strict && matcher.ignores(`${name === "" ? "" : `${name}/`}${PROBE}`);
  });
}

function matcherOf(pattern: string, strict: boolean, matchers?: Map<string, Ignore>): Ignore {
  const key = `${strict ? "strict" : "exact"} ${pattern}`;
  let matcher = matchers?.get(key);
  if (matcher === undefined) {
    matcher = ignore({ ignorecase: strict }).add({ pattern });
    matchers?.set(key, matcher);
  }
  return matcher;
}

/** Whether a file name pattern of the shell could reach something the rule forbids. */
export function mayMatchPattern(rule: Rule, pattern: string, anchors: Anchors): boolean {
  return anchored(rule, anchors).some((each) => {
    const target = basename(each.pattern.replace(/\/\*\*$/, "").replace(/\/$/, "")) || "*";
    const fits = pattern.split("/").some((segment) => {
      // `*` does not reach hidden files.
      if (target.startsWith(".") && /^[*?[]/.test(segment)) return false;
      return segment !== "" && /[*?[]/.test(segment) && overlap(segment, target);
    });
    return fits;
  });
}

/** The folder a pattern of file names starts from: what stands before its first wildcard. */
export function patternFolder(pattern: string): string {
  const segments = pattern.split("/");
  const first = segments.findIndex((segment) => /(^|[^\\])[*?[]/.test(segment));
  const fixed = first < 0 ? segments : segments.slice(0, first);
  return fixed.join("/").replace(/\\(.)/g, "$1") || "/";
}

/** A name no rule is about: stands for "anything in this folder". */
const PROBE = "keelson-probe-0";

function anchored(rule: Rule, { cwd, home, directories }: Anchors): { base: string; pattern: string }[] {
  const content = rule.content?.trim() ?? "";
  // Negations and comments are part of the file format, not of a rule.
  if (content === "" || content.startsWith("!") || content.startsWith("#")) return [];
  if (content.startsWith("//")) return [{ base: "/", pattern: content.slice(1) }];
  if (content === "~" || content.startsWith("~/")) return [{ base: home, pattern: content.slice(1) || "/**" }];
  if (content.startsWith("/")) return [{ base: rule.base, pattern: content }];

  const relativePattern = content.replace(/^(\.\/)+/, "");
  if (relativePattern.startsWith("../")) return upwards(relativePattern, directories[0] ?? cwd);
  const single = !relativePattern.replace(/\/(\*\*)?$/, "").includes("/");
  if (rule.behavior === "allow") {
    return [{ base: directories[0] ?? cwd, pattern: single ? `/${relativePattern}` : relativePattern }];
  }
  const pattern = single && relativePattern.includes("/") ? `**/${relativePattern}` : relativePattern;
  return [...new Set([cwd, ...directories])].map((base) => ({ base, pattern }));
}

function upwards(pattern: string, base: string): { base: string; pattern: string }[] {
  const rest = pattern.replace(/^(\.\.\/)+/, "");
  const up = pattern.slice(0, pattern.length - rest.length);
  return rest === "" ? [] : [{ base: absolute(base, up), pattern: `/${rest}` }];
}
