// How replies arrive: text, calls, thinking, usage and the reasons to stop.

import { expect, test } from "bun:test";
import type { ModelRequest } from "@keelson/engine";
import type { DialectReply, DialectScript, DialectServerOptions } from "@keelson/testkit";
import { collect, type Ability, type DialectUnderTest, type StartedDialect } from "./support.test-support.ts";

const TEXT = "naïve 日本 👩‍👩‍👧 end";

export function requestTo(dialect: DialectUnderTest, more: Partial<ModelRequest> = {}): ModelRequest {
  return {
    model: dialect.model,
    max_tokens: 1_000,
    system: [{ type: "text", text: "be brief" }],
    messages: [{ role: "user", content: "hi" }],
    tools: [
      {
        name: "Read",
        description: "Reads a file",
        input_schema: { type: "object", properties: { path: { type: "string" } } },
      },
      { name: "Bash", description: "Runs a command", input_schema: { type: "object", properties: {} } },
    ],
    betas: ["some-beta"],
    metadata: { user_id: "u" },
    ...more,
  };
}

/** A test with a server that is closed afterwards and must have had nothing to refuse. */
export function dialectTest(
  dialect: DialectUnderTest,
  title: string,
  script: DialectScript,
  body: (started: StartedDialect) => Promise<void>,
  options?: DialectServerOptions,
): void {
  test(`${dialect.name}: ${title}`, async () => {
    const started = await dialect.start(script, options);
    try {
      await body(started);
      expect(started.server.problems).toEqual([]);
    } finally {
      await started.server.close();
    }
  });
}

const call = (name: string, input: Record<string, string> = {}) => ({ call: { name, input } });
const withoutId = ({ id: _, ...block }: any) => block;

export function replyCases(dialect: DialectUnderTest): void {
  const can = (ability: Ability) => !dialect.lacks?.includes(ability);
  const story = (title: string, reply: DialectReply, body: (started: StartedDialect) => Promise<void>) =>
    dialectTest(dialect, title, [reply], body);

  for (const chunkBytes of [1, 3, undefined]) {
    dialectTest(
      dialect,
      `text arrives whole, in chunks of ${chunkBytes ?? "one frame"}`,
      [{ blocks: [{ text: TEXT }] }],
      async ({ provider, server }) => {
        const got = await collect(provider, requestTo(dialect));
        expect(got.error).toBeUndefined();
        expect(got.problems).toEqual([]);
        expect(got.blocks).toEqual([{ type: "text", text: TEXT }]);
        expect(got.stop).toBe("end_turn");
        expect(server.requests[0]).toMatchObject({
          model: dialect.model,
          system: "be brief",
          tools: ["Read", "Bash"],
          parts: [{ from: "user", text: "hi" }],
        });
      },
      chunkBytes === undefined ? {} : { chunkBytes },
    );
  }

  story(
    "a whole reply has the same content as a stream",
    { blocks: [{ text: TEXT }, call("Read", { path: "/ä" })] },
    async ({ provider }) => {
      const got = await collect(provider, requestTo(dialect), { how: "plain" });
      expect(got.error).toBeUndefined();
      expect(got.problems).toEqual([]);
      expect(got.blocks.map(withoutId)).toEqual([
        { type: "text", text: TEXT },
        { type: "tool_use", name: "Read", input: { path: "/ä" } },
      ]);
      expect(got.stop).toBe("tool_use");
    },
  );

  for (const interleaved of can("interleaved calls") ? ([undefined, true] as const) : [undefined]) {
    const reply: DialectReply = {
      blocks: [{ text: "both" }, call("Read", { path: "a" }), call("Bash", { command: 'echo "{\n}"' }), call("Bash")],
      ...(interleaved ? { interleaved } : {}),
    };
    story(`${interleaved ? "interleaved" : "parallel"} calls come one after another`, reply, async ({ provider }) => {
      const got = await collect(provider, requestTo(dialect));
      expect(got.error).toBeUndefined();
      expect(got.problems).toEqual([]);
      expect(got.blocks.map(withoutId)).toEqual([
        { type: "text", text: "both" },
        { type: "tool_use", name: "Read", input: { path: "a" } },
        { type: "tool_use", name: "Bash", input: { command: 'echo "{\n}"' } },
        { type: "tool_use", name: "Bash", input: {} },
      ]);
      expect(new Set(got.blocks.slice(1).map(({ id }) => id)).size).toBe(3);
      expect(got.stop).toBe("tool_use");
    });
  }

  if (can("broken arguments")) {
    const reply = { blocks: [{ call: { name: "Read", input: {}, broken: '{"path": "/p' } }] };
    story("arguments that are not JSON are kept for the engine to answer", reply, async ({ provider }) => {
      const got = await collect(provider, requestTo(dialect));
      expect(got.error).toBeUndefined();
      expect(got.blocks.map(withoutId)).toEqual([{ type: "tool_use", name: "Read", input: '{"path": "/p' }]);
      expect(got.stop).toBe("tool_use");
    });
  }

  const usage = { input: 1_000, cacheRead: 600, output: 50, reasoning: 20 };
  story(
    "usage excludes cached input and includes reasoning",
    { blocks: [{ text: "x" }], usage },
    async ({ provider }) => {
      const { usage } = await collect(provider, requestTo(dialect));
      expect(usage).toMatchObject({ input_tokens: 400, cache_read_input_tokens: 600, output_tokens: 50 });
      expect(usage.estimated).toBeUndefined();
    },
  );
  if (can("cache writes")) {
    const usage = { input: 1_000, cacheRead: 600, cacheWrite: 100, output: 50 };
    story("tokens written to the cache are counted apart", { blocks: [{ text: "x" }], usage }, async ({ provider }) => {
      expect((await collect(provider, requestTo(dialect))).usage).toMatchObject({
        input_tokens: 300,
        cache_read_input_tokens: 600,
        cache_creation_input_tokens: 100,
        output_tokens: 50,
      });
    });
  }
  if (can("untold usage")) {
    story(
      "usage that the server does not tell is estimated",
      { blocks: [{ text: TEXT }], usage: null },
      async ({ provider }) => {
        const { usage } = await collect(provider, requestTo(dialect));
        expect(usage.estimated).toBe(true);
        expect(usage.input_tokens).toBeGreaterThan(0);
        expect(usage.output_tokens).toBeGreaterThan(0);
      },
    );
  }

  story(
    "a reply that ran out of tokens says so",
    { blocks: [{ text: "cut of" }], stop: "max_tokens" },
    async ({ provider }) => {
      const got = await collect(provider, requestTo(dialect));
      expect(got.blocks).toEqual([{ type: "text", text: "cut of" }]);
      expect(got.stop).toBe("max_tokens");
    },
  );
  story("a refusal says so", { blocks: [{ text: "I cannot" }], stop: "refusal" }, async ({ provider }) => {
    const got = await collect(provider, requestTo(dialect));
    expect(got.problems).toEqual([]);
    expect(got.stop).toBe("refusal");
  });
  story("an empty reply is a reply", { blocks: [] }, async ({ provider }) => {
    const got = await collect(provider, requestTo(dialect));
    expect(got.error).toBeUndefined();
    expect(got.problems).toEqual([]);
    expect(got.blocks).toEqual([]);
    expect(got.stop).toBe("end_turn");
  });

  dialectTest(
    dialect,
    "two streams at once do not mix",
    [{ blocks: [{ text: "one" }] }, { blocks: [{ text: "two" }] }],
    async ({ provider }) => {
      const both = await Promise.all([1, 2].map(() => collect(provider, requestTo(dialect))));
      expect(both.map(({ blocks }) => blocks[0]?.text).sort()).toEqual(["one", "two"]);
    },
  );
}
