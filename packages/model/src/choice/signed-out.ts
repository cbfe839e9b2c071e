// For clients that sign people in by themselves, such as adapters for editors: without a key, no model answers, neither the
// offline model nor a server that is asked without one. The error has the words that such clients look for.

import { ModelError, type ModelProvider } from "@keelson/engine";
import { lookUpClaude } from "../profiles/profiles.ts";
import { isOffline, wantedModel, type ResolvedModel, type ResolveOptions } from "../resolve.ts";

/** The model as it is if there is a key, or if it was asked for and needs none. */
export function orSignedOut(resolved: ResolvedModel, options: ResolveOptions): ResolvedModel {
  const { env } = options;
  const name = wantedModel(options) ?? "default";
  switch (resolved.source) {
    case "offline":
      if (isOffline(name, env)) return resolved;
      break;
    case "base-url":
      // The key may be among the headers.
      if (env["ANTHROPIC_CUSTOM_HEADERS"]?.trim()) return resolved;
      break;
    default:
      return resolved;
  }
  const { announce: _, ...rest } = resolved;
  const { profile } = resolved.source === "offline" ? lookUpClaude(name, env) : resolved;
  return { ...rest, profile, provider: signedOut };
}

const signedOut: ModelProvider = {
  id: "signed-out",
  // oxlint-disable-next-line require-yield
  async *stream() {
    throw new ModelError("signed_out", "Not logged in · Please run /login");
  },
};
