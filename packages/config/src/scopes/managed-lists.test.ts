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

test("without managed settings, the lists of all files apply", () => {
  const claims = scope("localSettings", { network: { allowManagedDomainsOnly: true } });
  const managed = scope("policySettings", {
    network: { allowManagedDomainsOnly: false, allowedDomains: ["a.example"] },
  });
  const scopes = [user, claims, managed];
  expect(kept(...scopes)).toEqual({ sandboxes: scopes.map(({ settings }) => settings["sandbox"]), warnings: [] });
});

test("if only managed files may allow hosts, others are removed and reported; denied hosts stay", () => {
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

test("one managed file can reserve allowRead for the list in another", () => {
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
