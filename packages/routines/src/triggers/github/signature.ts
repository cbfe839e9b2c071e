// Whether a delivery comes from GitHub: an HMAC over its bytes, before anything in it is read.

import { createHmac, timingSafeEqual } from "node:crypto";

/** Why it is not authentic; undefined if it is. */
export function githubSignatureProblem(headers: Headers, body: Uint8Array, secret: string): string | undefined {
  const given = headers.get("x-hub-signature-256");
  if (given === null)
    return headers.has("x-hub-signature")
      ? "It is signed with SHA-1 only, which can be forged; set a secret in the webhook's settings on GitHub"
      : "It is not signed; set the secret of this trigger in the webhook's settings on GitHub";
  if (secret === "") return "The trigger has no secret; rotate it";
  const expected = createHmac("sha256", secret).update(body).digest();
  const actual = Buffer.from(/^sha256=([0-9a-f]{64})$/i.exec(given)?.[1] ?? "", "hex");
  return actual.length === expected.length && timingSafeEqual(actual, expected)
    ? undefined
    : "The signature is wrong: the secret on GitHub is not that of this trigger";
}
