import { expect, test } from "bun:test";
import { readdirSync, readFileSync } from "node:fs";
import { randomHex } from "../../random.ts";
import { until } from "../../alive.test-support.ts";
import { loadLockLimit, lockLimitOf } from "../../programs/lock-limit.ts";
import { markedProcesses } from "./marked.ts";
import { startReaper } from "./reaper.ts";

test("a reaper that was dismissed or killed ignores further messages", async () => {
  const dismissed = startReaper(randomHex(16));
  await dismissed.dismiss();
  dismissed.added(1);

  const token = randomHex(16);
  const killed = startReaper(token);
  while (!pidOf(token)) Bun.sleepSync(1);
  process.kill(pidOf(token)!, "SIGKILL");
  // Long enough for the pipe to break before we see the exit.
  while (pidOf(token)) Bun.sleepSync(1);
  for (let n = 0; n < 3; n++) {
    killed.added(1);
    killed.removed(1);
    await Bun.sleep(1);
  }
  await killed.dismiss();
  expect(pidOf(token)).toBeUndefined();
});

test("the reaper of a session inside another's command is not mistaken for that command", async () => {
  const [outer, inner] = [randomHex(16), randomHex(16)];
  const withLimit = (await loadLockLimit())!;
  const command = withLimit(lockLimitOf(outer, 0), () => Bun.spawn(["/bin/cat"], { stdin: "pipe", env: {} }));
  expect(markedProcesses(outer)).toEqual([command.pid]);
  const reaper = withLimit(lockLimitOf(outer, 0), () => startReaper(inner));
  await until(() => pidOf(inner) !== undefined && !markedProcesses(outer).includes(pidOf(inner)!), "it has no mark");
  expect(markedProcesses(outer)).toEqual([command.pid]);
  await reaper.dismiss();
  command.kill();
  await command.exited;
});

function pidOf(token: string): number | undefined {
  return readdirSync("/proc")
    .map(Number)
    .find((pid) => pid > 0 && commandLine(pid).includes(token));
}

function commandLine(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "latin1");
  } catch {
    return "";
  }
}
