// However parallel calls interleave, each row is written once and in the order of the calls.

import { expect, test } from "bun:test";
import type { Outbound } from "@keelson/protocol";
import {
  call,
  delta,
  end,
  feedOf,
  frameOf,
  openText,
  result,
  start,
  system,
  text,
  thinking,
} from "./feed.test-support.ts";

/** A generator of numbers below a limit, the same for each seed. */
function numbers(seed: number): (below: number) => number {
  let state = seed * 2_654_435_761 + 1;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

/** A run of replies whose calls are answered in any order, also while a reply is still written. */
function randomRun(next: (below: number) => number): { messages: Outbound[]; expected: string[] } {
  const messages: Outbound[] = [];
  const expected: string[] = [];
  const waiting: string[] = [];
  let count = 0;
  const answer = () => {
    const [id] = waiting.splice(next(waiting.length), 1);
    messages.push(result(id!, `out-${id}`, { stdout: `out-${id}`, stderr: "" }));
  };
  for (let reply = 0; reply < 6; reply += 1) {
    messages.push(start(`m${reply}`));
    for (let block = 0; block < 4; block += 1) {
      count += 1;
      const kind = next(4);
      const withId = (message: Outbound) =>
        ({ ...message, message: { ...(message as { message: object }).message, id: `m${reply}` } }) as Outbound;
      if (kind === 0) {
        const words = `text-${count} and\n\nmore-${count}`;
        messages.push(openText(block));
        for (let at = 0; at < words.length; at += 5) messages.push(delta(words.slice(at, at + 5), block));
        messages.push(withId(text(words)));
        expected.push(`text-${count} and`, `more-${count}`);
      } else if (kind === 1) messages.push(withId(thinking("hm")));
      else {
        const id = `c${count}`;
        messages.push(withId(call(id, "Bash", { command: `run-${id}` })));
        if (next(3) === 0) messages.push(system("task_started", { task_id: `t${id}`, tool_use_id: id }));
        waiting.push(id);
        expected.push(`Bash(run-${id})`, `out-${id}`);
      }
      if (waiting.length > 0 && next(2) === 0) answer();
    }
    if (next(2) === 0) while (waiting.length > 0) answer();
  }
  while (waiting.length > 0) answer();
  messages.push(end());
  return { messages, expected };
}

test("each row is written once and in order, whatever the order of the results", () => {
  for (let seed = 0; seed < 80; seed += 1) {
    const next = numbers(seed);
    const { messages, expected } = randomRun(next);
    const feed = feedOf();
    const rows: string[] = [];
    for (const message of messages) {
      feed.take(message, 10_000);
      const frame = frameOf({ columns: 40 + next(80), rows: next(20) });
      if (next(3) > 0) rows.push(...feed.finished(frame));
      const live = feed.live(frame);
      expect(live.length).toBeLessThanOrEqual(frame.rows);
      expect(live.filter((row) => Bun.stringWidth(row) > frame.columns)).toEqual([]);
    }
    rows.push(...feed.finished(frameOf()));
    const marks = rows.map((row) => row.replace(/^[●⎿\s]+/, "")).filter((row) => /^(?:Bash|out|text|more)/.test(row));
    expect({ seed, marks }).toEqual({ seed, marks: expected });
    expect(feed.live(frameOf())).toEqual([]);
    expect(feed.unfinished).toEqual([]);
  }
});

test("no row is wider than the frame, whatever is in it", () => {
  const long = "wide 宽 text ".repeat(300);
  const messages = [
    call("a", "Bash", { command: long, description: long }),
    result("a", long, { stdout: long, stderr: long }),
    call("b", `mcp__${"s".repeat(90)}__t`, { a: long, b: [1, 2, { c: long }] }),
    result("b", long),
    call("c", "Task", { description: long, subagent_type: "x".repeat(90) }),
    call("c1", "Read", { file_path: long }, "c"),
    result("c", long),
    call("d", "Edit", { file_path: `/p/${"f".repeat(200)}`, old_string: "a", new_string: "b" }),
    result("d", "ok", {
      filePath: "/p/f",
      structuredPatch: [{ oldStart: 1, oldLines: 1, newStart: 1, newLines: 1, lines: [`-${long}`, `+${long}`] }],
    }),
    call("e", "Read", { file_path: long }),
    result("e", long),
    text(long),
    system("informational", { content: long, level: "warning" }),
    system("compact_boundary", { compact_metadata: { pre_tokens: 1, post_tokens: 1 } }),
    end({ subtype: "error_max_turns", is_error: true, errors: [long] }),
  ];
  for (const columns of [20, 40, 80, 120]) {
    const feed = feedOf();
    for (const message of messages) {
      feed.take(message, 10_000);
      const live = feed.live(frameOf({ columns, rows: 10 }));
      expect(live.filter((row) => Bun.stringWidth(row) > columns)).toEqual([]);
    }
    const rows = feed.finished(frameOf({ columns }));
    expect(rows.length).toBeGreaterThan(20);
    expect(rows.filter((row) => Bun.stringWidth(row) > columns)).toEqual([]);
  }
});
