// The values of a plugin's options: from `pluginConfigs` of the user's and the administrator's settings, or the default.
// Sensitive values are not here; they are read from the secret store when they are needed. Pure.

import { isObject, type Settings } from "@keelson/protocol";
import { printable } from "../check/page.ts";
import type { Manifest, UserOption } from "./read/manifest.ts";

export interface PluginOptions {
  /** As text, by key. */
  readonly values: Readonly<Record<string, string>>;
  /** Keys whose values are in the secret store. */
  readonly secret: readonly string[];
  /** One sentence each. */
  readonly problems: readonly string[];
}

export function pluginOptions(
  id: string,
  { userConfig = {} }: Manifest,
  { pluginConfigs }: Pick<Settings, "pluginConfigs">,
): PluginOptions {
  const given = givenOptions(pluginConfigs, id);
  const values: Record<string, string> = {};
  const secret: string[] = [];
  const problems: string[] = [];
  for (const [key, option] of Object.entries(userConfig)) {
    if (option.sensitive) {
      secret.push(key);
      if (given[key] !== undefined) {
        const set = `keelson plugin configure ${id} ${key}`;
        problems.push(`the option "${key}" is a secret, so its value in the settings is not used; set it with: ${set}`);
      }
      continue;
    }
    const value = given[key] ?? option.default;
    if (value === undefined) {
      // One that was set without the plugin at hand is kept as a secret.
      if (id.endsWith("@inline")) secret.push(key);
      if (option.required)
        problems.push(`the option "${key}" has no value; set it with: keelson plugin configure ${id} ${key}`);
      continue;
    }
    const text = optionText(value, option);
    if (text === undefined) problems.push(`the option "${key}" should be ${optionKind(option)}, not ${shown(value)}`);
    else values[key] = text;
  }
  return { values, secret, problems };
}

function givenOptions(configs: unknown, id: string): Readonly<Record<string, unknown>> {
  const config = isObject(configs) && Object.hasOwn(configs, id) ? configs[id] : undefined;
  const options = isObject(config) ? config["options"] : undefined;
  return isObject(options) ? options : {};
}

/** Undefined if the value does not fit. Several values are joined with commas. */
export function optionText(value: unknown, option: UserOption): string | undefined {
  const { type, multiple, min = -Infinity, max = Infinity } = option;
  if (Array.isArray(value)) {
    const parts = multiple ? value.map((each) => optionText(each, { ...option, multiple: false })) : [undefined];
    return parts.includes(undefined) ? undefined : parts.join(",");
  }
  if (type === "number") {
    return typeof value === "number" && value >= min && value <= max ? String(value) : undefined;
  }
  if (type === "boolean") return typeof value === "boolean" ? String(value) : undefined;
  return typeof value === "string" && !value.includes("\0") ? value : undefined;
}

export function optionKind({ type, multiple, min, max }: UserOption): string {
  const bounds = [...(min === undefined ? [] : [`at least ${min}`]), ...(max === undefined ? [] : [`at most ${max}`])];
  const one =
    type === "boolean" ? "true or false" : type === "number" ? ["a number", ...bounds].join(", ") : "a string";
  return multiple ? `${one}, or a list` : one;
}

const shown = (value: unknown) => printable(JSON.stringify(value) ?? String(value));
