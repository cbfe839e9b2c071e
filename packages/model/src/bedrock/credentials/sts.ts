// The two requests to AWS's token service that exchange credentials for those of a role.

import type { Env } from "../../profiles/profiles.ts";
import { signAttempt, type AwsKeys } from "../wire/sigv4.ts";
import { domainOf, serviceUrl } from "./address.ts";
import { askService, COMMAND_KEYS, credentialError, keysFrom, type AwsOutside, type FoundKeys } from "./outside.ts";

export interface RoleRequest {
  readonly roleArn: string;
  readonly sessionName: string;
  readonly region: string;
  readonly externalId?: string;
  readonly durationSeconds?: string;
}

/** Credentials of a role, for one who has other credentials. */
export function assumeRole(role: RoleRequest, keys: AwsKeys, env: Env, outside: AwsOutside): Promise<FoundKeys> {
  const fields = {
    Action: "AssumeRole",
    ...(role.externalId ? { ExternalId: role.externalId } : {}),
    ...(role.durationSeconds ? { DurationSeconds: role.durationSeconds } : {}),
  };
  return exchange(role, fields, keys, env, outside);
}

/** Credentials of a role, for one who has an identity token. */
export function assumeRoleWithToken(
  role: RoleRequest,
  token: string,
  env: Env,
  outside: AwsOutside,
): Promise<FoundKeys> {
  return exchange(role, { Action: "AssumeRoleWithWebIdentity", WebIdentityToken: token }, undefined, env, outside);
}

async function exchange(
  { roleArn, sessionName, region }: RoleRequest,
  fields: Readonly<Record<string, string>>,
  keys: AwsKeys | undefined,
  env: Env,
  outside: AwsOutside,
): Promise<FoundKeys> {
  const url = new URL(serviceUrl(env, "STS", `https://sts.${region}.${domainOf(region)}`));
  const form = new URLSearchParams({
    ...fields,
    Version: "2011-06-15",
    RoleArn: roleArn,
    RoleSessionName: sessionName,
  });
  const body = new TextEncoder().encode(form.toString());
  const headers = new Headers({ "content-type": "application/x-www-form-urlencoded; charset=utf-8" });
  if (keys) signAttempt({ method: "POST", url, headers, body }, { keys, region, service: "sts", at: outside.now() });
  const answer = await askService(outside, url.href, { method: "POST", headers, body, timeoutMs: 10_000 });
  if (!answer.ok) {
    const code = element(answer.text, "Code")?.replace(/[^\w.]/g, "") || `HTTP ${answer.status}`;
    throw credentialError(`Cannot assume the role "${roleArn}" (${code}); check its trust policy and your credentials`);
  }
  const names = ["AccessKeyId", "SecretAccessKey", "SessionToken", "Expiration"];
  const found = Object.fromEntries(names.map((name) => [name, element(answer.text, name)]));
  return keysFrom(found, COMMAND_KEYS, "AWS STS");
}

/** The text of the first such XML element. The answers have no attributes and no escapes that matter. */
function element(xml: string, name: string): string | undefined {
  return new RegExp(`<${name}>([^<]*)</${name}>`).exec(xml)?.[1]?.trim();
}
