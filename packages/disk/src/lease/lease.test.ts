import { expect, test } from "bun:test";
import {
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { loadFlock } from "../lock/flock.ts";
import { processStart } from "../process-identity.ts";
import { holdLease } from "./hold.ts";
import { leaseState } from "./holder.ts";
import { createLease, thisMachine } from "./lease.ts";
import { takeLease } from "./take.ts";

const facts = { name: "a test" };

function folder() {
  const path = mkdtempSync(join(tmpdir(), "keelson-lease-"));
  return { path, lease: join(path, "a.owner"), [Symbol.dispose]: () => rmSync(path, { recursive: true }) };
}

/** A process that has ended, and whose id and start are known. */
async function ended() {
  const child = Bun.spawn(["sleep", "60"]);
  const procStart = processStart(child.pid)!;
  child.kill("SIGKILL");
  await child.exited;
  return { pid: child.pid, procStart };
}

const write = (path: string, holder: object) =>
  writeFileSync(path, `${JSON.stringify({ ...facts, since: 1, ...holder })}\n`);
const makeOld = (path: string) => utimesSync(path, new Date(0), new Date(0));
const here = () => ({ pid: process.pid, procStart: processStart(process.pid)!, machine: thisMachine() });

test("a lease names its owner while it is held, and leaves nothing behind", async () => {
  using at = folder();
  const lease = createLease(at.lease, facts)!;
  expect(createLease(at.lease, facts)).toBeUndefined();
  const { holder } = await takeLease(at.lease, facts);
  expect(holder).toEqual({ ...here(), since: expect.any(Number), name: "a test", listens: false, isEnding: false });
  lease.note({ listens: true, socket: "/s" });
  expect((await takeLease(at.lease, facts)).holder).toMatchObject({ listens: true, socket: "/s" });
  lease.release();
  lease.release();
  lease.note({ late: true });
  expect([lease.isReleased, readdirSync(at.path)]).toEqual([true, []]);
});

test("a lease that is released does not remove the one that took its place", async () => {
  using at = folder();
  const first = createLease(at.lease, facts)!;
  rmSync(at.lease);
  const second = createLease(at.lease, facts)!;
  first.release();
  expect(existsSync(at.lease)).toBe(true);
  second.release();
});

const machines: Record<string, { holder: (dead: object) => object; isOld?: boolean; isFree: boolean }> = {
  "a process that was killed": { holder: (dead) => ({ ...dead, machine: thisMachine() }), isFree: true },
  "another process with the same id": { holder: () => ({ ...here(), procStart: "1" }), isFree: true },
  "this process": { holder: () => here(), isOld: true, isFree: false },
  "the same id before the system was started again": {
    holder: () => ({ ...here(), machine: "another start" }),
    isOld: true,
    isFree: true,
  },
  "a process in another container, a moment ago": { holder: (dead) => ({ ...dead, machine: "there" }), isFree: false },
  "an unknown start, long ago, and no lock": {
    holder: () => ({ ...here(), procStart: "" }),
    isOld: true,
    isFree: true,
  },
  "no one, a moment ago": { holder: () => ({ pid: "?" }), isFree: false },
  "no one, long ago": { holder: () => ({ pid: "?" }), isOld: true, isFree: true },
};

test.each(Object.keys(machines))("a lease that names %s", async (name) => {
  const { holder, isOld, isFree } = machines[name]!;
  using at = folder();
  write(at.lease, holder(await ended()));
  if (isOld) makeOld(at.lease);
  const { lease } = await takeLease(at.lease, facts);
  expect(lease !== undefined).toBe(isFree);
  lease?.release();
  expect(readdirSync(at.path)).toEqual(isFree ? [] : ["a.owner"]);
});

test("in another container, the lock says that the owner lives", async () => {
  using at = folder();
  const lease = createLease(at.lease, facts)!;
  lease.note({ machine: "there" });
  await holdLease(lease);
  makeOld(at.lease);
  expect((await takeLease(at.lease, facts)).holder).toMatchObject({ pid: process.pid, machine: "there" });
  lease.release();
});

test("where files cannot be locked, the age of the file says it", async () => {
  using at = folder();
  write(at.lease, { pid: 1, procStart: "1", machine: "there" });
  const cannot = () => false;
  const ago = (seconds: number) => utimesSync(at.lease, new Date(), new Date(Date.now() - seconds * 1000));
  ago(20);
  expect((await leaseState(at.lease, cannot)).kind).toBe("held");
  expect((await leaseState(at.lease, null)).kind).toBe("held");
  ago(40);
  expect((await leaseState(at.lease, cannot)).kind).toBe("dead");
  expect(readdirSync(at.path)).toEqual(["a.owner"]);
});

test("a process that only locks the file of a dead owner is not taken for it", async () => {
  using at = folder();
  write(at.lease, { ...(await ended()), machine: thisMachine() });
  const flock = (await loadFlock())!;
  const { openSync, closeSync } = await import("node:fs");
  const fd = openSync(at.lease, "r");
  expect(flock(fd)).toBe(true);
  const { lease } = await takeLease(at.lease, facts);
  expect(lease).toBeDefined();
  lease!.release();
  closeSync(fd);
});

test("a link in the place of a lease is not followed", async () => {
  using at = folder();
  const outside = join(at.path, "outside");
  symlinkSync(outside, at.lease);
  await expect(takeLease(at.lease, facts)).rejects.toThrow("is reached through a link");
  expect(existsSync(outside)).toBe(false);
});

test("of many processes that find the lease of a dead one, exactly one gets it", async () => {
  using at = folder();
  write(at.lease, { ...(await ended()), machine: thisMachine() });
  const program = `
    const { takeLease } = await import(${JSON.stringify(join(import.meta.dir, "take.ts"))});
    const { lease } = await takeLease(${JSON.stringify(at.lease)}, { name: "one of many" });
    console.log(lease ? "mine" : "theirs");
    await Bun.stdin.text();`;
  const all = Array.from({ length: 6 }, () =>
    Bun.spawn([process.execPath, "-e", program], { stdin: "pipe", stdout: "pipe" }),
  );
  const said = await Promise.all(
    all.map(async ({ stdout }) => new TextDecoder().decode((await stdout.getReader().read()).value)),
  );
  const winner = all[said.indexOf("mine\n")]!;
  expect(said.toSorted()).toEqual(["mine\n", ...Array.from({ length: 5 }, () => "theirs\n")]);
  expect(JSON.parse(readFileSync(at.lease, "utf8"))).toMatchObject({ pid: winner.pid, name: "one of many" });
  expect(readdirSync(at.path)).toEqual(["a.owner"]);
  for (const { stdin } of all) await stdin.end();
  await Promise.all(all.map(({ exited }) => exited));
});
