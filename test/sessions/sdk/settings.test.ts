// Settings as an application may ask for them, read by the real program.

import { expect, test } from "bun:test";
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { filterEscalatingDefaultMode, ProcessError, resolveSettings } from "@keelson/sdk";
import { temporaryHome, type TemporaryHome } from "@keelson/testkit";
import { door } from "./door.ts";

function put(folder: string, name: string, content: unknown): string {
  const file = join(folder, name);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, JSON.stringify(content));
  return file;
}

const reach = (home: TemporaryHome) => door(home, { url: "http://127.0.0.1:9" });

test("settings are merged as the program merges them, with where each value comes from", async () => {
  using home = temporaryHome();
  const user = put(home.configDir, "settings.json", { model: "opus", env: { API_TOKEN: "t" } });
  const project = put(home.project, ".claude/settings.json", {
    model: "sonnet",
    permissions: { deny: ["Read(./.env)"], defaultMode: "plan" },
  });
  const managedSettings = { permissions: { deny: ["WebFetch"] }, model: "haiku" };
  const resolved = await resolveSettings({ ...reach(home), managedSettings });
  expect(resolved).toEqual({
    effective: {
      model: "sonnet",
      env: { API_TOKEN: "t" },
      permissions: { deny: ["Read(./.env)", "WebFetch"], defaultMode: "plan" },
    },
    provenance: {
      model: [{ source: "projectSettings", path: project }],
      "env.API_TOKEN": [{ source: "userSettings", path: user }],
      "permissions.deny": [{ source: "policySettings" }, { source: "projectSettings", path: project }],
      "permissions.defaultMode": [{ source: "projectSettings", path: project }],
    },
    sources: [
      { source: "userSettings", path: user, settings: { model: "opus", env: { API_TOKEN: "t" } } },
      {
        source: "projectSettings",
        path: project,
        settings: { model: "sonnet", permissions: { deny: ["Read(./.env)"], defaultMode: "plan" } },
      },
      { source: "policySettings", settings: { permissions: { deny: ["WebFetch"] } } },
    ],
    machinePolicy: { permissions: { deny: ["WebFetch"] } },
  });
  expect(filterEscalatingDefaultMode(resolved)).toBe(resolved);
  expect((await resolveSettings({ ...reach(home), settingSources: ["user"] })).effective.model).toBe("opus");
});

test("a wide mode that a trusted project chose can be left out", async () => {
  using home = temporaryHome();
  put(home.home, ".claude.json", { projects: { [home.project]: { hasTrustDialogAccepted: true } } });
  put(home.project, ".claude/settings.json", { permissions: { defaultMode: "acceptEdits" } });
  const resolved = await resolveSettings(reach(home));
  expect(resolved.effective.permissions).toEqual({ defaultMode: "acceptEdits" });
  expect(filterEscalatingDefaultMode(resolved)).toMatchObject({ effective: { permissions: {} }, provenance: {} });
});

test("what cannot be read is an error with the program's own words", async () => {
  using home = temporaryHome();
  const asked = resolveSettings({ ...reach(home), settings: "nowhere.json" });
  expect(await asked.catch((error) => error)).toMatchObject({ name: ProcessError.name, exitCode: 1 });
  expect(resolveSettings({ serverManagedSettings: {} })).rejects.toThrow("serverManagedSettings is not available");
});
