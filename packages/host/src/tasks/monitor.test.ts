import { expect, test } from "bun:test";
import { followSource } from "./monitor.ts";
import { cutLines } from "./cut-lines.ts";

const bytes = (text: string) => new TextEncoder().encode(text);

function monitor({ timeoutMs = 60_000, limit = 100 } = {}) {
  const said: string[] = [];
  const { promise: ending, resolve } = Promise.withResolvers<void>();
  const sink = { timeoutMs, line: (text: string) => said.push(text) < limit, flush: () => void said.push("(end)") };
  const source = followSource("ticks", sink, () => {
    said.push("(source ended)");
    resolve();
  });
  return { source, said, ending };
}

test("lines are given as they come, without their ends, and the last one at the end", () => {
  const { source, said } = monitor();
  source.push(bytes("one\r\ntw"));
  source.push(bytes("o\n\nthr"));
  source.push(bytes("ee"));
  expect(said).toEqual(["one", "two", ""]);
  expect(source.ended({ code: 0 })).toEqual({
    status: "completed",
    exitCode: 0,
    summary: 'Monitor "ticks" stream ended',
  });
  expect(said.slice(3)).toEqual(["three", "(end)"]);
});

test("the end says what ended it", async () => {
  const failed = monitor().source.ended({ code: 3 });
  expect([failed.status, failed.summary]).toEqual(["failed", 'Monitor "ticks" stream ended (exit code 3)']);
  const lost = monitor().source.ended({ error: "the connection was lost" });
  expect([lost.status, lost.summary]).toEqual(["failed", 'Monitor "ticks" stream ended (the connection was lost)']);

  const stopped = monitor();
  await stopped.source.stop();
  expect(stopped.source.ended({ code: null })).toMatchObject({
    status: "killed",
    summary: 'Monitor "ticks" was stopped',
  });

  const expired = monitor({ timeoutMs: 1 });
  await expired.ending;
  expect(expired.source.ended({ code: null })).toMatchObject({
    status: "completed",
    summary: 'Monitor "ticks" expired after 0s',
  });

  const flooded = monitor({ limit: 2 });
  flooded.source.push(bytes("1\n2\n3\n4\n"));
  expect(flooded.said).toEqual(["1", "2", "(source ended)"]);
  expect(flooded.source.ended({ code: null })).toMatchObject({
    status: "failed",
    summary: 'Monitor "ticks" was stopped because it printed too much',
  });
});

test("cutLines() cuts long lines and joins characters that were split", () => {
  const lines: string[] = [];
  const splitter = cutLines((line) => void lines.push(line));
  for (const byte of bytes("né😀\n")) splitter.push(Uint8Array.of(byte));
  for (let n = 0; n < 1_000; n++) splitter.push(bytes("0123456789"));
  splitter.push(bytes("\nnext\n"));
  splitter.end();
  expect(lines).toEqual(["né😀", `${"0123456789".repeat(200)} …`, "next"]);
});
