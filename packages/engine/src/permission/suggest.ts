// What a person could answer besides yes and no: the rule or mode that would make the question unnecessary.

import { dirname } from "node:path/posix";
import type { PermissionUpdate } from "@keelson/protocol";
import type { SimpleCommand } from "./command.ts";

export function suggestTool(tool: string): PermissionUpdate[] {
  return [{ type: "addRules", rules: [{ toolName: tool }], behavior: "allow", destination: "localSettings" }];
}

/** Reading everything in a folder outside, for this session. Search tools name the folder itself. */
export function suggestDirectory(path: string, tool: string): PermissionUpdate[] {
  const folder = tool === "Glob" || tool === "Grep" ? path : dirname(path);
  if (folder === "/") return [];
  const rules = [{ toolName: "Read", ruleContent: `/${folder}/**` }];
  return [{ type: "addRules", rules, behavior: "allow", destination: "session" }];
}

export function suggestEdits(path: string, inside: boolean): PermissionUpdate[] {
  const mode: PermissionUpdate = { type: "setMode", mode: "acceptEdits", destination: "session" };
  if (inside) return [mode];
  return [mode, { type: "addDirectories", directories: [dirname(path)], destination: "session" }];
}

/** Programs whose second word says what they do. */
const FAMILIES = new Set(
  "bun cargo docker gh git go kubectl make npm pip pip3 pnpm poetry terraform uv yarn".split(" "),
);

const MOST_RULES = 5;

/** One rule for each part; none when a part could not be allowed by rule anyway. */
export function suggestCommands(parts: readonly SimpleCommand[]): PermissionUpdate[] {
  const rules = [...new Set(parts.map(ruleFor))];
  if (rules.length === 0 || rules.length > MOST_RULES || rules.includes(undefined)) return [];
  return [
    {
      type: "addRules",
      rules: rules.map((ruleContent) => ({ toolName: "Bash", ruleContent })),
      behavior: "allow",
      destination: "localSettings",
    },
  ];
}

function ruleFor({ words, text, within, opaque }: SimpleCommand): string | undefined {
  const [program, second] = words;
  if (program === undefined || within.length > 0 || opaque || words.some((word) => word.kind === "unknown"))
    return undefined;
  if (FAMILIES.has(program.value) && second?.kind === "literal" && /^[a-z][a-z-]*$/.test(second.value)) {
    return `${program.value} ${second.value} *`;
  }
  // A text with a star would be read as a pattern.
  return /[*\n]/.test(text) || text.length > 200 ? undefined : text;
}
