// A token for the account in a credentials file, by the type of the file.

import { isObject, type JsonObject } from "@keelson/protocol";
import { externalAccountToken } from "./external.ts";
import { basicAuthorization, impersonate, requestToken, SCOPE } from "./exchange.ts";
import { credentialsError, neededField, SIGN_IN, textField, type FoundToken, type TokenSearch } from "./outside.ts";

const TOKEN_URL = "https://oauth2.googleapis.com/token";

/** `path` is for messages. Throws ModelError. */
export async function accountToken(search: TokenSearch, account: JsonObject, path: string): Promise<FoundToken> {
  for (const name of ["private_key", "client_secret", "refresh_token"]) search.keepSecret(account[name]);
  const project = search.env["GOOGLE_CLOUD_QUOTA_PROJECT"]?.trim() || account["quota_project_id"];
  const found = await tokenByType(search, account, path);
  return typeof project === "string" && project !== "" ? { ...found, quotaProject: project } : found;
}

function tokenByType(search: TokenSearch, account: JsonObject, path: string): Promise<FoundToken> {
  switch (account["type"]) {
    case "service_account":
      return serviceAccountToken(search, account, path);
    case "authorized_user":
      return requestToken(search, {
        url: textField(account, "token_uri") ?? TOKEN_URL,
        body: {
          grant_type: "refresh_token",
          client_id: neededField(account, "client_id", path),
          client_secret: neededField(account, "client_secret", path),
          refresh_token: neededField(account, "refresh_token", path),
        },
        fix: SIGN_IN,
      });
    case "external_account_authorized_user":
      return requestToken(search, {
        url: neededField(account, "token_url", path),
        headers: {
          authorization: basicAuthorization(
            neededField(account, "client_id", path),
            neededField(account, "client_secret", path),
          ),
        },
        body: { grant_type: "refresh_token", refresh_token: neededField(account, "refresh_token", path) },
        fix: SIGN_IN,
      });
    case "external_account":
      return externalAccountToken(search, account, path);
    case "impersonated_service_account":
      return impersonatedToken(search, account, path);
    default:
      throw credentialsError(`"${path}" has credentials of an unknown type; ${SIGN_IN}`);
  }
}

/** Signs an assertion with the account's key and exchanges it for a token. */
async function serviceAccountToken(search: TokenSearch, account: JsonObject, path: string): Promise<FoundToken> {
  const url = textField(account, "token_uri") ?? TOKEN_URL;
  const issued = Math.floor(search.outside.now() / 1000);
  const keyId = textField(account, "private_key_id");
  const header = { alg: "RS256", typ: "JWT", ...(keyId === undefined ? {} : { kid: keyId }) };
  const claims = {
    iss: neededField(account, "client_email", path),
    scope: SCOPE,
    aud: url,
    iat: issued,
    exp: issued + 3600,
  };
  const unsigned = `${encoded(header)}.${encoded(claims)}`;
  const assertion = `${unsigned}.${await signature(unsigned, neededField(account, "private_key", path), path)}`;
  search.keepSecret(assertion);
  return requestToken(search, {
    url,
    body: { grant_type: "urn:ietf:params:oauth:grant-type:jwt-bearer", assertion },
    fix: `check the service account of "${path}"`,
  });
}

async function signature(unsigned: string, key: string, path: string): Promise<string> {
  // 2.4 ms, only for service accounts.
  const { sign } = await import("node:crypto");
  try {
    return sign("sha256", Buffer.from(unsigned), key).toString("base64url");
  } catch {
    // The runtime's error may quote the key.
    throw credentialsError(`The "private_key" in "${path}" is not a valid PEM key; download the file again`);
  }
}

/** Another account's token, with credentials that may act for it. */
async function impersonatedToken(search: TokenSearch, account: JsonObject, path: string): Promise<FoundToken> {
  const source = account["source_credentials"];
  if (!isObject(source) || source["type"] === "impersonated_service_account")
    throw credentialsError(`"${path}" has no usable "source_credentials"; ${SIGN_IN}`);
  const { token } = await accountToken(search, source as JsonObject, path);
  const delegates = Array.isArray(account["delegates"]) ? account["delegates"] : [];
  return impersonate(search, neededField(account, "service_account_impersonation_url", path), token, delegates);
}

const encoded = (value: object) => Buffer.from(JSON.stringify(value)).toString("base64url");
