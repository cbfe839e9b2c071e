import { expect, test } from "bun:test";
import { mkdtempSync, rmSync, utimesSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createLease } from "@keelson/disk/lease";
import { takeLease } from "@keelson/disk/lease/take";
import { settle } from "./settle.ts";

test("a lease gets its lock even if no socket can be opened", async () => {
  const folder = mkdtempSync(join(tmpdir(), "keelson-settle-"));
  const path = join(folder, "a.owner");
  const lease = createLease(path, { name: "a test", listens: true })!;
  try {
    const said: string[] = [];
    const snapshot = {
      configDir: folder,
      get env(): never {
        throw new Error("no socket");
      },
    };
    const options = { listens: true, snapshot, debug: (_: string, text: () => string) => void said.push(text()) };
    const owner = { options, session: {}, listener: undefined as Promise<unknown> | undefined };
    await settle(owner as never, lease);
    expect(said).toEqual(["No other program can attach to the session: Error: no socket"]);
    // Whoever stops listening later has nothing to stop.
    expect(await owner.listener).toBeUndefined();
    // On another machine, an old file is held only as long as it is locked.
    lease.note({ machine: "another machine" });
    utimesSync(path, new Date(0), new Date(0));
    expect((await takeLease(path, { name: "a second test" })).holder).toMatchObject({ machine: "another machine" });
  } finally {
    lease.release();
    rmSync(folder, { recursive: true });
  }
});
