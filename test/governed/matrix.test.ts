// What governs a session cannot be changed by what it governs: every file and program that real sessions read or execute
// outside the shield, found by tracing them, against every way in which a shielded command could replace it.

import { expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { testUnless } from "@keelson/testkit";
import { confinementMissing } from "../sessions/needs-bubblewrap.ts";
import type { MatrixReport } from "./inside.ts";

const built = process.env["KEELSON_BIN"] || join(import.meta.dir, "../../dist/keelson");

function missing(): string | null {
  if (process.getuid?.() !== 0) return process.env["CI"] ? null : "needs root, to work in a root that is thrown away";
  if (!existsSync(built)) return "needs the built program: npm run build";
  return confinementMissing(["bwrap", "strace", "unshare", "setpriv", "ip"]);
}

testUnless(missing(), test).each(["nobody", "root"])(
  "as %s, nothing that governs a session can be changed",
  async (user) => {
    const { unknown, attacked, gotThrough } = await runInside(user);
    expect(unknown).toEqual([]);
    expect(gotThrough).toEqual([]);
    expect(Object.values(attacked).reduce((sum, count) => sum + count, 0)).toBeGreaterThan(100);
  },
);

async function runInside(user: string): Promise<MatrixReport> {
  // With a network of its own: sockets of other programs on this machine are none of this test's.
  const enter = ["unshare", "--mount", "--net", "sh", join(import.meta.dir, "throw-away-root.sh")];
  const inside = Bun.spawn([...enter, process.execPath, join(import.meta.dir, "inside.ts"), user], {
    env: { ...process.env, KEELSON_BIN: built },
    stdout: "pipe",
    stderr: "pipe",
  });
  const [output, errors] = await Promise.all([inside.stdout.text(), inside.stderr.text()]);
  if ((await inside.exited) !== 0) throw new Error(`The matrix could not be run\n${output}\n${errors}`);
  return JSON.parse(output);
}
