import { expect, test } from "bun:test";
import { keepManagedLists } from "./managed-lists.ts";
import type { Scope } from "./scopes.ts";

const scope = (source: Scope["source"], sandbox: object): Scope => ({
  source,
  base: "/",
  file: `/${source}.json`,
  settings: { model: "m", sandbox },
});

const user = scope("userSettings", {
  enabled: true,
  network: { allowedDomains: ["evil.example"], deniedDomains: ["bad.example"] },
  filesystem: { allowRead: ["/u"], denyRead: ["/secret"] },
});

function kept(...scopes: Scope[]) {
  const warnings: string[] = [];
  const sandboxes = keepManagedLists(scopes, (text) => void warnings.push(text)).map(
    ({ settings }) => settings["sandbox"],
  );
  return { sandboxes, warnings };
}

test("without an administrator's word every list counts, whoever else says it", () => {
  const claims = scope("localSettings", { network: { allowManagedDomainsOnly: true } });
  const managed = scope("policySettings", {
    network: { allowManagedDomainsOnly: false, allowedDomains: ["a.example"] },
  });
  const scopes = [user, claims, managed];
  expect(kept(...scopes)).toEqual({ sandboxes: scopes.map(({ settings }) => settings["sandbox"]), warnings: [] });
});

test("hosts that only managed files may allow: others are taken out and named, what denies stays", () => {
  const managed = scope("policySettings", {
    network: { allowManagedDomainsOnly: true, allowedDomains: ["a.example"] },
  });
  expect(kept(user, scope("flagSettings", { network: { allowedDomains: [] } }), managed)).toEqual({
    sandboxes: [
      {
        enabled: true,
        network: { deniedDomains: ["bad.example"] },
        filesystem: { allowRead: ["/u"], denyRead: ["/secret"] },
      },
      { network: {} },
      { network: { allowManagedDomainsOnly: true, allowedDomains: ["a.example"], strictAllowlist: true } },
    ],
    warnings: ["user", "flag"].map(
      (name) =>
        `/${name}Settings.json: sandbox.network.allowedDomains ignored: only managed settings may set it ` +
        "(sandbox.network.allowManagedDomainsOnly); ask your administrator",
    ),
  });
});

test("files that only managed files may open, said in another managed file than the one with the list", () => {
  const list = scope("policySettings", { filesystem: { allowRead: ["/m"] } });
  const says = scope("policySettings", { filesystem: { allowManagedReadPathsOnly: true } });
  const { sandboxes, warnings } = kept(user, list, says);
  expect(sandboxes[0]).toMatchObject({
    network: { allowedDomains: ["evil.example"] },
    filesystem: { denyRead: ["/secret"] },
  });
  expect(sandboxes[0]).not.toMatchObject({ filesystem: { allowRead: expect.anything() } });
  expect(sandboxes.slice(1)).toEqual([list, says].map(({ settings }) => settings["sandbox"]));
  expect(warnings).toEqual([expect.stringContaining("sandbox.filesystem.allowRead ignored")]);
});
