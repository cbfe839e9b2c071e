import { expect, test } from "bun:test";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { agentsToldOf } from "./told-of.ts";

const id = (number: number) => `a${number.toString(16).padStart(16, "0")}`;

function toldIn(text: string): string[] {
  const folder = mkdtempSync(join(tmpdir(), "keelson-told-"));
  try {
    const path = join(folder, "s.jsonl");
    writeFileSync(path, text);
    return [...agentsToldOf(path)].toSorted();
  } finally {
    rmSync(folder, { recursive: true });
  }
}

test("an agent is told of by a notice, by its output and by its stop, and not because it was started", () => {
  const text = `é<task-id>${id(1)}</task-id> <task_id>${id(2)}</task_id> stopped task: ${id(3)} (x) agentId: ${id(4)}`;
  expect(toldIn(text)).toEqual([id(1), id(2), id(3)]);
  expect([toldIn(""), toldIn("<task-id>"), toldIn(`<task-id>b1</task-id><task-id>${id(5).slice(1)}`)]).toEqual([
    [],
    [],
    [],
  ]);
});

test("wherever the parts of a large file end, no agent is missed", () => {
  const notice = (number: number) => `<task-id>${id(number)}</task-id>`;
  const MB = 1024 * 1024;
  for (let before = 0; before <= 48; before++) {
    const text = "x".repeat(MB - before) + notice(1) + "x".repeat(MB - 64) + notice(2);
    expect(toldIn(text)).toEqual([id(1), id(2)]);
  }
});
