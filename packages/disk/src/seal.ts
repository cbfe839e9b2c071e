// Codes that only Keelson can make: an HMAC with a secret of the configuration folder. They tell what Keelson wrote from what
// a command put into the same files. Tools and commands cannot read the secret (`runtime/gate/open-gate.ts`).

import {
  closeSync,
  constants,
  fchmodSync,
  fstatSync,
  linkSync,
  lstatSync,
  mkdirSync,
  openSync,
  readSync,
  rmSync,
  unlinkSync,
  writeSync,
} from "node:fs";
import { dirname, join } from "node:path";

export interface Seal {
  /**
   * The code of a text. `purpose` keeps codes apart: one made for trust proves nothing about a prompt. Creates the secret if
   * there is none. Undefined if there is no secret and none can be created.
   */
  sealText(purpose: string, text: string): string | undefined;
  /** Whether the code was made with this secret for this purpose and text. Creates nothing, throws nothing. */
  isSealed(purpose: string, text: string, code: unknown): boolean;
}

/** Reads nothing until it is used. `onFailure` is called once, when a secret is needed and cannot be had. */
export function openSeal(configDir: string, onFailure?: (error: Error) => void): Seal {
  const path = join(configDir, "keelson-seal", "key");
  let key: Buffer | undefined;
  let failed = false;

  const attempt = (get: () => Buffer | undefined): Buffer | undefined => {
    try {
      return (key ??= get());
    } catch (error) {
      if (!failed) onFailure?.(error instanceof Error ? error : new Error(String(error)));
      failed = true;
      return undefined;
    }
  };
  return {
    sealText(purpose, text) {
      const secret = failed ? key : attempt(() => readKey(path) ?? createKey(path));
      return secret && codeOf(secret, purpose, text);
    },
    isSealed(purpose, text, code) {
      if (typeof code !== "string" || code === "") return false;
      const secret = attempt(() => readKey(path));
      return secret !== undefined && codeOf(secret, purpose, text) === code;
    },
  };
}

/** What only a program can say to the owner of a session's socket that may read the secret. */
export const socketCode = (seal: Seal, path: string) => seal.sealText("session-socket", path);

/** The purpose as JSON: it ends where the text begins, whatever is in either. */
function codeOf(key: Buffer, purpose: string, text: string): string {
  const all = JSON.stringify(purpose) + text;
  // In an application that uses the SDK. Bun would load more for this than for its own.
  if (process.versions["bun"] === undefined) {
    return process.getBuiltinModule("node:crypto").createHmac("sha256", key).update(all).digest("base64url");
  }
  return new Bun.CryptoHasher("sha256", key).update(all).digest("base64url");
}

const KEY_BYTES = 32;
const NO_FOLLOW = constants.O_NOFOLLOW ?? 0;

/** Undefined if there is none. Throws if what is there is not ours. */
function readKey(path: string): Buffer | undefined {
  let fd: number;
  try {
    checkFolder(dirname(path));
    fd = openSync(path, constants.O_RDONLY | NO_FOLLOW | (constants.O_NONBLOCK ?? 0));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
  try {
    const { uid, mode, size } = fstatSync(fd);
    const us = process.geteuid?.();
    // Root uses the folders of others, for example in a container.
    const isOurs = us === undefined || us === 0 || uid === us;
    const isFile = (mode & constants.S_IFMT) === constants.S_IFREG;
    if (isFile && isOurs && size === 0) return undefined;
    const key = Buffer.alloc(KEY_BYTES);
    if (!isFile || !isOurs || size !== KEY_BYTES || readSync(fd, key, 0, KEY_BYTES, 0) !== KEY_BYTES)
      throw new Error(`"${path}" is not a file that Keelson wrote; delete it`);
    // Copied from a backup, perhaps.
    if ((mode & 0o077) !== 0) fchmodSync(fd, 0o600);
    return key;
  } finally {
    closeSync(fd);
  }
}

/** Of several processes that create it at once, all get the key of the first. */
function createKey(path: string): Buffer {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  checkFolder(dirname(path));
  const temporary = `${path}.${crypto.randomUUID()}.tmp`;
  const created = crypto.getRandomValues(Buffer.alloc(KEY_BYTES));
  try {
    write(temporary, created);
    // Not synced to disk: after a power failure, the file may be empty. What it proved is lost then.
    if (lstatSync(path, { throwIfNoEntry: false })?.size === 0) unlinkSync(path);
    linkOrWrite(temporary, path, created);
  } finally {
    // It is there without its content if the disk is full.
    rmSync(temporary, { force: true });
  }
  const key = readKey(path);
  if (key === undefined) throw new Error(`"${path}" could not be created`);
  return key;
}

function linkOrWrite(temporary: string, path: string, key: Buffer): void {
  try {
    linkSync(temporary, path);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    // Without hard links, another process may see the file before it is complete. It seals nothing then.
    if (code !== "EEXIST") write(path, key);
  }
}

function checkFolder(folder: string): void {
  if (!lstatSync(folder).isDirectory()) throw new Error(`"${folder}" is not a folder that Keelson created; remove it`);
}

function write(path: string, key: Buffer): void {
  const fd = openSync(path, constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | NO_FOLLOW, 0o600);
  try {
    writeSync(fd, key);
  } finally {
    closeSync(fd);
  }
}
