import { expect, test } from "bun:test";
import type { ShownNow } from "../store/run-store.ts";
import { MOST_SHOWN } from "../store/run-store.ts";
import { LiveView } from "./live.ts";

const event = (more: object, parent: string | null = null) => ({
  type: "stream_event",
  event: more,
  parent_tool_use_id: parent,
});
const START = event({ type: "message_start", message: { id: "m1", content: [] } });
const BLOCK = event({ type: "content_block_start", index: 0, content_block: { type: "text", text: "" } });
const delta = (text: string) => event({ type: "content_block_delta", index: 0, delta: { type: "text_delta", text } });

/** What is sent when, with answers that the test gives. */
function viewed(answers: readonly boolean[]) {
  const sent: (readonly ShownNow[])[] = [];
  const waiting: (() => void)[] = [];
  let newest = 0;
  const view = new LiveView({
    store: {
      async show(_, shown) {
        sent.push(shown);
        for (const each of waiting.splice(0)) each();
        return { watched: answers[sent.length - 1] ?? answers.at(-1)! };
      },
    },
    held: () => ({ runId: "run_1", claim: "c" }),
    newest: () => newest,
    redact: (text) => text,
  });
  return {
    view,
    sent,
    next: () => new Promise<void>((resolve) => waiting.push(resolve)),
    entries: (count: number) => void (newest = count),
  };
}

const textsOf = (shown: readonly ShownNow[]) =>
  shown.map(({ line }) => JSON.parse(line)).map(({ events, output }) => output ?? events.at(-1).delta.text);

test("while nobody watches, it is asked once in a while and nothing else is sent; then each change is, in time", async () => {
  const { view, sent, next, entries } = viewed([false, true]);
  for (const message of [START, BLOCK, delta("One")]) view.see(message);
  await next();
  for (let count = 0; count < 50; count++) view.see(delta("."));
  const before = performance.now();
  await next();
  // By the interval in which it looks whether somebody watches.
  expect(performance.now() - before).toBeGreaterThan(2_000);
  entries(7);
  view.see(delta(" Two"));
  view.see(delta(" three"));
  await next();
  const dots = ".".repeat(50);
  expect(sent.map(textsOf)).toEqual([["One"], [`One${dots}`], [`One${dots} Two three`]]);
  expect(sent.at(-1)!.map(({ key, after }) => [key, after])).toEqual([["text", 7]]);
  view.stop();
});

test("of what is long the end is sent, however it is written, and of what is over nothing", async () => {
  const { view, sent, next } = viewed([true]);
  for (const message of [START, BLOCK, delta(`${'\\"\u{1F600}'.repeat(20_000)}the end`)]) view.see(message);
  await next();
  expect(Buffer.byteLength(sent[0]![0]!.line)).toBeLessThanOrEqual(MOST_SHOWN);
  expect(textsOf(sent[0]!)[0]).toMatch(/^….*the end$/s);
  // The block was sent whole, a subagent writes, and a command prints.
  view.see({ type: "assistant", message: { content: [{ type: "text", text: "…" }] }, parent_tool_use_id: null });
  view.see(event({ type: "message_start", message: {} }, "call_0"));
  view.see({ type: "tool_running", tool_use_id: "call_1", output: "printed\n" });
  await next();
  expect(textsOf(sent[1]!)).toEqual(["printed\n"]);
  view.see({
    type: "user",
    message: { role: "user", content: [{ type: "tool_result", tool_use_id: "call_1", content: "printed\n" }] },
  });
  view.see({ type: "tool_running", tool_use_id: "call_2", output: "other\n" });
  await next();
  expect(sent[2]!.map(({ key }) => key)).toEqual(["call_2"]);
  view.stop();
});
