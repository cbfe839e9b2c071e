// Secrets at rest: what the database keeps of them opens only with a key that is not in it.

import { createCipheriv, createDecipheriv, randomBytes } from "node:crypto";

export interface SecretBox {
  seal(secret: string): Promise<string>;
  /** Throws if it was sealed with another key, or changed. */
  unseal(sealed: string): Promise<string>;
}

export const KEY_BYTES = 32;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const VERSION = "k1.";

export function createSecretBox(key: Uint8Array): SecretBox {
  if (key.length !== KEY_BYTES) throw new RangeError(`The key must have ${KEY_BYTES} bytes`);
  return {
    async seal(secret) {
      const nonce = randomBytes(NONCE_BYTES);
      const cipher = createCipheriv("aes-256-gcm", key, nonce);
      const text = Buffer.concat([cipher.update(secret, "utf8"), cipher.final()]);
      return VERSION + Buffer.concat([nonce, cipher.getAuthTag(), text]).toString("base64url");
    },
    async unseal(sealed) {
      const bytes = Buffer.from(sealed.slice(VERSION.length), "base64url");
      const start = NONCE_BYTES + TAG_BYTES;
      if (!sealed.startsWith(VERSION) || bytes.length < start) throw notOurs();
      const decipher = createDecipheriv("aes-256-gcm", key, bytes.subarray(0, NONCE_BYTES));
      decipher.setAuthTag(bytes.subarray(NONCE_BYTES, start));
      try {
        return Buffer.concat([decipher.update(bytes.subarray(start)), decipher.final()]).toString("utf8");
      } catch {
        throw notOurs();
      }
    },
  };
}

const notOurs = () => new Error("A secret was sealed with another key; use the key file it was sealed with");
