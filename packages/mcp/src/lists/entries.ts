// Parses prompts, resources and resource templates from a server's lists: checks them and limits their size.

import { isObject } from "@keelson/protocol";
import { hasHidden, plainLine, plainText } from "../plain-text.ts";

interface Described {
  readonly name: string;
  readonly title?: string;
  readonly description?: string;
}

export interface ResourceFacts extends Described {
  readonly uri: string;
  readonly mimeType?: string;
  readonly size?: number;
}

export interface TemplateFacts extends Described {
  readonly uriTemplate: string;
  readonly mimeType?: string;
}

export interface McpPrompt extends Described {
  readonly arguments: readonly { readonly name: string; readonly description?: string; readonly required: boolean }[];
}

const MAX_URI_LENGTH = 4_096;
const MAX_NAME_LENGTH = 200;
const MAX_DESCRIPTION_LENGTH = 2_048;
const MAX_ARGUMENTS = 50;

type Problem = { readonly problem: string };

export function readResource(value: unknown): ResourceFacts | Problem {
  if (!isObject(value)) return { problem: "Skipped a resource that is not an object" };
  const { uri, size } = value;
  if (!isUri(uri)) return { problem: "Skipped a resource without a usable URI" };
  return { uri, ...described(value, uri), ...typeOf(value), ...(typeof size === "number" ? { size } : {}) };
}

export function readResourceTemplate(value: unknown): TemplateFacts | Problem {
  if (!isObject(value)) return { problem: "Skipped a resource template that is not an object" };
  const { uriTemplate } = value;
  if (!isUri(uriTemplate)) return { problem: "Skipped a resource template without a usable URI" };
  return { uriTemplate, ...described(value, uriTemplate), ...typeOf(value) };
}

export function readPrompt(value: unknown): McpPrompt | Problem {
  if (!isObject(value)) return { problem: "Skipped a prompt that is not an object" };
  const { name, arguments: declared } = value;
  if (!isName(name)) return { problem: "Skipped a prompt without a usable name" };
  const list: readonly unknown[] = Array.isArray(declared) ? declared : [];
  return {
    ...described(value, name),
    name,
    arguments: list.slice(0, MAX_ARGUMENTS).flatMap((each) => {
      if (!isObject(each) || !isName(each["name"])) return [];
      const { description } = described(each, "");
      const about = description === undefined ? {} : { description };
      return [{ name: each["name"], ...about, required: each["required"] === true }];
    }),
  };
}

const isUri = (value: unknown): value is string =>
  typeof value === "string" && value !== "" && value.length <= MAX_URI_LENGTH && !hasHidden(value);

const isName = (value: unknown): value is string =>
  typeof value === "string" && value !== "" && value.length <= MAX_NAME_LENGTH && !hasHidden(value);

function described({ name, title, description }: Record<string, unknown>, otherwise: string): Described {
  return {
    name: (typeof name === "string" && plainLine(name, MAX_NAME_LENGTH)) || otherwise,
    ...(typeof title === "string" ? { title: plainLine(title, MAX_NAME_LENGTH) } : {}),
    ...(typeof description === "string" ? { description: plainText(description, MAX_DESCRIPTION_LENGTH) } : {}),
  };
}

const typeOf = ({ mimeType }: Record<string, unknown>) =>
  typeof mimeType === "string" ? { mimeType: plainLine(mimeType, MAX_NAME_LENGTH) } : {};
