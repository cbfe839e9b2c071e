import { expect } from "bun:test";
import { mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { shielded } from "../shield/shield.test-support.ts";
import { createSurvivors } from "./survivors.ts";

shielded("a process that keeps restarting is found at every check", async () => {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "keelson-survivors-")));
  const at = (name: string) => join(folder, name);
  const mark = `mark-${crypto.randomUUID()}`;
  writeFileSync(at(mark), "");
  // Each lives about a millisecond, long enough to start the next one.
  writeFileSync(at("hop.sh"), 'if [ -e stop ]; then touch stopped; else sh "$0" & fi\n');
  const survivors = createSurvivors(mark);
  expect([survivors.any(), survivors.anyNew()]).toEqual([false, false]);
  const bubblewrap = ["bwrap", "--dev-bind", "/", "/", "--ro-bind", at(mark), at(mark), "--"];
  const child = Bun.spawn([...bubblewrap, "sh", at("hop.sh")], {
    cwd: folder,
    stdio: ["ignore", "ignore", "ignore"],
  });
  await child.exited;
  const looks = Array.from({ length: 40 }, (_, look) => (look % 2 === 0 ? survivors.any() : survivors.anyNew()));
  writeFileSync(at("stop"), "");
  expect(looks.filter((isLeft) => !isLeft)).toEqual([]);
  while (!(await Bun.file(at("stopped")).exists())) await Bun.sleep(5);
  while (survivors.any()) await Bun.sleep(5);
  rmSync(folder, { recursive: true });
});
