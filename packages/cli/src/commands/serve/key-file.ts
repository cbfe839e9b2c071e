// The key that seals secrets: a file of its own, so that a copy of the database alone tells none of them.

import { randomBytes } from "node:crypto";
import { join } from "node:path";
import { withOwnFileLock } from "@keelson/disk/lock";
import { readOwnFile } from "@keelson/disk/own-files";
import { replaceOwnFile } from "@keelson/disk/replace-file";
import { createSecretBox, KEY_BYTES, type SecretBox } from "@keelson/routines";

const MAX_BYTES = 1_024;

/** Makes the key if there is none. Servers that share a database need the same file. */
export async function openSecretBox(state: string): Promise<SecretBox> {
  const path = join(state, "key");
  const key = readKey(path) ?? (await withOwnFileLock(`${path}.lock`, () => readKey(path) ?? writeKey(path)));
  return createSecretBox(key);
}

function readKey(path: string): Buffer | undefined {
  const text = readOwnFile(path, MAX_BYTES)?.toString("utf8").trim();
  if (text === undefined) return undefined;
  const key = Buffer.from(text, "base64url");
  if (key.length !== KEY_BYTES)
    throw new Error(
      `${path} is not a key as Keelson writes it; put back the one that sealed the secrets, or remove it with them`,
    );
  return key;
}

function writeKey(path: string): Buffer {
  const key = randomBytes(KEY_BYTES);
  replaceOwnFile(path, `${key.toString("base64url")}\n`);
  return key;
}
