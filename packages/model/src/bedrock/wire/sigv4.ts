// AWS Signature Version 4. Pure: the time and the keys come in as arguments.

import { setSecret, type Attempt } from "../../http/server.ts";

export interface AwsKeys {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken?: string;
}

export interface SigningScope {
  readonly keys: AwsKeys;
  readonly region: string;
  readonly service: string;
  /** Milliseconds since the epoch. */
  readonly at: number;
}

export interface SignedRequest {
  readonly method: string;
  /** As it is sent, percent-encoded. */
  readonly path: string;
  readonly query: Iterable<readonly [string, string]>;
  /** The headers to sign, `host` among them; names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly bodyHash: string;
}

/** Adds the date, the hash of the body and the signature to the headers. Signs nothing that a proxy may change. */
export function signAttempt({ method, url, headers, body }: Attempt, scope: SigningScope): void {
  const bodyHash = sha256(body ?? "");
  headers.set("x-amz-date", dateOf(scope.at));
  headers.set("x-amz-content-sha256", bodyHash);
  const { sessionToken } = scope.keys;
  if (sessionToken) setSecret(headers, "x-amz-security-token", sessionToken, "The AWS session token");
  else headers.delete("x-amz-security-token");
  const signed = { host: url.host, ...Object.fromEntries([...headers].filter(([name]) => SIGNED.has(name))) };
  const request = { method, path: url.pathname, query: url.searchParams, headers: signed, bodyHash };
  setSecret(headers, "authorization", authorizationOf(request, scope), "The AWS access key");
}

const SIGNED: ReadonlySet<string> = new Set([
  "content-type",
  "x-amz-content-sha256",
  "x-amz-date",
  "x-amz-security-token",
  // Whom a signed request for one's identity is meant for.
  "x-goog-cloud-target-resource",
]);

/** The value of the `authorization` header. */
export function authorizationOf(request: SignedRequest, { keys, region, service, at }: SigningScope): string {
  const names = Object.keys(request.headers).toSorted();
  const canonical = [
    request.method,
    canonicalPath(request.path),
    canonicalQuery(request.query),
    ...names.map((name) => `${name}:${request.headers[name]!.trim().replace(/\s+/g, " ")}`),
    "",
    names.join(";"),
    request.bodyHash,
  ].join("\n");
  const day = dateOf(at).slice(0, 8);
  const credential = `${day}/${region}/${service}/aws4_request`;
  const text = ["AWS4-HMAC-SHA256", dateOf(at), credential, sha256(canonical)].join("\n");
  const key = [day, region, service, "aws4_request"].reduce<string | Buffer>(hmac, `AWS4${keys.secretAccessKey}`);
  return [
    `AWS4-HMAC-SHA256 Credential=${keys.accessKeyId}/${credential}`,
    `SignedHeaders=${names.join(";")}`,
    `Signature=${hmac(key, text).toString("hex")}`,
  ].join(", ");
}

/** Every segment is encoded once more than it was sent: `%3A` becomes `%253A`. Only S3 does without. */
function canonicalPath(path: string): string {
  return path.split("/").map(encode).join("/") || "/";
}

function canonicalQuery(query: Iterable<readonly [string, string]>): string {
  const byCode = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0);
  return Array.from(query, ([name, value]) => [encode(name), encode(value)] as const)
    .toSorted((a, b) => byCode(a[0], b[0]) || byCode(a[1], b[1]))
    .map(([name, value]) => `${name}=${value}`)
    .join("&");
}

/** Everything but `A-Z a-z 0-9 - . _ ~`. */
function encode(text: string): string {
  return encodeURIComponent(text).replace(/[!'()*]/g, (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`);
}

/** `20150830T123600Z`. */
function dateOf(at: number): string {
  return new Date(at).toISOString().replace(/[-:]|\.\d{3}/g, "");
}

// Not node:crypto, whose import takes 7 ms of the first request.
const sha256 = (data: string | Uint8Array) => new Bun.CryptoHasher("sha256").update(data).digest("hex");
const hmac = (key: string | Buffer, text: string) => new Bun.CryptoHasher("sha256", key).update(text).digest();
