// `keelson web` as a command of another Keelson, for which the configuration folder is read-only.

import { expect, test } from "bun:test";
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { temporaryHome, testUnless } from "@keelson/testkit";
import { confinementMissing } from "../needs-bubblewrap.ts";
import { startWeb } from "./web-client.ts";

const confined = testUnless(confinementMissing(), test);

confined("signs devices in and keeps them in the folder for its state", async () => {
  using home = temporaryHome();
  home.settings({});
  const state = join(home.root, "state");
  const through = ["bwrap", "--dev-bind", "/", "/", "--ro-bind", home.configDir, home.configDir, "--"];
  await using web = await startWeb({ home, through, env: { KEELSON_STATE_DIR: state } });
  const device = await web.signIn();

  expect((await device.request("GET", "/v1/devices")).json.data).toMatchObject([{ name: "A test", current: true }]);
  expect(existsSync(join(state, "keelson-web/devices.json"))).toBe(true);
  expect(readdirSync(home.configDir)).toEqual(["settings.json"]);
});
