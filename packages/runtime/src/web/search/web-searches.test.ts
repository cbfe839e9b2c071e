import { expect, test } from "bun:test";
import type { ToolContext } from "@keelson/engine";
import type { WebParts } from "../web-parts.ts";
import { openWebSearches } from "./web-searches.ts";

test("a provider that cannot search says which setting to use, and is sent nothing", async () => {
  const provider = { id: "openai", stream: () => expect.unreachable() };
  const storage = {
    state: { snapshot: { settings: {}, env: {} }, model: { profile: { id: "gpt" } } },
    chooseModel: async () => ({ provider, profile: { id: "gpt-mini" } }),
    onClear: () => {},
    now: () => 0,
  };
  const searches = openWebSearches({ storage } as unknown as WebParts);
  const context = { toolUseId: "t", signal: new AbortController().signal } as ToolContext;
  await expect(searches.search({ query: "fruit" }, context)).rejects.toThrow(
    'The model\'s provider cannot search the web. Set "webSearch" in the user settings, such as {"provider": "searxng", "url": "http://localhost:8888"}',
  );
});
