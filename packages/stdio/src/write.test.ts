import { expect, test } from "bun:test";
import { lineWriter } from "./write.ts";

test("lines of one tick are one write", async () => {
  const written: string[] = [];
  const out = lineWriter((text) => void written.push(text));
  out.add("a\n");
  out.add("b\n");
  expect(written).toEqual([]);
  await new Promise((done) => setImmediate(done));
  out.add("c\n");
  await out.flush();
  expect(written).toEqual(["a\nb\n", "c\n"]);
});

test("a lot of text is written before the tick ends", () => {
  const written: number[] = [];
  const out = lineWriter((text) => void written.push(text.length));
  out.add("x".repeat(70_000));
  expect(written).toEqual([70_000]);
});

test("a slow reader makes the producer wait, one write at a time, and gets everything", async () => {
  const started: { text: string; done: () => void }[] = [];
  const out = lineWriter((text) => new Promise<void>((done) => started.push({ text, done })));
  const part = "x".repeat(600_000);

  expect(out.add(part)).toBeUndefined();
  expect(out.add(part)).toBeUndefined();
  const waiting = out.add("y".repeat(600_000));
  expect(waiting).toBeInstanceOf(Promise);
  expect(started).toHaveLength(1);

  let flushed = false;
  const flushing = out.flush().then(() => void (flushed = true));
  started[0]!.done();
  await waiting;
  expect([started.length, flushed]).toEqual([2, false]);
  started[1]!.done();
  await flushing;
  expect(started.map(({ text }) => text.length)).toEqual([600_000, 1_200_000]);
});

test("a failed write is thrown at the next line and at the flush", async () => {
  const gone = new Error("gone");
  const out = lineWriter(() => Promise.reject(gone));
  out.add("a\n");
  expect(out.flush()).rejects.toBe(gone);
  await out.flush().catch(() => undefined);
  expect(() => out.add("b\n")).toThrow(gone);
});
