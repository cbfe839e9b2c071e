// Resuming from a damaged transcript: whatever happened to the file, the next request is well formed.

import { afterAll, expect, test } from "bun:test";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { Conversation } from "@keelson/engine";
import { toLine, type ChainEntry } from "@keelson/protocol";
import { loadSession } from "@keelson/store/past";
import { messageProblems, sessionEntries, shapeOf } from "@keelson/testkit";

const dir = mkdtempSync(join(tmpdir(), "keelson-damage-"));
const path = join(dir, "s.jsonl");
afterAll(() => rmSync(dir, { recursive: true, force: true }));

const shape = fc.array(fc.nat(), { minLength: 1, maxLength: 12 }).map(shapeOf);
const session = fc
  .tuple(shape, fc.constantFrom("block" as const, "last" as const))
  .map(([runs, parents]) => sessionEntries(runs, { parents }));

/** The messages of the next request after resuming the session in the file. */
async function resumed(): Promise<Conversation["messages"]> {
  const conversation = await Conversation.of(loadSession({ path })!.entries, "preface");
  conversation.add({ type: "user", message: { role: "user", content: "go on" } });
  return conversation.messages;
}

const inFile = (entries: readonly ChainEntry[]) => Buffer.from(entries.map((entry) => toLine(entry)).join(""));
const problemsIn = (messages: Conversation["messages"]) => messageProblems(messages as never);

test("an undamaged transcript gives the recorded conversation, however its entries are linked", async () => {
  await fc.assert(
    fc.asyncProperty(session, async (entries) => {
      writeFileSync(path, inFile(entries));
      const live = new Conversation("preface");
      for (const entry of entries) live.add(entry);
      live.add({ type: "user", message: { role: "user", content: "go on" } });
      expect(await resumed()).toEqual(live.messages);
    }),
    { numRuns: 300 },
  );
});

test("a file cut off at any byte keeps every complete line", async () => {
  await fc.assert(
    fc.asyncProperty(session, fc.nat(), async (entries, cut) => {
      const bytes = inFile(entries);
      const length = 1 + (cut % bytes.length);
      writeFileSync(path, bytes.subarray(0, length));
      const messages = await resumed();
      expect(problemsIn(messages)).toEqual([]);
      const whole = bytes.toString("utf8", 0, length).split("\n").slice(0, -1);
      expect(missingFrom(messages, whole)).toEqual([]);
    }),
    { numRuns: 300 },
  );
});

test("losing one line loses only its content", async () => {
  const loss = fc.constantFrom("gone", "zeros", "half", "garbage");
  await fc.assert(
    fc.asyncProperty(session, fc.nat(), loss, async (entries, at, how) => {
      const lines = entries.map((entry) => toLine(entry).trimEnd());
      const hit = at % lines.length;
      const line = lines[hit]!;
      const left = {
        gone: [],
        zeros: ["\0".repeat(line.length)],
        half: [line.slice(0, line.length / 2)],
        garbage: ["x"],
      };
      const kept = lines.filter((_, index) => index !== hit);
      writeFileSync(path, `${lines.toSpliced(hit, 1, ...left[how]).join("\n")}\n`);

      const messages = await resumed();
      expect(problemsIn(messages)).toEqual([]);
      expect(missingFrom(messages, kept)).toEqual([]);
    }),
    { numRuns: 500 },
  );
});

test("lost, repeated, swapped, zeroed and joined lines and bytes still give a valid conversation", async () => {
  const damage = fc.record({
    kind: fc.constantFrom("lose", "repeat", "swap", "zero", "cut", "glue", "drop-bytes"),
    at: fc.nat(),
    to: fc.nat(),
  });
  await fc.assert(
    fc.asyncProperty(session, fc.array(damage, { minLength: 1, maxLength: 8 }), async (entries, damages) => {
      writeFileSync(path, damages.reduce(damaged, inFile(entries)));
      expect(problemsIn(await resumed())).toEqual([]);
    }),
    { numRuns: 500 },
  );
});

interface Damage {
  readonly kind: string;
  readonly at: number;
  readonly to: number;
}

function damaged(bytes: Buffer, { kind, at, to }: Damage): Buffer {
  const lines = bytes.toString("latin1").split("\n");
  const [from, into] = [at % lines.length, to % lines.length];
  const start = at % (bytes.length + 1);
  const length = to % 500;
  switch (kind) {
    case "lose":
      lines.splice(from, 1);
      break;
    case "repeat":
      lines.splice(into, 0, lines[from]!);
      break;
    case "swap":
      [lines[from], lines[into]] = [lines[into]!, lines[from]!];
      break;
    case "cut":
      lines[from] = lines[from]!.slice(0, to % (lines[from]!.length + 1));
      break;
    case "glue":
      lines.splice(from, 2, lines.slice(from, from + 2).join(""));
      break;
    case "zero":
      return Buffer.from(bytes).fill(0, start, Math.min(bytes.length, start + length));
    default:
      return Buffer.concat([bytes.subarray(0, start), bytes.subarray(start + length)]);
  }
  return Buffer.from(lines.join("\n"), "latin1");
}

/** Texts and calls in these lines that are missing from the messages, and results whose call is not lost. */
function missingFrom(messages: Conversation["messages"], lines: readonly string[]): string[] {
  const told = JSON.stringify(messages);
  const said = lines.flatMap((line) => {
    const { content } = JSON.parse(line).message;
    const blocks: Record<string, unknown>[] = typeof content === "string" ? [{ text: content }] : content;
    return blocks.flatMap((block) => [block["text"], block["id"], block["content"]]);
  });
  const isOrphan = (what: string) => what.startsWith("result of ") && !said.includes(what.slice(10));
  return said
    .filter((what) => typeof what === "string")
    .filter((what) => !isOrphan(what) && !told.includes(JSON.stringify(what)));
}
