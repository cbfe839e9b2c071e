// Lists of the sandbox that an administrator may keep to themselves: then only what managed files put on them counts.
// Lists that deny stay open to everybody.

import { isObject } from "@keelson/protocol";
import type { Scope } from "./scopes.ts";

const KEPT = [
  { group: "network", list: "allowedDomains", onlyManaged: "allowManagedDomainsOnly" },
  { group: "filesystem", list: "allowRead", onlyManaged: "allowManagedReadPathsOnly" },
] as const;

/** The scopes without what a managed file reserves for managed files. */
export function keepManagedLists(scopes: readonly Scope[], warn: (text: string) => void): readonly Scope[] {
  const reserved = KEPT.filter(({ group, onlyManaged }) =>
    scopes.some((scope) => isManaged(scope) && groupOf(scope, group)[onlyManaged] === true),
  );
  return reserved.length === 0 ? scopes : scopes.map((scope) => (isManaged(scope) ? strict(scope) : without(scope)));

  function without(scope: Scope): Scope {
    return reserved.reduce((left, { group, list, onlyManaged }) => {
      const { [list]: items, ...others } = groupOf(left, group);
      if (items === undefined) return left;
      warn(
        `${scope.file ?? "--settings"}: sandbox.${group}.${list} ignored: managed settings allow only their own ` +
          `(sandbox.${group}.${onlyManaged}); ask your administrator`,
      );
      return withGroup(left, group, others);
    }, scope);
  }
}

/** Nobody can be asked about a host that only an administrator may allow. */
function strict(scope: Scope): Scope {
  const network = groupOf(scope, "network");
  return network["allowManagedDomainsOnly"] === true
    ? withGroup(scope, "network", { ...network, strictAllowlist: true })
    : scope;
}

const isManaged = ({ source }: Scope) => source === "policySettings";

const sandboxOf = ({ settings }: Scope) => (isObject(settings["sandbox"]) ? settings["sandbox"] : {});

function groupOf(scope: Scope, group: string): Readonly<Record<string, unknown>> {
  const value = sandboxOf(scope)[group];
  return isObject(value) ? value : {};
}

function withGroup(scope: Scope, group: string, value: Readonly<Record<string, unknown>>): Scope {
  return { ...scope, settings: { ...scope.settings, sandbox: { ...sandboxOf(scope), [group]: value } } };
}
