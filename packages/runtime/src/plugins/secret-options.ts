// Options of plugins that are in the secret store: read when a hook runs or a server is connected, kept nowhere.

import { ownEnvironment, type Snapshot } from "@keelson/config";
import type { McpServerConfig } from "@keelson/protocol";

export interface SecretOwner {
  readonly plugin?: string;
  readonly secretOptions?: readonly string[];
}

type Values = Readonly<Record<string, string>>;

/** Those that have a value. */
export async function secretValues(
  { plugin, secretOptions = [] }: SecretOwner,
  snapshot: Pick<Snapshot, "configDir" | "env" | "beneath" | "origin">,
): Promise<Values> {
  if (plugin === undefined || secretOptions.length === 0) return {};
  const { openSecretStore, pluginSecretKey } = await import("@keelson/host/secrets");
  const { configDir, origin } = snapshot;
  const store = openSecretStore({ configDir, env: ownEnvironment(snapshot), platform: origin.platform });
  const read = secretOptions.map(async (key) => [key, await store.read(pluginSecretKey(plugin, key))] as const);
  const found = (await Promise.all(read)).filter((pair): pair is [string, string] => pair[1] !== undefined);
  return Object.fromEntries(found);
}

/** Fills in `${user_config.KEY}`. A `headersHelper` is a shell command, so nothing is put into it. */
export function withSecretValues(config: McpServerConfig, values: Values): McpServerConfig {
  const fill = (text: string) =>
    text.replaceAll(/\$\{user_config\.(\w+)\}/g, (written, key: string) =>
      Object.hasOwn(values, key) ? values[key]! : written,
    );
  const fillAll = (map: Values) => Object.fromEntries(Object.entries(map).map(([name, text]) => [name, fill(text)]));
  switch (config.type) {
    case "stdio":
      return { ...config, command: fill(config.command), args: config.args.map(fill), env: fillAll(config.env) };
    case "http":
    case "sse":
    case "ws":
      return { ...config, url: fill(config.url), headers: fillAll(config.headers) };
    default:
      return config;
  }
}
