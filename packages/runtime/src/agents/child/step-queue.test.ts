import { expect, test } from "bun:test";
import { StepQueue } from "./step-queue.ts";

test("a few steps are taken at once, the others in order, a few after each look at the input", async () => {
  const looks: (() => void)[] = [];
  const queue = new StepQueue((then) => looks.push(then));
  const taken: number[] = [];
  const step = async (number: number) => {
    await queue.step();
    taken.push(number);
  };
  const steps = [1, 2, 3, 4, 5, 6].map(step);
  queue.run(() => taken.push(7));
  steps.push(...[8, 9, 10].map(step));
  const settle = () => Promise.resolve().then(() => undefined);
  await settle();
  expect(taken).toEqual([1, 2, 3, 4]);
  const look = async () => {
    const due = looks.splice(0);
    expect(due).toHaveLength(1);
    due[0]!();
    await settle();
    return taken.splice(0).toSorted((a, b) => a - b);
  };
  taken.length = 0;
  expect([await look(), await look()]).toEqual([
    [5, 6, 7, 8],
    [9, 10],
  ]);
  await Promise.all(steps);
  expect([await look(), looks]).toEqual([[], []]);
  expect(queue.step()).toBeUndefined();
});
