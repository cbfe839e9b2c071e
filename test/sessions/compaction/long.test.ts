// A session of two thousand turns in a small window: it goes through many compactions, never sends more than fits, and
// does not forget what must not be forgotten.

import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { chainProblems, readTranscript, startKeelson, startMockModel, temporaryHome } from "@keelson/testkit";
import { messagesOf, resultOf, STREAM } from "../front-door.ts";

const TURNS = 2_000;
const WINDOW = 60_000;
const CHARACTERS_PER_TOKEN = 3.3;
const ASKS_FOR_SUMMARY = "The conversation is about to be shortened";

const residentMb = (pid: number) =>
  Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1] ?? 0) / 1024;

test("two thousand turns fit into a small window, and nothing important is lost", async () => {
  using home = temporaryHome();
  home.write("CLAUDE.md", "The password of the tests is PLANTED-INSTRUCTION.");
  for (let n = 0; n < 7; n++) home.write(`notes-${n}.txt`, `PLANTED-FILE-${n}\n${"a line of notes\n".repeat(120)}`);
  const lengths: number[] = [];
  const afterCompaction: string[] = [];
  let compactions = 0;
  let withoutThem = 0;
  let full = 0;
  let turn = 0;
  let isFresh = false;
  const memory: number[] = [];
  const started: { pid?: number } = {};
  await using model = await startMockModel((body: any) => {
    const text = JSON.stringify(body);
    lengths.push(text.length);
    const tokens = Math.ceil(text.length / CHARACTERS_PER_TOKEN);
    const usage = { input_tokens: 1, cache_read_input_tokens: tokens, output_tokens: 30 };
    if (text.includes(ASKS_FOR_SUMMARY)) {
      compactions++;
      isFresh = true;
      return { text: `<summary>Read the notes in turn. ${compactions} summaries so far.</summary>`, usage };
    }
    if (isFresh) afterCompaction.push(text);
    isFresh = false;
    if (++turn % 100 === 0) memory.push(residentMb(started.pid!));
    full += 2_300;
    withoutThem += 60_000 + full;
    if (turn === 1) {
      const todos = [{ content: "PLANTED-TODO", status: "in_progress", activeForm: "Planting" }];
      return { calls: [{ name: "TodoWrite", input: { todos } }], usage };
    }
    if (turn > TURNS) return { text: "finished", usage };
    // In parts, so that no read is a repetition.
    const input = { file_path: `notes-${turn % 7}.txt`, offset: (turn % 5) + 1, limit: 115 };
    return { calls: [{ name: "Read", input }], usage };
  });

  const running = startKeelson(["-p", "read the notes", ...STREAM, "--model", "claude-sonnet-4-6"], {
    home,
    url: model.url,
    env: { CLAUDE_CODE_MAX_CONTEXT_TOKENS: String(WINDOW) },
  });
  started.pid = running.pid;
  const ended = await running.done;

  expect(resultOf(ended)).toMatchObject({ result: "finished", is_error: false });
  expect(compactions).toBeGreaterThan(5);
  expect(messagesOf(ended, "system/compact_boundary")).toHaveLength(compactions);
  expect(Math.max(...lengths) / CHARACTERS_PER_TOKEN).toBeLessThan(WINDOW);
  expect(lengths.reduce((sum, length) => sum + length, 0)).toBeLessThan(withoutThem / 2);
  for (const text of afterCompaction) {
    expect(text.includes("PLANTED-INSTRUCTION") && text.includes("PLANTED-TODO")).toBe(true);
    expect(new Set(text.match(/PLANTED-FILE-\d/g)).size).toBeGreaterThanOrEqual(5);
  }
  // The last half needs no more memory than the first did.
  const half = memory.length / 2;
  expect(Math.max(...memory.slice(half))).toBeLessThan(1.5 * Math.max(...memory.slice(0, half)));
  expect(chainProblems(readTranscript(home))).toEqual([]);
});
