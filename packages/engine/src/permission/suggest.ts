// What a person could answer besides yes and no: a rule or mode that makes the question unnecessary next time. As
// narrow as is useful: this command, or this subcommand of a program that has many.

import { dirname } from "node:path/posix";
import type { PermissionUpdate, RuleValue } from "@keelson/protocol";
import type { SimpleCommand } from "./command/command.ts";
import { isShell } from "./command/wrapper.ts";

export function suggestTool(tool: string): PermissionUpdate[] {
  return [addRules([{ toolName: tool }])];
}

/** Empty for an address without a host. */
export function suggestHost(tool: string, host: string | undefined): PermissionUpdate[] {
  return host === undefined ? [] : [addRules([{ toolName: tool, ruleContent: `domain:${host}` }])];
}

/** The skill as called, and the skill with any arguments. */
export function suggestSkill(tool: string, skill: string): PermissionUpdate[] {
  return [skill, `${skill}:*`].map((ruleContent) => addRules([{ toolName: tool, ruleContent }]));
}

/** Reading everything in an outside folder, for this session. Search tools name the folder itself. */
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

const MOST_RULES = 5;
const LONGEST_RULE = 200;

/** One rule per part; none if any part has none. */
export function suggestCommands(contents: readonly (string | undefined)[]): PermissionUpdate[] {
  const rules = [...new Set(contents)].filter((content) => content !== undefined);
  if (rules.length === 0 || rules.length > MOST_RULES || contents.includes(undefined)) return [];
  return [addRules(rules.map((ruleContent) => ({ toolName: "Bash", ruleContent })))];
}

/** What might allow this part, preferred first: its subcommand with any arguments, or its exact text. */
export function rulesFor({ words, text, within, opaque, redirections }: SimpleCommand): string[] {
  const [program, ...rest] = words;
  if (program === undefined || within.length > 0 || opaque || words.some((word) => word.kind === "unknown")) return [];
  const isFed = redirections.some(({ kind }) => kind === "text" || kind === "read");
  // A rule does not see a program's input: with input, `python` could run any program.
  if (runsCode(program.value) && (isFed || rest.every((word) => word.value.startsWith("-")))) return [];
  const depth = Object.hasOwn(FAMILIES, program.value) ? depthOf(program.value, rest[0]?.value) : 0;
  const path = words.slice(1, depth + 1);
  const isPath = depth > 0 && path.length === depth;
  const isNamed = isPath && path.every((word) => word.kind === "literal" && NAME.test(word.value));
  // A text with a star would be read as a pattern.
  const isExact = !/[*\n]/.test(text) && text.length <= LONGEST_RULE;
  return [
    ...(isNamed ? [`${[program.value, ...path.map((word) => word.value)].join(" ")} *`] : []),
    ...(isExact ? [text] : []),
  ];
}

const NAME = /^[a-z][a-z-]*$/;

/**
 * Programs whose second word says what they do. Under `groups`, the third word does; under `any`, they run anything.
 */
interface Family {
  readonly groups?: readonly string[];
  readonly any?: readonly string[];
}

const FAMILIES: Readonly<Record<string, Family>> = {
  apt: {},
  aws: { groups: ["*"] },
  brew: {},
  bun: { groups: ["pm"], any: ["exec", "run", "x"] },
  bundle: { any: ["exec"] },
  cargo: { any: ["run"] },
  composer: { any: ["exec"] },
  deno: { any: ["eval", "run"] },
  docker: { groups: ["compose", "container", "image", "network", "volume"], any: ["exec", "run"] },
  dotnet: { any: ["exec", "run"] },
  gcloud: { groups: ["*"] },
  gh: { groups: ["issue", "pr", "release", "repo", "run", "workflow"], any: ["alias", "api", "extension"] },
  git: { groups: ["remote", "stash", "worktree"], any: ["bisect", "config", "filter-branch", "rebase", "submodule"] },
  go: { any: ["generate", "run"] },
  gradle: {},
  helm: {},
  kubectl: { groups: ["config", "rollout"], any: ["debug", "exec", "run"] },
  mvn: {},
  npm: { any: ["exec", "explore", "x"] },
  pip: {},
  pip3: {},
  pnpm: { any: ["dlx", "exec"] },
  podman: { groups: ["compose"], any: ["exec", "run"] },
  poetry: { any: ["run"] },
  systemctl: {},
  terraform: { any: ["console"] },
  uv: { groups: ["pip"], any: ["run", "tool"] },
  yarn: { any: ["dlx", "exec"] },
};

/** How many words after the program make a rule; none if the subcommand runs whatever follows it. */
function depthOf(program: string, subcommand: string | undefined): number {
  const { groups = [], any = [] } = FAMILIES[program]!;
  if (subcommand === undefined || any.includes(subcommand)) return 0;
  return groups.includes(subcommand) || groups.includes("*") ? 2 : 1;
}

const INTERPRETERS =
  /^(python|node|bun|deno|ssh|ruby|perl|php|lua|Rscript|osascript|awk|gawk|tclsh|psql|mysql|sqlite3)[\d.]*$/;

function runsCode(program: string): boolean {
  const name = program.slice(program.lastIndexOf("/") + 1);
  return isShell(name) || INTERPRETERS.test(name);
}

function addRules(rules: readonly RuleValue[]): PermissionUpdate {
  return { type: "addRules", rules, behavior: "allow", destination: "localSettings" };
}
