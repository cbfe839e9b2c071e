// What a model gets at the main moments, as snapshots: a change to a text is seen in review. To accept one, run
// `node scripts/bun.mjs test/model-view/print-main.ts --write`.

import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { MOMENTS, play } from "./moments.ts";
import { bytesOf } from "./view.ts";

test.each(Object.keys(MOMENTS))("%s: the model gets what the snapshot says", async (name) => {
  const known = readFileSync(join(import.meta.dir, "snapshots", `${name}.txt`), "utf8");
  expect(`${await MOMENTS[name]!()}\n`.split("\n")).toEqual(known.split("\n"));
});

test("the first request of a plain project has at most 28 KB", async () => {
  // With what is said about git, which the snapshots leave out.
  const env = { CLAUDE_CODE_DISABLE_GIT_INSTRUCTIONS: "0" };
  const { system, tools, messages, total } = bytesOf((await play({ env }))[0]!.body);
  expect({
    system: system <= 5 * 1024,
    tools: tools <= 17 * 1024,
    messages: messages <= 4 * 1024,
    total: total <= 28 * 1024,
  }).toEqual({ system: true, tools: true, messages: true, total: true });
});

test.each(["32000", "200000"])(
  "in a window of %s tokens, the system prompt names only tools of the request",
  async (window) => {
    const CLAUDE_CODE_MAX_CONTEXT_TOKENS = window;
    const all = (await play({ env: { CLAUDE_CODE_MAX_CONTEXT_TOKENS, ENABLE_TOOL_SEARCH: "false" } }))[0]!.body;
    const { system, tools } = (await play({ env: { CLAUDE_CODE_MAX_CONTEXT_TOKENS } }))[0]!.body;
    const names = (of: any) => of.map(({ name }: any) => name);
    const deferred = names(all.tools).filter((name: string) => !names(tools).includes(name));
    expect(deferred).toContain("TaskStop");
    const text = system.map(({ text: part }: any) => part).join("\n");
    expect(deferred.filter((name: string) => new RegExp(`\\b${name}\\b`).test(text))).toEqual([]);
  },
);
