// What a browser says about a passkey, checked: https://www.w3.org/TR/webauthn-3/ §7. Attestation is not asked for, so that the browser
// gives the public key as SPKI and nothing has to be decoded from CBOR.

import { isObject, tryParse } from "@keelson/protocol";

/** Where passkeys of a server are used. */
export interface PasskeySite {
  /** The name of the host. */
  readonly id: string;
  readonly origin: string;
}

/** What every answer of an authenticator has, in base64url. */
export interface PasskeyReply {
  readonly id: string;
  readonly clientData: string;
  readonly authenticatorData: string;
}

export interface StoredKey {
  /** SPKI, base64url. */
  readonly publicKey: string;
  readonly algorithm: number;
}

/** What is wrong with an answer, for the audit; people are told less. */
export class PasskeyProblem extends Error {
  override readonly name = "PasskeyProblem";
}

const bytesOf = (text: string) => new Uint8Array(Buffer.from(text, "base64url"));
const sha256 = async (bytes: Uint8Array<ArrayBuffer>) => new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));

/** By their COSE numbers, in the order in which they are preferred. */
const ALGORITHMS: ReadonlyMap<number, { name: string; namedCurve?: string; hash?: string }> = new Map([
  [-8, { name: "Ed25519" }],
  [-7, { name: "ECDSA", namedCurve: "P-256", hash: "SHA-256" }],
  [-257, { name: "RSASSA-PKCS1-v1_5", hash: "SHA-256" }],
]);
export const PASSKEY_ALGORITHMS: readonly number[] = [...ALGORITHMS.keys()];
const LEAST_RSA_BITS = 2048;

/** The challenge that the browser says it was given. Whether it was is for the caller to check. */
export function challengeIn(reply: PasskeyReply): string {
  const { challenge } = clientDataOf(reply);
  return typeof challenge === "string" ? Buffer.from(challenge, "base64url").toString("utf8") : "";
}

/** Throws a PasskeyProblem unless this is a new passkey for the site. */
export async function checkNewPasskey(
  reply: PasskeyReply & StoredKey,
  site: PasskeySite,
): Promise<{ counter: number }> {
  const { data, flags, counter } = await checkReply(reply, "webauthn.create", site);
  const length = data.length >= 55 ? new DataView(data.buffer).getUint16(53) : 0;
  const id = Buffer.from(data.subarray(55, 55 + length)).toString("base64url");
  if ((flags & ATTESTED) === 0 || length === 0 || id !== reply.id) throw new PasskeyProblem("another credential");
  await importedKey(reply);
  return { counter };
}

/** Throws a PasskeyProblem unless the holder of this key has signed in at the site, after the last time. */
export async function checkPasskey(
  reply: PasskeyReply & { readonly signature: string },
  key: StoredKey & { readonly counter: number },
  site: PasskeySite,
): Promise<{ counter: number }> {
  const { data, counter } = await checkReply(reply, "webauthn.get", site);
  const signed = new Uint8Array([...data, ...(await sha256(bytesOf(reply.clientData)))]);
  // The algorithm is that of the key, whatever the browser says.
  const algorithm = ALGORITHMS.get(key.algorithm)!;
  const signature = algorithm.name === "ECDSA" ? plainSignature(bytesOf(reply.signature)) : bytesOf(reply.signature);
  if (!(await crypto.subtle.verify(algorithm, await importedKey(key), signature, signed)))
    throw new PasskeyProblem("wrong signature");
  if ((counter > 0 || key.counter > 0) && counter <= key.counter)
    throw new PasskeyProblem("the counter did not grow: the passkey may have been copied");
  return { counter };
}

const [PRESENT, VERIFIED, ATTESTED] = [1, 4, 64];

function clientDataOf({ clientData }: PasskeyReply): Readonly<Record<string, unknown>> {
  const value = tryParse(Buffer.from(clientData, "base64url").toString("utf8"));
  return isObject(value) ? value : {};
}

async function checkReply(reply: PasskeyReply, wanted: string, site: PasskeySite) {
  const { type, origin, crossOrigin, topOrigin } = clientDataOf(reply);
  if (type !== wanted) throw new PasskeyProblem("an answer to something else");
  if (origin !== site.origin) throw new PasskeyProblem("another origin");
  if ((crossOrigin !== undefined && crossOrigin !== false) || topOrigin !== undefined)
    throw new PasskeyProblem("inside another page");
  const data = bytesOf(reply.authenticatorData);
  if (data.length < 37) throw new PasskeyProblem("too short");
  const host = await sha256(new TextEncoder().encode(site.id));
  if (!host.every((byte, at) => data[at] === byte)) throw new PasskeyProblem("another host");
  const flags = data[32]!;
  if ((flags & PRESENT) === 0 || (flags & VERIFIED) === 0) throw new PasskeyProblem("nobody was verified");
  return { data, flags, counter: new DataView(data.buffer).getUint32(33) };
}

/** A key that is not of its algorithm is not imported. */
async function importedKey({ publicKey, algorithm }: StoredKey): Promise<CryptoKey> {
  const kind = ALGORITHMS.get(algorithm);
  if (kind === undefined) throw new PasskeyProblem("an algorithm that was not offered");
  const key = await crypto.subtle.importKey("spki", bytesOf(publicKey), kind, false, ["verify"]).catch(() => undefined);
  if (key === undefined) throw new PasskeyProblem("not a public key of its algorithm");
  const { modulusLength: bits = LEAST_RSA_BITS } = key.algorithm as { modulusLength?: number };
  if (bits < LEAST_RSA_BITS) throw new PasskeyProblem("the key is too short");
  return key;
}

const NUMBER_BYTES = 32;

/** Authenticators write two numbers as DER, and WebCrypto wants them one after the other. */
function plainSignature(der: Uint8Array): Uint8Array<ArrayBuffer> {
  const plain = new Uint8Array(2 * NUMBER_BYTES);
  const wrong = () => new PasskeyProblem("wrong signature");
  if (der[0] !== 0x30 || der[1] !== der.length - 2) throw wrong();
  let at = 2;
  for (const end of [NUMBER_BYTES, 2 * NUMBER_BYTES]) {
    const length = der[at + 1]!;
    const number = der.subarray(at + 2, at + 2 + length);
    if (der[at] !== 0x02 || number.length !== length) throw wrong();
    const digits = number.subarray(number.findIndex((byte) => byte !== 0));
    if (digits.length > NUMBER_BYTES) throw wrong();
    plain.set(digits, end - digits.length);
    at += 2 + length;
  }
  if (at !== der.length) throw wrong();
  return plain;
}
