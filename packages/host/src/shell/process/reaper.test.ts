import { expect, test } from "bun:test";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
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

test("the reaper ends what has our mark, and nothing that only has it in the value of another variable", async () => {
  const token = randomHex(16);
  const mark = `KEELSON_SHELL=${token}.1.`;
  const environments = {
    marked: { A: "1", KEELSON_SHELL: `${token}.1.` },
    "in a value": { SAVED: mark },
    "on a line of a value": { SAVED: `A=1\n${mark}\n` },
    "another name": { OLD_KEELSON_SHELL: `${token}.1.` },
    "another session": { KEELSON_SHELL: `${randomHex(16)}.1.`, SAVED: mark },
  };
  const script = `
    import { startReaper } from ${JSON.stringify(join(import.meta.dir, "reaper.ts"))};
    startReaper(${JSON.stringify(token)});
    const started = Object.entries(${JSON.stringify(environments)}).map(([name, env]) => {
      return [name, Bun.spawn(["/bin/sleep", "300"], { env, detached: true, stdio: ["ignore", "ignore", "ignore"] }).pid];
    });
    console.log(JSON.stringify(started));
    setInterval(() => {}, 60_000);
  `;
  const session = Bun.spawn([process.execPath, "-e", script], { stdout: "pipe", stderr: "inherit" });
  const { value } = await session.stdout.getReader().read();
  const started: [string, number][] = JSON.parse(new TextDecoder().decode(value));
  const isLeft = ([, pid]: [string, number]) => commandLine(pid).startsWith("/bin/sleep");
  try {
    await until(() => pidOf(token) !== undefined && started.every(isLeft), "the reaper and the programs run");
    const reaper = readdirSync("/proc")
      .map(Number)
      .find((pid) => pid > 0 && commandLine(pid).startsWith("/bin/sh") && commandLine(pid).includes(token));
    session.kill("SIGKILL");
    await session.exited;
    await until(() => commandLine(reaper!) === "", "the reaper has ended");
    expect(started.filter(isLeft).map(([name]) => name)).toEqual(Object.keys(environments).slice(1));
  } finally {
    for (const each of started.filter(isLeft)) process.kill(each[1], "SIGKILL");
  }
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
