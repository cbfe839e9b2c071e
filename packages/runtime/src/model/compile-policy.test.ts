import { expect, test } from "bun:test";
import type { ModelProvider, ModelRequest } from "@keelson/engine";
import { countingRequests } from "./compile-policy.ts";

test("the code of a session is compiled as usual from its twentieth request on, whichever models it asks", () => {
  const compiledAfter: number[] = [];
  let sent = 0;
  const provider: ModelProvider = {
    id: "anthropic",
    async *stream() {},
  };
  const counted = countingRequests(() => compiledAfter.push(sent));
  const providers = [counted(provider), counted(provider)];
  const request = {} as ModelRequest;
  for (sent = 1; sent <= 50; sent++) providers[sent % 2]!.stream(request, new AbortController().signal);
  expect(compiledAfter).toEqual([20]);
});
