import { expect, test } from "bun:test";
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { testUnless } from "@keelson/testkit";
import { createStandIns, isStandIn } from "./stand-in.ts";

const linux = testUnless(process.platform === "linux" ? null : "needs Linux", test);

function world() {
  const folder = mkdtempSync(join(tmpdir(), "keelson-stand-in-"));
  const told: string[] = [];
  return {
    path: join(folder, ".claude"),
    told,
    /** Like another session. */
    session: (keepMs = 0) => createStandIns((path) => told.push(path), keepMs),
    [Symbol.dispose]: () => rmSync(folder, { recursive: true, force: true }),
  };
}

linux("two sessions hold the same folder, and the last one removes it", async () => {
  using w = world();
  const first = await w.session().hold(w.path);
  const second = await w.session().hold(w.path);
  expect(isStandIn(statSync(w.path))).toBe(true);
  first!.release();
  expect(existsSync(w.path)).toBe(true);
  second!.release();
  expect(existsSync(w.path)).toBe(false);
  expect(w.told).toEqual([w.path, w.path]);
});

linux("a folder that is no longer empty is kept and becomes an ordinary folder", async () => {
  using w = world();
  const held = await w.session().hold(w.path);
  writeFileSync(join(w.path, "settings.json"), "{}");
  held!.release();
  expect(existsSync(join(w.path, "settings.json"))).toBe(true);
  expect(isStandIn(statSync(w.path))).toBe(false);
});

linux("an empty folder of the user is kept", async () => {
  using w = world();
  mkdirSync(w.path);
  (await w.session().hold(w.path))!.release();
  expect(existsSync(w.path)).toBe(true);
});

linux("a folder left by a killed session is used and removed by the next", async () => {
  using w = world();
  mkdirSync(w.path, { mode: 0o1755 });
  (await w.session().hold(w.path))!.release();
  expect(existsSync(w.path)).toBe(false);
});

linux("hold() is null if the folder cannot be created", async () => {
  using w = world();
  expect(await w.session().hold(join(w.path, "deeper"))).toBeNull();
});

linux("with many holding and releasing at once, the folder exists for each as long as it holds it", async () => {
  using w = world();
  const session = async () => {
    const standIns = w.session();
    for (let n = 0; n < 50; n++) {
      const held = await standIns.hold(w.path);
      await Promise.resolve();
      if (!existsSync(w.path)) return `gone in round ${n}`;
      held!.release();
    }
    return "fine";
  };
  expect(await Promise.all(Array.from({ length: 8 }, session))).toEqual(Array(8).fill("fine"));
  expect(existsSync(w.path)).toBe(false);
});

linux("a folder is kept for the next command, unless something was put into it or it was replaced", async () => {
  using w = world();
  const session = w.session(60_000);
  const inode = () => statSync(w.path, { throwIfNoEntry: false })?.ino;
  (await session.hold(w.path))!.release();
  const first = inode();
  (await session.hold(w.path))!.release();
  expect({ first, now: inode() }).toEqual({ first: expect.any(Number), now: first });

  rmdirSync(w.path);
  mkdirSync(`${w.path}-other`, { mode: 0o1755 });
  renameSync(`${w.path}-other`, w.path);
  (await session.hold(w.path))!.release();

  writeFileSync(join(w.path, "settings.json"), "{}");
  session.releaseUsed();
  expect(isStandIn(statSync(w.path))).toBe(false);
});

linux("a folder that is kept is removed when all are released", async () => {
  using w = world();
  const session = w.session(60_000);
  (await session.hold(w.path))!.release();
  expect(existsSync(w.path)).toBe(true);
  session.releaseAll();
  expect(existsSync(w.path)).toBe(false);
});

linux("a folder that is kept is removed after a while", async () => {
  using w = world();
  (await w.session(1).hold(w.path))!.release();
  while (existsSync(w.path)) await Bun.sleep(1);
});
