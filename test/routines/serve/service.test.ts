// The unit for systemd that docs/routines.md offers: systemd reads it, and the program takes the options in it.

import { expect, test } from "bun:test";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { runKeelson, temporaryHome, testUnless } from "@keelson/testkit";

const UNIT = readFileSync(join(import.meta.dir, "../../../docs/keelson-serve.service"), "utf8");
const analyze = Bun.which("systemd-analyze");

testUnless(analyze ? null : "systemd-analyze is not installed", test)("systemd takes every line of the unit", () => {
  const folder = mkdtempSync(join(tmpdir(), "keelson-unit-"));
  const verified = (text: string) => {
    const file = join(folder, "keelson-serve.service");
    // The program is not there on this machine.
    writeFileSync(file, text.replace("ExecStart=/usr/local/bin/keelson", `ExecStart=${process.execPath}`));
    const { stderr, exitCode } = Bun.spawnSync([analyze!, "verify", "--man=no", file]);
    return { exitCode, said: stderr.toString() };
  };
  expect(verified(UNIT)).toEqual({ exitCode: 0, said: "" });
  expect(verified(UNIT.replace("ProtectSystem=strict", "ProtectSystem=very")).said).toContain("Failed to parse");
  rmSync(folder, { recursive: true });
});

test("the program takes the options of the unit, and its folder is not too long for the sandbox", async () => {
  using home = temporaryHome();
  const [, ...args] = /^ExecStart=(.+)$/m.exec(UNIT)![1]!.split(" ");
  expect(await runKeelson([...args, "--help"], { home })).toMatchObject({ code: 0, stderr: "" });
  expect(args[args.indexOf("--folder") + 1]!.length).toBeLessThanOrEqual(45);
});
