// Clouds that offer the Messages API as it is: Microsoft Foundry, Bedrock's Mantle endpoint and Claude Platform on AWS.
// What differs are addresses and credentials, which the variables tell.

import { ModelError } from "@keelson/engine";
import { isVariableOn } from "@keelson/protocol";
import type { AwsOutside } from "../bedrock/aws-credentials.ts";
import type { Env } from "../profiles/profiles.ts";
import { setSecret, type Credentials, type Server } from "../http/server.ts";

export type MessagesCloud = "foundry" | "mantle" | "anthropic-aws";

export interface MessagesCloudOptions extends Omit<
  Server,
  "provider" | "baseUrl" | "addressFrom" | "credentials" | "placeOf"
> {
  /** For the clouds of AWS, which accept signatures. */
  readonly outside: AwsOutside;
  /** Of the settings; takes precedence over variables. */
  readonly baseUrl?: string;
  /** Take precedence over what the variables tell. */
  readonly credentials?: Credentials;
}

/** The address and the key of a cloud. */
export interface MessagesAccess {
  readonly baseUrl: string;
  readonly addressFrom: string;
  /** Sent as `x-api-key`. */
  readonly apiKey?: string;
  /** Sent as a bearer token. */
  readonly authToken?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Requests are authorized by what is in front of the cloud. */
  readonly isOpen?: true;
}

export async function messagesCloudServer(
  cloud: MessagesCloud,
  env: Env,
  { outside, baseUrl, credentials, ...rest }: MessagesCloudOptions,
): Promise<Server> {
  const access = await accessTo(cloud, baseUrl ? { ...env, [ADDRESSES[cloud]]: baseUrl } : env, outside);
  return {
    ...rest,
    provider: cloud,
    baseUrl: access.baseUrl.replace(/\/+$/, ""),
    addressFrom: baseUrl ? `"baseUrl" of providers.${cloud}` : access.addressFrom,
    headers: { ...access.headers, ...rest.headers },
    credentials: credentials ?? (await credentialsOf(cloud, access, env, outside)),
  };
}

const ADDRESSES: Readonly<Record<MessagesCloud, string>> = {
  foundry: "ANTHROPIC_FOUNDRY_BASE_URL",
  mantle: "ANTHROPIC_BEDROCK_MANTLE_BASE_URL",
  "anthropic-aws": "ANTHROPIC_AWS_BASE_URL",
};

async function accessTo(cloud: MessagesCloud, env: Env, outside: AwsOutside): Promise<MessagesAccess> {
  if (cloud === "foundry") return foundryAccess(env);
  const { awsRegion } = await import("../bedrock/aws-credentials.ts");
  const region = await awsRegion(env, outside);
  return cloud === "mantle" ? mantleAccess(env, region) : anthropicAwsAccess(env, region);
}

/** Throws ModelError, with the variable to set, if the address is missing. */
export function foundryAccess(env: Env): MessagesAccess {
  const resource = valueOf(env, "ANTHROPIC_FOUNDRY_RESOURCE");
  const given = valueOf(env, "ANTHROPIC_FOUNDRY_BASE_URL");
  if (!given && (!resource || !/^[a-z0-9-]+$/i.test(resource)))
    throw new ModelError(
      "invalid_request",
      resource
        ? `"${resource}" is not the name of a Foundry resource; check ANTHROPIC_FOUNDRY_RESOURCE`
        : 'No address for "foundry": set ANTHROPIC_FOUNDRY_RESOURCE or ANTHROPIC_FOUNDRY_BASE_URL',
    );
  const address = {
    baseUrl: given ?? `https://${resource}.services.ai.azure.com/anthropic`,
    addressFrom: given ? "ANTHROPIC_FOUNDRY_BASE_URL" : "ANTHROPIC_FOUNDRY_RESOURCE",
  };
  if (isVariableOn(env["CLAUDE_CODE_SKIP_FOUNDRY_AUTH"])) return { ...address, isOpen: true };
  const apiKey = valueOf(env, "ANTHROPIC_FOUNDRY_API_KEY");
  const authToken = valueOf(env, "ANTHROPIC_FOUNDRY_AUTH_TOKEN");
  if (apiKey) return { ...address, apiKey };
  if (authToken) return { ...address, authToken };
  // An address of one's own may need no key.
  return { ...address, ...(given ? { isOpen: true } : {}) };
}

/** Without a bearer key, requests are signed. */
export function mantleAccess(env: Env, region: string): MessagesAccess {
  const given = valueOf(env, "ANTHROPIC_BEDROCK_MANTLE_BASE_URL");
  const address = {
    baseUrl: given ?? `https://bedrock-mantle.${region}.api.aws/anthropic`,
    addressFrom: given ? "ANTHROPIC_BEDROCK_MANTLE_BASE_URL" : "AWS_REGION",
  };
  if (isVariableOn(env["CLAUDE_CODE_SKIP_MANTLE_AUTH"])) return { ...address, isOpen: true };
  const authToken = valueOf(env, "AWS_BEARER_TOKEN_BEDROCK");
  return { ...address, ...(authToken ? { authToken } : {}) };
}

/** Without a key of the workspace, requests are signed. */
export function anthropicAwsAccess(env: Env, region: string): MessagesAccess {
  const given = valueOf(env, "ANTHROPIC_AWS_BASE_URL");
  const workspace = valueOf(env, "ANTHROPIC_AWS_WORKSPACE_ID");
  if (!given && !workspace)
    throw new ModelError("invalid_request", 'No workspace for "anthropic-aws": set ANTHROPIC_AWS_WORKSPACE_ID');
  const address = {
    baseUrl: given ?? `https://aws-external-anthropic.${region}.api.aws`,
    addressFrom: given ? "ANTHROPIC_AWS_BASE_URL" : "AWS_REGION",
    ...(workspace ? { headers: { "anthropic-workspace-id": workspace } } : {}),
  };
  if (isVariableOn(env["CLAUDE_CODE_SKIP_ANTHROPIC_AWS_AUTH"])) return { ...address, isOpen: true };
  const apiKey = valueOf(env, "ANTHROPIC_AWS_API_KEY");
  return { ...address, ...(apiKey ? { apiKey } : {}) };
}

const SERVICES = { mantle: "bedrock-mantle", "anthropic-aws": "aws-external-anthropic" } as const;

async function credentialsOf(
  cloud: MessagesCloud,
  { apiKey, authToken, isOpen }: MessagesAccess,
  env: Env,
  outside: AwsOutside,
): Promise<Credentials> {
  const secret = apiKey ?? authToken;
  if (isOpen || secret)
    return {
      authorize({ headers }) {
        if (apiKey) setSecret(headers, "x-api-key", apiKey, `The key of "${cloud}"`);
        else if (authToken) setSecret(headers, "authorization", `Bearer ${authToken}`, `The token of "${cloud}"`);
      },
      secrets: () => (secret ? [secret] : []),
    };
  if (cloud === "foundry")
    throw new ModelError(
      "authentication_failed",
      'No key for "foundry": set ANTHROPIC_FOUNDRY_API_KEY or ANTHROPIC_FOUNDRY_AUTH_TOKEN, or run keelson auth login foundry',
    );
  const { awsRegion, signedCredentials } = await import("../bedrock/aws-credentials.ts");
  return signedCredentials(env, await awsRegion(env, outside), SERVICES[cloud], outside);
}

function valueOf(env: Env, name: string): string | undefined {
  return env[name]?.trim() || undefined;
}
