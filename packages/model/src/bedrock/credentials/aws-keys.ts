// AWS keys of the user's export command, or else of the chain, kept until they expire.

import { isObject, tryParse } from "@keelson/protocol";
import { CredentialCache, KnownSecrets } from "../../http/credential-cache.ts";
import type { Env } from "../../profiles/profiles.ts";
import { COMMAND_KEYS, credentialError, keysFrom, type AwsOutside, type FoundKeys } from "./outside.ts";

const RENEW_BEFORE_MS = 5 * 60_000;
// Exported keys that do not say when they expire are asked for again after an hour, as in the reference.
const EXPORT_LASTS_MS = 60 * 60_000;

export function awsKeys(env: Env, region: string, outside: AwsOutside) {
  const { credentialExport, authRefresh, now } = outside;
  const secrets = new KnownSecrets();
  const cache = new CredentialCache<FoundKeys>({
    async find() {
      const found = credentialExport
        ? exportedKeys(await credentialExport(), now() + EXPORT_LASTS_MS)
        : await (await import("./chain.ts")).findKeys(env, region, outside);
      if ((found.expiresAt ?? Infinity) <= now())
        throw credentialError(
          "The AWS credentials have expired; sign in again, or set awsAuthRefresh to a command that does",
        );
      for (const secret of [found.secretAccessKey, found.sessionToken, found.accessKeyId]) secrets.add(secret);
      return found;
    },
    isSame: (found, refused) =>
      found.accessKeyId === refused.accessKeyId &&
      found.sessionToken === refused.sessionToken &&
      found.secretAccessKey === refused.secretAccessKey,
    ...(authRefresh ? { authRefresh } : {}),
    now,
    renewBeforeMs: RENEW_BEFORE_MS,
  });
  return { cache, secrets };
}

function exportedKeys(stdout: string, expiresAt: number): FoundKeys {
  const parsed = tryParse(stdout);
  const nested = isObject(parsed) ? parsed["Credentials"] : undefined;
  return { expiresAt, ...keysFrom(nested, COMMAND_KEYS, "The awsCredentialExport command") };
}
