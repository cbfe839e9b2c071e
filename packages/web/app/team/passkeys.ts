// Passkeys of this browser: what the server asks for, and what the browser answers, as text.

import { api } from "../connection/api.ts";
import { deviceName, signedIn, signedInByCookie } from "../connection/device.ts";

export interface SignedInReply {
  /** Absent: it is in a cookie. */
  readonly token?: string;
  readonly user: { readonly id: string; readonly name: string; readonly role: string };
}

/** The server has let this browser in. */
export function letIn({ token }: SignedInReply, remember: boolean): void {
  if (token === undefined) signedInByCookie();
  else signedIn(token, remember);
}

export async function signInWithPasskey(remember: boolean): Promise<void> {
  const { body: wanted } = await api<PasskeyStart>("POST", "/v1/auth/passkey/start", { body: {} });
  const credential = await asked(
    navigator.credentials.get({
      publicKey: {
        challenge: bytesOf(wanted.challenge),
        rpId: wanted.site,
        timeout: wanted.timeout_ms,
        userVerification: "required",
      },
    }),
  );
  const response = credential.response as AuthenticatorAssertionResponse;
  const body = {
    ...answerOf(credential),
    authenticator_data: textOf(response.authenticatorData),
    signature: textOf(response.signature),
    ...(response.userHandle ? { user_handle: textOf(response.userHandle) } : {}),
    device: deviceName(),
    remember,
  };
  letIn((await api<SignedInReply>("POST", "/v1/auth/passkey", { body })).body, remember);
}

export async function addPasskey(): Promise<void> {
  const { body: wanted } = await api<NewPasskeyStart>("POST", "/v1/passkeys/start", { body: {} });
  const { user } = wanted;
  const credential = await asked(
    navigator.credentials.create({
      publicKey: {
        challenge: bytesOf(wanted.challenge),
        rp: { id: wanted.site, name: "Keelson" },
        user: { id: bytesOf(user.id), name: user.name, displayName: user.shown },
        pubKeyCredParams: wanted.algorithms.map((alg) => ({ type: "public-key", alg })),
        excludeCredentials: wanted.known.map((id) => ({ type: "public-key", id: bytesOf(id) })),
        authenticatorSelection: { residentKey: "required", userVerification: "required" },
        attestation: "none",
        timeout: wanted.timeout_ms,
      },
    }),
  );
  const response = credential.response as AuthenticatorAttestationResponse;
  const key = response.getPublicKey();
  if (key === null) throw new Error("This browser cannot say which key it made; try another one");
  const body = {
    ...answerOf(credential),
    authenticator_data: textOf(response.getAuthenticatorData()),
    public_key: textOf(key),
    algorithm: response.getPublicKeyAlgorithm(),
    name: deviceName(),
  };
  await api("POST", "/v1/passkeys", { body });
}

interface PasskeyStart {
  readonly challenge: string;
  readonly site: string;
  readonly timeout_ms: number;
}

interface NewPasskeyStart extends PasskeyStart {
  readonly user: { readonly id: string; readonly name: string; readonly shown: string };
  readonly algorithms: readonly number[];
  readonly known: readonly string[];
}

/** Browsers say it each in their own words, and at length. */
async function asked(credential: Promise<Credential | null>): Promise<PublicKeyCredential> {
  try {
    const given = await credential;
    if (given !== null) return given as PublicKeyCredential;
  } catch (error) {
    const { name } = error as Error;
    if (name === "InvalidStateError") throw new Error("This device has a passkey for you already");
    if (name === "SecurityError") throw new Error("Passkeys do not work under this address; ask an admin for another");
    if (name !== "NotAllowedError" && name !== "AbortError") throw error;
  }
  throw new Error("No passkey was used");
}

const answerOf = ({ id, response }: PublicKeyCredential) => ({ id, client_data: textOf(response.clientDataJSON) });

function textOf(bytes: ArrayBuffer): string {
  const text = btoa(Array.from(new Uint8Array(bytes), (byte) => String.fromCharCode(byte)).join(""));
  return text.replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

function bytesOf(text: string): Uint8Array<ArrayBuffer> {
  const binary = atob(text.replaceAll("-", "+").replaceAll("_", "/"));
  return Uint8Array.from(binary, (letter) => letter.charCodeAt(0));
}
