// Tokens of programs: shown once, kept as a hash.

import { randomBytes } from "node:crypto";
import type { ApiToken } from "../records/team.ts";
import { secretHash, newSecretText } from "./hash.ts";

/** `read`, `write` and `admin` are for the API, each with those before it; `worker` and `metrics` are for these, and nothing else. */
export const TOKEN_SCOPES = ["read", "write", "admin", "worker", "metrics"] as const;
export type TokenScope = (typeof TOKEN_SCOPES)[number];

const SCOPES_OF: Readonly<Record<TokenScope, readonly string[]>> = {
  read: ["read"],
  write: ["read", "write"],
  admin: ["read", "write", "admin"],
  worker: ["worker"],
  metrics: ["metrics"],
};

export interface NewApiToken {
  readonly row: ApiToken;
  /** For the person who asked, this once. */
  readonly token: string;
}

export interface WantedApiToken {
  readonly name: string;
  readonly scope: TokenScope;
  readonly expiresAt?: number | null;
  /** Default: it belongs to the server. */
  readonly userId?: string | null;
}

export function newApiToken(wanted: WantedApiToken, now: number): NewApiToken {
  const { name, scope, expiresAt = null, userId = null } = wanted;
  const token = newSecretText();
  const id = `tok_${randomBytes(8).toString("hex")}`;
  const row = {
    id,
    tokenHash: secretHash(token),
    name,
    userId,
    scopes: SCOPES_OF[scope],
    createdAt: now,
    expiresAt,
    usedAt: null,
  };
  return { row, token };
}

/** The token of a program, in its form; undefined if there is none. */
export const bearerIn = (headers: Headers) => /^Bearer (\S{20,200})$/i.exec(headers.get("authorization") ?? "")?.[1];
