// Whether there is a stored key for a provider, without loading what reads it.

import type { Snapshot } from "@keelson/config";
import { hasSecret, providerSecretKey } from "@keelson/host/provider-key";

export const hasStoredKey = ({ configDir }: Snapshot, provider: string): boolean =>
  hasSecret(configDir, providerSecretKey(provider));
