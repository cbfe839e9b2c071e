import { expect, test } from "bun:test";
import { SETTINGS_TABLE, type SettingsRow } from "./settings-table.ts";
import type { Settings } from "./settings.ts";

const rows = Object.entries(SETTINGS_TABLE) as readonly (readonly [string, SettingsRow])[];

test("a misspelled key does not compile, neither read nor written", () => {
  const settings: Settings = { permissions: { deny: ["Read(.env)"] }, sandbox: { network: { deniedDomains: ["x"] } } };
  // @ts-expect-error: permissions has two s
  expect(settings.permisions).toBeUndefined();
  // @ts-expect-error: the list is called deny
  expect(settings.permissions?.denied).toBeUndefined();
  // @ts-expect-error: the key is sandbox.network.deniedDomains
  expect(settings.sandbox?.network?.denyDomains).toBeUndefined();
  // @ts-expect-error: permissions has two s
  const written: Settings = { permisions: { deny: ["Read(.env)"] } };
  expect(Object.keys(written)).toEqual(["permisions"]);
});

test("a row without the column for folders, or with a value of another type, does not compile", () => {
  // @ts-expect-error: folder is missing
  const row: SettingsRow = { type: { kind: "flag" }, holders: ["user"] };
  // @ts-expect-error: a flag is not a string
  const settings: Settings = { requireTrust: "yes" };
  expect([row.folder, settings.requireTrust]).toEqual([undefined, "yes"] as never);
});

test("the column for folders is never exactly where no file inside a folder may hold the key", () => {
  const wrong = rows.filter(([, { folder, holders }]) => {
    const inFolder = holders.includes("project") || holders.includes("local");
    return inFolder === (folder === "never");
  });
  expect(wrong.map(([key]) => key)).toEqual([]);
});

test("no key is also a group of keys", () => {
  const names = rows.map(([key]) => key);
  expect(names.filter((name) => names.some((other) => other.startsWith(`${name}.`)))).toEqual([]);
});
