import { expect, test } from "bun:test";
import { frame, key, keys, namingTheme, randomKeys, shown, SIZES, typing } from "../panels/panel.test-support.ts";
import { panelKeys } from "../panels/panel-keys.ts";
import { isFullScreen } from "./full-screen-panel.ts";
import { Pager } from "./pager.ts";
import type { PagerSection } from "./section.ts";

const bound = panelKeys(keys);

function section(name: string, count: number, made: { count: number } = { count: 0 }): PagerSection {
  return {
    isMark: true,
    folds: true,
    lines: () => {
      made.count += 1;
      return [`# ${name}`, ...Array.from({ length: count }, (_line, index) => `${name} ${index + 1}`)];
    },
  };
}

const three = () => [section("one", 10), section("two", 10), section("three", 10)];

function pager(sections: readonly PagerSection[], opensAt: "start" | "end" = "start"): Pager {
  return new Pager({ title: "Text", sections: () => sections, keys: bound, place: "Transcript", opensAt });
}

/** The first and the last row of text. */
function edges(view: Pager, rows = 8): readonly string[] {
  const text = view.render(frame(40, rows)).rows.slice(0, -1);
  return [text[0]!, text.at(-1)!];
}

test("keys move through the text and stop at its ends", () => {
  const table: readonly (readonly [keys: string, first: string, last: string])[] = [
    ["", "# one", "one 6"],
    ["down", "one 1", "one 7"],
    ["j j", "one 2", "one 8"],
    ["j k", "# one", "one 6"],
    ["up", "# one", "one 6"],
    ["pagedown", "one 6", "# two"],
    ["space b", "# one", "one 6"],
    ["ctrl+d", "one 3", "one 9"],
    ["G", "three 4", "three 10"],
    ["end home", "# one", "one 6"],
    ["G down", "three 4", "three 10"],
    ["]", "# two", "two 6"],
    ["] ] ]", "# three", "three 6"],
    ["G [", "# three", "three 6"],
    ["] down [", "# two", "two 6"],
  ];
  for (const [pressed, first, last] of table) {
    const view = pager(three());
    edges(view);
    for (const each of pressed.split(" ").filter(Boolean)) expect(view.take(key(each))).toBeUndefined();
    expect([pressed, ...edges(view)]).toEqual([pressed, first, last]);
  }
});

test("each of the closing keys ends it", () => {
  for (const each of ["q", "escape", "ctrl+o", "ctrl+c"])
    expect(pager(three()).take(key(each))).toEqual({ value: null });
  expect(isFullScreen(pager([]))).toBe(true);
});

test("a search goes to the next match, marks it, and goes round", () => {
  const view = pager(three());
  edges(view);
  for (const each of [key("/"), ...typing("TWO 3"), key("backspace"), key("backspace"), key("backspace")])
    view.take(each);
  expect(view.render(frame(40, 8)).cursor).toEqual({ row: 7, column: 3 });
  for (const each of typing("o 3")) view.take(each);
  view.take(key("enter"));
  // Upper case in the search counts, so nothing was found.
  expect(shown(view, frame(40, 8)).split("\n").at(-1)).toContain("Not found: TWo 3");
  for (const each of [key("/"), ...typing("o 3"), key("enter")]) view.take(each);
  expect(shown(view, frame(40, 8, namingTheme))).toContain("tw<underline:<accent:o 3>>");
  view.take(key("n"));
  expect(shown(view, frame(40, 8, namingTheme))).toContain("tw<underline:<accent:o 3>>");
});

test("n and N visit every match in order, also in a folded section, which opens", () => {
  const sections = three();
  const view = pager(sections);
  edges(view);
  view.take(key("shift+tab"));
  expect(shown(view, frame(40, 8)).split("\n").slice(0, 5)).toEqual([
    "# one (10 more lines)",
    "",
    "# two (10 more lines)",
    "",
    "# three (10 more lines)",
  ]);
  for (const each of [key("/"), ...typing(" 7"), key("enter")]) view.take(each);
  expect(shown(view, frame(40, 8))).toContain("one 7");
  view.take(key("n"));
  expect(shown(view, frame(40, 8))).toContain("two 7");
  view.take(key("n"));
  expect(shown(view, frame(40, 8))).toContain("three 7");
  view.take(key("n"));
  expect(shown(view, frame(40, 8))).toContain("one 7");
  view.take(key("N"));
  expect(shown(view, frame(40, 8))).toContain("three 7");
});

test("escape leaves a search where it started, and only then closes", () => {
  const view = pager(three());
  edges(view);
  for (const each of [key("/"), ...typing("three 9")]) view.take(each);
  expect(shown(view, frame(40, 8))).toContain("three 9");
  expect(view.take(key("escape"))).toBeUndefined();
  expect(edges(view)).toEqual(["# one", "one 6"]);
  expect(view.take(key("escape"))).toEqual({ value: null });
});

test("folding leaves the heading, and again brings everything back", () => {
  const view = pager(three());
  edges(view);
  view.take(key("tab"));
  expect(edges(view)).toEqual(["# one (10 more lines)", "two 4"]);
  view.take(key("tab"));
  expect(edges(view)).toEqual(["# one", "one 6"]);
});

test("it opens at the end without making what is above, and follows what is added", () => {
  const made = { count: 0 };
  const sections = Array.from({ length: 5_000 }, (_each, index) => section(`s${index}`, 2, made));
  const view = pager(sections, "end");
  expect(edges(view)[1]).toBe("s4999 2");
  expect(made.count).toBeLessThan(10);
  sections.push(section("new", 2));
  expect(edges(view)[1]).toBe("new 2");
  view.take(key("up"));
  sections.push(section("newer", 2));
  expect(edges(view)[1]).toBe("new 1");
});

test("a long line is wrapped, a match over the edge of two rows is marked in both", () => {
  const text: PagerSection = { lines: () => [`${"x".repeat(18)}hello${"y".repeat(17)}`] };
  const view = pager([text]);
  view.render(frame(20, 5));
  for (const each of [key("/"), ...typing("hello"), key("enter")]) view.take(each);
  const rows = view.render({ ...frame(20, 5), theme: namingTheme }).rows;
  expect(rows.slice(0, 2)).toEqual([
    `${"x".repeat(18)}<underline:<accent:he>>`,
    `<underline:<accent:llo>>${"y".repeat(17)}`,
  ]);
});

test("another width keeps the place", () => {
  const lines = Array.from({ length: 50 }, (_line, index) => `${index} ${"word ".repeat(30)}`);
  const view = pager([{ lines: () => lines }]);
  view.render(frame(80, 10));
  for (let step = 0; step < 20; step += 1) view.take(key("down"));
  const before = view.render(frame(80, 10)).rows[0]!.split(" ")[0];
  view.render(frame(40, 15));
  expect(view.render(frame(80, 10)).rows[0]!.split(" ")[0]).toBe(before!);
});

test("no keys break it at any size, and escape always ends it", () => {
  for (const [columns, rows] of [...SIZES, [10, 2] as const, [3, 1] as const]) {
    const view = pager([...three(), { lines: () => ["漢字 👍".repeat(40)] }], "end");
    for (const each of randomKeys(columns, 2_000)) {
      view.take(each);
      shown(view, frame(columns, rows));
    }
    const ends = [view.take(key("escape")), view.take(key("escape"))];
    expect(ends).toContainEqual({ value: null });
  }
});

test("a screen reader, which asks for all rows, gets no empty ones", () => {
  expect(pager(three()).render(frame(40, 1_000_000)).rows).toHaveLength(36);
});
