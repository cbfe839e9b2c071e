import { expect, test } from "bun:test";
import { costOf } from "./prices.ts";

const usage = { input_tokens: 500, output_tokens: 100 };

test("costOf() uses list prices and ignores the date in a model id", () => {
  expect(costOf("claude-opus-5-5", usage)).toBeCloseTo(0.004, 10); // the sum the reference reports
  expect(costOf("claude-sonnet-4-5-20250929", usage)).toBeCloseTo(0.003, 10);
});

test("costOf() charges cache reads, five-minute writes, one-hour writes and searches", () => {
  const cached = {
    input_tokens: 0,
    output_tokens: 0,
    cache_read_input_tokens: 1_000_000,
    cache_creation_input_tokens: 3_000_000,
    cache_creation: { ephemeral_5m_input_tokens: 1_000_000, ephemeral_1h_input_tokens: 2_000_000 },
    server_tool_use: { web_search_requests: 3 },
  };
  expect(costOf("claude-sonnet-4-6", cached)).toBeCloseTo(0.3 + 3.75 + 12 + 0.03, 10);
  expect(costOf("claude-sonnet-4-6", { ...cached, cache_creation: null })).toBeCloseTo(0.3 + 3 * 3.75 + 0.03, 10);
});

test("costOf() charges more for a long prompt, cached or not, where the model does", () => {
  const long = { input_tokens: 100_000, output_tokens: 1_000, cache_read_input_tokens: 100_001 };
  const atLimit = { ...long, cache_read_input_tokens: 100_000 };
  expect(costOf("claude-sonnet-4-5", atLimit)).toBeCloseTo(0.3 + 0.015 + 0.03, 6);
  expect(costOf("claude-sonnet-4-5", long)).toBeCloseTo(0.6 + 0.0225 + 0.06, 5);
  expect(costOf("claude-sonnet-4-6", long)).toBeCloseTo(0.3 + 0.015 + 0.03, 5);
  expect(costOf("gemini/gemini-2.5-pro", atLimit)).toBeCloseTo(0.125 + 0.01 + 0.0125, 6);
  expect(costOf("gemini/gemini-2.5-pro", long)).toBeCloseTo(0.25 + 0.015 + 0.025, 5);
  // What the reference reports.
  const dollars = (usage: object) => costOf("claude-haiku-5-5", { input_tokens: 0, output_tokens: 0, ...usage });
  expect(dollars({ input_tokens: 100_000 })).toBeCloseTo(0.01, 10);
  expect(dollars({ input_tokens: 99_999, output_tokens: 100_000 })).toBeCloseTo(0.0599999, 10);
  expect(dollars({ input_tokens: 100_001 })).toBeCloseTo(0.0500005, 10);
  expect(dollars({ input_tokens: 1, cache_read_input_tokens: 100_000 })).toBeCloseTo(0.0050005, 10);
  expect(dollars({ input_tokens: 1, cache_creation_input_tokens: 100_000 })).toBeCloseTo(0.0625005, 10);
  const own = { "my-own-model": { input: 1, output: 1, longPrompt: { above: 10, input: 5, output: 5 } } };
  expect(costOf("my-own-model", { input_tokens: 11, output_tokens: 9 }, own)).toBeCloseTo(100 / 1_000_000, 10);
});

test("costOf() has the prices of cached tokens that the reference has", () => {
  const models = ["claude-opus-5-5", "claude-sonnet-5-5", "claude-haiku-5-5", "claude-fable-5-2"];
  const cost = (usage: object) => models.map((model) => costOf(model, { input_tokens: 0, output_tokens: 0, ...usage }));
  expect(cost({ cache_read_input_tokens: 100_000 })).toEqual(
    [0.02, 0.01, 0.001, 0.02].map((n) => expect.closeTo(n, 10)),
  );
  expect(cost({ cache_creation_input_tokens: 100_000 })).toEqual(
    [0.5, 0.25, 0.0125, 1].map((n) => expect.closeTo(n, 10)),
  );
});

test("costOf() is null for an unknown model unless a price is given", () => {
  expect(costOf("my-own-model", usage)).toBeNull();
  expect(costOf("toString", usage)).toBeNull();
  const prices = { "my-own-model": { input: 10, output: 20 } };
  expect(costOf("my-own-model", { ...usage, cache_read_input_tokens: 100 }, prices)).toBeCloseTo(0.008, 10);
});

test("extra prices override the table, by id or by family, and the offline model is free", () => {
  const own = { "claude-sonnet-4-5": { input: 0, output: 0 } };
  expect(costOf("claude-sonnet-4-5-20250929", usage, own)).toBe(0);
  expect(costOf("keelson-offline", usage)).toBe(0);
});
