import { expect, test } from "bun:test";
import fc from "fast-check";
import { isObject, jsonOf, type Entry } from "@keelson/protocol";
import { lineOf } from "../transcript/line.ts";
import { parseLine, parseLive, salvage } from "./parse-line.ts";
import { answers, calls, prompt, says } from "../samples.test-support.ts";

const LONG = "x".repeat(5_000);

/** Strings that look like the positions where a line is split. */
const tricky = fc.oneof(
  fc.string({ unit: "binary" }),
  fc.constantFrom(
    '"content":[{',
    ']},"',
    '],"stop_reason":',
    ',"toolUseResult":',
    '{"parentUuid":"p"',
    ',"sourceToolAssistantUUID":"p"}',
    "@block@",
    "foo]},",
    "\u2028\u0085\ud800",
    LONG,
    LONG + "\nü",
  ),
);
const json = fc.letrec((tie) => ({
  value: fc.oneof({ maxDepth: 3 }, tricky, fc.integer(), fc.constant(null), tie("list"), tie("object")),
  list: fc.array(tie("value"), { maxLength: 3 }),
  object: fc.dictionary(
    fc.oneof(fc.constantFrom("content", "toolUseResult", "uuid", "stop_reason", "message", "parentUuid"), tricky),
    tie("value"),
    { maxKeys: 3 },
  ),
})).value;

const entry = fc.oneof(
  fc.tuple(tricky, json).map(([text, result]) => answers("u", "p", text, result)),
  fc.tuple(tricky, json).map(([text, input]) => calls("u", "p", text, { input, [text]: input })),
  tricky.map((text) => says("u", "p", text)),
  tricky.map((text) => prompt("u", "p", text)),
  fc.tuple(fc.array(json, { maxLength: 2 }), json).map(([blocks, extra]) => {
    const content = blocks.map((value) => ({ type: "other", value }));
    return { ...answers("u", "p"), message: { role: "user", content }, toolUseResult: extra, content: extra } as never;
  }),
);

/** The same fields in the order of another writer. */
const spellings = (one: object) => {
  const { toolUseResult, ...rest } = one as Record<string, unknown>;
  return [
    lineOf(one as Entry),
    JSON.stringify(one),
    JSON.stringify({ ...rest, toolUseResult }),
    JSON.stringify({ toolUseResult, ...rest }),
  ];
};

test("a line gives the same value read whole or in parts, and the cached text is that of the block", () => {
  let remembered = 0;
  fc.assert(
    fc.property(entry, (one) => {
      for (const line of spellings(one)) {
        const { toolUseResult: _, ...expected } = JSON.parse(line) as Record<string, unknown>;
        const live = parseLive(Buffer.from(line))!;
        const blocks = (live["message"] as { content: unknown }).content;
        for (const block of Array.isArray(blocks) ? blocks.filter(isObject) : []) {
          const text = jsonOf(block);
          if (line.includes(text) && text.length > 1_024) remembered++;
          expect(JSON.parse(text)).toEqual(JSON.parse(JSON.stringify(block)));
        }
        expect(JSON.parse(JSON.stringify(live))).toEqual(expected);
        expect(live).toEqual(expected);
      }
    }),
    { numRuns: 400 },
  );
  expect(remembered).toBeGreaterThan(0);
});

test("the long text of a block can be read and replaced", () => {
  const line = Buffer.from(lineOf(says("a", null, LONG)));
  const block = () => (parseLive(line) as { message: { content: [{ text: string }] } }).message.content[0];
  expect({ ...block() }).toEqual({ type: "text", text: LONG } as never);
  expect(Object.keys(block())).toEqual(["type", "text"]);
  const changed = block();
  changed.text = "short";
  expect(changed).toEqual({ type: "text", text: "short" } as never);
});

test("an incomplete line is never taken for a whole one", () => {
  const whole = Buffer.from(lineOf(answers("u", "p", LONG, { a: { b: [{ c: "}" }] }, d: "}}" })));
  for (let end = whole.length - 1; end > 0; end--) {
    if (end > 1_200 && end < whole.length - 400) continue;
    expect(parseLive(whole.subarray(0, end))).toBeUndefined();
  }
});

test("a line after an incomplete one is not taken for it", () => {
  const torn = lineOf(answers("u1", "p", LONG, { out: LONG })).slice(0, -3_000);
  const glued = Buffer.from(torn + lineOf(answers("u2", "p", LONG, { out: LONG })));
  expect(parseLive(glued)).toBeUndefined();
  expect(salvage(glued).entry).toMatchObject({ uuid: "u2" });
  expect(salvage(Buffer.from(`\0\0\0${lineOf(prompt("u3", null))}`)).entry).toMatchObject({ uuid: "u3" });
});

test("salvage() finds the place of a damaged line in the conversation", () => {
  const line = lineOf(says("a1", "u1", "text")).replace('"text":"', '"text:"');
  expect(parseLine(Buffer.from(line))).toBeUndefined();
  expect(salvage(Buffer.from(line))).toEqual({ uuids: ["a1"], parentUuid: "u1" });
});

test("a long text that is not JSON makes the line unreadable, wherever it is damaged", () => {
  const text = `${LONG}\\n${LONG}`;
  const line = lineOf(says("u", "p", "@")).replace('"@"', `"${text}"`);
  expect(parseLive(Buffer.from(line))).toMatchObject({ uuid: "u" });
  for (const damage of ["\u0000", "\n", "\\x", "\\u12g4", '"', '","', "\\"]) {
    for (const at of [1, LONG.length, text.length - 1, text.length]) {
      const damaged = line.replace(text, `${text.slice(0, at)}${damage}${text.slice(at)}`);
      const [live, whole] = [parseLive, parseLine].map((parse) => JSON.stringify(parse(Buffer.from(damaged))));
      expect([damage, at, live === whole]).toEqual([damage, at, true]);
    }
  }
});
