// The keys of model providers in the secret store.

import { existsSync } from "node:fs";
import { checkedName, secretsFolder } from "./secret-names.ts";

/** The name of a provider's key. A digest where a provider's name has characters that names there cannot have. */
export function providerSecretKey(provider: string): string {
  const plain = /^[a-z0-9_-]{1,40}$/.test(provider);
  return `provider_${plain ? provider : new Bun.CryptoHasher("sha256").update(provider).digest("hex").slice(0, 40)}`;
}

/** Whether a key is stored, without reading it. */
export function hasSecret(configDir: string, name: string): boolean {
  return existsSync(`${secretsFolder(configDir)}/${checkedName(name)}.json`);
}
