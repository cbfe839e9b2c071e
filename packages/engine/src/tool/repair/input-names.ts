// Inputs that name their fields otherwise than the tool does. Pure. A field is renamed only if the tool does not know its
// name, has not got the other, and nothing else in the input could mean it; what the tool then gets is checked, judged
// and recorded like any other input.

import { isObject } from "@keelson/protocol";

/** By field of a tool: what models call it, as other agents' tools do. */
const OTHER_NAMES: Readonly<Record<string, readonly string[]>> = {
  file_path: ["path", "file", "filename", "target_file", "absolute_path", "notebook_path"],
  notebook_path: ["file_path", "path", "file"],
  path: ["directory", "dir", "folder", "search_path", "file_path"],
  command: ["cmd", "shell_command", "bash_command", "script", "input"],
  old_string: ["old_str", "old_text", "old", "search", "find", "old_content", "original"],
  new_string: ["new_str", "new_text", "new", "replace", "replacement", "new_content", "updated"],
  content: ["contents", "text", "file_text", "file_content", "body", "code"],
  pattern: ["query", "regex", "regexp", "search", "search_term", "glob_pattern"],
  glob: ["include", "include_pattern", "file_pattern"],
  todos: ["todo_list", "items", "tasks", "todo"],
  prompt: ["task", "instructions", "message", "query", "question"],
  subagent_type: ["agent", "agent_type", "agent_name"],
  skill: ["skill_name", "name", "command"],
  url: ["uri", "link", "address"],
  query: ["q", "search_term", "search_query", "search"],
  offset: ["start_line", "line_start", "start"],
  limit: ["max_lines", "num_lines", "line_count"],
  timeout: ["timeout_ms"],
};

/** Fields that models add to any call to say why they make it. They change nothing. */
const REMARKS = new Set(["description", "explanation", "justification", "rationale", "reason", "reasoning", "thought"]);

/** All arguments in one field. */
const WRAPPERS = new Set(["arguments", "args", "input", "kwargs", "parameters", "params"]);

/** What allows more than the tool does by itself must be spelled as it is. */
const EXACT = /^dangerously/i;

type Input = Record<string, unknown>;

/** The same object if its names are those of the schema. */
export function withKnownNames(schema: Readonly<Record<string, unknown>>, given: Input): Input {
  const { properties, additionalProperties } = schema;
  if (!isObject(properties) || additionalProperties !== false) return given;
  const isKnown = (key: string) => Object.hasOwn(properties, key);
  const required = Array.isArray(schema.required) ? schema.required : [];
  const isEmpty = (key: string) => given[key] === null && isKnown(key) && !required.includes(key);
  const keys = Object.keys(given);
  if (keys.every((key) => isKnown(key) && !isEmpty(key))) return given;

  const [only = ""] = keys;
  const inner = keys.length === 1 && !isKnown(only) && WRAPPERS.has(only) ? unwrapped(given[only]) : undefined;
  if (inner && Object.keys(inner).some((key) => fieldsMeant(key, properties).length > 0))
    return withKnownNames(schema, inner);

  const unknown = keys.filter((key) => !isKnown(key));
  const meant = new Map<string, string[]>();
  for (const key of unknown) {
    // A name may mean several fields of a tool; what the input has already, or may not lack, decides.
    const open = fieldsMeant(key, properties).filter((field) => !Object.hasOwn(given, field));
    const [field] = open.toSorted((a, b) => Number(required.includes(b)) - Number(required.includes(a)));
    if (field !== undefined) meant.set(field, [...(meant.get(field) ?? []), key]);
  }
  const renamed = new Map([...meant].flatMap(([field, names]) => (names.length === 1 ? [[names[0]!, field]] : [])));
  const entries = Object.entries(given).flatMap(([key, value]): [string, unknown][] => {
    if (isEmpty(key)) return [];
    const field = renamed.get(key);
    if (field !== undefined) return value === null && !required.includes(field) ? [] : [[field, value]];
    return !isKnown(key) && REMARKS.has(key) ? [] : [[key, value]];
  });
  return Object.fromEntries(entries);
}

/** The fields that a name can mean, the likeliest first. */
function fieldsMeant(name: string, properties: Readonly<Record<string, unknown>>): readonly string[] {
  if (EXACT.test(name)) return [];
  const plain = plainName(name);
  const fields = Object.keys(properties).filter((field) => !EXACT.test(field));
  const same = fields.filter((field) => plainName(field) === plain);
  if (same.length > 0) return same;
  return fields.filter((field) => OTHER_NAMES[field]?.some((other) => plainName(other) === plain));
}

const plainName = (name: string) => name.replace(/^-+|[_-]/g, "").toLowerCase();

function unwrapped(value: unknown): Input | undefined {
  if (typeof value !== "string") return isObject(value) ? value : undefined;
  try {
    const parsed: unknown = JSON.parse(value);
    return isObject(parsed) ? parsed : undefined;
  } catch {
    return undefined;
  }
}
