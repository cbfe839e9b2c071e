import { expect, test } from "bun:test";
import type { ModelProvider, ModelRequest } from "@keelson/engine";
import { NO_USAGE, type Usage } from "@keelson/protocol";
import { Budget } from "./budget.ts";

/** A dollar a token, a tenth of it from the cache. */
const costOf = (_: string, usage: Usage) =>
  usage.input_tokens + usage.output_tokens + (usage.cache_read_input_tokens ?? 0) / 10;

function play(limit: number | undefined) {
  let spent = 0;
  let sent = 0;
  const budget = new Budget({ limit: () => limit, spent: () => spent, costOf });
  const gates: (() => void)[] = [];
  const provider: ModelProvider = {
    id: "test",
    async *stream() {
      sent++;
      const usage = { ...NO_USAGE, input_tokens: 10, output_tokens: 10 };
      yield { type: "message_start", message: { id: "m", model: "m", usage } } as never;
      await new Promise<void>((resolve) => gates.push(resolve));
      spent += costOf("m", usage);
      yield { type: "message_stop" } as never;
    },
  };
  const guarded = budget.guard(provider);
  const ask = async (first: object) => {
    const messages = [{ role: "user", content: [first] }];
    const request = { model: "m", messages } as unknown as ModelRequest;
    for await (const _ of guarded.stream(request, new AbortController().signal)) void _;
  };
  const release = async () => {
    await Bun.sleep(0);
    gates.splice(0).forEach((open) => open());
  };
  return { ask, release, sent: () => sent };
}

const block = () => ({ type: "text", text: "x" });

test("a request that would surely break the budget is not sent", async () => {
  const { ask, release, sent } = play(21);
  const conversation = block();
  const first = ask(conversation);
  await release();
  await first;
  // 20 spent; reading 20 tokens from the cache costs at least 2.
  await expect(ask(conversation)).rejects.toMatchObject({ kind: "budget_exhausted" });
  // Nothing is known of another conversation: it may cost less than the rest.
  const second = ask(block());
  await release();
  await second;
  expect(sent()).toBe(2);
  await expect(ask(block())).rejects.toMatchObject({ kind: "budget_exhausted" });
});

test("of many at once, those that may not fit wait for the others", async () => {
  const { ask, release, sent } = play(43);
  const [one, other] = [block(), block()];
  const first = Promise.all([ask(one), ask(other)]);
  await release();
  await first;
  // 40 spent. Each costs at least 2 more, so only one of them fits.
  const again = ask(one);
  const refused = ask(other).catch(({ kind }) => kind);
  await Bun.sleep(1);
  expect(sent()).toBe(3);
  await release();
  await again;
  expect([await refused, sent()]).toEqual(["budget_exhausted", 3]);
});

test("conversations that nothing is known of wait, too, once it is known what a request costs", async () => {
  const { ask, release, sent } = play(60);
  const first = ask(block());
  await release();
  await first;
  const all = Promise.allSettled(Array.from({ length: 15 }, () => ask(block())));
  for (let n = 0; n < 20; n++) {
    await Bun.sleep(1);
    await release();
  }
  const results = await all;
  // 20 each: three in all, and no more.
  expect([sent(), results.filter(({ status }) => status === "rejected").length]).toEqual([3, 13]);
});

test("without a budget nothing is counted", async () => {
  const { ask, release, sent } = play(undefined);
  for (let n = 0; n < 3; n++) {
    const asked = ask(block());
    await release();
    await asked;
  }
  expect(sent()).toBe(3);
});
