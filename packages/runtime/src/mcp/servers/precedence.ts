// Which servers a session has, if several have the same name or rules cannot tell them apart. Pure.

import { mayShareRules, ruleName } from "@keelson/config/mcp-names";
import type { NamedServer } from "./server-config.ts";

/** Set by the client or by `--mcp-config`. */
export const isOfClient = ({ scope }: NamedServer) => scope === "dynamic";

export const isSameServer = (one: NamedServer, other: NamedServer) =>
  one.name === other.name && JSON.stringify(one.configured) === JSON.stringify(other.configured);

/** Whether a server of a file makes room for one of the client. Administrators' servers do not. */
export function makesRoom({ name, scope, configured }: NamedServer, client: NamedServer): boolean {
  if (scope === "dynamic" || scope === "enterprise" || scope === "managed") return false;
  return (
    ruleName(name) === ruleName(client.name) || (configured?.untrusted === true && mayShareRules(name, client.name))
  );
}

/** The servers of the client that are not in its new list, or not as they are, and do not come from a flag either. */
export function outdatedServers(
  known: readonly NamedServer[],
  { wanted, configured }: { readonly wanted: readonly NamedServer[]; readonly configured: readonly NamedServer[] },
): readonly NamedServer[] {
  const isOutdated = (server: NamedServer) => {
    const next = wanted.find(({ name }) => name === server.name);
    return next ? !isSameServer(next, server) : !configured.some((each) => isSameServer(each, server));
  };
  return known.filter((each) => isOfClient(each) && isOutdated(each));
}

/** Of the servers of files and flags, those that no server of the client takes the place of. */
export function configuredServers(
  configured: readonly NamedServer[],
  { known, replaced }: { readonly known: readonly NamedServer[]; readonly replaced: ReadonlySet<string> },
): readonly NamedServer[] {
  const left = configured.filter((each) => !isOfClient(each) || !replaced.has(each.name));
  const ofClient = [...known, ...left].filter(isOfClient);
  return left.filter((server) => !ofClient.some((each) => makesRoom(server, each)));
}
