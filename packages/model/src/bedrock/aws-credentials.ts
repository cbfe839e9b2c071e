// Credentials for Amazon Bedrock: a bearer key, signatures with keys from the AWS chain, or none at all. Nothing secret
// gets into an error.

import { ModelError } from "@keelson/engine";
import { isVariableOn } from "@keelson/protocol";
import type { Env } from "../profiles/profiles.ts";
import { setSecret, type Credentials } from "../http/server.ts";
import { awsKeys } from "./credentials/aws-keys.ts";
import type { AwsOutside } from "./credentials/outside.ts";
import { signAttempt } from "./wire/sigv4.ts";

export type { AwsOutside, CommandOutput } from "./credentials/outside.ts";

export interface AwsAccess {
  readonly region: string;
  readonly credentials: RegionalCredentials;
}

/** Signatures are valid in one region only. */
export interface RegionalCredentials extends Credentials {
  inRegion(region: string): RegionalCredentials;
}

const DEFAULT_REGION = "us-east-1";

/** Reads files only for what the variables do not say. Keys are looked for at the first request. */
export async function awsCredentials(env: Env, outside: AwsOutside): Promise<AwsAccess> {
  const region = await awsRegion(env, outside);
  return { region, credentials: bedrockCredentials(env, region, outside) };
}

/** `AWS_REGION`, `AWS_DEFAULT_REGION`, the region of the profile, else `us-east-1`. */
export async function awsRegion(env: Env, outside: Pick<AwsOutside, "readFile">): Promise<string> {
  const named = env["AWS_REGION"]?.trim() || env["AWS_DEFAULT_REGION"]?.trim();
  if (named) return checkedRegion(named, "AWS_REGION");
  const { readAwsConfig } = await import("./credentials/profile.ts");
  const { profiles, chosen } = await readAwsConfig(env, outside);
  return checkedRegion(profiles[chosen]?.["region"] || DEFAULT_REGION, "~/.aws/config");
}

/** The region becomes part of addresses that credentials are sent to. */
export function checkedRegion(region: string, from: string): string {
  if (/^[a-z0-9-]+$/.test(region)) return region;
  throw new ModelError("invalid_request", `"${region}" is not an AWS region; check ${from}`);
}

export function bedrockCredentials(env: Env, region: string, outside: AwsOutside): RegionalCredentials {
  if (isVariableOn(env["CLAUDE_CODE_SKIP_BEDROCK_AUTH"])) return everywhere({ authorize() {}, secrets: () => [] });
  const bearer = env["AWS_BEARER_TOKEN_BEDROCK"]?.trim();
  if (!bearer) return signedCredentials(env, region, "bedrock", outside);
  return everywhere({
    authorize: ({ headers }) => setSecret(headers, "authorization", `Bearer ${bearer}`, "AWS_BEARER_TOKEN_BEDROCK"),
    secrets: () => [bearer],
  });
}

function everywhere(credentials: Credentials): RegionalCredentials {
  const same: RegionalCredentials = { ...credentials, inRegion: () => same };
  return same;
}

/** Signs with keys from the AWS chain. Keys are looked for at the first request, and shared by all regions. */
export function signedCredentials(env: Env, region: string, service: string, outside: AwsOutside): RegionalCredentials {
  const { cache: keys, secrets } = awsKeys(env, region, outside);
  const inRegion = (place: string): RegionalCredentials => ({
    async authorize(attempt) {
      signAttempt(attempt, { keys: await keys.current(), region: place, service, at: outside.now() });
    },
    renew: (signal) => keys.renew(signal),
    secrets: () => secrets.all(),
    inRegion,
  });
  return inRegion(region);
}
