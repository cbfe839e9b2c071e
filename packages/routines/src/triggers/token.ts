// Tokens of triggers: shown once, kept as a hash, compared in constant time.

import { createHash, randomBytes, timingSafeEqual } from "node:crypto";
import type { Trigger } from "../records/trigger.ts";

const PREFIX = "krt_";
const TOKEN = /^krt_[\w-]{43}$/;

export interface NewToken {
  /** For the person who asked, this once. */
  readonly token: string;
  readonly hash: string;
}

export function createToken(): NewToken {
  const token = PREFIX + randomBytes(32).toString("base64url");
  return { token, hash: hashOf(token) };
}

/** The trigger that has the token of this header. All are compared, so that the time tells nothing. */
export function holderOf(triggers: readonly Trigger[], authorization: string | null): Trigger | undefined {
  const token = /^Bearer +(\S+)$/i.exec(authorization ?? "")?.[1] ?? "";
  const given = Buffer.from(hashOf(token), "hex");
  let holder: Trigger | undefined;
  for (const trigger of triggers) {
    const kept = Buffer.from(trigger.tokenHash ?? "", "hex");
    if (kept.length === given.length && timingSafeEqual(kept, given)) holder = trigger;
  }
  return TOKEN.test(token) ? holder : undefined;
}

const hashOf = (token: string) => createHash("sha256").update(token).digest("hex");
