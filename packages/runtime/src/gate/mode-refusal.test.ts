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
  ["nothing was said", start({}), 1000, false],
  ["it started that way", start({ mode: "bypassPermissions" }), 1000, true],
  ["it was made selectable", start({ flags: { allowSkipPermissions: true } }), 1000, true],
  ["settings forbid it", start({ flags: { allowSkipPermissions: true }, settings: disabled }), 1000, false],
  [
    "the start asked for it and settings forbid it",
    start({ flags: { skipPermissions: true }, settings: disabled }),
    1000,
    false,
  ],
  ["root made it selectable", start({ flags: { allowSkipPermissions: true } }), 0, false],
  ["root in a sandbox", start({ flags: { allowSkipPermissions: true }, env: { IS_SANDBOX: "1" } }), 0, true],
])("whether bypass may be switched to when %s", (_, snapshot, uid, expected) => {
  expect(modeRefusal("bypassPermissions", snapshot, uid) === undefined).toBe(expected);
});

test("auto may be switched to unless the settings forbid it, the other modes always", () => {
  const forbidden = start({ settings: { disableAutoMode: "disable" } });
  expect(modeRefusal("auto", start({}), 1000)).toBeUndefined();
  expect(modeRefusal("auto", forbidden, 1000)).toContain("disableAutoMode");
  expect(modeRefusal("plan", forbidden, 1000)).toBeUndefined();
});
