// Writes the model that was chosen at the first start to the user's settings.

import { setValue, type Snapshot } from "@keelson/config";
import type { OfferedModel } from "./find-models.ts";

/** Returns a sentence if it fails. */
export async function keepModel({ model, provider }: OfferedModel, snapshot: Snapshot): Promise<string | undefined> {
  const values = [
    ...(provider === undefined ? [] : [{ key: `providers.${provider.name}`, value: JSON.stringify(provider.block) }]),
    ...(model === undefined ? [] : [{ key: "model", value: model }]),
  ];
  for (const { key, value } of values) {
    const written = await setValue({ key, value, scope: "user" }, snapshot);
    if (!written.ok) return written.problem;
  }
  return undefined;
}
