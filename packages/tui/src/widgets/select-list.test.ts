import { expect, test } from "bun:test";
import { defaultKeys } from "./key-lookup.ts";
import { events, frameOf, screenOf } from "./panel.test-support.ts";
import { SelectList, type Choice, type Chosen, type SelectListOptions } from "./select-list.ts";

const options: SelectListOptions = { keys: defaultKeys };
const named = (...names: string[]): Choice<string>[] => names.map((name) => ({ value: name, label: name }));
const many = named(...Array.from({ length: 30 }, (_, index) => `entry ${index + 1}`));

function choose(choices: readonly Choice<string>[], script: string, more: Partial<SelectListOptions> = {}) {
  const list = new SelectList(choices, { ...options, ...more });
  let chosen: Chosen<string> | undefined;
  for (const event of events(script)) chosen ??= list.take(event);
  return { list, chosen };
}

const abc = named("a", "b", "c");
const disabled = [
  { value: "a", label: "a", disabled: true },
  ...named("b"),
  { value: "c", label: "c", disabled: true },
];

test.each<[string, readonly Choice<string>[], string, Partial<SelectListOptions>, string | undefined]>([
  ["Enter", abc, "enter", {}, "a"],
  ["the marked one", abc, "enter", { marked: 1 }, "b"],
  ["Down stops at the end", abc, "down down down down enter", {}, "c"],
  ["Up stops at the start", abc, "up enter", {}, "a"],
  ["End and Home", abc, "end home enter", {}, "a"],
  ["a digit marks, and Enter chooses", abc, "3 enter", {}, "c"],
  ["a digit alone", abc, "3", {}, undefined],
  ["a digit after an arrow", abc, "down 3 enter", {}, "c"],
  ["two digits", abc, "3 1 enter", {}, undefined],
  ["two digits, then an arrow", abc, "3 1 up enter", {}, "b"],
  ["a digit without an entry", abc, "9 enter", {}, undefined],
  ["a digit with Alt", abc, "alt+3", {}, undefined],
  ["no numbers", abc, "3 enter", { numbered: false }, undefined],
  ["text", abc, "'maybe' enter", { contexts: ["Select"] }, undefined],
  ["text, then an arrow", abc, "'maybe' down enter", {}, "b"],
  ["text where nothing has consequences", abc, "'maybe' enter", { harmless: true }, "a"],
  ["Tab", abc, "tab enter", {}, "a"],
  ["Tab in a text", abc, "'x' tab enter", {}, undefined],
  ["Enter while something else is written", abc, "enter", { wasTyping: () => true }, undefined],
  ["an arrow and Enter while something else is written", abc, "down enter", { wasTyping: () => true }, "b"],
  ["disabled entries are passed over", disabled, "up down enter", {}, "b"],
  ["a disabled entry by digit", disabled, "1 enter", {}, undefined],
  ["a filter", abc, "'c' enter", { filter: true }, "c"],
  ["a filter with digits", many, "'entry 17' enter", { filter: true }, "entry 17"],
  ["a filter, taken back", abc, "'c' backspace up up enter", { filter: true }, "a"],
  ["a filter without matches", abc, "'x' enter", { filter: true }, undefined],
])("%s", (_, choices, script, more, value) => {
  expect(choose(choices, script, more).chosen?.value).toBe(value);
});

test("several are ticked by Space and Enter, and an entry that answers ends it", () => {
  const choices = [...abc, { value: "done", label: "Done", answers: true }];
  const { list, chosen } = choose(choices, "space down enter down enter enter down enter", {
    several: true,
    harmless: true,
  });
  expect([[...list.ticked], chosen]).toEqual([["a", "b"], { value: "done", text: "" }]);
});

test("a long list shows what fits around the marked entry", () => {
  const { list } = choose(many, "down down down down down down down down down down");
  expect(screenOf(list, 20, 5)).toBe("  ↑ 9 more\n  10. entry 10\n❯ 11. entry 11\n  12. entry 12\n  ↓ 18 more");
});

test("descriptions of other entries give way first", () => {
  const described = abc.map((choice) => ({ ...choice, description: `about ${choice.value}` }));
  const list = new SelectList(described, options);
  expect(screenOf(list, 20, 6)).toContain("about c");
  expect(screenOf(list, 20, 5)).toBe("❯ 1. a\n     about a\n  2. b\n  3. c");
  expect(screenOf(list, 20, 3)).toBe("❯ 1. a\n  2. b\n  3. c");
});

test("a filter is shown above its matches", () => {
  expect(screenOf(new SelectList(abc, { ...options, filter: true }), 20, 4)).toBe("⌕ Type to search\n❯ a\n  b\n  c");
  expect(screenOf(choose(abc, "'c'", { filter: true }).list, 20, 4)).toBe("⌕ c\n❯ c");
  expect(screenOf(choose(abc, "'x'", { filter: true }).list, 20, 4)).toBe("⌕ x\n  No matches");
});

test("the cursor is in the open field", () => {
  const field = { opens: "tab", placeholder: "why" } as const;
  const { list } = choose([{ value: "a", label: "a", field }], "tab 'xy'");
  expect(list.render(frameOf(20, 5))).toEqual({ rows: ["❯ 1. a", "     ↳ xy"], cursor: { row: 1, column: 9 } });
});

test("50,000 entries are filtered and drawn while someone types", () => {
  const choices = Array.from({ length: 50_000 }, (_, index) => ({ value: String(index), label: `file-${index}.ts` }));
  const { list, chosen } = choose(choices, "'49999' enter", { filter: true });
  expect([chosen?.value, screenOf(list, 40, 10)]).toEqual(["49999", "⌕ 49999\n❯ file-49999.ts"]);
});
