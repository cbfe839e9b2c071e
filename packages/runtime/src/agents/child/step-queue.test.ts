import { expect, test } from "bun:test";
import { StepQueue } from "./step-queue.ts";

test("a few steps are taken at once, others after each look at the input, and chores when there is time", async () => {
  const looks: (() => void)[] = [];
  const queue = new StepQueue((then) => looks.push(then));
  let done: string[] = [];
  const step = async (number: number) => {
    await queue.step();
    done.push(`step ${number}`);
  };
  const chore = (number: number) => queue.chore(() => done.push(`chore ${number}`));
  const look = async () => {
    for (const then of looks.splice(0, 1)) then();
    await Promise.resolve();
    const seen = done.toSorted();
    done = [];
    return seen;
  };
  chore(1);
  const steps = [1, 2, 3, 4, 5, 6, 7, 8, 9].map(step);
  chore(2);
  chore(3);
  await Promise.resolve();
  expect(done).toEqual(["step 1", "step 2", "step 3", "step 4"]);
  done = [];
  expect([await look(), await look(), await look(), looks]).toEqual([
    ["chore 1", "step 5", "step 6", "step 7", "step 8"],
    ["chore 2", "chore 3", "step 9"],
    [],
    [],
  ]);
  await Promise.all(steps);
  expect(queue.step()).toBeUndefined();
});
