import { expect, test } from "bun:test";
import { growth } from "@keelson/testkit";
import type { TriggerFilter } from "../../records/trigger.ts";
import type { FilterFields } from "./event.ts";
import { filtersProblem, leftOutBy } from "./filter.ts";

const FIELDS: FilterFields = {
  author: "Mona",
  title: "Fix: the (spoon)",
  body: "It bends.\nA lot.",
  base: "main",
  head: "straight/1",
  labels: ["bug", "needs work"],
  is_draft: false,
  is_merged: true,
};

type Row = [field: string, op: string, value: TriggerFilter["value"], isMatch: boolean];

test.each<Row>([
  ["author", "equals", "mona", true],
  ["author", "equals", "mon", false],
  ["author", "one_of", ["hubot", "MONA"], true],
  ["author", "not_one_of", ["hubot"], true],
  ["author", "not_one_of", ["mona"], false],
  ["title", "equals", "Fix: the (spoon)", true],
  ["title", "equals", "fix: the (spoon)", false],
  ["title", "contains", "(spoon", true],
  ["title", "contains", "fork", false],
  ["title", "starts_with", "Fix:", true],
  ["title", "starts_with", "the", false],
  ["title", "matches_regex", "Fix: .*", true],
  ["title", "matches_regex", "Fix", false],
  ["title", "matches_regex", "Fix|.*spoon.", true],
  ["title", "matches_regex", "Fix|the", false],
  ["body", "matches_regex", ".*bends.*", false],
  ["body", "matches_regex", "[^]*bends[^]*", true],
  ["body", "contains", "bends.\nA", true],
  ["base", "one_of", ["main", "next"], true],
  ["base", "not_one_of", ["main", "next"], false],
  ["head", "matches_regex", "straight/\\d+", true],
  ["labels", "equals", "bug", true],
  ["labels", "contains", "bug", true],
  ["labels", "contains", "work", false],
  ["labels", "starts_with", "needs", true],
  ["labels", "one_of", ["bug", "wip"], true],
  ["labels", "not_one_of", ["wip"], true],
  ["labels", "not_one_of", ["wip", "bug"], false],
  ["labels", "matches_regex", "needs .*", true],
  ["labels", "matches_regex", "work", false],
  ["is_draft", "equals", false, true],
  ["is_draft", "equals", "false", true],
  ["is_draft", "equals", true, false],
  ["is_merged", "one_of", ["true"], true],
  // The event has no such field.
  ["conclusion", "equals", "failure", false],
  ["conclusion", "not_one_of", ["failure"], false],
  // Stored by somebody else.
  ["toString", "equals", "x", false],
  ["title", "like", "Fix%", false],
  ["title", "matches_regex", "(", false],
  ["title", "matches_regex", ")|(", false],
])("%s %s %j: %p", (field, op, value, isMatch) => {
  const reason = leftOutBy([{ field, op, value }], FIELDS);
  expect(reason).toBe(isMatch ? undefined : `The filter "${field} ${op} ${JSON.stringify(value)}" does not match`);
});

test("all filters must match, and the first that does not is named", () => {
  const base: TriggerFilter = { field: "base", op: "equals", value: "main" };
  expect(leftOutBy([], FIELDS)).toBeUndefined();
  expect(leftOutBy([base, { field: "is_draft", op: "equals", value: false }], FIELDS)).toBeUndefined();
  expect(leftOutBy([base, { field: "title", op: "contains", value: "fork" }], FIELDS)).toBe(
    'The filter "title contains "fork"" does not match',
  );
});

test.each<[string, unknown]>([
  ["field", { field: "sender", op: "equals", value: "x" }],
  ["operator", { field: "title", op: "like", value: "x" }],
  ["one value", { field: "title", op: "equals", value: ["x"] }],
  ["a list", { field: "title", op: "one_of", value: "x" }],
  ["flags", { field: "is_draft", op: "contains", value: "t" }],
  ["flag values", { field: "is_draft", op: "equals", value: "yes" }],
  ["text", { field: "title", op: "equals", value: true }],
  ["no pattern", { field: "title", op: "matches_regex", value: "(" }],
  ["two halves", { field: "title", op: "matches_regex", value: ")|(" }],
  ["back references", { field: "title", op: "matches_regex", value: "(a)\\1" }],
  ["too large", { field: "title", op: "matches_regex", value: "(a{200}){200}" }],
  ["too long", { field: "title", op: "equals", value: "x".repeat(1_001) }],
])("refused when stored: %s", (_, filter) => {
  expect(filtersProblem([filter as TriggerFilter])).toStartWith("filters[0]: ");
});

test("what can be matched can be stored", () => {
  const filters: TriggerFilter[] = [
    { field: "title", op: "matches_regex", value: "^(feat|fix)(\\(.+\\))?: .{1,72}$" },
    { field: "labels", op: "not_one_of", value: ["wip"] },
    { field: "is_merged", op: "equals", value: true },
  ];
  expect(filtersProblem(filters)).toBeUndefined();
});

const BOMBS = [
  "(a+)+$",
  "^(a+)+$",
  "(a|a)*b",
  "(a*)*b",
  "([a-z]+)*X",
  "(?:a|ab)*c",
  "((a?){30})b",
  "(.*a){20}b",
  ".*.*.*.*.*.*x",
  "(?=(a+)+b).*",
  "(x+x+)+y|(a|aa)+$b",
];

test.each(BOMBS)("%s: the cost grows with the text alone, and a text that is too long matches nothing", (value) => {
  const filter: TriggerFilter = { field: "body", op: "matches_regex", value };
  expect(filtersProblem([filter])).toBeUndefined();
  const match = (length: number) => leftOutBy([filter], { body: `${"a".repeat(length)}!` });
  expect(match(30)).toBe(`The filter "body matches_regex ${JSON.stringify(value)}" does not match`);
  expect(growth(match, { from: 500, to: 2_000 })).toBeLessThan(100);
  expect(match(5_000_000)).toEndWith("would take too long on this text; use a simpler pattern");
});

test("many patterns share one allowance", () => {
  const filters = Array.from({ length: 50 }, (): TriggerFilter => ({
    field: "body",
    op: "matches_regex",
    value: "(a+)+!",
  }));
  expect(leftOutBy(filters, { body: `${"a".repeat(60_000)}!` })).toEndWith("use a simpler pattern");
});
