import { expect, test } from "bun:test";
import { chmodSync, chownSync, existsSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { temporaryHome, testUnless } from "@keelson/testkit";
import { openPlaces } from "./places.ts";
import { endSandboxesOf } from "./processes.ts";

test("a folder that others can write to, or a link, is no place for runs", () => {
  using home = temporaryHome();
  const folder = join(home.root, "w");
  mkdirSync(folder);
  chmodSync(folder, 0o777);
  expect(() => openPlaces(folder)).toThrow(`"${folder}" can be written by other users; choose another folder`);
  chmodSync(folder, 0o755);
  openPlaces(folder);
  chmodSync(join(folder, "work"), 0o775);
  expect(() => openPlaces(folder)).toThrow("can be written by other users");
  symlinkSync(folder, join(home.root, "link"));
  expect(() => openPlaces(join(home.root, "link"))).toThrow("is not a folder");
  writeFileSync(join(home.root, "file"), "");
  expect(() => openPlaces(join(home.root, "file"))).toThrow();
});

testUnless(process.getuid?.() === 0 ? null : "needs root", test)(
  "a folder that another user made first is refused",
  () => {
    using home = temporaryHome();
    const folder = join(home.root, "w");
    mkdirSync(join(folder, "private"), { recursive: true });
    chownSync(join(folder, "private"), 65_534, 65_534);
    expect(() => openPlaces(folder)).toThrow("belongs to another user");
    chownSync(folder, 65_534, 65_534);
    expect(() => openPlaces(folder)).toThrow("belongs to another user");
  },
);

test("a place that was abandoned and is taken again is not removed by others who clear it up at that moment", async () => {
  using home = temporaryHome();
  const workers = Array.from({ length: 3 }, () => openPlaces(join(home.root, "w")));
  const gone = Bun.spawnSync(["sh", "-c", "echo $$"]);
  const owner = { pid: Number(gone.stdout.toString()), procStart: "0" };
  for (let round = 0; round < 20; round++) {
    const own = join(workers[0]!.private, "runs", `run_${round}`);
    mkdirSync(own);
    writeFileSync(join(own, "owner"), JSON.stringify(owner));
    // More to remove for some than for others.
    for (let n = 0; n < 20; n++) mkdirSync(join(home.root, "w", "work", `run_${round}`, `${n}`), { recursive: true });
    const [, place, cleared] = await Promise.all([
      workers[0]!.sweep(),
      workers[1]!.make(`run_${round}`),
      workers[2]!.sweep(),
    ]);
    expect(cleared).toBeLessThan(2);
    expect(readdirSync(place.private)).toContain("owner");
    expect(readdirSync(place.work).toSorted()).toEqual(["config", "home", "tmp"]);
    await place.remove();
    expect([place.private, place.work].filter((path) => existsSync(path))).toEqual([]);
  }
  expect(readdirSync(join(workers[0]!.private, "locks"))).toEqual([]);
});

test("nothing of a place is left, also where its files vanish while it is removed", async () => {
  using home = temporaryHome();
  const { make } = openPlaces(join(home.root, "w"));
  const script = `import { readdirSync, unlinkSync } from "node:fs";
    self.onmessage = ({ data }) => {
      try {
        for (const name of readdirSync(data)) try { unlinkSync(data + "/" + name); } catch {}
      } catch {}
      postMessage("done");
    };`;
  const other = new Worker(URL.createObjectURL(new Blob([script], { type: "application/javascript" })));
  for (let round = 0; round < 12; round++) {
    const place = await make(`run_${round}`);
    for (let n = 0; n < 200; n++) writeFileSync(join(place.temporary, `${n}`), "");
    const done = new Promise((resolve) => other.addEventListener("message", resolve, { once: true }));
    other.postMessage(place.temporary, []);
    await place.remove();
    expect([place.private, place.work].filter((path) => existsSync(path))).toEqual([]);
    await done;
  }
  other.terminate();
});

testUnless(Bun.which("bwrap") === null ? "bwrap is not installed" : null, test)(
  "a sandbox that nobody ends any more ends with the place of its run; those of other runs stay",
  async () => {
    using home = temporaryHome();
    const [folder, other] = [join(home.root, "run_1"), join(home.root, "run_1-2")];
    for (const path of [folder, other]) mkdirSync(join(path, "tmp"), { recursive: true });
    const sandbox = (...args: readonly string[]) =>
      Bun.spawn([Bun.which("bwrap")!, "--unshare-pid", "--ro-bind", "/", "/", ...args, "--", "sleep", "600"], {
        stdio: ["ignore", "ignore", "ignore"],
        detached: true,
      });
    const mine = sandbox("--bind", join(folder, "tmp"), join(folder, "tmp"));
    const theirs = sandbox("--bind", join(other, "tmp"), join(other, "tmp"), "--tmpfs", folder);
    const isListed = async ({ pid }: Bun.Subprocess) =>
      (await Bun.file(`/proc/${pid}/cmdline`).text()).startsWith(Bun.which("bwrap")!);
    while (!(await isListed(mine)) || !(await isListed(theirs))) await Bun.sleep(5);
    expect(endSandboxesOf(folder)).toBeGreaterThan(0);
    expect(await mine.exited).not.toBe(0);
    expect(theirs.exitCode).toBeNull();
    expect(endSandboxesOf(other)).toBeGreaterThan(0);
    await theirs.exited;
    expect(endSandboxesOf(folder)).toBe(0);
  },
);
