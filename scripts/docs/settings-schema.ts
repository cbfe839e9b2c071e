// Generates docs/settings.schema.json from the table of settings keys. Run `bun scripts/docs/settings-schema.ts` to
// write it.

import { join } from "node:path";
import { PROVIDER_APIS, THINKING_KINDS } from "../../packages/config/src/check/check-providers.ts";
import { HOOK_EVENTS } from "../../packages/protocol/src/configuration/hook.ts";
import { PERMISSION_MODES } from "../../packages/protocol/src/configuration/permission.ts";
import {
  SETTINGS_TABLE,
  type SettingsRow,
  type ValueType,
} from "../../packages/protocol/src/configuration/settings-table.ts";
import { root } from "../root.ts";

export const schemaFile = join(root, "docs", "settings.schema.json");

type Schema = Record<string, unknown>;

/** Allows unknown keys, as the settings files do. */
export function settingsSchema(): Schema {
  const top: Schema = { type: "object", properties: {} };
  for (const [key, row] of Object.entries<SettingsRow>(SETTINGS_TABLE)) {
    if (row.holders.includes("global")) continue;
    const names = key.split(".");
    const group = names.slice(0, -1).reduce(enter, top);
    (group["properties"] as Schema)[names.at(-1)!] = { description: describe(row), ...schemaOf(row.type) };
  }
  return {
    $schema: "http://json-schema.org/draft-07/schema#",
    title: "Keelson settings",
    description: "settings.json and settings.local.json, in ~/.claude and in the .claude folder of a project",
    ...top,
    definitions: { hooks: hookGroups() },
  };
}

function enter(group: Schema, name: string): Schema {
  const properties = group["properties"] as Schema;
  return (properties[name] ??= { type: "object", properties: {} }) as Schema;
}

function describe({ means, whyNot, holders }: SettingsRow): string {
  const only = holders.length === 4 ? "" : ` (only in ${holders.join(" and ")} settings)`;
  const text = means ?? (whyNot === undefined ? "not implemented yet" : `no effect: ${whyNot}`);
  return `${text[0]!.toUpperCase()}${text.slice(1)}${only}`;
}

const CREDENTIAL: Schema = {
  type: "object",
  properties: { path: { type: "string" }, name: { type: "string" }, mode: { enum: ["deny", "mask"] } },
  required: ["mode"],
};
const TEXTS: Schema = { type: "array", items: { type: "string" } };

function schemaOf(type: ValueType): Schema {
  switch (type.kind) {
    case "any":
      return {};
    case "text":
      return { type: "string" };
    case "object":
      return { type: "object" };
    case "flag":
      return { type: "boolean" };
    case "number":
      return {
        type: type.whole ? "integer" : "number",
        ...(type.least === undefined ? {} : { minimum: type.least }),
        ...(type.most === undefined ? {} : { maximum: type.most }),
      };
    case "choice":
      return { enum: type.of };
    case "mode":
      return { enum: [...PERMISSION_MODES, "manual"] };
    case "models":
      return { anyOf: [{ type: "string" }, TEXTS] };
    case "list":
      return { type: "array", ...ITEMS[type.of] };
    case "rules":
      return {
        type: "array",
        items: { type: "string", pattern: "^\\s*[A-Za-z_][\\w*.-]*\\s*(\\([\\s\\S]*\\))?\\s*$" },
      };
    case "map":
      return { type: "object", additionalProperties: mapEntry(type.of) };
    case "variables":
      return { type: "object", additionalProperties: { type: ["string", "number", "boolean"] } };
    case "prices":
      return { type: "object", additionalProperties: PRICES };
    case "hooks":
      return {
        type: "object",
        properties: Object.fromEntries(HOOK_EVENTS.map((event) => [event, { $ref: "#/definitions/hooks" }])),
      };
    case "providers":
      return { type: "object", additionalProperties: provider() };
  }
}

/** A model server, or a change to one that Keelson knows. */
function provider(): Schema {
  const flag = { type: "boolean" };
  const count = { type: "integer", minimum: 1 };
  const pairs = { type: "object", additionalProperties: { type: "string" } };
  const model = {
    contextWindow: count,
    maxTokens: count,
    images: flag,
    documents: flag,
    thinking: { enum: THINKING_KINDS },
    efforts: TEXTS,
    price: PRICES,
  };
  const compat = {
    maxTokensField: { enum: ["max_tokens", "max_completion_tokens"] },
    developerRole: flag,
    streamUsage: flag,
    reasoningField: { enum: ["reasoning_content", "reasoning"] },
    stringToolContent: flag,
  };
  return {
    type: "object",
    properties: {
      api: { enum: PROVIDER_APIS },
      baseUrl: { type: "string", pattern: "^https?://" },
      apiKeyEnv: { type: "string", pattern: "^[A-Za-z_][A-Za-z0-9_]*$" },
      apiKeyHelper: { type: "string", minLength: 1 },
      headers: pairs,
      query: pairs,
      models: { type: "object", additionalProperties: { type: "object", properties: model } },
      compat: { type: "object", properties: compat },
    },
  };
}

function mapEntry(of: (ValueType & { kind: "map" })["of"]): Schema {
  return of === "texts" ? TEXTS : schemaOf({ kind: of === "guard" ? "flag" : of });
}

/** A server by its name, its command with all arguments, or its URL. */
const SERVER: Schema = {
  type: "object",
  properties: { serverName: { type: "string" }, serverCommand: TEXTS, serverUrl: { type: "string" } },
  minProperties: 1,
  maxProperties: 1,
};
const ITEMS: Readonly<Record<(ValueType & { kind: "list" })["of"], Schema>> = {
  any: {},
  text: { items: { type: "string" } },
  credential: { items: CREDENTIAL },
  server: { items: SERVER },
};

const price = { type: "number", minimum: 0 };
const prices = { input: price, output: price, cacheRead: price, cacheWrite5m: price, cacheWrite1h: price };
const PRICES: Schema = {
  type: "object",
  properties: {
    ...prices,
    longPrompt: { type: "object", properties: { above: price, ...prices }, required: ["above", "input", "output"] },
  },
  required: ["input", "output"],
};

/** The matcher groups of one event. */
function hookGroups(): Schema {
  const filled = { type: "string", minLength: 1 };
  const flag = { type: "boolean" };
  const onFailure = { enum: ["continue", "block"] };
  const kinds: readonly [type: string, required: readonly string[], fields: Schema][] = [
    [
      "command",
      ["command"],
      {
        command: filled,
        args: TEXTS,
        shell: { enum: ["bash", "powershell"] },
        async: flag,
        asyncRewake: flag,
        onFailure,
      },
    ],
    [
      "http",
      ["url"],
      {
        url: { type: "string", pattern: "^https?://" },
        headers: { type: "object", additionalProperties: { type: "string" } },
        allowedEnvVars: TEXTS,
        onFailure,
      },
    ],
    ["mcp_tool", ["server", "tool"], { server: filled, tool: filled, input: { type: "object" } }],
    ["prompt", ["prompt"], { prompt: filled, model: { type: "string" }, continueOnBlock: flag }],
    ["agent", ["prompt"], { prompt: filled, model: { type: "string" } }],
  ];
  const common = {
    if: { type: "string" },
    timeout: { type: "number", exclusiveMinimum: 0 },
    statusMessage: { type: "string" },
    once: flag,
  };
  const handlers = kinds.map(([type, required, fields]) => ({
    type: "object",
    properties: { type: { const: type }, ...fields, ...common },
    required: ["type", ...required],
  }));
  const group = {
    type: "object",
    properties: { matcher: { type: "string" }, hooks: { type: "array", items: { anyOf: handlers } } },
    required: ["hooks"],
  };
  return { type: "array", items: group };
}

if (import.meta.main) {
  await Bun.write(schemaFile, JSON.stringify(settingsSchema(), null, 2));
  Bun.spawnSync([process.execPath, "fmt", "--no-script", schemaFile]);
}
