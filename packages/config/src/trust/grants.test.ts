import { afterAll, expect, test } from "bun:test";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Settings } from "@keelson/protocol";
import { KEYS } from "../check/known.ts";
import { grantDigest, settingsGrants, withoutGrants } from "./grants.ts";

const folder = realpathSync(mkdtempSync(join(tmpdir(), "keelson-grants-")));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const at = { folder, home: "/home/u" };
const names = (settings: object) => settingsGrants(settings as Settings, at).map(({ name }) => name);
const command = (text: string) => ({ hooks: [{ type: "command", command: text }] });

test.each<[settings: object, granted: readonly string[]]>([
  [{ permissions: { deny: ["Bash"], ask: ["Read"], disableBypassPermissionsMode: "disable" } }, []],
  [{ permissions: { allow: ["A", "B(x)"] } }, ['permissions.allow "A"', 'permissions.allow "B(x)"']],
  [{ permissions: { additionalDirectories: ["/x"] } }, ['permissions.additionalDirectories "/x"']],
  [{ permissions: { defaultMode: "plan" } }, []],
  [{ permissions: { defaultMode: "acceptEdits" } }, ["permissions.defaultMode"]],
  [{ permissions: { defaultMode: "default" } }, ["permissions.defaultMode"]],
  [{ model: "m", outputStyle: "x", theme: "dark", disabledMcpjsonServers: ["a"] }, []],
  [{ env: { EXTRA: "1", ANTHROPIC_BASE_URL: "x" } }, ["env.EXTRA", "env.ANTHROPIC_BASE_URL"]],
  [{ hooks: { Stop: [command("a"), command("b")] } }, ["hooks.Stop", "hooks.Stop"]],
  [
    { sandbox: { enabled: true, network: { allowedDomains: ["a", "b"] } } },
    ["sandbox.enabled", 'sandbox.network.allowedDomains "a"', 'sandbox.network.allowedDomains "b"'],
  ],
  [{ enabledPlugins: { "a@b": true, "c@d": false } }, ["enabledPlugins.a@b", "enabledPlugins.c@d"]],
  [{ statusLine: { type: "command", command: "x" } }, ["statusLine"]],
  [{ enableAllProjectMcpServers: true }, ["enableAllProjectMcpServers"]],
])("settingsGrants(%j)", (settings, granted) => {
  expect(names(settings).toSorted()).toEqual(granted.toSorted());
});

test("every key that needs trust is a grant", () => {
  const needing = KEYS.filter((key) => key.folder === "if trusted" || key.folder === "if accepted");
  const missing = needing.filter(({ key }) => {
    const path = key.split(".");
    const settings = path.reduceRight<unknown>((value, name) => ({ [name]: value }), { x: "y" });
    return names(settings as object).length === 0;
  });
  expect(missing).toEqual([]);
});

test("a grant is another one if its value, its event or the content of its script is", () => {
  mkdirSync(join(folder, "tools"));
  writeFileSync(join(folder, "tools/check.sh"), "one");
  const digests = (settings: object) => settingsGrants(settings as Settings, at).map(grantDigest);
  const hook = { hooks: { Stop: [command("sh tools/check.sh")] } };
  expect(names(hook)).toEqual(["hooks.Stop", "hooks.Stop, which runs tools/check.sh"]);
  const before = digests(hook);
  expect(digests({ hooks: { Stop: [{ hooks: [{ command: "sh tools/check.sh", type: "command" }] }] } })).toEqual(
    before,
  );
  expect(digests({ hooks: { PreToolUse: hook.hooks.Stop } })).not.toContain(before[0]!);
  writeFileSync(join(folder, "tools/check.sh"), "two");
  expect(digests(hook)[0]).toBe(before[0]!);
  expect(digests(hook)[1]).not.toBe(before[1]!);
});

test("withoutGrants() takes away these and nothing else", () => {
  const settings = {
    model: "m",
    env: { EXTRA: "1", OTHER: "2" },
    permissions: { allow: ["A", "B"], deny: ["C"], defaultMode: "acceptEdits" },
    hooks: { Stop: [command("a"), command("b")] },
  } as Settings;
  const unwanted = new Set(["env.EXTRA", 'permissions.allow "B"', "permissions.defaultMode"]);
  const taken = settingsGrants(settings, at).filter(
    ({ name, item }) => unwanted.has(name) || Bun.deepEquals(item, command("a")),
  );
  expect(withoutGrants(settings, taken)).toEqual({
    model: "m",
    env: { OTHER: "2" },
    permissions: { allow: ["A"], deny: ["C"] },
    hooks: { Stop: [command("b")] },
  } as Settings);
});
