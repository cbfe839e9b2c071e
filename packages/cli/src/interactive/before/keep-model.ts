// Writes the model that was chosen at the first start to the user's settings.

import { setValue, type Snapshot } from "@keelson/config";
import type { OfferedModel } from "./find-models.ts";

/** Returns a sentence if it fails. A block of the user's own is never replaced. */
export async function keepModel({ model, provider }: OfferedModel, snapshot: Snapshot): Promise<string | undefined> {
  const { providers = {} } = snapshot.settings;
  const own = provider !== undefined && Object.hasOwn(providers, provider.name) ? providers[provider.name] : undefined;
  if (provider !== undefined && own !== undefined && own.baseUrl !== provider.block.baseUrl)
    return `"providers.${provider.name}" is set to another server in your settings; choose its model with /model`;
  const values = [
    ...(provider === undefined || own !== undefined
      ? []
      : [{ key: `providers.${provider.name}`, value: JSON.stringify(provider.block) }]),
    ...(model === undefined ? [] : [{ key: "model", value: model }]),
  ];
  for (const { key, value } of values) {
    const written = await setValue({ key, value, scope: "user" }, snapshot);
    if (!written.ok) return written.problem;
  }
  return undefined;
}
