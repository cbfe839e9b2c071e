// Application default credentials, in Google's order: the file that a variable names, the one that gcloud wrote, the
// metadata server of the machine.

import { isObject, isVariableOn, tryParse, type JsonObject } from "@keelson/protocol";
import { accountToken } from "./account.ts";
import { askGoogle, requestedToken } from "./exchange.ts";
import { credentialsError, SIGN_IN, type FoundToken, type TokenSearch } from "./outside.ts";

/** Throws ModelError if there is none. */
export async function findToken(search: TokenSearch): Promise<FoundToken> {
  const named = search.env["GOOGLE_APPLICATION_CREDENTIALS"]?.trim();
  if (named) {
    const account = await readAccount(search, named);
    if (!account)
      throw credentialsError(`Cannot read "${named}"; set GOOGLE_APPLICATION_CREDENTIALS to a credentials file`);
    return accountToken(search, account, named);
  }
  const path = gcloudFile(search.env);
  const account = path === undefined ? undefined : await readAccount(search, path);
  if (account) return accountToken(search, account, path!);
  const found = await metadataToken(search);
  if (found) return found;
  throw credentialsError(`No Google credentials found; ${SIGN_IN}, or set GOOGLE_APPLICATION_CREDENTIALS`);
}

/** Undefined if there is no such file. */
async function readAccount({ outside }: TokenSearch, path: string): Promise<JsonObject | undefined> {
  const content = await outside.readFile(path);
  if (content === undefined) return undefined;
  const value = tryParse(content);
  if (!isObject(value)) throw credentialsError(`"${path}" is not a JSON object; get new Google credentials`);
  return value as JsonObject;
}

function gcloudFile(env: TokenSearch["env"]): string | undefined {
  const config = env["CLOUDSDK_CONFIG"]?.trim();
  const home = env["HOME"]?.trim();
  const roaming = process.platform === "win32" ? env["APPDATA"]?.trim() : undefined;
  const folder = config || (roaming && `${roaming}/gcloud`) || (home && `${home}/.config/gcloud`);
  return folder ? `${folder}/application_default_credentials.json` : undefined;
}

// Elsewhere nothing answers at this address, and the user waits.
const METADATA_MS = 3_000;

/** The token of the machine's service account; undefined if this is no machine of Google's. */
async function metadataToken(search: TokenSearch): Promise<FoundToken | undefined> {
  const { env } = search;
  if (isVariableOn(env["NO_GCE_CHECK"])) return undefined;
  const host = env["GCE_METADATA_HOST"]?.trim() || env["GCE_METADATA_IP"]?.trim() || "169.254.169.254";
  const base = /^https?:\/\//.test(host) ? host.replace(/\/+$/, "") : `http://${host}`;
  const url = `${base}/computeMetadata/v1/instance/service-accounts/default/token`;
  const options = { timeoutMs: METADATA_MS, anyHost: true };
  const answer = await askGoogle(search.outside, url, { headers: { "metadata-flavor": "Google" } }, options).catch(
    () => undefined,
  );
  if (answer?.status !== 200) return undefined;
  const found = requestedToken(answer.value, search.outside.now());
  if (found) search.keepSecret(found.token);
  return found;
}
