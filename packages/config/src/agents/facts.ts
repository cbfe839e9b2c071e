// What the frontmatter of an agent says, or the object that a client describes it with. A field with a wrong value is
// reported. It has no effect, but a limit that cannot be read lets nothing through.

import { isPermissionMode, PERMISSION_MODES, type AgentDefinition } from "@keelson/protocol";
import type * as NearestWord from "@keelson/protocol/nearest-word";
import type { Mutable } from "../skills/facts.ts";
import { booleanIn, fieldJson, fieldText, patternsIn, wordsIn } from "../skills/frontmatter/field-values.ts";
import type { HeadMap, HeadNode, HeadProblem } from "../skills/frontmatter/head-node.ts";
import { listable } from "../skills/plain.ts";
import { agentServers } from "./servers.ts";

/** What a file says. The caller adds where it comes from. */
export interface AgentFacts {
  /** Empty if it has none. */
  readonly name: string;
  /** Why it is an agent only in a plugin, which can do without a name and a description. */
  readonly lacks?: string;
  /** New for each call, so that it can become the definition. */
  readonly draft: Mutable<
    Omit<AgentDefinition, "name" | "source" | "file" | "prompt" | "hooks" | "plugin" | "untrusted">
  >;
  /** The `hooks` field, not checked yet. */
  readonly hooks?: { readonly value: unknown; readonly line: number };
}

export interface AgentPage {
  readonly fields: HeadMap["entries"];
  report(problem: HeadProblem): void;
}

const LONGEST_DESCRIPTION = 4_000;
const LONGEST_WORD = 200;
const LONGEST_TEXT = 20_000;
const EFFORTS = ["low", "medium", "high", "xhigh", "max"];

export function agentFacts(page: AgentPage): AgentFacts {
  const { fields, report } = page;
  // `[name]` in a template is a list.
  const name = fields.get("name")?.kind === "text" ? (lineIn(fields, "name", LONGEST_WORD) ?? "") : "";
  const description = descriptionIn(fields) ?? "";
  const lacks = name === "" ? "name" : description === "" ? "description" : undefined;
  for (const [key, { line }] of fields) {
    if (FIELDS.includes(key)) continue;
    const meant = LOOKALIKES.get(key) ?? mistyped(key);
    if (meant !== undefined) report({ line, why: `\`${key}\` has no effect; write \`${meant}\`` });
  }
  const draft: AgentFacts["draft"] = {
    description,
    disallowedTools: refusedIn(page),
    skills: namesOf(fields, "skills"),
    mcpServers: agentServers(page),
  };
  const set = <K extends keyof AgentFacts["draft"]>(key: K, value: AgentFacts["draft"][K] | undefined) => {
    if (value !== undefined) draft[key] = value;
  };
  // An empty list means no tools.
  set("tools", fields.has("tools") ? wordsOf(fields, "tools") : undefined);
  set("model", lineIn(fields, "model", LONGEST_WORD));
  set("effort", choiceIn(page, "effort", EFFORTS));
  set("permissionMode", modeIn(page));
  set("maxTurns", countIn(page, "maxTurns"));
  set("maxBudgetUsd", budgetIn(page));
  set("color", lineIn(fields, "color", LONGEST_WORD));
  set("background", flagIn(page, "background"));
  set("isolation", choiceIn(page, "isolation", ["worktree"]));
  set("memory", choiceIn(page, "memory", ["user", "project", "local"]));
  set("initialPrompt", textIn(fields, "initialPrompt"));
  const hooks = fields.get("hooks");
  return {
    name,
    ...(lacks !== undefined && {
      lacks: `it has no \`${lacks}\`, so it is not an agent; add one to its frontmatter`,
    }),
    draft,
    ...(hooks !== undefined && { hooks: { value: fieldJson(hooks), line: hooks.line } }),
  };
}

const GUARDED = ["hooks", "mcpServers", "permissionMode", "memory"];

/** Where the fields are that some agents may not have. */
export function linesOf(fields: AgentPage["fields"]): Readonly<Record<string, number>> {
  return Object.fromEntries(GUARDED.flatMap((key) => (fields.has(key) ? [[key, fields.get(key)!.line]] : [])));
}

/** The fields that only a client may set. */
export function clientFacts({
  fields,
}: AgentPage): Pick<AgentDefinition, "autoCompactWindow" | "criticalReminder" | "omitsInstructions"> {
  const criticalReminder = textIn(fields, "criticalSystemReminder_EXPERIMENTAL");
  const omits = fields.get("omitClaudeMd");
  const window = Number(textIn(fields, "autoCompactWindow"));
  return {
    ...(Number.isSafeInteger(window) && window > 0 && { autoCompactWindow: window }),
    ...(criticalReminder !== undefined && { criticalReminder }),
    ...(omits !== undefined && booleanIn(omits) && { omitsInstructions: true }),
  };
}

function lineIn(fields: AgentPage["fields"], key: string, most: number): string | undefined {
  const node = fields.get(key);
  return (node && listable(fieldText(node), most)) || undefined;
}

/** Many generated files spell line breaks as `\n` in plain text, which YAML takes for two letters. */
function descriptionIn(fields: AgentPage["fields"]): string | undefined {
  const node = fields.get("description");
  return (node && listable(fieldText(node).replaceAll("\\n", "\n"), LONGEST_DESCRIPTION)) || undefined;
}

/** With its line breaks. */
function textIn(fields: AgentPage["fields"], key: string): string | undefined {
  const node = fields.get(key);
  return (node && fieldText(node).replaceAll("\0", "").slice(0, LONGEST_TEXT).toWellFormed().trim()) || undefined;
}

function wordsOf(fields: AgentPage["fields"], key: string): readonly string[] {
  const node = fields.get(key);
  return node === undefined ? [] : wordsIn(node);
}

function namesOf(fields: AgentPage["fields"], key: string): readonly string[] {
  const node = fields.get(key);
  return node === undefined ? [] : patternsIn(node).flatMap((name) => listable(name, LONGEST_WORD) || []);
}

function flagIn(page: AgentPage, key: string): boolean | undefined {
  const node = written(page, key);
  const value = node && booleanIn(node);
  return node && (value ?? odd(page, key, node, "true or false"));
}

function choiceIn<C extends string>(page: AgentPage, key: string, choices: readonly C[]): C | undefined {
  const node = written(page, key);
  const value = node && choices.find((choice) => choice === fieldText(node));
  return node && (value ?? odd(page, key, node, either(choices)));
}

function countIn(page: AgentPage, key: string): number | undefined {
  const node = written(page, key);
  if (node === undefined) return undefined;
  const value = Number(fieldText(node));
  return Number.isSafeInteger(value) && value > 0 ? value : odd(page, key, node, "a number above zero");
}

/** Zero if it cannot be read: the agent is not started. */
function budgetIn(page: AgentPage): number | undefined {
  const node = page.fields.get("maxBudgetUsd");
  if (node === undefined || (fieldText(node) === "" && node.kind === "text")) return undefined;
  const value = Number(fieldText(node) || "none");
  if (Number.isFinite(value) && value > 0) return value;
  page.report({ line: node.line, why: "`maxBudgetUsd` should be an amount above zero; the agent cannot be started" });
  return 0;
}

/** Every tool, if some of it cannot be read. */
function refusedIn({ fields, report }: AgentPage): readonly string[] {
  const node = fields.get("disallowedTools");
  if (node === undefined) return [];
  const words = wordsIn(node);
  const isReadable = node.kind === "text" || (node.kind === "list" && node.items.every(({ kind }) => kind === "text"));
  if (isReadable) return words;
  report({
    line: node.line,
    why: "`disallowedTools` should be a list of tools; until this is fixed, the agent has no tools",
  });
  return [...words, "*"];
}

function modeIn(page: AgentPage): AgentDefinition["permissionMode"] {
  const node = written(page, "permissionMode");
  if (node === undefined) return undefined;
  const value = fieldText(node);
  // Not a mode: it asks for what every agent may do, to ask in the background.
  if (value === "bubble") return undefined;
  return isPermissionMode(value) ? value : odd(page, "permissionMode", node, either(PERMISSION_MODES));
}

/** A field without a value counts as absent. */
function written({ fields }: AgentPage, key: string): HeadNode | undefined {
  const node = fields.get(key);
  return node === undefined || fieldText(node) === "" ? undefined : node;
}

function odd({ report }: AgentPage, key: string, { line }: HeadNode, wanted: string): undefined {
  report({ line, why: `\`${key}\` should be ${wanted}; it has no effect` });
  return undefined;
}

const either = (choices: readonly string[]) =>
  choices.length === 1 ? choices[0]! : `${choices.slice(0, -1).join(", ")} or ${choices.at(-1)}`;

const FIELDS = [
  ...[
    "name",
    "description",
    "tools",
    "disallowedTools",
    "model",
    "effort",
    "permissionMode",
    "maxTurns",
    "maxBudgetUsd",
  ],
  ...["color", "background", "isolation", "memory", "skills", "mcpServers", "hooks", "initialPrompt"],
];
/** Of other programs. */
const FOREIGN = ["mode", "tags", "title", "type"];

/** The field that was probably meant: a limit with a typing error would be no limit. */
function mistyped(key: string): string | undefined {
  if (FOREIGN.includes(key)) return undefined;
  const { nearestWord } = require("@keelson/protocol/nearest-word") as typeof NearestWord;
  return nearestWord(key, FIELDS, key.length > 4 ? 2 : 1);
}

/** Fields that people write and that mean nothing. */
const LOOKALIKES: ReadonlyMap<string, string> = new Map([
  ["allowed-tools", "tools"],
  ["allowed_tools", "tools"],
  ["allowedTools", "tools"],
  ["disallowed-tools", "disallowedTools"],
  ["disallowed_tools", "disallowedTools"],
  ["permission-mode", "permissionMode"],
  ["permission_mode", "permissionMode"],
  ["max-turns", "maxTurns"],
  ["max_turns", "maxTurns"],
  ["mcp-servers", "mcpServers"],
  ["mcp_servers", "mcpServers"],
  ["initial-prompt", "initialPrompt"],
  ["initial_prompt", "initialPrompt"],
]);
