import { expect, test } from "bun:test";
import { headingRow, hintRows, quoted } from "./heading.ts";
import { defaultKeys } from "./key-lookup.ts";
import { key, plainTheme } from "./panel.test-support.ts";
import { ScrollText } from "./scroll-text.ts";
import { SelectList } from "./select-list.ts";
import { stacked } from "./stacked.ts";
import { tabsRow } from "./tabs-row.ts";

test.each<[number, { title: string; aside?: string; plain?: boolean }, string]>([
  [20, { title: "Title" }, "── Title ───────────"],
  [30, { title: "Title", aside: "who" }, "── Title ────────────── who ──"],
  [40, { title: "Run a command", aside: "subagent Explorer" }, "── Run a command ── subagent Explorer ──"],
  [30, { title: "Run a command", aside: "subagent Explorer" }, "── Run a comma…  subagent … ──"],
  [20, { title: "Prompt history", aside: "all folders" }, "── Prompt history ──"],
  [12, { title: "A long title" }, "── A lon… ──"],
  [5, { title: "A long title" }, "A lo…"],
  [30, { title: "Title", aside: "who", plain: true }, "Title (who)"],
])("a heading in %p columns: %j", (columns, options, row) => {
  expect(headingRow(columns, plainTheme, options)).toBe(row);
});

test("hints name the bound keys, in as few rows as fit, and leave out what no key does", () => {
  const hints = [
    { action: "confirm:yes", does: "choose" },
    { action: "confirm:no", does: "leave" },
    { action: "scroll:lineUp", does: "nothing" },
    { key: "1-3", does: "pick" },
  ];
  expect(hintRows(hints, 40, plainTheme, defaultKeys)).toEqual(["Enter choose · Esc leave · 1-3 pick"]);
  expect(hintRows(hints, 20, plainTheme, defaultKeys)).toEqual(["Enter choose", "Esc leave · 1-3 pick"]);
});

test("quoted text has a bar before each row", () => {
  expect(quoted("one two three\n\nfour", 10, plainTheme).map((row) => row.trimEnd())).toEqual([
    "│ one two",
    "│ three",
    "│",
    "│ four",
  ]);
});

test.each<[number, number, string]>([
  [60, 1, " ✔ First  [□ Second]  Third "],
  [20, 2, "← [Third]"],
  [24, 0, "[✔ First]  □ Second  →"],
])("tabs in %p columns, number %p", (columns, current, row) => {
  const tabs = [{ label: "First", done: true }, { label: "Second", done: false }, { label: "Third" }];
  expect(tabsRow(tabs, current, columns, plainTheme)).toBe(row);
});

test("a long text says where it is, and scrolls to its end and back", () => {
  const text = new ScrollText(() => Array.from({ length: 10 }, (_, index) => `row ${index + 1}`), defaultKeys);
  const shown = () => text.render(40, 4, plainTheme);
  expect(shown()).toEqual(["row 1", "row 2", "row 3", "  1–3 of 10 rows · PgUp/PgDn"]);
  text.take(key("pagedown"));
  expect(shown()[0]).toBe("row 3");
  text.take(key("ctrl+end"));
  expect(shown().slice(2)).toEqual(["row 10", "  8–10 of 10 rows · PgUp/PgDn"]);
  text.take(key("pageup"));
  expect(shown()[0]).toBe("row 6");
  expect(text.take(key("up"))).toBe(false);
  expect(text.render(16, 1, plainTheme)).toEqual(["row 6  6 of 10"]);
});

test.each<[number, string[]]>([
  [
    9,
    [
      "head",
      "text 1",
      "text 2",
      "  1–2 of 8 rows · P…",
      "Run it or",
      "not?",
      "❯ 1. Yes",
      "  2. Yes, always",
      "  3. No",
    ],
  ],
  [6, ["text 1", "  1–1 of 8 rows · P…", "Run it or", "not?", "❯ 1. Yes", "  ↓ 2 more"]],
  [5, ["text 1", "  1–1 of 8 rows · P…", "Run it or", "❯ 1. Yes", "  ↓ 2 more"]],
])("in %p rows, a dialog still shows a part of its text, and how much there is", (rows, shown) => {
  const body = new ScrollText(() => Array.from({ length: 8 }, (_, index) => `text ${index + 1}`), defaultKeys);
  const choices = ["Yes", "Yes, always", "No"].map((label) => ({ value: label, label }));
  const list = new SelectList(choices, { keys: defaultKeys });
  const frame = { columns: 20, rows, theme: plainTheme, now: 0 };
  const rendered = stacked(frame, {
    head: ["head"],
    body,
    question: ["Run it or", "not?"],
    list: (most) => list.render({ ...frame, rows: most }),
    foot: ["keys"],
  });
  expect(rendered.rows).toEqual(shown);
});
