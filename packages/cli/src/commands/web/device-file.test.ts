import { expect, test } from "bun:test";
import { mkdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { temporaryHome } from "@keelson/testkit";
import { deviceFile } from "./device-file.ts";

test("a file that cannot be reached is no list of devices, and is reported once", async () => {
  using home = temporaryHome();
  const folder = join(home.home, ".claude/keelson-web");
  mkdirSync(join(home.home, ".claude"), { recursive: true });
  symlinkSync(folder, folder);
  const warnings: string[] = [];
  const file = deviceFile(join(home.home, ".claude"), (text) => void warnings.push(text));
  // It is looked at every second.
  expect([file.stamp(), file.stamp(), file.read(), file.read()]).toEqual(["ELOOP", "ELOOP", undefined, undefined]);
  expect(warnings).toEqual([expect.stringContaining("keelson-web")]);
  expect(await Promise.resolve(file.update(() => "[]")).catch(String)).toContain("devices.json cannot be written");
});
