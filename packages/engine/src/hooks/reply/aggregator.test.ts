import { expect, test } from "bun:test";
import fc from "fast-check";
import { NOTHING_SAID, type HookVerdict } from "@keelson/protocol";
import { foldReplies } from "./aggregator.ts";
import type { HookReply } from "./reply.ts";

const says = (verdict: HookVerdict, reason?: string): HookReply => ({
  verdict,
  ...(reason && { reason }),
  context: [],
});

test.each<[HookVerdict[], HookVerdict | undefined]>([
  [[], undefined],
  [["allow"], "allow"],
  [["allow", "ask"], "ask"],
  [["ask", "allow"], "ask"],
  [["ask", "defer", "allow"], "defer"],
  [["allow", "deny", "defer"], "deny"],
])("%j together are %s", (verdicts, expected) => {
  expect(foldReplies(verdicts.map((verdict) => says(verdict))).verdict).toBe(expected);
});

test("no replies give an empty outcome", () => {
  expect(foldReplies([])).toBe(NOTHING_SAID);
  expect(foldReplies([{ context: [] }, { context: [] }])).toEqual(NOTHING_SAID);
});

test("reasons come from the strictest replies, everything else is combined", () => {
  const outcome = foldReplies([
    { ...says("ask", "sure?"), context: ["a"], input: { n: 1 }, fields: { sessionTitle: "one", retry: true } },
    { ...says("allow", "fine"), context: ["b"], input: { n: 2 }, stop: "" },
    { ...says("ask", "really?"), context: [], output: 1, fields: { sessionTitle: "two" }, stop: "enough" },
    { context: ["c"], systemMessage: "x", problem: "y", output: 2 },
  ]);
  expect(outcome).toEqual({
    verdict: "ask",
    reasons: ["sure?", "really?"],
    context: ["a", "b", "c"],
    input: { n: 2 },
    output: 2,
    stop: "enough",
    fields: { sessionTitle: "two", retry: true },
  });
});

test("a call that is denied or deferred keeps its input", () => {
  for (const verdict of ["deny", "defer"] as const)
    expect(foldReplies([{ context: [], input: { n: 1 } }, says(verdict)])).toEqual({
      verdict,
      reasons: [],
      context: [],
    });
});

test("one deny answers a permission request, in whatever order it came", () => {
  const yes: HookReply = { context: [], permission: { behavior: "allow" } };
  const no: HookReply = { context: [], permission: { behavior: "deny", message: "no" } };
  expect(foldReplies([yes, no, yes]).permission).toEqual({ behavior: "deny", message: "no" });
  expect(foldReplies([yes, yes]).permission).toEqual({ behavior: "allow" });
});

const ORDER: readonly HookVerdict[] = ["deny", "defer", "ask", "allow"];
const someReply: fc.Arbitrary<HookReply> = fc.record(
  {
    verdict: fc.constantFrom(...ORDER),
    reason: fc.string(),
    context: fc.array(fc.string(), { maxLength: 2 }),
    stop: fc.string(),
    permission: fc.constantFrom({ behavior: "allow" } as const, { behavior: "deny" } as const),
  },
  { requiredKeys: ["context"] },
);

test("the verdict does not depend on the order and is never weaker than the strictest reply", () => {
  const shuffled = fc
    .array(someReply, { maxLength: 8 })
    .chain((replies) => fc.tuple(fc.constant(replies), fc.shuffledSubarray(replies, { minLength: replies.length })));
  fc.assert(
    fc.property(shuffled, ([replies, others]) => {
      const outcome = foldReplies(replies);
      const other = foldReplies(others);
      expect(other.verdict).toBe(outcome.verdict);
      expect(other.permission?.behavior).toBe(outcome.permission?.behavior);
      expect(other.stop === undefined).toBe(outcome.stop === undefined);
      expect([...other.reasons].sort()).toEqual([...outcome.reasons].sort());
      const rank = (verdict: HookVerdict | undefined) =>
        verdict === undefined ? ORDER.length : ORDER.indexOf(verdict);
      for (const { verdict, permission, stop } of replies) {
        expect(rank(outcome.verdict)).toBeLessThanOrEqual(rank(verdict));
        if (permission?.behavior === "deny") expect(outcome.permission?.behavior).toBe("deny");
        if (stop !== undefined) expect(outcome.stop).toBeString();
      }
    }),
  );
});
