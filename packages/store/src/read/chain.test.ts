import { expect, test } from "bun:test";
import fc from "fast-check";
import type { ChainEntry } from "@keelson/protocol";
import { liveChain } from "./chain.ts";
import { ghostOf, linkOf } from "./link.ts";
import { answers, boundary, calls, sampleEntry, prompt, putsOff, says, summary } from "../samples.test-support.ts";

function chain(entries: readonly ChainEntry[], at?: string): string {
  const { steps, leafUuid } = liveChain(entries.map(linkOf), { at });
  return `${steps.map(({ index }) => entries[index]!.uuid).join(" ")} > ${leafUuid}`;
}

test("follows parents from the newest entry to the root, through attachments", () => {
  expect(chain([prompt("u1", null), sampleEntry("n1", "u1"), says("a1", "n1"), sampleEntry("n2", "a1")])).toBe(
    "u1 n1 a1 n2 > n2",
  );
});

test("going back to an earlier entry drops the later ones", () => {
  const entries = [prompt("u1", null), says("a1", "u1"), prompt("u2", "a1"), says("a2", "u2"), prompt("u3", "a1")];
  expect(chain(entries)).toBe("u1 a1 u3 > u3");
  expect(chain(entries, "a2")).toBe("u1 a1 u2 a2 > a2");
  expect(chain(entries, "nowhere")).toBe(" > null");
});

test("all parallel calls and their results belong, whichever result is the parent of the next reply", () => {
  const reply = [prompt("u", null), calls("c1", "u", "m"), calls("c2", "c1", "m"), calls("c3", "c2", "m")];
  const later = [answers("r1", "c1"), answers("r3", "c3"), answers("r2", "c2")];
  expect(chain([...reply, ...later])).toBe("u c1 c2 c3 r1 r3 r2 > r2");
  expect(chain([...reply, ...later, says("a", "r2")])).toBe("u c1 c2 c3 r1 r3 r2 a > a");
  expect(chain([...reply, answers("r1", "c1")])).toBe("u c1 c2 c3 r1 > r1");
});

test("what a call added behind its result belongs too, also beside the path", () => {
  const reply = [prompt("u", null), calls("c1", "u", "m"), calls("c2", "c1", "m"), calls("c3", "c2", "m")];
  const text = { ...prompt("s2", "n2"), isMeta: true } as ChainEntry;
  const first = [answers("r2", "c2"), sampleEntry("n2", "r2"), text];
  const later = [answers("r1", "c1"), sampleEntry("n1", "r1"), answers("r3", "c3"), sampleEntry("n3", "r3")];
  expect(chain([...reply, ...first, ...later, says("a", "n3")])).toBe("u c1 c2 c3 r2 n2 s2 r1 n1 r3 n3 a > a");
  expect(chain([...reply, ...first, ...later])).toBe("u c1 c2 c3 r2 n2 s2 r1 n1 r3 n3 > n3");
  // A prompt that someone typed after a result is another branch.
  expect(chain([...reply, answers("r1", "c1"), prompt("x", "r1"), answers("r2", "c2"), says("a", "r2")])).toBe(
    "u c1 c2 c3 r1 r2 a > a",
  );
});

test("continuing from one block of a reply drops the blocks after it but not the results before it", () => {
  const entries = [
    prompt("u", null),
    calls("c1", "u", "m"),
    calls("c2", "c1", "m"),
    answers("r1", "c1"),
    answers("r2", "c2"),
    prompt("v", "c1"),
  ];
  expect(chain(entries)).toBe("u c1 r1 v > v");
});

test("a deferred call stays with its reply, whichever result the conversation continues from", () => {
  const reply = [prompt("u", null), calls("c1", "u", "m"), calls("c2", "c1", "m")];
  expect(chain([...reply, putsOff("d1", "c1"), answers("r2", "c2")])).toBe("u c1 c2 d1 r2 > r2");
  expect(chain([...reply, answers("r2", "c2"), putsOff("d1", "c1")])).toBe("u c1 c2 r2 d1 > r2");
  expect(chain([...reply, answers("r1", "c1"), putsOff("d2", "c2")])).toBe("u c1 c2 r1 d2 > r1");
  const resumed = [...reply, putsOff("d1", "c1"), answers("r2", "c2"), answers("r1", "c1"), prompt("v", "r1")];
  expect(chain(resumed)).toBe("u c1 c2 d1 r2 r1 v > v");
});

test("results belong even if the call ids are reused in every reply", () => {
  const turn = (number: number, parent: string | null) => {
    const [a, b] = [`a${number}`, `b${number}`];
    return [
      calls(a, parent, `m${number}`, {}, "call_0"),
      calls(b, a, `m${number}`, {}, "call_1"),
      answers(`r${a}`, a, a, {}, "call_0"),
      answers(`r${b}`, b, b, {}, "call_1"),
    ];
  };
  const entries = [prompt("u", null), ...turn(1, "u"), ...turn(2, "rb1"), ...turn(3, "rb2")];
  expect(chain(entries)).toBe("u a1 b1 ra1 rb1 a2 b2 ra2 rb2 a3 b3 ra3 rb3 > rb3");
});

test("a call has one result: the one that the conversation continued from", () => {
  const entries = [prompt("u", null), calls("c", "u", "m"), answers("r1", "c"), answers("r2", "c"), says("a", "r2")];
  expect(chain(entries)).toBe("u c r2 a > a");
});

test("a compaction hides what came before it", () => {
  const old = [prompt("u1", null), says("a1", "u1")];
  expect(chain([...old, boundary("b"), summary("s", "b"), prompt("u2", "s")])).toBe("b s u2 > u2");
  expect(chain([...old, boundary("b"), summary("s", "b"), prompt("u2", "s")], "a1")).toBe("u1 a1 > a1");
});

test("messages that a compaction kept come after its summary, in both formats", () => {
  const old = [prompt("u1", null), says("a1", "u1"), prompt("u2", "a1"), says("a2", "u2")];
  const byList = { preservedMessages: { anchorUuid: "s", uuids: ["u2", "a2"] } };
  const byEnds = { preservedSegment: { anchorUuid: "s", headUuid: "u2", tailUuid: "a2" } };
  for (const kept of [byList, byEnds]) {
    const compacted = [...old, boundary("b", kept), summary("s", "b")];
    expect(chain([...compacted, sampleEntry("n", "s"), prompt("u3", "n")])).toBe("b s u2 a2 n u3 > u3");
    expect(chain([...compacted, prompt("u3", "a2")])).toBe("b s u2 a2 u3 > u3");
    // The program ended right after it.
    expect(chain(compacted)).toBe("b s u2 a2 > a2");
  }
});

test("what went back to a kept message after a compaction is still compacted", () => {
  const entries = [
    ...[
      prompt("u1", null),
      says("a1", "u1"),
      prompt("u2", "a1"),
      says("a2", "u2"),
      prompt("u3", "a2"),
      says("a3", "u3"),
    ],
    boundary("b", { preservedMessages: { anchorUuid: "s", uuids: ["u2", "a2", "u3", "a3"] } }),
    summary("s", "b"),
  ];
  const back = (at: string) => {
    const { steps } = liveChain(entries.map(linkOf), { at, wentBack: true });
    return steps.map(({ index }) => entries[index]!.uuid).join(" ");
  };
  expect(back("a2")).toBe("b s u2 a2");
  expect(chain([...entries, prompt("u4", "a2")])).toBe("b s u2 a2 u4 > u4");
  // Before what was kept there is no summary yet.
  expect(back("a1")).toBe("u1 a1");
  expect(chain([...entries, prompt("u4", "a1")])).toBe("u1 a1 u4 > u4");
  expect(chain(entries, "a2")).toBe("u1 a1 u2 a2 > a2");
});

test("a lost line in the middle costs that line and nothing else", () => {
  const entries = [prompt("u1", null), says("a1", "u1"), prompt("u2", "lost"), says("a2", "u2")];
  expect(chain(entries)).toBe("u1 a1 u2 a2 > a2");
  const { steps } = liveChain(entries.map(linkOf));
  expect(steps.map((step) => step.parentUuid)).toEqual([null, "u1", "a1", "u2"]);
});

test("a lost line whose ids can still be read leads to the right branch", () => {
  const entries = [prompt("u1", null), says("a1", "u1"), prompt("u2", "a1"), says("a2", "u2"), says("a3", "u3")];
  const links = [...entries.slice(0, 4).map(linkOf), ghostOf("u3", "a1"), linkOf(entries[4]!)];
  expect(liveChain(links).steps.map(({ index }) => links[index]!.uuid)).toEqual(["u1", "a1", "a3"]);
});

test("if the newest line is lost, the one before is the tip, even with parallel results", () => {
  const entries = [prompt("u", null), calls("c1", "u", "m"), calls("c2", "c1", "m"), answers("r1", "c1")];
  const links = [...entries.map(linkOf), linkOf(answers("r2", "c2")), linkOf(says("a", "r2")), ghostOf("v", "a")];
  expect(liveChain(links).leafUuid).toBe("a");
});

test("a lost summary does not restore what it summarized", () => {
  expect(chain([prompt("u1", null), says("a1", "u1"), summary("s", "lost"), prompt("u2", "s")])).toBe("s u2 > u2");
});

test("entries of subagents in the same file do not belong; in their own file they do", () => {
  const aside = (entry: ChainEntry) => ({ ...entry, isSidechain: true }) as ChainEntry;
  expect(chain([prompt("u", null), says("a", "u"), aside(prompt("x", "a")), aside(says("y", "x"))])).toBe("u a > a");
  expect(chain([aside(prompt("x", null)), aside(says("y", "x"))])).toBe("x y > y");
});

test("a system entry at the end does not hide its branch", () => {
  const meta = { ...prompt("m", "a"), isMeta: true } as ChainEntry;
  expect(chain([prompt("u", null), calls("c", "u", "m1"), answers("r", "c"), says("a", "r"), meta])).toBe(
    "u c r a m > m",
  );
});

test("any links give a chain in which every parent comes before its child", () => {
  const uuid = fc.constantFrom(..."abcdefgh");
  const parent = fc.option(fc.constantFrom(..."abcdefghz"), { nil: null });
  const entry = fc.oneof(
    fc.tuple(uuid, parent).map(([id, of]) => prompt(id, of)),
    fc.tuple(uuid, parent, fc.constantFrom("m1", "m2")).map(([id, of, reply]) => calls(id, of, reply)),
    fc.tuple(uuid, uuid).map(([id, of]) => answers(id, of)),
    fc.tuple(uuid, parent).map(([id, of]) => sampleEntry(id, of)),
    fc.tuple(uuid, uuid).map(([id, of]) => summary(id, of)),
    fc
      .tuple(uuid, uuid, fc.array(uuid))
      .map(([id, anchorUuid, uuids]) => boundary(id, { preservedMessages: { anchorUuid, uuids } })),
    fc
      .tuple(uuid, uuid, uuid, uuid)
      .map(([id, anchorUuid, headUuid, tailUuid]) =>
        boundary(id, { preservedSegment: { anchorUuid, headUuid, tailUuid } }),
      ),
  );
  fc.assert(
    fc.property(fc.array(entry, { maxLength: 20 }), fc.option(uuid, { nil: undefined }), (entries, at) => {
      const { steps } = liveChain(entries.map(linkOf), { at });
      const seen = new Set<string>();
      steps.forEach((step, place) => {
        if (step.parentUuid === null ? place > 0 : !seen.has(step.parentUuid)) throw new Error("parent is not before");
        const id = entries[step.index]!.uuid;
        if (seen.has(id)) throw new Error(`${id} stands twice`);
        seen.add(id);
      });
      const last = new Map(entries.map((one) => [one.uuid, one]));
      const spoken = [...last.values()].some((one) => one.type === "user" || one.type === "assistant");
      if (at === undefined && spoken && steps.length === 0) throw new Error("nothing left");
    }),
    { numRuns: 500 },
  );
});
