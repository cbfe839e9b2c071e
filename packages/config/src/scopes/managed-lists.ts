// Lists that an administrator may reserve: then only managed files can add to them. Lists that deny are never reserved.

import type { Settings } from "@keelson/protocol";
import type { Scope } from "./scopes.ts";

type Sandbox = NonNullable<Settings["sandbox"]>;

interface Reservable<Group extends "network" | "filesystem"> {
  readonly group: Group;
  readonly list: keyof NonNullable<Sandbox[Group]>;
  /** The switch that reserves the list. */
  readonly onlyManaged: keyof NonNullable<Sandbox[Group]>;
}

const RESERVABLE: readonly (Reservable<"network"> | Reservable<"filesystem">)[] = [
  { group: "network", list: "allowedDomains", onlyManaged: "allowManagedDomainsOnly" },
  { group: "filesystem", list: "allowRead", onlyManaged: "allowManagedReadPathsOnly" },
];

/** Removes entries that only managed files may set. */
export function keepManagedLists(scopes: readonly Scope[], warn: (text: string) => void): readonly Scope[] {
  return keepManagedServers(keepSandboxLists(scopes, warn), warn);
}

/** Without a managed list there is nothing to keep to: leaving out the others would allow more, not less. */
function keepManagedServers(scopes: readonly Scope[], warn: (text: string) => void): readonly Scope[] {
  const managed = scopes.filter(isManaged);
  const isReserved =
    managed.some(({ settings }) => settings.allowManagedMcpServersOnly === true) &&
    managed.some(({ settings }) => settings.allowedMcpServers !== undefined);
  if (!isReserved) return scopes;
  return scopes.map((scope) => {
    const { allowedMcpServers: list, ...others } = scope.settings;
    if (list === undefined || isManaged(scope)) return scope;
    warn(
      `${scope.file ?? "--settings"}: allowedMcpServers ignored: only managed settings may set it ` +
        "(allowManagedMcpServersOnly); ask your administrator",
    );
    return { ...scope, settings: others };
  });
}

function keepSandboxLists(scopes: readonly Scope[], warn: (text: string) => void): readonly Scope[] {
  const reserved = RESERVABLE.filter(({ group, onlyManaged }) =>
    scopes.some((scope) => isManaged(scope) && groupOf(scope, group)[onlyManaged] === true),
  );
  return reserved.length === 0 ? scopes : scopes.map((scope) => (isManaged(scope) ? strict(scope) : without(scope)));

  function without(scope: Scope): Scope {
    return reserved.reduce((left, { group, list, onlyManaged }) => {
      const { [list]: items, ...others } = groupOf(left, group);
      if (items === undefined) return left;
      warn(
        `${scope.file ?? "--settings"}: sandbox.${group}.${list} ignored: only managed settings may set it ` +
          `(sandbox.${group}.${onlyManaged}); ask your administrator`,
      );
      return withGroup(left, group, others);
    }, scope);
  }
}

/** Other hosts are refused without asking, since only an administrator could allow them. */
function strict(scope: Scope): Scope {
  const network = scope.settings.sandbox?.network;
  return network?.allowManagedDomainsOnly === true
    ? withGroup(scope, "network", { ...network, strictAllowlist: true })
    : scope;
}

const isManaged = ({ source }: Scope) => source === "policySettings";

function groupOf({ settings }: Scope, group: "network" | "filesystem"): Readonly<Record<string, unknown>> {
  return settings.sandbox?.[group] ?? {};
}

function withGroup(scope: Scope, group: "network" | "filesystem", value: Readonly<Record<string, unknown>>): Scope {
  return { ...scope, settings: { ...scope.settings, sandbox: { ...scope.settings.sandbox, [group]: value } } };
}
