// Lists of domains: those of the sandbox, which hold for web tools while it is on, and those of a search.

import type { Snapshot } from "@keelson/config";
import type { SandboxBlock } from "@keelson/host";

/** Why the sandbox's settings forbid this address; undefined if they do not. */
export function domainRefusal({ hostname }: URL, settings: Snapshot["settings"]): string | undefined {
  const sandbox = settings["sandbox"] as (SandboxBlock & SandboxPolicy) | undefined;
  if (sandbox?.enabled !== true) return undefined;
  const { allowedDomains = [], deniedDomains = [], strictAllowlist, allowManagedDomainsOnly } = sandbox.network ?? {};
  if (deniedDomains.some((domain) => matchesDomain(hostname, domain)))
    return `"${hostname}" is denied by the setting sandbox.network.deniedDomains`;
  const isStrict = strictAllowlist === true || allowManagedDomainsOnly === true;
  if (!isStrict || allowedDomains.some((domain) => matchesDomain(hostname, domain))) return undefined;
  return `"${hostname}" is not in the setting sandbox.network.allowedDomains`;
}

interface SandboxPolicy {
  readonly network?: { readonly allowManagedDomainsOnly?: boolean };
}

/** `example.com` is that host, `*.example.com` every host below it. */
export function matchesDomain(host: string, domain: string): boolean {
  const [name, pattern] = [plainHost(host), plainHost(domain)];
  if (pattern === "*") return true;
  return pattern.startsWith("*.") ? name.endsWith(pattern.slice(1)) : name === pattern;
}

/** As addresses spell it: `bücher.example` is `xn--bcher-kva.example` there. */
function plainHost(host: string): string {
  const plain = host.trim().toLowerCase().replace(/:\d+$/, "").replace(/\.+$/, "");
  const [below, name] = plain.startsWith("*.") ? ["*.", plain.slice(2)] : ["", plain];
  return below + (URL.parse(`https://${name}`)?.hostname ?? name);
}
