// Credentials from a sign-in with `aws sso login`, whose token the AWS CLI keeps in ~/.aws/sso/cache.

import { join } from "node:path";
import { isObject, tryParse } from "@keelson/protocol";
import type { Env } from "../../profiles/profiles.ts";
import {
  askService,
  credentialError,
  isFilled,
  keysFrom,
  readJsonFile,
  SSO_KEYS,
  type AwsOutside,
  type FoundKeys,
} from "./outside.ts";
import type { AwsConfig, Section } from "./profile.ts";
import { domainOf, serviceUrl } from "./address.ts";

// A token about to expire is renewed first.
const MARGIN_MS = 60_000;

export async function ssoKeys(
  name: string,
  profile: Section,
  { ssoSessions, folder }: AwsConfig,
  env: Env,
  outside: AwsOutside,
): Promise<FoundKeys> {
  const login = `sign in with "aws sso login --profile ${name}"`;
  const sessionName = profile["sso_session"];
  const session = sessionName === undefined ? profile : { ...profile, ...ssoSessions[sessionName] };
  const { sso_region: region, sso_start_url: startUrl, sso_account_id: account, sso_role_name: role } = session;
  if (!region || !startUrl || !account || !role)
    throw credentialError(
      `AWS profile "${name}" needs sso_region, sso_start_url, sso_account_id and sso_role_name in ~/.aws/config`,
    );

  const file = `${new Bun.CryptoHasher("sha1").update(sessionName ?? startUrl).digest("hex")}.json`;
  const path = join(folder, "sso", "cache", file);
  const token = await validToken(path, region, env, outside);
  if (token === undefined) throw credentialError(`The AWS sign-in of profile "${name}" has expired; ${login}`);

  const base = serviceUrl(env, "SSO", `https://portal.sso.${region}.${domainOf(region)}`);
  const query = new URLSearchParams({ role_name: role, account_id: account });
  const answer = await askService(outside, `${base}/federation/credentials?${query.toString()}`, {
    headers: { "x-amz-sso_bearer_token": token },
    timeoutMs: 10_000,
  });
  if (!answer.ok)
    throw credentialError(
      answer.status === 401
        ? `The AWS sign-in of profile "${name}" is no longer valid; ${login}`
        : `AWS gives no credentials for role "${role}" of account "${account}" (HTTP ${answer.status}); check profile "${name}"`,
    );
  const parsed = tryParse(answer.text);
  return keysFrom(isObject(parsed) ? parsed["roleCredentials"] : undefined, SSO_KEYS, "AWS SSO");
}

/** The cached token, renewed if it expired and the sign-in allows it. */
async function validToken(path: string, region: string, env: Env, outside: AwsOutside): Promise<string | undefined> {
  const cached = await readJsonFile(outside, path);
  const token = cached?.["accessToken"];
  if (!cached || !isFilled(token)) return undefined;
  if (Date.parse(String(cached["expiresAt"])) > outside.now() + MARGIN_MS) return token;

  const { clientId, clientSecret, refreshToken } = cached;
  // A renewed token that no one stores would end the sign-in of the AWS CLI.
  if (!outside.writeFile || !isFilled(clientId) || !isFilled(clientSecret) || !isFilled(refreshToken)) return undefined;
  const base = serviceUrl(env, "SSO_OIDC", `https://oidc.${region}.${domainOf(region)}`);
  const answer = await askService(outside, `${base}/token`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ clientId, clientSecret, grantType: "refresh_token", refreshToken }),
    timeoutMs: 10_000,
  });
  const renewed = answer.ok ? tryParse(answer.text) : undefined;
  if (!isObject(renewed) || !isFilled(renewed["accessToken"])) return undefined;
  const expiresAt = new Date(outside.now() + Number(renewed["expiresIn"]) * 1000);
  if (Number.isNaN(expiresAt.getTime())) return undefined;
  const next = {
    ...cached,
    accessToken: renewed["accessToken"],
    expiresAt: expiresAt.toISOString().replace(/\.\d{3}/, ""),
    ...(isFilled(renewed["refreshToken"]) ? { refreshToken: renewed["refreshToken"] } : {}),
  };
  await outside.writeFile(path, JSON.stringify(next));
  return next.accessToken;
}
