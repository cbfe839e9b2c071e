// People and programs of a server, what they own besides routines, and what they did.

export type TeamRole = "viewer" | "member" | "admin";

export interface TeamUser {
  readonly id: string;
  readonly name: string;
  readonly email: string | null;
  readonly role: TeamRole;
  /** `ISSUER SUBJECT` of OIDC, unique. */
  readonly subject: string | null;
  /** argon2id; null: signs in without a password. */
  readonly passwordHash: string | null;
  readonly disabled: boolean;
  readonly createdAt: number;
  readonly seenAt: number | null;
}

export interface Passkey {
  /** The credential id, base64url. */
  readonly id: string;
  readonly userId: string;
  readonly name: string;
  /** SPKI, base64url. */
  readonly publicKey: string;
  readonly algorithm: number;
  readonly counter: number;
  readonly createdAt: number;
  readonly usedAt: number | null;
}

/** A browser that is signed in. */
export interface TeamDevice {
  /** SHA-256 of its token. */
  readonly id: string;
  readonly userId: string;
  readonly name: string;
  readonly createdAt: number;
  readonly expiresAt: number;
  readonly seenAt: number;
}

/** A code that works once: bootstrap, invitation, pairing, the state of an OIDC sign-in, a passkey challenge. */
export interface TeamCode {
  /** SHA-256 of the code. */
  readonly id: string;
  readonly kind: string;
  readonly body: Readonly<Record<string, unknown>>;
  readonly expiresAt: number;
}

/** A token of a program. Workers have the scope `worker`. */
export interface ApiToken {
  readonly id: string;
  /** SHA-256 of the token, in hexadecimal, unique. */
  readonly tokenHash: string;
  readonly name: string;
  readonly userId: string | null;
  readonly scopes: readonly string[];
  readonly createdAt: number;
  readonly expiresAt: number | null;
  readonly usedAt: number | null;
}

/** Where runs take place. */
export interface RunEnvironment {
  readonly id: string;
  readonly name: string;
  readonly setupScript: string | null;
  /** Hosts that may be reached. */
  readonly network: readonly string[];
  readonly variables: Readonly<Record<string, string>>;
  /** Names of secrets that its runs may use. */
  readonly secrets: readonly string[];
  readonly extra: Readonly<Record<string, unknown>>;
  readonly version: number;
  readonly createdAt: number;
  readonly updatedAt: number;
}

/** Never read back by people. */
export interface SealedSecret {
  /** Its name. */
  readonly id: string;
  readonly sealed: string;
  readonly createdBy: string | null;
  readonly createdAt: number;
  readonly updatedAt: number;
}

export interface WorkerRow {
  /** Its name, such as `HOST-PID`. */
  readonly id: string;
  readonly version: string;
  readonly slots: number;
  readonly startedAt: number;
  readonly seenAt: number;
  /** It says so: it ends. */
  readonly draining: boolean;
  /** Who wants it to take no more runs. */
  readonly drainBy: string | null;
}

/** What a worker says of itself. */
export type WorkerSign = Pick<WorkerRow, "id" | "version" | "slots" | "draining">;

export interface AuditRow {
  readonly id: string;
  readonly at: number;
  /** Id of a user or token, or `server`. */
  readonly actor: string;
  /** Such as `routine.update`. */
  readonly action: string;
  readonly target: string | null;
  readonly detail: Readonly<Record<string, unknown>>;
  /** Where the request came from. */
  readonly address: string | null;
}

/** The first answer to a request with an idempotency key, given again to the same request. */
export interface KeptAnswer {
  /** SHA-256 of who asked and the key. */
  readonly id: string;
  /** SHA-256 of method, path and body: another one is a conflict. */
  readonly requestHash: string;
  readonly status: number;
  readonly body: string;
  readonly at: number;
}
