// Which server this is, as far as its address or our name for it tells. Pure.

import type { Server } from "../../http/server.ts";

export type Flavour = "openai" | "azure" | "openrouter" | "deepseek" | "mistral" | "ollama" | "lmstudio" | "other";

const BY_HOST: readonly (readonly [RegExp, Flavour])[] = [
  [/(?:^|\.)api\.openai\.com$/, "openai"],
  [/\.(?:openai|cognitiveservices|services\.ai)\.azure\.com$/, "azure"],
  [/(?:^|\.)openrouter\.ai$/, "openrouter"],
  [/(?:^|\.)deepseek\.com$/, "deepseek"],
  [/(?:^|\.)mistral\.ai$/, "mistral"],
];

const BY_NAME: readonly Flavour[] = ["azure", "openrouter", "deepseek", "mistral", "ollama", "lmstudio"];

export function flavourOf({ provider, baseUrl }: Pick<Server, "provider" | "baseUrl">): Flavour {
  const host = URL.parse(baseUrl)?.hostname ?? "";
  const found = BY_HOST.find(([pattern]) => pattern.test(host))?.[1];
  // `openai` with an address of one's own is usually a local server, which knows less than the vendor's.
  return found ?? BY_NAME.find((name) => name === provider) ?? "other";
}

/** A model of OpenAI that thinks, whoever serves it: it refuses what others accept. */
export function isReasoningModelName(model: string): boolean {
  return /^(?:openai\/)?(?:gpt-5|o\d)(?!.*-chat)/.test(model);
}

/** A model of Mistral, whoever serves it: its templates are strict about the order of roles. */
export function isMistralName(model: string): boolean {
  return /mistral|mixtral|ministral|devstral|codestral|magistral|pixtral/i.test(model);
}

/** Whether two names are of one family: `gpt-5` and `gpt-5-2025-08-07`. */
export function isSameFamily(one: string, other: string): boolean {
  return familyName(one) === familyName(other);
}

function familyName(model: string): string {
  return model
    .toLowerCase()
    .replace(/^.*\//, "")
    .replace(/:[^:]*$/, "")
    .replace(/[-@](?:\d{4}-?\d{2}-?\d{2}|latest)$/, "");
}
