import { expect, test } from "bun:test";
import { costOf } from "./prices.ts";
import { familyOf, lookUpModel, resolveAlias } from "./profiles.ts";

test("models get the parameters the reference sends", () => {
  const rows = [
    "claude-haiku-4-5",
    "claude-sonnet-4-5-20250929",
    "claude-sonnet-4-6",
    "some-new-model",
    "claude-opus-4-8",
  ];
  expect(
    rows.map((name) => {
      const { profile, effort } = lookUpModel(name);
      return [profile.id, profile.maxTokens, profile.thinking, effort];
    }),
  ).toEqual([
    ["claude-haiku-4-5", 32_000, "budget", undefined],
    ["claude-sonnet-4-5-20250929", 32_000, "budget", undefined],
    ["claude-sonnet-4-6", 32_000, "adaptive", "high"],
    ["some-new-model", 32_000, "adaptive", "high"],
    ["claude-opus-4-8", 64_000, "adaptive", "high"],
  ]);
});

test("the [1m] suffix enlarges the context window and is removed from the id", () => {
  expect(lookUpModel("claude-opus-4-8[1m]")).toEqual({
    profile: {
      id: "claude-opus-4-8",
      maxTokens: 64_000,
      contextWindow: 1_000_000,
      thinking: "adaptive",
      effort: true,
    },
    effort: "high",
    alwaysThinks: false,
    longContext: true,
  });
  const off = lookUpModel("claude-opus-4-8[1m]", { CLAUDE_CODE_DISABLE_1M_CONTEXT: "1" });
  expect([off.profile.id, off.profile.contextWindow, off.longContext]).toEqual(["claude-opus-4-8", 200_000, false]);
});

test("the aliases are those of the reference, also on clouds", () => {
  const aliases = ["opus", "sonnet", "haiku", "fable", "best", "default"];
  const on = (cloud?: string) => aliases.map((alias) => resolveAlias(alias, {}, cloud));
  const ids = {
    opus: "claude-opus-5-5",
    sonnet: "claude-sonnet-5-5",
    haiku: "claude-haiku-5-5",
    fable: "claude-fable-5-2",
  };
  const [sonnet, haiku] = ["claude-sonnet-4-5-20250929", "claude-haiku-4-5-20251001"];
  expect(on()).toEqual([...Object.values(ids), ids.opus, ids.sonnet]);
  for (const cloud of ["bedrock", "vertex", "mantle"])
    expect(on(cloud)).toEqual([ids.opus, sonnet!, haiku!, ids.fable, ids.opus, ids.opus]);
  expect(on("foundry")).toEqual(["claude-opus-4-6", sonnet!, haiku!, ids.fable, "claude-opus-4-6", sonnet!]);
  expect(on("anthropic-aws")).toEqual([ids.opus, "claude-sonnet-4-6", haiku!, ids.fable, ids.opus, ids.opus]);
});

test.each(["opus", "sonnet", "haiku", "fable"])("%s has the limits and the thinking of its generation", (alias) => {
  const usual = {
    profile: {
      id: resolveAlias(alias, {}),
      maxTokens: 128_000,
      contextWindow: 1_000_000,
      thinking: "adaptive",
      effort: true,
    },
    effort: "medium",
    alwaysThinks: true,
    // Its window needs no suffix.
    longContext: false,
  } as const;
  expect(lookUpModel(alias)).toEqual(usual);
  expect(lookUpModel(`${alias.toUpperCase()}[1m]`)).toEqual(usual);
  const small = { CLAUDE_CODE_DISABLE_1M_CONTEXT: "1", CLAUDE_CODE_MAX_OUTPUT_TOKENS: "900000" };
  const { profile } = lookUpModel(alias, small);
  expect([profile.contextWindow, profile.maxTokens]).toEqual([200_000, 128_000]);
  expect(costOf(resolveAlias(alias, {}), { input_tokens: 1, output_tokens: 1 })).toBeGreaterThan(0);
});

test("aliases use their variables, and a cycle of aliases ends", () => {
  const env = {
    ANTHROPIC_DEFAULT_SONNET_MODEL: "my-sonnet",
    ANTHROPIC_DEFAULT_OPUS_MODEL: "opus",
    ANTHROPIC_SMALL_FAST_MODEL: "tiny",
  };
  const names = ["sonnet", "Sonnet[1m]", "default", "opus", "haiku", "claude-sonnet-4-6", "constructor"];
  expect(names.map((name) => resolveAlias(name, env))).toEqual([
    "my-sonnet",
    "my-sonnet[1m]",
    "my-sonnet",
    resolveAlias("opus", {}),
    "tiny",
    "claude-sonnet-4-6",
    "constructor",
  ]);
  expect(resolveAlias("default", { ANTHROPIC_DEFAULT_MODEL: "own" })).toBe("own");
  expect(resolveAlias("default", { ANTHROPIC_DEFAULT_MODEL: "haiku" })).toBe(resolveAlias("haiku", {}));
  // What an alias means on a cloud has the same variables.
  expect(resolveAlias("default", { ANTHROPIC_DEFAULT_OPUS_MODEL: "own" }, "bedrock")).toBe("own");
  expect(resolveAlias("default", { ANTHROPIC_DEFAULT_SONNET_MODEL: "own" }, "bedrock")).toBe(
    resolveAlias("opus", {}, "bedrock"),
  );
});

test("familyOf() recognizes dated, prefixed and latest ids, and does not guess", () => {
  const rows = {
    "claude-sonnet-4-5-20250929": "claude-sonnet-4-5",
    "claude-sonnet-4-20250514": "claude-sonnet-4",
    "claude-sonnet-4-9": undefined,
    "claude-3-5-haiku-latest": "claude-3-5-haiku",
    "us.anthropic.claude-sonnet-4-5-20250929-v1:0": "claude-sonnet-4-5",
    "anthropic/claude-opus-4-6": "claude-opus-4-6",
    "claude-haiku-4-5@20251001": "claude-haiku-4-5",
    toString: undefined,
  };
  expect(Object.keys(rows).map(familyOf)).toEqual(Object.values(rows));
});

test("variables can set limits; invalid values are ignored", () => {
  const set = lookUpModel("sonnet", { CLAUDE_CODE_MAX_OUTPUT_TOKENS: "5000", CLAUDE_CODE_MAX_CONTEXT_TOKENS: "60000" });
  expect([set.profile.maxTokens, set.profile.contextWindow]).toEqual([5000, 60_000]);
  for (const value of ["", "abc", "-1", "0", "1.5"])
    expect(lookUpModel("claude-opus-4-6", { CLAUDE_CODE_MAX_OUTPUT_TOKENS: value }).profile.maxTokens).toBe(64_000);
});

test.each([
  ["claude-haiku-4-5", 64_000],
  ["claude-opus-4-1", 32_000],
  ["claude-sonnet-4-6", 128_000],
  ["claude-3-haiku", 4_096],
  ["some-new-model", 500_000],
])("%s is never asked for more than it can write", (model, most) => {
  expect(lookUpModel(model, { CLAUDE_CODE_MAX_OUTPUT_TOKENS: "500000" }).profile.maxTokens).toBe(most);
});
