// Amazon Bedrock as a server to ask: regions, addresses and credentials from the variables and the AWS configuration.

import { isVariableOn } from "@keelson/protocol";
import type { Env } from "../profiles/profiles.ts";
import type { CloudPlace, Server } from "../http/server.ts";
import { awsCredentials, checkedRegion, type AwsOutside } from "./aws-credentials.ts";
import { domainOf } from "./credentials/address.ts";

export interface BedrockOptions extends Omit<
  Server,
  "provider" | "baseUrl" | "addressFrom" | "credentials" | "placeOf"
> {
  readonly outside: AwsOutside;
  /** Of the settings; takes precedence over variables. */
  readonly baseUrl?: string;
}

export async function bedrockServer(env: Env, { outside, baseUrl, ...rest }: BedrockOptions): Promise<Server> {
  const { region, credentials } = await awsCredentials(env, outside);
  const tier = env["ANTHROPIC_BEDROCK_SERVICE_TIER"]?.trim();
  const placeOf = (model: string): CloudPlace => bedrockPlace(env, regionFor(env, model, region), baseUrl);
  return {
    ...rest,
    ...placeOf(""),
    provider: "bedrock",
    credentials,
    placeOf,
    ...(tier ? { headers: { "x-amzn-bedrock-service-tier": tier, ...rest.headers } } : {}),
  };
}

/** The small model may be served in a region of its own. */
function regionFor(env: Env, model: string, region: string): string {
  const own = env["ANTHROPIC_SMALL_FAST_MODEL_AWS_REGION"]?.trim();
  if (!own) return region;
  const small = ["ANTHROPIC_SMALL_FAST_MODEL", "ANTHROPIC_DEFAULT_HAIKU_MODEL"].map((name) => env[name]?.trim());
  const isSmall = small.includes(model) || model.includes("haiku");
  return isSmall ? checkedRegion(own, "ANTHROPIC_SMALL_FAST_MODEL_AWS_REGION") : region;
}

function bedrockPlace(env: Env, region: string, given: string | undefined): CloudPlace {
  if (given) return { region, baseUrl: given.replace(/\/+$/, ""), addressFrom: '"baseUrl" of providers.bedrock' };
  const name = ["ANTHROPIC_BEDROCK_BASE_URL", "AWS_ENDPOINT_URL_BEDROCK_RUNTIME"].find((one) => env[one]?.trim());
  if (name) return { region, baseUrl: env[name]!.trim().replace(/\/+$/, ""), addressFrom: name };
  const host = isVariableOn(env["AWS_USE_FIPS_ENDPOINT"]) ? "bedrock-runtime-fips" : "bedrock-runtime";
  return { region, baseUrl: `https://${host}.${region}.${domainOf(region)}`, addressFrom: "AWS_REGION" };
}
