// One tool as a server describes it, read with suspicion: bounded, and in a form every model request can carry.

import { isObject, type JsonObject } from "@keelson/protocol";
import { offeredSchema } from "./input-schema.ts";
import { LONGEST_NAME } from "./naming.ts";

export interface ToolFacts {
  readonly name: string;
  readonly title?: string;
  readonly description: string;
  readonly inputSchema: JsonObject;
  readonly annotations: { readonly readOnly?: boolean; readonly destructive?: boolean; readonly openWorld?: boolean };
  /** The longest result its author expects, in characters. */
  readonly maxShown?: number;
}

const LONGEST_DESCRIPTION = 2_048;
const LARGEST_RESULT = 500_000;

export function toolFacts(value: unknown): ToolFacts | { readonly problem: string } {
  if (!isObject(value)) return { problem: "A tool that is not an object was left out" };
  const { name, title, description, inputSchema, annotations, _meta: meta } = value;
  if (typeof name !== "string" || name === "") return { problem: "A tool without a name was left out" };
  if (name.length > LONGEST_NAME)
    return { problem: `The tool "${name.slice(0, 40)}…" was left out: its name is too long` };
  const schema = offeredSchema(inputSchema);
  if ("problem" in schema) return { problem: `The tool "${name}" was left out: ${schema.problem}` };
  const hints = isObject(annotations) ? annotations : {};
  const shownAs = typeof title === "string" ? title : hints["title"];
  const size = isObject(meta) ? meta["anthropic/maxResultSizeChars"] : undefined;
  return {
    name,
    ...(typeof shownAs === "string" ? { title: shownAs.slice(0, LONGEST_NAME) } : {}),
    description: typeof description === "string" ? cut(description) : "",
    inputSchema: schema.json,
    annotations: {
      ...flag("readOnly", hints["readOnlyHint"]),
      ...flag("destructive", hints["destructiveHint"]),
      ...flag("openWorld", hints["openWorldHint"]),
    },
    ...(typeof size === "number" && size > 0 ? { maxShown: Math.min(size, LARGEST_RESULT) } : {}),
  };
}

function cut(description: string): string {
  return description.length <= LONGEST_DESCRIPTION
    ? description
    : `${description.slice(0, LONGEST_DESCRIPTION).toWellFormed()}… [truncated]`;
}

const flag = (name: string, value: unknown) => (typeof value === "boolean" ? { [name]: value } : {});
