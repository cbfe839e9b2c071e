// What is left of a group is ended, and another group that was given its number is not.

import { expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { testUnless } from "../test-unless.ts";

function canRecycle(): boolean {
  if (process.getuid?.() !== 0 || !existsSync("/proc/sys/kernel/ns_last_pid") || !Bun.which("unshare")) return false;
  return Bun.spawnSync(["unshare", "--pid", "--fork", "--mount-proc", "true"]).success;
}

/** In a namespace of process ids: a program ends and leaves something behind, or its number is given to another. */
const script = (isRecycled: boolean) => `
  import { writeFileSync } from "node:fs";
  import { ownGroup } from ${JSON.stringify(join(import.meta.dir, "own-group.ts"))};
  const ignored = { detached: true, stdio: ["ignore", "ignore", "ignore"] };
  const program = Bun.spawn(["sh", "-c", ${isRecycled} ? "exit 0" : "sleep 300 & exit 0"], ignored);
  const group = ownGroup(program.pid);
  await program.exited;
  group.leaderEnded();
  const isLeft = () => {
    try { return process.kill(-program.pid, 0); } catch { return false; }
  };
  for (let tries = 0; ${isRecycled} && !isLeft(); tries++) {
    if (tries === 500) throw new Error("The number was not free");
    writeFileSync("/proc/sys/kernel/ns_last_pid", String(program.pid - 1));
    const other = Bun.spawn(["sleep", "300"], ignored);
    if (other.pid !== program.pid) other.kill("SIGKILL");
  }
  const before = isLeft();
  group.end();
  await Bun.sleep(100);
  const state = Bun.spawnSync(["ps", "-A", "-o", "pgid=,stat=,args="]).stdout.toString();
  const runs = state.split("\\n").some((line) => new RegExp("^\\\\s*" + program.pid + "\\\\s+[^Z].*sleep 300").test(line));
  console.log(JSON.stringify({ before, runs }));
  process.exit();
`;

testUnless(canRecycle() ? null : "needs root and ns_last_pid", test).each([
  ["what a program left in its group is ended", false],
  ["a group that has its number by then goes on", true],
] as const)("%s", async (_, isRecycled) => {
  const enter = ["unshare", "--pid", "--fork", "--mount-proc", "--kill-child"];
  const child = Bun.spawn([...enter, process.execPath, "-e", script(isRecycled)], {
    stdout: "pipe",
    stderr: "inherit",
  });
  expect(JSON.parse(await child.stdout.text())).toEqual({ before: true, runs: isRecycled });
  await child.exited;
});
