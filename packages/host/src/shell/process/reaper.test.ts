import { expect, test } from "bun:test";
import { readdirSync, readFileSync } from "node:fs";
import { randomHex } from "../../random.ts";
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
