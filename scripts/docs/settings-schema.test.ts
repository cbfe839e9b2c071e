import { expect, test } from "bun:test";
import { KEYS } from "../../packages/config/src/check/keys.ts";
import { schemaFile, settingsSchema } from "./settings-schema.ts";

test("docs/settings.schema.json is up to date; run `bun scripts/docs/settings-schema.ts` to fix it", async () => {
  expect(await Bun.file(schemaFile).json()).toEqual(settingsSchema());
});

test("every key is in the table once, and no key is also a group", () => {
  const names = KEYS.map(({ key }) => key);
  expect(names.filter((name, at) => names.indexOf(name) !== at)).toEqual([]);
  expect(names.filter((name) => names.some((other) => other.startsWith(`${name}.`)))).toEqual([]);
});

test("the schema has enums, item types, descriptions and patterns", () => {
  const { properties } = settingsSchema() as any;
  expect(properties.permissions.properties.defaultMode.enum).toContain("plan");
  expect(properties.sandbox.properties.network.properties.allowedDomains.items).toEqual({ type: "string" });
  expect(properties.allowManagedPermissionRulesOnly.description).toBe(
    "Only managed allow rules count (only in managed settings)",
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
