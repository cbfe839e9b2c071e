// Where AWS credentials are looked for, and in which order. The same order as AWS's own clients. Every way but the first
// is loaded when it is tried.

import { tryParse } from "@keelson/protocol";
import type { Env } from "../../profiles/profiles.ts";
import { COMMAND_KEYS, credentialError, keysFrom, type AwsOutside, type FoundKeys } from "./outside.ts";
import { namedProfile, readAwsConfig, type AwsConfig, type Section } from "./profile.ts";
import type { RoleRequest } from "./sts.ts";

const SESSION_NAME = "keelson";

/** Throws ModelError if there are none, or those that are configured cannot be had. */
export async function findKeys(env: Env, region: string, outside: AwsOutside): Promise<FoundKeys> {
  const named = namedProfile(env);
  // Like AWS's client for JavaScript: a named profile takes precedence over keys in variables.
  const fromVariables = () => variableKeys(env);
  const config = readAwsConfig(env, outside);
  const fromProfile = async () => {
    const known = await config;
    return profileKeys(known.chosen, { config: known, env, region, outside }, []);
  };
  const first = named ? [fromProfile, fromVariables] : [fromVariables, fromProfile];
  const rest = [
    () => tokenFileKeys(env, region, outside),
    async () => (await import("./metadata.ts")).containerKeys(env, outside),
    async () => (await import("./metadata.ts")).instanceKeys(env, outside),
  ];
  for (const find of [...first, ...rest]) {
    const keys = await find();
    if (keys) return keys;
  }
  throw credentialError(
    named && !(await config).profiles[named]
      ? `AWS profile "${named}" is neither in ~/.aws/config nor in ~/.aws/credentials; check AWS_PROFILE`
      : "No AWS credentials found; set AWS_BEARER_TOKEN_BEDROCK or AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or configure a profile and set AWS_PROFILE",
  );
}

function variableKeys(env: Env): FoundKeys | undefined {
  const accessKeyId = env["AWS_ACCESS_KEY_ID"]?.trim();
  const secretAccessKey = env["AWS_SECRET_ACCESS_KEY"]?.trim();
  const sessionToken = env["AWS_SESSION_TOKEN"]?.trim();
  if (!accessKeyId || !secretAccessKey) return undefined;
  return { accessKeyId, secretAccessKey, ...(sessionToken ? { sessionToken } : {}) };
}

interface ProfileSearch {
  readonly config: AwsConfig;
  readonly env: Env;
  readonly region: string;
  readonly outside: AwsOutside;
}

/** Undefined if the profile is missing or says nothing about credentials. `via` are the profiles that lead here. */
async function profileKeys(
  name: string,
  search: ProfileSearch,
  via: readonly string[],
): Promise<FoundKeys | undefined> {
  const { config, env, region, outside } = search;
  const profile = config.profiles[name];
  if (!profile) return undefined;
  if (via.includes(name)) throw credentialError(`AWS profile "${name}" is its own source_profile; check ~/.aws/config`);

  const own = staticKeys(profile);
  // A profile that is a source may name itself as the source of its role.
  if (own && via.length > 0) return own;
  if (profile["role_arn"] && (profile["source_profile"] || profile["credential_source"])) {
    if (profile["mfa_serial"])
      throw credentialError(
        `AWS profile "${name}" asks for an MFA code, which cannot be entered here; use awsAuthRefresh or credential_process`,
      );
    const source = await sourceKeys(name, profile, search, [...via, name]);
    const { assumeRole } = await import("./sts.ts");
    return assumeRole(roleOf(profile, env, region), source, env, outside);
  }
  if (own) return own;
  if (profile["role_arn"] && profile["web_identity_token_file"])
    return tokenKeys(profile["web_identity_token_file"], roleOf(profile, env, region), env, outside);
  if (profile["credential_process"]) return processKeys(name, profile["credential_process"], outside);
  if (profile["sso_session"] || profile["sso_start_url"]) {
    const { ssoKeys } = await import("./sso.ts");
    return ssoKeys(name, profile, config, env, outside);
  }
  return undefined;
}

function staticKeys(profile: Section): FoundKeys | undefined {
  const { aws_access_key_id: accessKeyId, aws_secret_access_key: secretAccessKey } = profile;
  const { aws_session_token: sessionToken } = profile;
  if (!accessKeyId || !secretAccessKey) return undefined;
  return { accessKeyId, secretAccessKey, ...(sessionToken ? { sessionToken } : {}) };
}

async function sourceKeys(
  name: string,
  profile: Section,
  search: ProfileSearch,
  via: readonly string[],
): Promise<FoundKeys> {
  const { env, outside } = search;
  const { source_profile: source, credential_source: kind } = profile;
  if (source) {
    // A profile that is its own source uses its own keys.
    const own = source === name ? staticKeys(profile) : undefined;
    const keys = own ?? (await profileKeys(source, search, via));
    if (keys) return keys;
    throw credentialError(`AWS profile "${source}", the source of "${name}", has no credentials; check ~/.aws/config`);
  }
  const finders: Readonly<Record<string, () => FoundKeys | undefined | Promise<FoundKeys | undefined>>> = {
    Environment: () => variableKeys(env),
    EcsContainer: async () => (await import("./metadata.ts")).containerKeys(env, outside),
    Ec2InstanceMetadata: async () => (await import("./metadata.ts")).instanceKeys(env, outside),
  };
  const keys = Object.hasOwn(finders, kind!) ? await finders[kind!]!() : undefined;
  if (keys) return keys;
  throw credentialError(
    `credential_source "${kind}" of AWS profile "${name}" gives no credentials; check ~/.aws/config`,
  );
}

function roleOf(profile: Section, env: Env, region: string) {
  return {
    roleArn: profile["role_arn"]!,
    sessionName: profile["role_session_name"] || env["AWS_ROLE_SESSION_NAME"]?.trim() || SESSION_NAME,
    region: profile["region"] || region,
    externalId: profile["external_id"],
    durationSeconds: profile["duration_seconds"],
  };
}

async function tokenFileKeys(env: Env, region: string, outside: AwsOutside): Promise<FoundKeys | undefined> {
  const file = env["AWS_WEB_IDENTITY_TOKEN_FILE"]?.trim();
  const roleArn = env["AWS_ROLE_ARN"]?.trim();
  if (!file || !roleArn) return undefined;
  const sessionName = env["AWS_ROLE_SESSION_NAME"]?.trim() || SESSION_NAME;
  return tokenKeys(file, { roleArn, sessionName, region }, env, outside);
}

async function tokenKeys(file: string, role: RoleRequest, env: Env, outside: AwsOutside): Promise<FoundKeys> {
  const token = (await outside.readFile(file))?.trim();
  if (!token) throw credentialError(`Cannot read an identity token from "${file}"; check AWS_WEB_IDENTITY_TOKEN_FILE`);
  const { assumeRoleWithToken } = await import("./sts.ts");
  return assumeRoleWithToken(role, token, env, outside);
}

async function processKeys(name: string, command: string, { run }: AwsOutside): Promise<FoundKeys> {
  const { code, stdout } = await run(command);
  if (code !== 0)
    throw credentialError(`The credential_process of AWS profile "${name}" failed with exit code ${code ?? "none"}`);
  return keysFrom(tryParse(stdout), COMMAND_KEYS, `The credential_process of AWS profile "${name}"`);
}
