// The sandbox option, and how it is merged with the sandbox of the `settings` option.

import { isObject } from "@keelson/protocol";

export type SandboxNetworkConfig = {
  allowedDomains?: string[];
  deniedDomains?: string[];
  strictAllowlist?: boolean;
  allowManagedDomainsOnly?: boolean;
  allowUnixSockets?: string[];
  allowAllUnixSockets?: boolean;
  allowLocalBinding?: boolean;
  allowMachLookup?: string[];
  httpProxyPort?: number;
  socksProxyPort?: number;
  tlsTerminate?: unknown;
};

export type SandboxFilesystemConfig = {
  allowWrite?: string[];
  denyWrite?: string[];
  denyRead?: string[];
  allowRead?: string[];
  allowManagedReadPathsOnly?: boolean;
  disabled?: boolean;
};

export type SandboxCredentialsConfig = {
  files?: unknown[];
  envVars?: unknown[];
  allowPlaintextInject?: unknown;
  awsPairs?: unknown[];
  sigv4?: unknown;
};

export type SandboxIgnoreViolations = Record<string, string[]>;

export type SandboxSettings = {
  enabled?: boolean;
  failIfUnavailable?: boolean;
  autoAllowBashIfSandboxed?: boolean;
  allowUnsandboxedCommands?: boolean;
  excludedCommands?: string[];
  ignoreViolations?: SandboxIgnoreViolations;
  enableWeakerNestedSandbox?: boolean;
  allowNestedUserNamespaces?: boolean;
  enableWeakerNetworkIsolation?: boolean;
  allowAppleEvents?: boolean;
  ripgrep?: { command: string; args?: string[] };
  bwrapPath?: string;
  socatPath?: string;
  network?: SandboxNetworkConfig;
  filesystem?: SandboxFilesystemConfig;
  credentials?: SandboxCredentialsConfig;
};

const DENY_LISTS = ["deniedDomains", "denyWrite", "denyRead"];

/** Merges key by key, the option over the settings. Deny lists are joined, so neither lifts what the other denies. */
export function joinSandbox(ofSettings: unknown, option: SandboxSettings): Record<string, unknown> {
  const joined = join(isObject(ofSettings) ? ofSettings : {}, option);
  if (joined["enabled"] === true) joined["failIfUnavailable"] ??= true;
  return joined;
}

function join(under: Record<string, unknown>, over: Record<string, unknown>): Record<string, unknown> {
  const joined: Record<string, unknown> = { ...under };
  for (const [key, value] of Object.entries(over)) {
    if (value === undefined) continue;
    const other = under[key];
    if (isObject(value) && isObject(other)) joined[key] = join(other, value);
    else if (DENY_LISTS.includes(key) && Array.isArray(value) && Array.isArray(other)) {
      joined[key] = [...new Set([...other, ...value])];
    } else joined[key] = value;
  }
  return joined;
}
