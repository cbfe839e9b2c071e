// Checks AWS signatures (version 4) as the service does. Written apart from the code that makes them.

import { createHash, createHmac } from "node:crypto";
import type { DialectRequest } from "./server.ts";

export interface SigningKeys {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken?: string;
  readonly region: string;
  readonly service?: string;
}

/** Why the service would refuse the signature; undefined if it is right. */
export function signatureProblem(request: DialectRequest, keys: SigningKeys): string | undefined {
  const { headers, method, path, text } = request;
  const found = /^AWS4-HMAC-SHA256 Credential=([^,]+), SignedHeaders=([^,]+), Signature=([0-9a-f]{64})$/.exec(
    headers["authorization"] ?? "",
  );
  if (!found) return "Missing Authentication Token";
  const [, credential = "", list = "", signature] = found;
  const signed = list.split(";");
  const date = headers["x-amz-date"] ?? "";
  if (!/^\d{8}T\d{6}Z$/.test(date)) return "The request has no valid x-amz-date";
  const scope = `${date.slice(0, 8)}/${keys.region}/${keys.service ?? "bedrock"}/aws4_request`;
  if (credential !== `${keys.accessKeyId}/${scope}`) return `Credential should be scoped to ${scope}`;
  if (list !== signed.toSorted().join(";")) return "Signed headers are not in order";
  const needed = ["host", "x-amz-date", "x-amz-content-sha256"].concat(
    ["content-type", "x-amz-security-token"].filter((name) => headers[name] !== undefined),
  );
  const missing = needed.filter((name) => !signed.includes(name));
  if (missing.length > 0) return `Headers ${missing.join(", ")} must be signed`;
  const changeable = signed.filter((name) => HOP_BY_HOP.has(name));
  if (changeable.length > 0) return `Headers ${changeable.join(", ")} must not be signed`;
  if (headers["x-amz-security-token"] !== keys.sessionToken) return "The security token included is invalid";
  const hash = createHash("sha256").update(text).digest("hex");
  if (headers["x-amz-content-sha256"] !== hash) return "The provided x-amz-content-sha256 does not match";

  const [way = "", query = ""] = path.split("?");
  const canonical = [
    method,
    way.split("/").map(escaped).join("/"),
    query
      .split("&")
      .filter(Boolean)
      .map((pair) => (pair.includes("=") ? pair : `${pair}=`).replaceAll("+", "%20"))
      .toSorted()
      .join("&"),
    ...signed.map((name) => `${name}:${(headers[name] ?? "").trim().replace(/ +/g, " ")}`),
    "",
    list,
    hash,
  ].join("\n");
  const toSign = `AWS4-HMAC-SHA256\n${date}\n${scope}\n${createHash("sha256").update(canonical).digest("hex")}`;
  let key: Uint8Array = Buffer.from(`AWS4${keys.secretAccessKey}`);
  for (const part of scope.split("/")) key = createHmac("sha256", key).update(part).digest();
  const right = createHmac("sha256", key).update(toSign).digest("hex");
  return signature === right ? undefined : "The request signature we calculated does not match the signature provided";
}

const HOP_BY_HOP: ReadonlySet<string> = new Set([
  "connection",
  "accept-encoding",
  "content-length",
  "transfer-encoding",
  "user-agent",
  "expect",
  "te",
  "upgrade",
]);

/** Everything but letters, digits and `-._~`, byte by byte. */
function escaped(segment: string): string {
  return Array.from(Buffer.from(segment), (byte) => {
    const char = String.fromCharCode(byte);
    return /[\w.~-]/.test(char) ? char : `%${byte.toString(16).toUpperCase().padStart(2, "0")}`;
  }).join("");
}
