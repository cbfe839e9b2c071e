// Whatever was recorded, and whatever was lost since, the conversation is one the API accepts.

import { expect, test } from "bun:test";
import fc from "fast-check";
import type { ChainEntry } from "@keelson/protocol";
import { messageProblems, sessionEntries, shapeOf, type ReplyShape } from "@keelson/testkit";
import { Conversation } from "./conversation.ts";

const shape = fc.array(fc.nat(), { minLength: 1, maxLength: 12 }).map(shapeOf);
const session = fc
  .tuple(shape, fc.constantFrom("block" as const, "last" as const))
  .map(([runs, parents]) => sessionEntries(runs, { parents }));
const goOn = { type: "user", message: { role: "user", content: "go on" } } as const;

/** The messages of the resumed session's next request. */
async function resumed(entries: readonly ChainEntry[]): Promise<Conversation["messages"]> {
  const conversation = await Conversation.of(entries, "preface");
  conversation.add(goOn);
  return conversation.messages;
}

const problemsIn = (messages: Conversation["messages"]) => messageProblems(messages as never);

test("results that arrive while a reply is being written make the same conversation as results that arrive after it", async () => {
  await fc.assert(
    fc.asyncProperty(shape, async (runs) => {
      const late = runs.map((replies) => replies.map((each) => ({ ...each, calls: each.calls.map(() => 99) })));
      const eager = sessionEntries(runs, { parents: "last" });
      const live = new Conversation("preface");
      for (const entry of eager) live.add(entry);
      const said = (messages: Conversation["messages"]) => JSON.parse(JSON.stringify(messages).replace(/_\d+/g, ""));
      const expected = said((await Conversation.of(sessionEntries(late, { parents: "last" }), "preface")).messages);

      expect(said((await Conversation.of(eager, "preface")).messages)).toEqual(expected);
      expect(said(live.messages)).toEqual(expected);
    }),
  );
});

test("a session that ended at any entry continues with everything that was recorded", async () => {
  await fc.assert(
    fc.asyncProperty(session, fc.nat(), async (whole, cut) => {
      const entries = whole.slice(0, 1 + (cut % whole.length));
      const messages = await resumed(entries);
      expect(problemsIn(messages)).toEqual([]);
      expect(missingFrom(messages, entries)).toEqual([]);
    }),
    { numRuns: 300 },
  );
});

test("a session without its first entries continues with all the others", async () => {
  await fc.assert(
    fc.asyncProperty(session, fc.nat(), async (whole, cut) => {
      const entries = whole.slice(cut % whole.length);
      const messages = await resumed(entries);
      expect(problemsIn(messages)).toEqual([]);
      expect(messages.filter((message) => JSON.stringify(message).includes("preface"))).toHaveLength(1);
      const orphans = resultsWithoutCall(entries);
      expect(missingFrom(messages, entries).filter((what) => !orphans.has(what))).toEqual([]);
    }),
    { numRuns: 300 },
  );
});

test("lost, repeated and reordered entries still make a valid conversation", async () => {
  const damage = fc.record({ kind: fc.constantFrom("lose", "repeat", "swap", "move"), at: fc.nat(), to: fc.nat() });
  await fc.assert(
    fc.asyncProperty(session, fc.array(damage, { minLength: 1, maxLength: 8 }), async (whole, damages) => {
      const entries = [...whole];
      for (const { kind, at, to } of damages) {
        if (entries.length < 2) break;
        const [from, into] = [at % entries.length, to % entries.length];
        if (kind === "lose") entries.splice(from, 1);
        else if (kind === "repeat") entries.splice(into, 0, entries[from]!);
        else if (kind === "move") entries.splice(into, 0, ...entries.splice(from, 1));
        else [entries[from], entries[into]] = [entries[into]!, entries[from]!];
      }
      expect(problemsIn(await resumed(entries))).toEqual([]);
    }),
    { numRuns: 500 },
  );
});

test("replies stay separate when a model gives them all the same id", async () => {
  const one = sessionEntries([[{ thinks: false, says: true, calls: [0], adds: false }, LAST]], { parents: "last" });
  const entries = one.map((entry) =>
    entry.type === "assistant" ? { ...entry, message: { ...entry.message, id: "msg" } } : entry,
  );
  expect((await Conversation.of(entries)).messages.map(({ role }) => role)).toEqual([
    "user",
    "assistant",
    "user",
    "assistant",
  ]);
});

test("blank texts are left out, whoever said them", async () => {
  const blank = (type: "user" | "assistant") => {
    const [prompt, reply] = sessionEntries([[LAST]], { parents: "last" });
    const entry = (type === "user" ? prompt : reply) as ChainEntry & { message: object };
    return { ...entry, message: { ...entry.message, content: [{ type: "text", text: " \n" }] } } as ChainEntry;
  };
  expect((await Conversation.of([blank("user"), blank("assistant")])).messages).toEqual([]);
});

const LAST: ReplyShape = { thinks: false, says: true, calls: [], adds: false };

/** What was recorded but is missing. Thoughts may be dropped: the API refuses them at the end of a reply. */
function missingFrom(messages: Conversation["messages"], entries: readonly ChainEntry[]): string[] {
  const told = JSON.stringify(messages);
  return saidIn(entries).filter((what) => !told.includes(JSON.stringify(what)));
}

function saidIn(entries: readonly ChainEntry[]): string[] {
  return entries.flatMap((entry) => {
    if (entry.type !== "user" && entry.type !== "assistant") return [];
    const { content } = entry.message;
    if (typeof content === "string") return [content];
    return content.flatMap((block) => {
      const { text, id, content: result } = block as Record<string, unknown>;
      return [text, id, result].filter((value) => typeof value === "string");
    });
  });
}

function resultsWithoutCall(entries: readonly ChainEntry[]): ReadonlySet<string> {
  const said = saidIn(entries);
  return new Set(said.filter((what) => what.startsWith("result of ") && !said.includes(what.slice(10))));
}
