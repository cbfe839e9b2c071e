// Workload identity: a token of another identity provider, from a file, an address, a program or AWS, is exchanged for one
// of Google's.

import { isObject, isVariableOn, tryParse, type JsonObject } from "@keelson/protocol";
import { askGoogle, basicAuthorization, impersonate, requestToken, SCOPE } from "./exchange.ts";
import { credentialsError, neededField, type FoundToken, type TokenSearch } from "./outside.ts";

const ACCESS_TOKEN = "urn:ietf:params:oauth:token-type:access_token";

export async function externalAccountToken(
  search: TokenSearch,
  account: JsonObject,
  path: string,
): Promise<FoundToken> {
  const subject = await subjectToken(search, account, path);
  search.keepSecret(subject);
  const { client_id: id, client_secret: secret, workforce_pool_user_project: pool } = account;
  const isClient = typeof id === "string" && typeof secret === "string";
  const exchanged = await requestToken(search, {
    url: neededField(account, "token_url", path),
    headers: isClient ? { authorization: basicAuthorization(id, secret) } : {},
    body: {
      grant_type: "urn:ietf:params:oauth:grant-type:token-exchange",
      audience: neededField(account, "audience", path),
      scope: SCOPE,
      requested_token_type: ACCESS_TOKEN,
      subject_token_type: neededField(account, "subject_token_type", path),
      subject_token: subject,
      ...(typeof pool === "string" && !isClient ? { options: JSON.stringify({ userProject: pool }) } : {}),
    },
    fix: `check the identity pool in "${path}"`,
  });
  const url = account["service_account_impersonation_url"];
  return typeof url === "string" ? impersonate(search, url, exchanged.token) : exchanged;
}

async function subjectToken(search: TokenSearch, account: JsonObject, path: string): Promise<string> {
  const source = account["credential_source"];
  if (isObject(source)) {
    if (typeof source["file"] === "string") return fromFile(search, source["file"], source, path);
    if (isObject(source["executable"])) return fromProgram(search, account, source["executable"], path);
    const { environment_id: environment, regional_cred_verification_url: verification } = source;
    if (environment === "aws1" && typeof verification === "string") {
      const { awsSubject } = await import("./aws-subject.ts");
      return awsSubject(search, verification, neededField(account, "audience", path), path);
    }
    if (typeof source["url"] === "string" && environment === undefined)
      return fromAddress(search, source["url"], source, path);
  }
  throw credentialsError(
    `"${path}" has a "credential_source" that is not supported; use a file, a URL, an executable or AWS`,
  );
}

async function fromFile(search: TokenSearch, file: string, source: Record<string, unknown>, path: string) {
  const content = await search.outside.readFile(file);
  if (content === undefined) throw credentialsError(`Cannot read "${file}", which "${path}" names for the token`);
  return tokenIn(content, source, `"${file}"`);
}

async function fromAddress(search: TokenSearch, url: string, source: Record<string, unknown>, path: string) {
  const given = isObject(source["headers"]) ? Object.entries(source["headers"]) : [];
  const headers = Object.fromEntries(given.map(([name, value]) => [name, String(value)]));
  for (const value of Object.values(headers)) search.keepSecret(value);
  const { status, text } = await askGoogle(search.outside, url, { headers });
  if (status >= 300) throw credentialsError(`The address that "${path}" names returned no token (HTTP ${status})`);
  return tokenIn(text, source, "The address for the token");
}

/** The token itself, or a field of JSON. */
function tokenIn(content: string, source: Record<string, unknown>, from: string): string {
  const format = isObject(source["format"]) ? source["format"] : {};
  const isText = format["type"] !== "json";
  const parsed = isText ? undefined : tryParse(content);
  const field = String(format["subject_token_field_name"]);
  const token = isText ? content.trim() : isObject(parsed) ? parsed[field] : undefined;
  if (typeof token === "string" && token !== "") return token;
  throw credentialsError(`${from} contains no token`);
}

const PROGRAM_MS = 30_000;

/** As Google's own clients do, only if a variable allows it. */
async function fromProgram(
  search: TokenSearch,
  account: JsonObject,
  executable: Record<string, unknown>,
  path: string,
): Promise<string> {
  const { env, outside } = search;
  const { command, timeout_millis: timeout } = executable;
  if (!outside.run || typeof command !== "string" || !isVariableOn(env["GOOGLE_EXTERNAL_ACCOUNT_ALLOW_EXECUTABLES"]))
    throw credentialsError(
      `"${path}" wants to run a program for its token; set GOOGLE_EXTERNAL_ACCOUNT_ALLOW_EXECUTABLES=1 to allow it`,
    );
  const { code, stdout } = await outside.run(command, {
    env: {
      GOOGLE_EXTERNAL_ACCOUNT_AUDIENCE: neededField(account, "audience", path),
      GOOGLE_EXTERNAL_ACCOUNT_TOKEN_TYPE: neededField(account, "subject_token_type", path),
      GOOGLE_EXTERNAL_ACCOUNT_INTERACTIVE: "0",
    },
    timeoutMs: typeof timeout === "number" && timeout > 0 ? timeout : PROGRAM_MS,
  });
  const answer = tryParse(stdout);
  const token = isObject(answer) && answer["success"] === true ? (answer["id_token"] ?? answer["saml_response"]) : "";
  if (code === 0 && typeof token === "string" && token !== "") return token;
  throw credentialsError(`The program that "${path}" names returned no token; run it in a terminal to see why`);
}
