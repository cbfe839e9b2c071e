// Checks the `providers` of one settings file: model servers by name. A wrong field drops only itself; headers are never
// quoted, because they may hold keys.

import { isObject, type ProviderApi } from "@keelson/protocol";
import { isModelPrice, PRICES } from "./check-value.ts";
import { isSecretField } from "./known.ts";
import { printable, wrong, type SettingsPage } from "./page.ts";

type Fields = Readonly<Record<string, unknown>>;
/** Returns the value to keep; undefined drops it. */
type CheckField = (value: unknown, key: string, page: SettingsPage) => unknown;

const PROVIDER_NAME = /^[a-z0-9][a-z0-9._-]{0,63}$/i;
const VARIABLE_NAME = /^[A-Za-z_][A-Za-z0-9_]*$/;
const HEADER_NAME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;

export const PROVIDER_APIS: readonly ProviderApi[] = [
  "openai-chat",
  "openai-responses",
  "anthropic",
  "gemini",
  "bedrock",
  "vertex",
];
export const THINKING_KINDS = ["none", "budget", "adaptive"] as const;

export function checkProviders(value: unknown, key: string, page: SettingsPage): unknown {
  if (!isObject(value)) return wrong(value, 'an object such as {"local": {"api": …, "baseUrl": …}}', key, page);
  const entries = Object.entries(value).flatMap(([name, block]) => {
    if (name === "__proto__") return [];
    const at = `${key}.${printable(name)}`;
    if (!PROVIDER_NAME.test(name)) {
      page.warn(at, "is not a provider name; use letters, digits, dots, dashes and underscores");
      return [];
    }
    if (!isObject(block)) return wrong(block, "an object", at, page) ?? [];
    return [[name, fieldsOf(block, PROVIDER_FIELDS, at, page)]];
  });
  return Object.fromEntries(entries);
}

const KEY_ELSEWHERE =
  'is not a known field; put the key in a variable and name it in "apiKeyEnv", or run keelson auth login PROVIDER';

/** Unknown fields are reported: most are typing mistakes. */
function fieldsOf(block: Fields, checks: Readonly<Record<string, CheckField>>, at: string, page: SettingsPage): Fields {
  const entries = Object.entries(block).flatMap(([name, value]) => {
    if (name === "__proto__") return [];
    if (!Object.hasOwn(checks, name)) {
      const what = isSecretField(name)
        ? KEY_ELSEWHERE
        : `is not a known field; known fields are ${Object.keys(checks).join(", ")}`;
      page.warn(`${at}.${printable(name)}`, what);
      return [];
    }
    const kept = checks[name]!(value, `${at}.${name}`, page);
    return kept === undefined ? [] : [[name, kept]];
  });
  return Object.fromEntries(entries) as Fields;
}

const matching =
  (holds: (value: unknown) => boolean, what: string): CheckField =>
  (value, key, page) =>
    holds(value) ? value : wrong(value, what, key, page);

const oneOf = (words: readonly string[]) =>
  matching((value) => words.includes(value as string), `one of ${words.map((word) => `"${word}"`).join(", ")}`);
const flag = matching((value) => typeof value === "boolean", "true or false");
const filled = matching((value) => typeof value === "string" && value.trim() !== "", "a string that is not empty");
const count = matching((value) => Number.isSafeInteger(value) && (value as number) > 0, "a whole number above 0");
const texts = matching(
  (value) => Array.isArray(value) && value.every((item) => typeof item === "string"),
  "a list of strings",
);

/** Without the value in the warning: an address may contain a password. */
const address: CheckField = (value, key, page) => {
  const url = typeof value === "string" ? URL.parse(value) : null;
  if (url && /^https?:$/.test(url.protocol)) return (value as string).trim();
  page.warn(key, 'is not an http or https URL such as "http://127.0.0.1:8000/v1"');
  return undefined;
};

const variable: CheckField = (value, key, page) => {
  if (typeof value === "string" && VARIABLE_NAME.test(value)) return value;
  // People put the key itself here.
  page.warn(key, 'should be the name of a variable, such as "LOCAL_LLM_KEY"');
  return undefined;
};

const pairs =
  (isName: (name: string) => boolean): CheckField =>
  (value, key, page) => {
    if (!isObject(value)) {
      page.warn(key, "should be an object of strings");
      return undefined;
    }
    const entries = Object.entries(value).filter(([name, text]) => {
      const holds = isName(name) && typeof text === "string" && !/[\r\n\0]/.test(text);
      if (!holds) page.warn(`${key}.${printable(name)}`, "is not a name with a string of one line");
      return holds;
    });
    return Object.fromEntries(entries);
  };

const models: CheckField = (value, key, page) => {
  if (!isObject(value)) return wrong(value, "an object with a model in each field", key, page);
  const entries = Object.entries(value).flatMap(([id, model]) => {
    if (id === "__proto__") return [];
    const at = `${key}.${printable(id)}`;
    if (!isObject(model)) return wrong(model, 'an object such as {"contextWindow": 131072}', at, page) ?? [];
    return [[id, fieldsOf(model, MODEL_FIELDS, at, page)]];
  });
  return Object.fromEntries(entries);
};

const compat: CheckField = (value, key, page) =>
  isObject(value) ? fieldsOf(value, COMPAT_FIELDS, key, page) : wrong(value, "an object", key, page);

const MODEL_FIELDS: Readonly<Record<string, CheckField>> = {
  contextWindow: count,
  maxTokens: count,
  images: flag,
  documents: flag,
  thinking: oneOf(THINKING_KINDS),
  efforts: texts,
  price: matching(isModelPrice, PRICES),
};

const COMPAT_FIELDS: Readonly<Record<string, CheckField>> = {
  maxTokensField: oneOf(["max_tokens", "max_completion_tokens"]),
  developerRole: flag,
  streamUsage: flag,
  reasoningField: oneOf(["reasoning_content", "reasoning"]),
  stringToolContent: flag,
};

const PROVIDER_FIELDS: Readonly<Record<string, CheckField>> = {
  api: oneOf(PROVIDER_APIS),
  baseUrl: address,
  apiKeyEnv: variable,
  apiKeyHelper: filled,
  headers: pairs((name) => HEADER_NAME.test(name)),
  query: pairs((name) => name !== "__proto__"),
  models,
  compat,
};
