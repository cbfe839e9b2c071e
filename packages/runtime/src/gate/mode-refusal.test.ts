import { expect, test } from "bun:test";
import type { Snapshot } from "@keelson/config";
import { modeRefusal } from "./mode-refusal.ts";

const start = ({ env = {}, ...more }: Partial<Snapshot>) => ({
  mode: "default" as const,
  flags: {},
  settings: {},
  origin: { env },
  ...more,
});
const disabled = { permissions: { disableBypassPermissionsMode: "disable" as const } };

test.each([
  ["no flag was given", start({}), 1000, false],
  ["the session started in it", start({ mode: "bypassPermissions" }), 1000, true],
  ["a flag allows it", start({ flags: { allowSkipPermissions: true } }), 1000, true],
  ["settings forbid it", start({ flags: { allowSkipPermissions: true }, settings: disabled }), 1000, false],
  [
    "a flag selects it and settings forbid it",
    start({ flags: { skipPermissions: true }, settings: disabled }),
    1000,
    false,
  ],
  ["a flag allows it and the user is root", start({ flags: { allowSkipPermissions: true } }), 0, false],
  [
    "a flag allows it and the user is root in a sandbox",
    start({ flags: { allowSkipPermissions: true }, env: { IS_SANDBOX: "1" } }),
    0,
    true,
  ],
])("modeRefusal() of bypassPermissions when %s", (_, snapshot, uid, expected) => {
  expect(modeRefusal("bypassPermissions", snapshot, uid) === undefined).toBe(expected);
});

test("modeRefusal() of auto follows the settings; other modes are never refused", () => {
  const forbidden = start({ settings: { disableAutoMode: "disable" } });
  expect(modeRefusal("auto", start({}), 1000)).toBeUndefined();
  expect(modeRefusal("auto", forbidden, 1000)).toContain("disableAutoMode");
  expect(modeRefusal("plan", forbidden, 1000)).toBeUndefined();
});
