// AWS as identity provider: a signed request for the caller's identity, which Google sends to AWS instead of us.

import { ModelError } from "@keelson/engine";
import { awsRegion, type AwsOutside } from "../../bedrock/aws-credentials.ts";
import { findKeys } from "../../bedrock/credentials/chain.ts";
import { signAttempt } from "../../bedrock/wire/sigv4.ts";
import { credentialsError, type TokenSearch } from "./outside.ts";

const COMMAND_MS = 30_000;

/** `verification` is the address that Google asks, with `{region}` in it. */
export async function awsSubject(
  { env, outside, keepSecret }: TokenSearch,
  verification: string,
  audience: string,
  path: string,
): Promise<string> {
  const machine: AwsOutside = {
    fetch: outside.fetch,
    readFile: outside.readFile,
    now: outside.now,
    run: async (command) => outside.run?.(command, { env: {}, timeoutMs: COMMAND_MS }) ?? { code: 1, stdout: "" },
  };
  const region = await awsRegion(env, machine);
  const url = URL.parse(verification.replaceAll("{region}", region));
  if (url?.protocol !== "https:") throw credentialsError(`"${path}" has no https address for AWS to check the keys`);
  const keys = await findKeys(env, region, machine).catch((error: unknown) => {
    if (!(error instanceof ModelError) || error.kind !== "authentication_failed") throw error;
    throw credentialsError(`"${path}" needs AWS credentials, and there are none; set AWS_PROFILE, or sign in`);
  });
  for (const secret of [keys.secretAccessKey, keys.sessionToken]) keepSecret(secret);
  const headers = new Headers({ "x-goog-cloud-target-resource": audience });
  signAttempt({ method: "POST", url, headers, body: undefined }, { keys, region, service: "sts", at: outside.now() });
  headers.set("host", url.host);
  const list = Array.from(headers, ([key, value]) => ({ key, value }));
  return encodeURIComponent(JSON.stringify({ url: url.href, method: "POST", headers: list }));
}
