// An authenticator in software: what a browser would send for a passkey, and what somebody could change about it.

import { createHash, generateKeyPairSync, randomBytes, sign, type KeyObject } from "node:crypto";

export interface SoftPasskey {
  readonly id: string;
  readonly privateKey: KeyObject;
  /** SPKI, base64url. */
  readonly publicKey: string;
  readonly algorithm: number;
  counter: number;
}

export interface Ceremony {
  /** As the server gave it. */
  readonly challenge: string;
  readonly origin: string;
  readonly site: string;
  /** What is not as it should be. */
  readonly clientData?: Readonly<Record<string, unknown>>;
  readonly flags?: number;
  readonly counter?: number;
}

const base64url = (bytes: Uint8Array) => Buffer.from(bytes).toString("base64url");
const sha256 = (data: string | Uint8Array) => createHash("sha256").update(data).digest();
const [PRESENT, VERIFIED, ATTESTED] = [1, 4, 64];

const KINDS = {
  "-7": () => generateKeyPairSync("ec", { namedCurve: "P-256" }),
  "-8": () => generateKeyPairSync("ed25519"),
  "-257": () => generateKeyPairSync("rsa", { modulusLength: 2048 }),
} as const;

export function newPasskey(algorithm: -7 | -8 | -257 = -7): SoftPasskey {
  const { privateKey, publicKey } = KINDS[`${algorithm}`]();
  const id = base64url(randomBytes(32));
  return {
    id,
    privateKey,
    publicKey: base64url(publicKey.export({ type: "spki", format: "der" })),
    algorithm,
    counter: 0,
  };
}

const clientDataOf = (type: string, { challenge, origin, clientData }: Ceremony) =>
  Buffer.from(JSON.stringify({ type, challenge, origin, crossOrigin: false, ...clientData }));

function authenticatorData(
  { site, flags = PRESENT | VERIFIED }: Ceremony,
  counter: number,
  credential?: string,
): Buffer {
  const head = Buffer.alloc(37);
  sha256(site).copy(head);
  head[32] = flags | (credential === undefined ? 0 : ATTESTED);
  head.writeUInt32BE(counter, 33);
  if (credential === undefined) return head;
  const id = Buffer.from(credential, "base64url");
  const length = Buffer.alloc(2);
  length.writeUInt16BE(id.length);
  return Buffer.concat([head, Buffer.alloc(16), length, id, Buffer.from([0xa0])]);
}

/** The body of `POST /v1/passkeys`. */
export function registration(passkey: SoftPasskey, ceremony: Ceremony): Record<string, unknown> {
  return {
    id: passkey.id,
    client_data: base64url(clientDataOf("webauthn.create", ceremony)),
    authenticator_data: base64url(authenticatorData(ceremony, ceremony.counter ?? passkey.counter, passkey.id)),
    public_key: passkey.publicKey,
    algorithm: passkey.algorithm,
  };
}

/** The body of `POST /v1/auth/passkey`. */
export function assertion(passkey: SoftPasskey, ceremony: Ceremony): Record<string, string> {
  passkey.counter = ceremony.counter ?? passkey.counter + 1;
  const data = authenticatorData(ceremony, passkey.counter);
  const clientData = clientDataOf("webauthn.get", ceremony);
  const signed = Buffer.concat([data, sha256(clientData)]);
  const signature = sign(passkey.algorithm === -8 ? null : "sha256", signed, passkey.privateKey);
  return {
    id: passkey.id,
    client_data: base64url(clientData),
    authenticator_data: base64url(data),
    signature: base64url(signature),
  };
}
