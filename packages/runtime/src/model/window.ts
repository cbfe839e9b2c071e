// The context window a session would start with, for commands that show what the model sees without opening one.

import type { Snapshot } from "@keelson/config";
import { lookUpModel } from "@keelson/model";

export function windowFor({ flags, settings, env }: Snapshot): number {
  const model = flags.model ?? (env["ANTHROPIC_MODEL"] || (settings.model ?? "default"));
  return lookUpModel(model, env, settings).profile.contextWindow;
}
