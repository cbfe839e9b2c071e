import { expect, test } from "bun:test";
import { readdirSync, readFileSync } from "node:fs";
import { getPriority } from "node:os";
import { lowerCompilers } from "./compiler-threads.ts";

test.if(process.platform === "linux")("lowerCompilers() lowers the threads that compile, and no other", () => {
  for (let k = 0; compilers().length === 0; k++) hotFunction(k)(100_000);

  lowerCompilers();
  const own = getPriority();
  const lowered = Math.min(own + 10, 19);
  expect(compilers().some(({ nice }) => nice === lowered)).toBe(true);
  const others = threads().filter(({ name }) => name !== "JITWorker");
  expect(others.map(({ nice }) => nice)).toEqual(others.map(() => own));
});

/** One that is compiled while it runs. */
const hotFunction = (k: number) =>
  new Function("times", `let sum = ${k}; for (let i = 0; i < times; i++) sum += Math.sin(i + ${k}); return sum;`);

const compilers = () => threads().filter(({ name }) => name === "JITWorker");

function threads() {
  return readdirSync("/proc/self/task").map((id) => {
    const stat = readFileSync(`/proc/self/task/${id}/stat`, "utf8");
    const [, name, rest] = /\((.*)\) (.*)/s.exec(stat)!;
    return { name, nice: Number(rest!.split(" ")[16]) };
  });
}
