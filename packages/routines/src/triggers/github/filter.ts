// Filters of a trigger: all must match. A field that the event does not have matches nothing.

import { compileRegex, type Effort, type Regex } from "@keelson/engine/regex";
import type { TriggerFilter } from "../../records/trigger.ts";
import type { FilterFields } from "./event.ts";

type FieldName = keyof FilterFields;

const FIELDS: Readonly<Record<FieldName, "text" | "list" | "flag">> = {
  author: "text",
  title: "text",
  body: "text",
  base: "text",
  head: "text",
  labels: "list",
  is_draft: "flag",
  is_merged: "flag",
  conclusion: "text",
};

const OPS = ["equals", "contains", "starts_with", "one_of", "not_one_of", "matches_regex"] as const;
type Op = (typeof OPS)[number];

const MOST_FILTERS = 50;
const LONGEST_VALUE = 1_000;
/** For all patterns of a trigger together. About a tenth of a second. */
const MOST_STEPS = 10_000_000;

/** What is wrong with filters that somebody wants to store; undefined if nothing is. */
export function filtersProblem(filters: readonly TriggerFilter[]): string | undefined {
  if (filters.length > MOST_FILTERS) return `filters: at most ${MOST_FILTERS}`;
  for (const [at, filter] of filters.entries()) {
    const problem = filterProblem(filter);
    if (problem !== undefined) return `filters[${at}]: ${problem}`;
  }
  return undefined;
}

function filterProblem({ field, op, value }: TriggerFilter): string | undefined {
  if (!isField(field)) return `"${field.slice(0, 60)}" is no field; use one of ${Object.keys(FIELDS).join(", ")}`;
  if (!isOp(op)) return `"${op.slice(0, 60)}" is no operator; use one of ${OPS.join(", ")}`;
  const values = Array.isArray(value) ? value : [value];
  const isList = op === "one_of" || op === "not_one_of";
  if (isList !== Array.isArray(value)) return isList ? `"${op}" takes a list of values` : `"${op}" takes one value`;
  if (values.length > MOST_FILTERS) return `"${op}" takes at most ${MOST_FILTERS} values`;
  if (values.some((each) => String(each).length > LONGEST_VALUE))
    return `a value has more than ${LONGEST_VALUE} characters`;
  if (FIELDS[field] === "flag") {
    if (op !== "equals" && !isList) return `"${field}" is true or false; use "equals"`;
    return values.every((each) => /^(?:true|false)$/.test(String(each))) ? undefined : `"${field}" is true or false`;
  }
  if (values.some((each) => typeof each !== "string")) return `the value of "${field}" must be text`;
  if (op !== "matches_regex") return undefined;
  const regex = wholeValue(String(value));
  if (regex === undefined) return "the value is not a regular expression";
  return regex.isReadable
    ? undefined
    : "the pattern is too large, or has a back reference or a flag, which are not supported";
}

/** Why the event is left out; undefined if all filters match. */
export function leftOutBy(filters: readonly TriggerFilter[], fields: FilterFields): string | undefined {
  const effort: Effort = { left: MOST_STEPS };
  for (const filter of filters) {
    const matched = matches(filter, fields, effort);
    if (matched === true) continue;
    const shown = `${filter.field} ${filter.op} ${JSON.stringify(filter.value)}`.slice(0, 200);
    return matched === undefined
      ? `The filter "${shown}" would take too long on this text; use a simpler pattern`
      : `The filter "${shown}" does not match`;
  }
  return undefined;
}

function matches(filter: TriggerFilter, fields: FilterFields, effort: Effort): boolean | undefined {
  const { field, op } = filter;
  if (!isField(field) || !isOp(op)) return false;
  const found = fields[field];
  if (found === undefined) return false;
  const isSame = sameness(field);
  const values = typeof found === "object" ? found : [String(found)];
  const wanted = (Array.isArray(filter.value) ? filter.value : [filter.value]).map(String);
  switch (op) {
    case "equals":
    case "one_of":
      return values.some((value) => wanted.some((each) => isSame(value, each)));
    case "not_one_of":
      return !values.some((value) => wanted.some((each) => isSame(value, each)));
    case "contains":
      // Of labels, one of them: "bug" is not in "debug".
      if (FIELDS[field] === "list") return values.some((value) => isSame(value, wanted[0]!));
      return values.some((value) => value.includes(wanted[0]!));
    case "starts_with":
      return values.some((value) => value.startsWith(wanted[0]!));
    case "matches_regex":
      return matchesRegex(values, wanted[0]!, effort);
  }
}

/** Undefined: it cannot be told in time. */
function matchesRegex(values: readonly string[], source: string, effort: Effort): boolean | undefined {
  const regex = wholeValue(source);
  if (regex === undefined) return false;
  let isMatch: boolean | undefined = false;
  for (const value of values) {
    const matched = regex.test(value, effort);
    if (matched === true) return true;
    if (matched === undefined) isMatch = undefined;
  }
  return isMatch;
}

const wholeValue = (source: string): Regex | undefined =>
  // Checked alone first: ")|(" must not become a pattern.
  compileRegex(source) && compileRegex(`^(?:${source})$`);

/** GitHub does not distinguish capital letters in names of users. */
const sameness = (field: FieldName) =>
  field === "author"
    ? (a: string, b: string) => a.toLowerCase() === b.toLowerCase()
    : (a: string, b: string) => a === b;

const isField = (name: string): name is FieldName => Object.hasOwn(FIELDS, name);
const isOp = (name: string): name is Op => (OPS as readonly string[]).includes(name);
