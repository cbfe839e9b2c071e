// A program that a worker started ends by itself when its lease ends, with everything that it started.

import { expect, test } from "bun:test";
import { readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import {
  runKeelson,
  startKeelson,
  startMockModel,
  temporaryHome,
  testUnless,
  type ScriptedReply,
} from "@keelson/testkit";
import { gone, isRunning, pidIn, until } from "../processes.ts";

/** The tests read uptime where Linux has it. */
const OTHER_SYSTEM = process.platform === "linux" ? null : "needs Linux";
const uptime = () => Number.parseFloat(readFileSync("/proc/uptime", "latin1")) * 1000;
const RUN = ["-p", "--output-format", "stream-json", "--verbose", "--allowedTools", "Bash"];

const stays: ScriptedReply = {
  calls: [{ id: "call_1", name: "Bash", input: { command: "echo $$ > pid; trap '' TERM; sleep 1000 & wait; wait" } }],
};

testUnless(OTHER_SYSTEM, test)(
  "the program runs while its lease is extended, and ends with its commands when it is not",
  async () => {
    using home = temporaryHome();
    const lease = join(home.root, "lease");
    const extend = () => {
      writeFileSync(`${lease}.new`, String(uptime() + 4_000));
      renameSync(`${lease}.new`, lease);
    };
    extend();
    const worker = setInterval(extend, 200);
    await using model = await startMockModel([stays]);
    await using running = startKeelson([...RUN, "--lease-file", lease, "--", "Stay"], { home, url: model.url });
    const command = await pidIn(home);
    // Longer than one lease.
    const first = Number(readFileSync(lease, "latin1"));
    await until(() => uptime() > first + 500);
    expect([isRunning(running.pid), isRunning(command)]).toEqual([true, true]);

    clearInterval(worker);
    const ended = await running.done;
    expect(ended.code).not.toBe(0);
    await gone(command);
  },
);

testUnless(OTHER_SYSTEM, test)("a lease that has ended, or that cannot be read, starts nothing", async () => {
  using home = temporaryHome();
  const lease = join(home.root, "lease");
  await using model = await startMockModel([]);
  for (const content of [String(uptime() - 1), "", "soon"]) {
    writeFileSync(lease, content);
    const { code, stderr } = await runKeelson([...RUN, "--lease-file", lease, "--", "Go"], { home, url: model.url });
    expect([code, stderr]).toEqual([1, expect.stringContaining("has ended or cannot be read")]);
  }
  rmSync(lease);
  const { code } = await runKeelson([...RUN, "--lease-file", lease, "--", "Go"], { home, url: model.url });
  expect([code, model.requests]).toEqual([1, []]);
});
