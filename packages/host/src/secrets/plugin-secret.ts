// The names of options of plugins in the secret store.

/** A digest, because ids have characters that names there cannot have. */
export function pluginSecretKey(id: string, key: string): string {
  return `plugin_${new Bun.CryptoHasher("sha256")
    .update(JSON.stringify([id, key]))
    .digest("hex")
    .slice(0, 48)}`;
}
