import { expect, test } from "bun:test";
import { frameOf, plainTheme } from "../../stream/feed.test-support.ts";
import { barOf } from "./bars.ts";
import { renderContext } from "./context.ts";
import { renderCost } from "./cost.ts";

const usage = {
  categories: [
    { id: "system_prompt", name: "System prompt", tokens: 1_000, kind: "used" },
    { id: "messages", name: "Messages", tokens: 99_000, kind: "used" },
    { id: "free_space", name: "Free space", tokens: 67_000, kind: "free" },
    { id: "autocompact_buffer", name: "Autocompact buffer", tokens: 33_000, kind: "buffer" },
  ],
  totalTokens: 100_000,
  maxTokens: 200_000,
  model: "m-1",
  memoryFiles: [{ path: "CLAUDE.md", type: "Project", tokens: 2_000 }],
  autoCompactThreshold: 167_000,
};

const cost = {
  session: {
    total_cost_usd: 2,
    total_api_duration_ms: 65_000,
    total_duration_ms: 120_000,
    total_lines_added: 12,
    total_lines_removed: 3,
    model_usage: {
      small: { inputTokens: 50, outputTokens: 100, cacheReadInputTokens: 0, cacheCreationInputTokens: 0, costUSD: 0.5 },
      big: {
        inputTokens: 100,
        outputTokens: 200,
        cacheReadInputTokens: 400,
        cacheCreationInputTokens: 0,
        costUSD: 1.5,
      },
    },
  },
};

test("the context is a field of cells with as many of each as it takes, and a legend", () => {
  const rows = renderContext(usage, frameOf());
  const cells = rows.map((row) => row.slice(0, 39)).join("");
  const count = (mark: string) => cells.split(mark).length - 1;
  expect([count("■"), count("□"), count("░")]).toEqual([100, 67, 33]);
  expect(rows).toContain("100k of 200k tokens (50%)");
  expect(rows.find((row) => row.includes("Messages"))).toEndWith("■ Messages              99k  49.5%");
  expect(rows.at(-1)).toBe("Automatic compaction in 67k tokens");
});

test("the usage has a bar for each kind of tokens, the dearest model first", () => {
  expect(renderCost(cost, frameOf({ columns: 50 }))).toEqual([
    "Usage of this session",
    "",
    "Cost                 $2.00",
    "Time with the model  1m 05s",
    "Time in total        2m 00s",
    "Lines changed        +12 -3",
    "",
    "big                                    $1.50 (75%)",
    "  read                    100  ████            ",
    "  read from the cache     400  ████████████████",
    "  written                 200  ████████        ",
    "",
    "small                                  $0.50 (25%)",
    "  read                     50  ████████        ",
    "  written                 100  ████████████████",
  ]);
});

test("in a narrow window, every number can be read", () => {
  const frame = frameOf({ columns: 20 });
  expect(renderCost(cost, frame).map((row) => row.trimEnd())).toEqual([
    "Usage of this sessi…",
    "",
    "Cost",
    "  $2.00",
    "Time with the model",
    "  1m 05s",
    "Time in total",
    "  2m 00s",
    "Lines changed",
    "  +12 -3",
    "",
    "big      $1.50 (75%)",
    "  read           100",
    "  read from …    400",
    "  written        200",
    "",
    "small    $0.50 (25%)",
    "  read            50",
    "  written        100",
  ]);
  const rows = renderContext(usage, frame);
  expect(rows.slice(1, 4)).toEqual(["100k of 200k tokens", "(50%)", "m-1"]);
  expect(rows).toContain("■ Messages       99k");
});

test("pictures fit every width, also in ASCII and without an answer", () => {
  for (const columns of [12, 20, 30, 36, 37, 40, 60, 80, 120]) {
    for (const theme of [plainTheme, { ...plainTheme, ascii: true }]) {
      const frame = frameOf({ columns, theme });
      const rows = [...renderContext(usage, frame), ...renderCost(cost, frame), ...renderContext(undefined, frame)];
      expect(rows.filter((row) => Bun.stringWidth(row) > columns)).toEqual([]);
      // What is cut off ends in an ellipsis.
      // oxlint-disable-next-line no-control-regex
      if (theme.ascii && columns >= 40) expect(rows.filter((row) => /[^\u0000-\u007f]/.test(row))).toEqual([]);
    }
  }
  expect(renderCost(undefined, frameOf())[2]).toBe("Cost                 unknown: a model has no price");
});

test("a small share is never shown as nothing", () => {
  expect([barOf(0, 4, plainTheme), barOf(0.001, 4, plainTheme), barOf(1, 4, plainTheme)]).toEqual([
    "    ",
    "▏   ",
    "████",
  ]);
});
