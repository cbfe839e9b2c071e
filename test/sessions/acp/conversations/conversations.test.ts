// The same conversations through our program and through the official adapter that starts it: what an editor is shown, update by
// update. Every difference has its reason in DIFFERENCES.

import { expect, test as anyTest } from "bun:test";
import { testUnless } from "@keelson/testkit";
import { noAdapter, startAdapter } from "../adapter.ts";
import { startEditor } from "../editor.ts";
import { differencesOf, type Difference } from "./compare.ts";
import { CONVERSATIONS } from "./conversations.ts";
import { DIFFERENCES } from "./differences.ts";
import { playConversation } from "./play.ts";
import type { Shown } from "./shown.ts";

const test = testUnless(noAdapter, anyTest);
const found = new Set<string>();

test.each(CONVERSATIONS)("$name: through the adapter, it differs for known reasons only", async (conversation) => {
  const [ours, theirs] = await Promise.all([
    playConversation(conversation, startEditor),
    playConversation(conversation, startAdapter),
  ]);
  const all = [...differencesOf(ours.live, theirs.live), ...differencesOf(ours.loaded, theirs.loaded, "loaded ")];
  const isKnown = ({ name }: Difference) => DIFFERENCES.some(({ what }) => what.test(name));
  expect(all.filter((difference) => !isKnown(difference))).toEqual([]);
  for (const { name } of all) found.add(name);
  expect([...saidTwice(ours.live), ...saidTwice(ours.loaded)]).toEqual([]);
});

test("every known difference is one", () => {
  const stale = DIFFERENCES.filter(({ what }) => ![...found].some((name) => what.test(name)));
  expect(stale).toEqual([]);
});

/** Answers that say something twice: no reply of a script does. */
const saidTwice = (shown: readonly Shown[]) =>
  shown.filter(({ kind, text }) => kind === "answer" && typeof text === "string" && /^(.{4,})\s*\1$/s.test(text));
