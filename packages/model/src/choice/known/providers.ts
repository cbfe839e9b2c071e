// The providers that Keelson knows: the API of each, and which variables hold its key and its address. Data only.

import type { ProviderApi } from "@keelson/protocol";

export interface KnownProvider {
  /** For people. */
  readonly title: string;
  readonly aliases?: readonly string[];
  readonly api: ProviderApi;
  /** At any other address than its own. */
  readonly apiElsewhere?: ProviderApi;
  /** The variables with the key; the first that is set applies. */
  readonly keys: readonly string[];
  readonly addresses: readonly string[];
  /** Without an address of its own, the user has to give one. */
  readonly baseUrl?: string;
  /** `chain`: the cloud's own way to find credentials. */
  readonly key: "needed" | "none" | "chain";
  readonly header: KeyHeader;
}

/** How a key is sent. */
export type KeyHeader = "bearer" | "x-api-key" | "api-key" | "x-goog-api-key";

const chat = (title: string, key: string, baseUrl: string): KnownProvider => ({
  title,
  api: "openai-chat",
  keys: [key],
  addresses: [],
  baseUrl,
  key: "needed",
  header: "bearer",
});

export const PROVIDERS: Readonly<Record<string, KnownProvider>> = {
  anthropic: {
    title: "Anthropic",
    api: "anthropic",
    keys: ["ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN"],
    addresses: ["ANTHROPIC_BASE_URL"],
    baseUrl: "https://api.anthropic.com",
    key: "needed",
    header: "x-api-key",
  },
  openai: {
    title: "OpenAI",
    api: "openai-responses",
    apiElsewhere: "openai-chat",
    keys: ["OPENAI_API_KEY"],
    addresses: ["OPENAI_BASE_URL", "OPENAI_API_BASE"],
    baseUrl: "https://api.openai.com/v1",
    key: "needed",
    header: "bearer",
  },
  gemini: {
    title: "Google Gemini",
    aliases: ["google"],
    api: "gemini",
    keys: ["GEMINI_API_KEY", "GOOGLE_API_KEY"],
    addresses: ["GOOGLE_GEMINI_BASE_URL"],
    baseUrl: "https://generativelanguage.googleapis.com",
    key: "needed",
    header: "x-goog-api-key",
  },
  bedrock: {
    title: "Amazon Bedrock",
    api: "bedrock",
    keys: ["AWS_BEARER_TOKEN_BEDROCK"],
    addresses: ["ANTHROPIC_BEDROCK_BASE_URL"],
    key: "chain",
    header: "bearer",
  },
  vertex: {
    title: "Google Vertex AI",
    api: "vertex",
    keys: ["GOOGLE_OAUTH_ACCESS_TOKEN"],
    addresses: ["ANTHROPIC_VERTEX_BASE_URL", "GOOGLE_VERTEX_BASE_URL"],
    key: "chain",
    header: "bearer",
  },
  foundry: {
    title: "Microsoft Foundry",
    api: "anthropic",
    keys: ["ANTHROPIC_FOUNDRY_API_KEY", "ANTHROPIC_FOUNDRY_AUTH_TOKEN"],
    addresses: ["ANTHROPIC_FOUNDRY_BASE_URL", "ANTHROPIC_FOUNDRY_RESOURCE"],
    key: "needed",
    header: "x-api-key",
  },
  mantle: {
    title: "Amazon Bedrock (Mantle)",
    api: "anthropic",
    keys: ["AWS_BEARER_TOKEN_BEDROCK"],
    addresses: ["ANTHROPIC_BEDROCK_MANTLE_BASE_URL"],
    key: "needed",
    header: "bearer",
  },
  "anthropic-aws": {
    title: "Anthropic on AWS",
    api: "anthropic",
    keys: ["ANTHROPIC_AWS_API_KEY"],
    addresses: ["ANTHROPIC_AWS_BASE_URL"],
    key: "needed",
    header: "x-api-key",
  },
  azure: {
    title: "Azure OpenAI",
    api: "openai-chat",
    keys: ["AZURE_OPENAI_API_KEY"],
    addresses: ["AZURE_OPENAI_ENDPOINT"],
    key: "needed",
    header: "api-key",
  },
  openrouter: {
    ...chat("OpenRouter", "OPENROUTER_API_KEY", "https://openrouter.ai/api/v1"),
    addresses: ["OPENROUTER_BASE_URL"],
  },
  ollama: {
    title: "Ollama",
    api: "openai-chat",
    keys: [],
    addresses: ["OLLAMA_HOST"],
    baseUrl: "http://127.0.0.1:11434/v1",
    key: "none",
    header: "bearer",
  },
  lmstudio: {
    title: "LM Studio",
    api: "openai-chat",
    keys: [],
    addresses: ["LMSTUDIO_BASE_URL"],
    baseUrl: "http://127.0.0.1:1234/v1",
    key: "none",
    header: "bearer",
  },
  deepseek: chat("DeepSeek", "DEEPSEEK_API_KEY", "https://api.deepseek.com/v1"),
  groq: chat("Groq", "GROQ_API_KEY", "https://api.groq.com/openai/v1"),
  mistral: chat("Mistral", "MISTRAL_API_KEY", "https://api.mistral.ai/v1"),
  xai: chat("xAI", "XAI_API_KEY", "https://api.x.ai/v1"),
  cerebras: chat("Cerebras", "CEREBRAS_API_KEY", "https://api.cerebras.ai/v1"),
  zai: chat("Z.ai", "ZAI_API_KEY", "https://api.z.ai/api/paas/v4"),
};

/** The provider that a name or an alias means, in any capitals. */
export function providerNamed(name: string): string | undefined {
  const lower = name.toLowerCase();
  if (Object.hasOwn(PROVIDERS, lower)) return lower;
  return Object.keys(PROVIDERS).find((known) => PROVIDERS[known]!.aliases?.includes(lower));
}
