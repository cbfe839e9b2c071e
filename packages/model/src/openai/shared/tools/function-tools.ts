// The tools of a request as a server accepts them: how many, how long their descriptions are, and which schemas. Pure.

import type { JsonObject } from "@keelson/protocol";
import type { ToolDefinition } from "@keelson/engine";
import type { FittedNames } from "../../../fit/names.ts";
import { plainSchema } from "../../../fit/plain-schema.ts";
import type { Flavour } from "../flavour.ts";
import type { ServerHabits } from "../habits.ts";
import { fitParameters } from "./parameters.ts";

export interface FunctionTool {
  readonly name: string;
  readonly description: string;
  readonly parameters: JsonObject;
}

export interface FunctionTools {
  readonly tools: readonly FunctionTool[];
  /** Descriptions that are too long for where they belong, for the instructions. */
  readonly details: string | undefined;
  /** Some tools were left out. */
  readonly isCut: boolean;
}

/** The vendor's limit; its documentation names it for Azure as well. */
const MOST_TOOLS = 128;
/** Azure's limit for a description, in characters. */
const AZURE_DESCRIPTION = 1_024;

export function functionTools(
  given: readonly ToolDefinition[],
  names: FittedNames,
  flavour: Flavour,
  habits: ServerHabits,
): FunctionTools {
  const isVendor = flavour === "openai" || flavour === "azure";
  const most = habits.toolCount ?? (isVendor ? MOST_TOOLS : Infinity);
  const longest = habits.descriptionLength ?? (flavour === "azure" ? AZURE_DESCRIPTION : Infinity);
  const own = given.filter(isFunction);
  const details: string[] = [];
  const tools = own.slice(0, most).map(({ name, description, input_schema }): FunctionTool => {
    const text = description.toWellFormed();
    if (text.length > longest) details.push(`## ${names.out(name)}\n\n${text}`);
    const parameters = fitParameters(input_schema);
    return {
      name: names.out(name),
      description: text.length > longest ? shortened(text, longest) : text,
      parameters: habits.plainSchemas ? plainSchema(parameters) : parameters,
    };
  });
  return {
    tools,
    details: details.length > 0 ? `# Full descriptions of tools\n\n${details.join("\n\n")}` : undefined,
    isCut: own.length > tools.length,
  };
}

/** Tools that the Messages API runs itself have no schema. */
const isFunction = (tool: ToolDefinition) => tool.input_schema !== undefined;

const MORE = "… (continued in the instructions)";

function shortened(text: string, longest: number): string {
  return `${text.slice(0, longest - MORE.length).toWellFormed()}${MORE}`;
}
