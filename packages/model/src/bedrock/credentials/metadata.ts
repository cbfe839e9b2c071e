// Credentials that the machine we run on is given: a container's (ECS, EKS) or an instance's (EC2).

import { isObject, isVariableOn, tryParse } from "@keelson/protocol";
import type { Env } from "../../profiles/profiles.ts";
import { askService, credentialError, keysFrom, METADATA_KEYS, type AwsOutside, type FoundKeys } from "./outside.ts";

const TIMEOUT_MS = 1_000;
const CONTAINER_TIMEOUT_MS = 5_000;

/** Undefined outside of a container that has credentials. */
export async function containerKeys(env: Env, outside: AwsOutside): Promise<FoundKeys | undefined> {
  const relative = env["AWS_CONTAINER_CREDENTIALS_RELATIVE_URI"]?.trim();
  const full = env["AWS_CONTAINER_CREDENTIALS_FULL_URI"]?.trim();
  if (!relative && !full) return undefined;
  const url = URL.parse(relative ? `http://169.254.170.2${relative}` : full!);
  if (!url || !isContainerHost(url))
    throw credentialError(
      "AWS_CONTAINER_CREDENTIALS_FULL_URI must use https, or be an address of this machine or its container service",
    );
  const file = env["AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE"]?.trim();
  const token = file ? await outside.readFile(file) : env["AWS_CONTAINER_AUTHORIZATION_TOKEN"];
  if (file && token === undefined)
    throw credentialError(`Cannot read "${file}"; set AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE to the token's file`);
  const answer = await askService(outside, url.href, {
    headers: token?.trim() ? { authorization: token.trim() } : {},
    timeoutMs: CONTAINER_TIMEOUT_MS,
  }).catch(() => undefined);
  if (!answer?.ok)
    throw credentialError(
      `${url.origin} gives this container no credentials (${answer ? `HTTP ${answer.status}` : "no answer"}); check the role of the task or pod`,
    );
  return keysFrom(tryParse(answer.text), METADATA_KEYS, "The container's credential service");
}

/** Plain http would show the credentials to the network. */
function isContainerHost({ protocol, hostname }: URL): boolean {
  if (protocol === "https:") return true;
  const known = ["localhost", "[::1]", "169.254.170.2", "169.254.170.23", "[fd00:ec2::23]"];
  return protocol === "http:" && (known.includes(hostname) || /^127(?:\.\d+){3}$/.test(hostname));
}

/** Undefined if this is no instance, or one without a role. Only version 2 of the service is asked. */
export async function instanceKeys(env: Env, outside: AwsOutside): Promise<FoundKeys | undefined> {
  if (isVariableOn(env["AWS_EC2_METADATA_DISABLED"])) return undefined;
  const base = metadataUrl(env);
  const get = async (path: string, init: RequestInit) => {
    const answer = await askService(outside, base + path, { ...init, timeoutMs: TIMEOUT_MS }).catch(() => undefined);
    return answer?.ok ? answer.text.trim() || undefined : undefined;
  };
  const token = await get("/latest/api/token", {
    method: "PUT",
    headers: { "x-aws-ec2-metadata-token-ttl-seconds": "21600" },
  });
  if (token === undefined) return undefined;
  const headers = { "x-aws-ec2-metadata-token": token };
  const path = "/latest/meta-data/iam/security-credentials/";
  const role = (await get(path, { headers }))?.split("\n")[0]?.trim();
  if (!role) return undefined;
  const found = tryParse((await get(path + encodeURIComponent(role), { headers })) ?? "");
  if (!isObject(found) || found["Code"] !== "Success") return undefined;
  return keysFrom(found, METADATA_KEYS, "The instance's metadata service");
}

function metadataUrl(env: Env): string {
  const named = env["AWS_EC2_METADATA_SERVICE_ENDPOINT"]?.trim().replace(/\/+$/, "");
  if (named) return named;
  const isIpv6 = env["AWS_EC2_METADATA_SERVICE_ENDPOINT_MODE"]?.trim().toLowerCase() === "ipv6";
  return isIpv6 ? "http://[fd00:ec2::254]" : "http://169.254.169.254";
}
