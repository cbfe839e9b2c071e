import { expect, test } from "bun:test";
import { onlyNarrowing } from "./parent-policy.ts";

test("keys that deny, ask or forbid are kept; keys that allow, run or extend are refused", () => {
  expect(
    onlyNarrowing({
      $schema: "x",
      model: "m",
      env: { A: "1" },
      hooks: {},
      disableAllHooks: true,
      requireTrust: false,
      allowManagedHooksOnly: true,
      permissions: { allow: ["Bash"], deny: ["Read(./.env)"], ask: ["Edit"], defaultMode: "bypassPermissions" },
      sandbox: {
        enabled: true,
        allowUnsandboxedCommands: true,
        network: { deniedDomains: ["a"], allowedDomains: ["b"] },
      },
    }),
  ).toEqual({
    settings: {
      allowManagedHooksOnly: true,
      permissions: { deny: ["Read(./.env)"], ask: ["Edit"] },
      sandbox: { enabled: true, network: { deniedDomains: ["a"] } },
    },
    refused: [
      "model",
      "env",
      "hooks",
      "disableAllHooks",
      "requireTrust",
      "permissions.allow",
      "permissions.defaultMode",
      "sandbox.allowUnsandboxedCommands",
      "sandbox.network.allowedDomains",
    ],
  });
});

test("a group that is not an object is refused", () => {
  expect(onlyNarrowing({ permissions: "all", sandbox: [] })).toEqual({
    settings: {},
    refused: ["permissions", "sandbox"],
  });
});
