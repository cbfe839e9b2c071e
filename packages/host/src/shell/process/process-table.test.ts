import { expect, test } from "bun:test";
import { readPs, runningProcess, runningProcesses } from "./process-table.ts";

test("readPs() reads parents, groups and times, and leaves zombies out", () => {
  const printed = `    1     0     1 Ss   Wed Nov 18 19:51:36 2026
  412     1   412 S+   Wed Nov 18 20:00:01 2026
31337   412   412 Z    Wed Nov 18 20:00:02 2026
99999   412 99999 TNs  Wed Nov  8 20:00:02 2026	
not a process
`;
  expect(readPs(printed)).toEqual([
    { pid: 1, parent: 0, group: 1, began: "Wed Nov 18 19:51:36 2026" },
    { pid: 412, parent: 1, group: 412, began: "Wed Nov 18 20:00:01 2026" },
    { pid: 99_999, parent: 412, group: 99_999, began: "Wed Nov  8 20:00:02 2026" },
  ]);
});

test("a process is the same one for as long as it runs", async () => {
  const child = Bun.spawn(["sleep", "60"], { detached: true });
  const find = () => runningProcesses().find(({ pid }) => pid === child.pid);
  const found = find();
  expect(found).toEqual({ pid: child.pid, parent: process.pid, group: child.pid, began: expect.stringMatching(/./) });
  if (process.platform === "linux") expect(runningProcess(child.pid)).toEqual(found!);
  child.kill("SIGKILL");
  await child.exited;
  expect(find()).toBeUndefined();
});
