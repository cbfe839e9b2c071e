// /config: show settings, or change one that clients may change. The value is saved in the user's settings.

import { isSecret } from "@keelson/config";
import { isObject, tryParse, type Json } from "@keelson/protocol";
import type { RunCommand } from "../command.ts";

export const configCommand: RunCommand = async (args, { request }) => {
  const [, key = "", value = ""] = /^(\S*)\s*([\s\S]*)$/.exec(args)!;
  if (value !== "") {
    const parsed = (tryParse(value) ?? value) as Json;
    await request("update_settings", { source: "userSettings", settings: { [key]: parsed } }).catch((error: Error) => {
      const isRefused = error.message.startsWith("update_settings keys not allowed");
      throw isRefused ? new Error(`"${key}" cannot be set here; use \`keelson config set\``) : error;
    });
    return `Set ${key} to ${JSON.stringify(parsed)} in the user settings`;
  }
  const settings = await request("get_settings");
  const effective = withoutSecrets(settings.effective);
  if (key === "") return JSON.stringify(effective, null, 2);
  const found = key.split(".").reduce<unknown>((at, step) => (isObject(at) ? at[step] : undefined), effective);
  return found === undefined ? `${key} is not set` : `${key} = ${JSON.stringify(found, null, 2)}`;
};

/** The output is written to the transcript. */
function withoutSecrets(settings: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const { env, providers } = settings;
  const variables = mapped(env, (value, name) => (isSecret({ key: `env.${name}` }) ? "(hidden)" : value));
  const servers = mapped(providers, (block) =>
    isObject(block) && isObject(block["headers"])
      ? { ...block, headers: mapped(block["headers"], () => "(hidden)") }
      : block,
  );
  return {
    ...settings,
    ...(variables === undefined ? {} : { env: variables }),
    ...(servers === undefined ? {} : { providers: servers }),
  };
}

function mapped(values: unknown, change: (value: unknown, name: string) => unknown) {
  if (!isObject(values)) return undefined;
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, change(value, name)]));
}
