// Whatever was said, and wherever it is summarized: a session that is resumed later has the conversation that it had.

import { expect, test } from "bun:test";
import fc from "fast-check";
import { Conversation, partsOfRun } from "@keelson/engine";
import { compactConversation, splitAtPrompt } from "@keelson/engine/compaction";
import { blocksOf, isText, type ChainEntry, type NewEntry } from "@keelson/protocol";
import { linkOf, liveChain } from "@keelson/store/past";
import { messageProblems, scriptedModel, sessionEntries, shapeOf, testEngine } from "@keelson/testkit";

const session = fc
  .tuple(
    fc.array(fc.nat(), { minLength: 1, maxLength: 10 }).map(shapeOf),
    fc.constantFrom("block" as const, "last" as const),
  )
  .map(([runs, parents]) => sessionEntries(runs, { parents }));
const step = fc.record({
  at: fc.nat(),
  direction: fc.constantFrom("up_to" as const, "from" as const),
  restores: fc.boolean(),
  continues: fc.boolean(),
});

/** The conversation that a file has now. */
function chainOf(file: readonly ChainEntry[]) {
  const { steps, leafUuid } = liveChain(file.map(linkOf));
  return { entries: steps.map(({ index, parentUuid }) => ({ ...file[index]!, parentUuid }) as ChainEntry), leafUuid };
}

const isPromptEntry = (entry: ChainEntry) =>
  entry.type === "user" &&
  !entry.isCompactSummary &&
  !entry.isMeta &&
  blocksOf(entry.message.content).every((block) => isText(block));

test("a session that was summarized at any prompts is resumed as it was", async () => {
  await fc.assert(
    fc.asyncProperty(session, fc.array(step, { minLength: 1, maxLength: 3 }), async (first, steps) => {
      const file: ChainEntry[] = [...first];
      let count = 0;
      const put = (entry: NewEntry | ChainEntry) => {
        const { parentUuid = chainOf(file).leafUuid } = entry;
        file.push({ isSidechain: false, sessionId: "s", ...entry, parentUuid } as ChainEntry);
      };
      const said = (uuid: string, more: object = {}) =>
        ({ type: "user", uuid, message: { role: "user", content: uuid }, ...more }) as NewEntry;
      for (const { at, direction, restores, continues } of steps) {
        const { entries, leafUuid } = chainOf(file);
        const prompts = entries.flatMap((entry, index) => (isPromptEntry(entry) ? [index] : []));
        if (prompts.length === 0) return;
        const conversation = await Conversation.of(entries, "preface");
        const model = scriptedModel();
        const ports = {
          ...testEngine(model).ports,
          newId: () => `new-${count++}`,
          compaction: {
            ask: async () => ({ text: `<summary>summary ${count}</summary>`, stopReason: "end_turn" }),
            transcript: () => undefined,
            leaf: () => leafUuid,
            preface: () => "preface",
            restore: async () => (restores ? [said(`restored-${count++}`, { isMeta: true })] : []),
          },
        } as never;
        const place = { at: prompts[at % prompts.length]!, direction, prompt: "", preface: "preface" };
        const split = await splitAtPrompt(entries, place);
        const before = JSON.stringify(conversation.messages);
        const options = { trigger: "manual", parts: partsOfRun(ports)(), split } as const;
        const done = await compactConversation(conversation, ports, options);
        if ("error" in done) {
          expect(JSON.stringify(conversation.messages)).toBe(before);
          continue;
        }
        // Written in one go: only the first two have parents of their own.
        for (const entry of done.entries) {
          const previous = file.at(-1)!.uuid;
          put(entry.parentUuid === undefined ? { ...entry, parentUuid: previous } : entry);
        }
        if (continues) {
          const next = said(`prompt-${count++}`);
          put({ ...next, parentUuid: file.at(-1)!.uuid });
          conversation.add(next as never);
          await conversation.seal();
        }
        const resumed = await Conversation.of(chainOf(file).entries, "preface");
        await conversation.seal();
        expect(JSON.parse(JSON.stringify(resumed.messages))).toEqual(JSON.parse(JSON.stringify(conversation.messages)));
        resumed.add(said("go on") as never);
        expect(messageProblems(resumed.messages as never)).toEqual([]);
      }
      // Back to before any prompt: the conversation is the same before and after the next one.
      for (const { parentUuid: at } of file.filter(isPromptEntry)) {
        if (at === null) continue;
        const back = liveChain(file.map(linkOf), { at, wentBack: true });
        const branch = { ...file[0]!, uuid: "branch", parentUuid: back.leafUuid };
        const names = (links: readonly ChainEntry[], { steps }: typeof back) =>
          steps.map(({ index }) => links[index]!.uuid);
        const later = [...file, branch];
        expect(names(later, liveChain(later.map(linkOf)))).toEqual([...names(file, back), "branch"]);
      }
    }),
    { numRuns: 200 },
  );
});
