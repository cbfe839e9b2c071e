import { expect, test } from "bun:test";
import { schemaFile, settingsSchema } from "./settings-schema.ts";

test("docs/settings.schema.json is up to date; run `bun scripts/docs/settings-schema.ts` to fix it", async () => {
  expect(await Bun.file(schemaFile).json()).toEqual(settingsSchema());
});

test("the schema has enums, item types, descriptions and patterns", () => {
  const { properties } = settingsSchema() as any;
  expect(properties.permissions.properties.defaultMode.enum).toContain("plan");
  expect(properties.sandbox.properties.network.properties.allowedDomains.items).toEqual({ type: "string" });
  expect(properties.allowManagedPermissionRulesOnly.description).toBe(
    "Only managed allow rules apply (only in managed settings)",
  );
  const rule = new RegExp(properties.permissions.properties.deny.items.pattern);
  expect(["Bash(git *)", "Read", "mcp__a__*", "Bash(", "(x)", ""].map((text) => rule.test(text))).toEqual([
    true,
    true,
    true,
    false,
    false,
    false,
  ]);
});
