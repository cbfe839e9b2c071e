// What the first start can offer: providers with a key, and model servers on this machine. Asked only then.

import type { Snapshot } from "@keelson/config";
import { isObject } from "@keelson/protocol";

/** A model that could be used, and what has to be written for that. */
export interface OfferedModel {
  /** In a list. */
  readonly title: string;
  readonly detail: string;
  /** For the `model` setting; absent if the default will do. */
  readonly model?: string;
  /** A block of the `providers` setting that the model needs. */
  readonly provider?: { readonly name: string; readonly block: { readonly api: string; readonly baseUrl: string } };
  /** The key to approve. */
  readonly approvesKey?: boolean;
}

interface LocalServer {
  readonly title: string;
  readonly provider: string;
  readonly port: number;
  /** Keelson knows its address. */
  readonly known?: boolean;
}

export const LOCAL_SERVERS: readonly LocalServer[] = [
  { title: "Ollama", provider: "ollama", port: 11_434, known: true },
  { title: "LM Studio", provider: "lmstudio", port: 1_234, known: true },
  { title: "llama.cpp", provider: "llamacpp", port: 8_080 },
  { title: "vLLM", provider: "vllm", port: 8_000 },
];

/** A server that runs answers at once; no one should wait for one that does not. */
const PATIENCE_MS = 400;
const MOST_MODELS = 5;

export async function findModels(snapshot: Snapshot, servers = LOCAL_SERVERS): Promise<readonly OfferedModel[]> {
  const [keys, local] = await Promise.all([modelsWithKeys(snapshot), findLocalModels(snapshot, servers)]);
  return [...keys, ...local];
}

export async function findLocalModels(
  snapshot: Snapshot,
  servers = LOCAL_SERVERS,
): Promise<readonly (OfferedModel & { readonly model: string })[]> {
  const { providerStates, modelOptions } = await choice();
  const options = modelOptions(snapshot);
  const found = await Promise.all(
    servers.map((server) => {
      const isOwn = Object.hasOwn(snapshot.settings.providers ?? {}, server.provider);
      const known = server.known === true || isOwn;
      // It may listen elsewhere: OLLAMA_HOST and the like say so, or a block of the user's, which stays as it is.
      const own = known ? providerStates(server.provider, options)[0]?.address : undefined;
      // A block without an address cannot be asked.
      if (isOwn && !own) return [];
      return modelsOn({ ...server, known }, own ?? undefined);
    }),
  );
  return found.flat();
}

async function choice() {
  const [{ defaultModelOf, providerStates }, { modelOptions }] = await Promise.all([
    import("@keelson/model/choice"),
    import("@keelson/runtime/models"),
  ]);
  return { defaultModelOf, providerStates, modelOptions };
}

async function modelsWithKeys(snapshot: Snapshot): Promise<readonly OfferedModel[]> {
  const { defaultModelOf, providerStates, modelOptions } = await choice();
  return providerStates(undefined, modelOptions(snapshot)).flatMap(({ provider, credentials, ready }) => {
    if (!ready || credentials === null) return [];
    const detail = credentials === "keychain" ? "a stored key" : credentials;
    if (provider === "anthropic")
      return [{ title: "Anthropic", detail, ...(credentials === "ANTHROPIC_API_KEY" ? { approvesKey: true } : {}) }];
    const id = defaultModelOf(provider);
    return id === undefined ? [] : [{ title: `${provider}/${id}`, detail, model: `${provider}/${id}` }];
  });
}

async function modelsOn({ title, provider, port, known }: LocalServer, address: string | undefined) {
  const local = `http://127.0.0.1:${port}/v1`;
  const baseUrl = address ?? local;
  const block = known ? {} : { provider: { name: provider, block: { api: "openai-chat", baseUrl } } };
  return (await listedAt(baseUrl)).slice(0, MOST_MODELS).map((id) => ({
    title: `${provider}/${id}`,
    detail: isHere(baseUrl) ? `${title} on this machine` : `${title} at ${baseUrl}`,
    model: `${provider}/${id}`,
    ...block,
  }));
}

/** `URL` writes every IPv4 address as four numbers. */
export const isHere = (url: string) => /^(?:127(?:\.\d+){3}|localhost|\[::1\])$/.test(URL.parse(url)?.hostname ?? "");

/** Empty if nothing answers, or something else does. */
async function listedAt(baseUrl: string): Promise<readonly string[]> {
  try {
    const response = await fetch(`${baseUrl}/models`, { signal: AbortSignal.timeout(PATIENCE_MS), redirect: "error" });
    const body: unknown = response.ok ? await response.json() : undefined;
    const data = isObject(body) ? body["data"] : undefined;
    const ids = (Array.isArray(data) ? data : []).map((each: unknown) => (isObject(each) ? each["id"] : undefined));
    return ids.filter((id): id is string => typeof id === "string" && /^[\w./:@+-]{1,200}$/.test(id));
  } catch {
    return [];
  }
}
