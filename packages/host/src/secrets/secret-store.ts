// Secrets by key, for tokens of MCP servers. Each is a private file; where the system has a keyring, the file is
// encrypted with a key from there, so a copy of the home folder gives nothing away. Without a keyring, or if it cannot be
// used, the file is plain and protected by its mode.

import { withFileLock } from "@keelson/disk/lock";
import { secretFiles, type SecretFiles } from "./secret-files.ts";
import { systemKeyring, type Keyring, type KeyringOptions } from "./keyring.ts";
import { randomHex } from "../random.ts";
import { checkedName, secretsFolder } from "./secret-names.ts";

export interface SecretStore {
  /** Undefined if there is none, or if it cannot be decrypted here. */
  read(key: string): Promise<string | undefined>;
  write(key: string, value: string): Promise<void>;
  remove(key: string): Promise<void>;
  /** Runs one at a time, across processes. */
  exclusive<T>(key: string, work: () => Promise<T>): Promise<T>;
}

export interface SecretStoreOptions extends KeyringOptions {
  readonly configDir: string;
}

interface StoredSecret {
  readonly plain?: string;
  readonly sealed?: string;
}

export function openSecretStore(options: SecretStoreOptions): SecretStore {
  const files = secretFiles(secretsFolder(options.configDir));
  const keyring = systemKeyring(options);
  let key: Promise<CryptoKey | undefined> | undefined;
  return {
    async read(name) {
      const { plain, sealed } = parse(files.read(fileOf(name)));
      if (sealed === undefined || !keyring) return plain;
      const opener = await (key ??= keyring.readKey().then(importKey));
      // It may be unlocked later.
      if (!opener) key = undefined;
      return opener && unseal(opener, name, sealed);
    },
    async write(name, value) {
      const sealer = await (key = keyring && keyFor(keyring, files));
      const stored: StoredSecret = sealer ? { sealed: await seal(sealer, name, value) } : { plain: value };
      files.write(fileOf(name), JSON.stringify(stored));
    },
    remove: async (name) => files.remove(fileOf(name)),
    exclusive: (name, work) => alone(files.path(`${checkedName(name)}.lock`), work),
  };
}

/** Signing in or asking the keyring may take a while. */
const alone = <T>(path: string, work: () => Promise<T>) =>
  withFileLock(path, work, { isTemporary: true, patienceMs: 60_000 });

const fileOf = (name: string) => `${checkedName(name)}.json`;

function parse(text: string | undefined): StoredSecret {
  try {
    return (JSON.parse(text ?? "{}") as StoredSecret | null) ?? {};
  } catch {
    return {};
  }
}

/** The key in the keyring, made at the first use. Undefined if the keyring does not keep it. */
function keyFor(keyring: Keyring, files: SecretFiles): Promise<CryptoKey | undefined> {
  return alone(files.path("keyring.lock"), async () => {
    const known = await keyring.readKey();
    if (known !== undefined) return importKey(known);
    const fresh = randomHex(32);
    return (await keyring.storeKey(fresh)) ? importKey(fresh) : undefined;
  });
}

async function importKey(hex: string | undefined): Promise<CryptoKey | undefined> {
  return hex === undefined
    ? undefined
    : crypto.subtle.importKey("raw", Buffer.from(hex, "hex"), "AES-GCM", false, ["encrypt", "decrypt"]);
}

const IV_BYTES = 12;

/** Bound to its name, so that files cannot be swapped. */
async function seal(key: CryptoKey, name: string, value: string): Promise<string> {
  const iv = crypto.getRandomValues(new Uint8Array(IV_BYTES));
  const parameters = { name: "AES-GCM", iv, additionalData: Buffer.from(name) };
  const sealed = await crypto.subtle.encrypt(parameters, key, Buffer.from(value));
  return Buffer.concat([iv, Buffer.from(sealed)]).toString("base64");
}

async function unseal(key: CryptoKey, name: string, sealed: string): Promise<string | undefined> {
  const bytes = Buffer.from(sealed, "base64");
  const parameters = { name: "AES-GCM", iv: bytes.subarray(0, IV_BYTES), additionalData: Buffer.from(name) };
  try {
    return Buffer.from(await crypto.subtle.decrypt(parameters, key, bytes.subarray(IV_BYTES))).toString();
  } catch {
    // Another key: the keyring was replaced. The user signs in again.
    return undefined;
  }
}
