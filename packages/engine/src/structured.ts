// Structured output: a tool whose schema is the caller's, and the texts that bring the model to use it.

import type { JsonObject } from "@keelson/protocol";
import { validateSchema } from "./json-schema.ts";
import { defineTool, type Tool } from "./tool.ts";

export const STRUCTURED_OUTPUT = "StructuredOutput";

export const STRUCTURED_NUDGE =
  "[structured-output-enforce] You MUST call the StructuredOutput tool to finish: give your answer as its input, in the schema it declares.";

export function structuredOutputTool(schema: JsonObject): Tool<JsonObject, JsonObject> {
  return defineTool<JsonObject, JsonObject>({
    name: STRUCTURED_OUTPUT,
    description:
      "Gives the final answer in the form the caller asked for. Call it exactly once, when the work is done; its input is the answer.",
    input: { json: schema },
    invalid: (input) => {
      const issues = validateSchema(schema, input);
      if (issues.length === 0) return undefined;
      return `Output does not match required schema: ${issues.map(({ path, message }) => `${path || "root"}: ${message}`).join(", ")}`;
    },
    access: () => ({ kind: "none" }),
    run: async (input) => input,
    show: () => "Structured output provided successfully",
  });
}
