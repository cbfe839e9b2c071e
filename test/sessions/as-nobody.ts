// Running the program as an ordinary user. Tests run by root start it as `no one`.

import { chmodSync, copyFileSync, existsSync, lchownSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TemporaryHome } from "@keelson/testkit";

const root = join(import.meta.dir, "../..");
const NOBODY = 65534;
const isRoot = process.getuid?.() === 0;
const AS_NOBODY = [Bun.which("setpriv") ?? "setpriv", `--reuid=${NOBODY}`, `--regid=${NOBODY}`, "--clear-groups", "--"];

/** The command to start a program with. */
export const through = isRoot ? AS_NOBODY : [];

/** A folder everyone may enter; made when the checkout is none. */
let open: string | undefined;

/** The program where `no one` can run it; undefined for the source tree. */
export const program = reachable();

export function removeCopy(): void {
  if (open !== undefined) rmSync(open, { recursive: true });
}

/** The home, owned by the user the program runs as. */
export function owned(home: TemporaryHome): TemporaryHome {
  if (!isRoot) return home;
  const all = ["", ...readdirSync(home.root, { recursive: true, encoding: "utf8" })];
  for (const path of all) lchownSync(join(home.root, path), NOBODY, NOBODY);
  return home;
}

/** Why the program cannot run as an ordinary user; null when it can. An error in CI. */
export function ordinaryUserMissing(): string | null {
  if (process.platform !== "linux") return "needs Linux";
  const wanted = program ?? process.execPath;
  if (mayRun(wanted)) return null;
  const reason = Bun.which("setpriv") ? `nobody may not run ${wanted}` : "setpriv is not installed";
  if (process.env["CI"]) throw new Error(`${reason}: run the tests as an ordinary user, or build the program first`);
  return reason;
}

/** In place, or a copy of the built program in a folder everyone may enter. */
function reachable(): string | undefined {
  const inPlace = process.env["KEELSON_BIN"] || process.execPath;
  const built = process.env["KEELSON_BIN"] || join(root, "dist/keelson");
  if (mayRun(inPlace) || !existsSync(built)) return process.env["KEELSON_BIN"] || undefined;
  open = mkdtempSync(join(tmpdir(), "keelson-open-"));
  chmodSync(open, 0o755);
  copyFileSync(built, join(open, "keelson"));
  chmodSync(join(open, "keelson"), 0o755);
  return join(open, "keelson");
}

function mayRun(path: string): boolean {
  return !isRoot || Bun.spawnSync([...AS_NOBODY, "test", "-x", path], { stderr: "ignore" }).success;
}
