// keelson auth status: where the credentials of each provider come from. Shows none of them.

import type { ProviderState } from "@keelson/model/choice";
import { columns } from "../columns.ts";
import type { Invoked } from "../group.ts";
import { visible } from "../permissions/words.ts";
import { authCall } from "./provider.ts";

export async function authStatus(call: Invoked): Promise<number> {
  const { given, io } = call;
  const { options, provider } = await authCall(call, "usage: keelson auth status [provider] [--json]");
  const { providerStates } = await import("@keelson/model/choice");
  const states = providerStates(provider, options);
  await io.write(given.has("json") ? `${JSON.stringify(states, null, 2)}\n` : table(states));
  // For scripts: whether this provider can be used.
  return provider !== undefined && !states[0]!.ready ? 1 : 0;
}

const NOTHING = `No provider is set up. Set a variable such as ANTHROPIC_API_KEY or OPENAI_API_KEY, or run:
  keelson auth login openai
`;

function table(states: readonly ProviderState[]): string {
  if (states.length === 0) return NOTHING;
  const rows = states.map((state) => [visible(state.provider), credentials(state), visible(state.address ?? "")]);
  return `${columns(rows).join("\n")}\n`;
}

function credentials({ credentials: from, unset, stored, ready }: ProviderState): string {
  if (unset !== undefined) return `no key: ${visible(unset)} is not set`;
  if (from === null) return ready ? "no key" : "no key, and one is needed";
  if (from === "keychain") return "stored key";
  return stored ? `${visible(from)} (instead of the stored key)` : visible(from);
}
