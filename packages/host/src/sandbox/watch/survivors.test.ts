import { expect } from "bun:test";
import { mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { shielded } from "../shield/shield.test-support.ts";
import { adoptOrphans } from "../../shell/process/orphans.ts";
import { createSurvivors } from "./survivors.ts";

shielded("a process that keeps restarting is found at every check", async () => {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "keelson-survivors-")));
  const at = (name: string) => join(folder, name);
  const mark = `mark-${crypto.randomUUID()}`;
  writeFileSync(at(mark), "");
  // Each lives about a millisecond, long enough to start the next one.
  writeFileSync(at("hop.sh"), 'if [ -e stop ]; then touch stopped; else sh "$0" & fi\n');
  const [survivors, orphans] = [createSurvivors(mark), await adoptOrphans()];
  // While other programs start and end many processes, a check may be in doubt.
  while (survivors.any() || survivors.anyNew()) await Bun.sleep(5);
  const bubblewrap = ["bwrap", "--dev-bind", "/", "/", "--ro-bind", at(mark), at(mark), "--"];
  const child = Bun.spawn([...bubblewrap, "sh", at("hop.sh")], {
    cwd: folder,
    stdio: ["ignore", "ignore", "ignore"],
    detached: true,
  });
  await child.exited;
  const looks = Array.from({ length: 40 }, (_, look) => {
    // Those that ended would fill the table of processes.
    orphans?.reap();
    return look % 2 === 0 ? survivors.any() : survivors.anyNew();
  });
  writeFileSync(at("stop"), "");
  expect(looks.filter((isLeft) => !isLeft)).toEqual([]);
  while (!(await Bun.file(at("stopped")).exists())) await Bun.sleep(5);
  while (survivors.any()) await Bun.sleep(5);
  rmSync(folder, { recursive: true });
});
