// How a conversation goes back: calls and results, names and ids, pictures, documents and thinking.

import { expect } from "bun:test";
import type { ContentBlock, ModelMessage } from "@keelson/protocol";
import type { SeenPart, SeenRequest } from "@keelson/testkit";
import { sealThinking } from "../thinking-envelope.ts";
import { dialectTest, requestTo } from "./replies.test-support.ts";
import {
  collect,
  continued,
  image,
  PDF,
  pdf,
  PNG,
  type Ability,
  type DialectUnderTest,
} from "./support.test-support.ts";

const done = { blocks: [{ text: "done" }] };
const result = (id: string, content: string | readonly ContentBlock[], is_error?: true): ContentBlock => ({
  type: "tool_result",
  tool_use_id: id,
  content,
  ...(is_error ? { is_error } : {}),
});
const toolUse = (id: string, name: string, input = {}): ContentBlock => ({ type: "tool_use", id, name, input });
const textsOf = ({ parts }: SeenRequest) => parts.flatMap((part) => ("text" in part ? [part.text] : [])).join("\n");
const callsIn = (parts: readonly SeenPart[]) => parts.flatMap((part) => ("call" in part ? [part.call] : []));
const resultsIn = (parts: readonly SeenPart[]) => parts.flatMap((part) => ("result" in part ? [part.result] : []));

export function conversationCases(dialect: DialectUnderTest): void {
  const can = (ability: Ability) => !dialect.lacks?.includes(ability);

  dialectTest(
    dialect,
    "calls and their results go back together",
    [
      {
        blocks: [
          { text: "first" },
          { call: { name: "Read", input: { path: "a" } } },
          { call: { name: "Bash", input: {} } },
        ],
      },
      done,
    ],
    async ({ provider, server }) => {
      const request = requestTo(dialect);
      const reply = await collect(provider, request);
      const [one, two] = reply.blocks.slice(1).map(({ id }) => id as string);
      // Results may be in another order than the calls.
      const next = continued(request, reply, [
        result(two!, "failed badly", true),
        result(one!, "contents"),
        { type: "text", text: "go on" },
      ]);
      const last = await collect(provider, next);
      expect(last.error).toBeUndefined();
      expect(last.blocks).toEqual([{ type: "text", text: "done" }]);
      const { parts } = server.requests[1]!;
      expect(callsIn(parts).map(({ name, input }) => ({ name, input }))).toEqual([
        { name: "Read", input: { path: "a" } },
        { name: "Bash", input: {} },
      ]);
      const results = resultsIn(parts);
      expect(results.map(({ text }) => text)).toEqual(["contents", expect.stringContaining("failed badly")]);
      expect(results[1]!.isError || results[1]!.text.startsWith("Error: ")).toBe(true);
      expect(parts.at(-1)).toEqual({ from: "user", text: "go on" });
      if (can("call ids")) expect(results.map(({ id }) => id)).toEqual(callsIn(parts).map(({ id }) => id));
    },
  );

  dialectTest(
    dialect,
    "a call whose arguments were broken goes back with an empty input",
    [done],
    async ({ provider, server }) => {
      const messages: ModelMessage[] = [
        { role: "user", content: "hi" },
        { role: "assistant", content: [toolUse("call_1", "Read")], reply: { model: dialect.model } },
        { role: "user", content: [result("call_1", "not valid JSON", true)] },
      ];
      expect((await collect(provider, requestTo(dialect, { messages }))).error).toBeUndefined();
      expect(callsIn(server.requests[0]!.parts).map(({ input }) => input)).toEqual([{}]);
    },
  );

  const long = `mcp__${"server_with_a_long_name_".repeat(4)}__search`;
  const odd = "mcp__über.server__do it";
  const tools = [long, odd, "Read"].map((name) => ({
    name,
    description: "d",
    input_schema: { type: "object" } as const,
  }));
  dialectTest(
    dialect,
    "long and odd names of tools are fitted on the way out and restored on the way in",
    [(request) => ({ blocks: request.tools.map((name) => ({ call: { name, input: {} } })) }), done],
    async ({ provider, server }) => {
      const request = requestTo(dialect, { tools });
      const reply = await collect(provider, request);
      expect(reply.error).toBeUndefined();
      expect(reply.blocks.map(({ name }) => name)).toEqual([long, odd, "Read"]);
      const next = continued(
        request,
        reply,
        reply.blocks.map(({ id }) => result(id, "ok")),
      );
      expect((await collect(provider, next)).error).toBeUndefined();
      expect(callsIn(server.requests[1]!.parts).map(({ name }) => name)).toEqual([...server.requests[1]!.tools]);
    },
  );

  if (can("call ids")) {
    dialectTest(
      dialect,
      "ids of any server are fitted, alike in call and result",
      [done],
      async ({ provider, server }) => {
        const ids = ["toolu_01ABC", "functions.Read:0", "x".repeat(80), "é ü/", "call_00_" + "y".repeat(40)];
        const messages: ModelMessage[] = [
          { role: "user", content: "hi" },
          { role: "assistant", content: ids.map((id) => toolUse(id, "Read")), reply: { model: "another" } },
          { role: "user", content: ids.map((id) => result(id, `of ${id}`)) },
        ];
        expect((await collect(provider, requestTo(dialect, { messages }))).error).toBeUndefined();
        const { parts } = server.requests[0]!;
        const sent = callsIn(parts).map(({ id }) => id);
        expect(new Set(sent).size).toBe(ids.length);
        expect(resultsIn(parts).map(({ id, text }) => [id, text])).toEqual(sent.map((id, at) => [id, `of ${ids[at]}`]));
      },
    );
  }

  dialectTest(
    dialect,
    "an id that the conversation already has is not used again",
    [{ blocks: [{ call: { name: "Read", input: {}, id: "call_0" } }] }],
    async ({ provider }) => {
      const messages: ModelMessage[] = [
        { role: "user", content: "hi" },
        { role: "assistant", content: [toolUse("call_0", "Read")], reply: { model: dialect.model } },
        { role: "user", content: [result("call_0", "x")] },
      ];
      const reply = await collect(provider, requestTo(dialect, { messages }));
      expect(reply.blocks).toHaveLength(1);
      expect(reply.blocks[0].id).not.toBe("call_0");
      expect(reply.blocks[0].id).not.toBe("");
    },
  );

  if (can("images")) {
    dialectTest(
      dialect,
      "pictures reach the model, in prompts and in results",
      [done, done],
      async ({ provider, server }) => {
        const messages: ModelMessage[] = [{ role: "user", content: [{ type: "text", text: "look" }, image] }];
        expect((await collect(provider, requestTo(dialect, { messages }))).error).toBeUndefined();
        expect(server.requests[0]!.parts).toEqual([
          { from: "user", text: "look" },
          { from: "user", image: PNG },
        ]);
        const later: ModelMessage[] = [
          { role: "user", content: "hi" },
          { role: "assistant", content: [toolUse("call_1", "Read"), toolUse("call_2", "Read")] },
          {
            role: "user",
            content: [result("call_1", [image]), result("call_2", [{ type: "text", text: "two" }, image])],
          },
        ];
        expect((await collect(provider, requestTo(dialect, { messages: later }))).error).toBeUndefined();
        const { parts } = server.requests[1]!;
        expect(parts.filter((part) => "image" in part)).toEqual([1, 2].map(() => ({ from: "user", image: PNG })));
        expect(resultsIn(parts).map(({ text }) => text !== "")).toEqual([true, true]);
      },
    );
  }

  if (can("documents")) {
    dialectTest(dialect, "PDFs reach the model, in prompts and in results", [done], async ({ provider, server }) => {
      const messages: ModelMessage[] = [
        { role: "user", content: [{ type: "text", text: "read" }, pdf] },
        { role: "assistant", content: [toolUse("call_1", "Read")] },
        { role: "user", content: [result("call_1", [{ type: "text", text: "PDF file read" }, pdf])] },
      ];
      expect((await collect(provider, requestTo(dialect, { messages }))).error).toBeUndefined();
      const { parts } = server.requests[0]!;
      expect(parts.filter((part) => "document" in part)).toEqual([1, 2].map(() => ({ from: "user", document: PDF })));
    });
  }

  const { thinkingState } = dialect;
  if (thinkingState) {
    dialectTest(
      dialect,
      "thinking is shown, and its state goes back within the tool loop",
      [{ blocks: [{ thinking: "hmm, so" }, { call: { name: "Read", input: {} } }] }, done],
      async ({ provider, server }) => {
        const request = requestTo(dialect, { thinking: { type: "adaptive" } });
        const reply = await collect(provider, request);
        expect(reply.error).toBeUndefined();
        expect(reply.problems).toEqual([]);
        expect(reply.blocks[0]).toMatchObject({ type: "thinking", thinking: "hmm, so" });
        const next = continued(request, reply, [result(reply.blocks[1].id, "x")]);
        expect((await collect(provider, next)).error).toBeUndefined();
        expect(server.requests[1]!.parts.slice(0, 3)).toEqual([
          { from: "user", text: "hi" },
          { from: "assistant", state: thinkingState("hmm, so", 1, 0) },
          { from: "assistant", call: expect.objectContaining({ name: "Read" }) },
        ]);
      },
    );
  }

  dialectTest(
    dialect,
    "thinking of other providers is left out, and so is what they served",
    [done],
    async ({ provider, server }) => {
      const sealed = sealThinking({ api: "another", model: "m", data: "foreign-state" });
      const messages: ModelMessage[] = [
        { role: "user", content: "hi" },
        {
          role: "assistant",
          content: [
            { type: "thinking", thinking: "foreign thoughts", signature: "EqQBCg" },
            { type: "redacted_thinking", data: "foreign data" },
            { type: "server_tool_use", id: "srvtoolu_1", name: "web_search", input: { query: "q" } },
            { type: "web_search_tool_result", tool_use_id: "srvtoolu_1", content: [] },
            { type: "text", text: "kept" },
          ],
          reply: { model: "claude-sonnet-4-5" },
        },
        { role: "user", content: "and?" },
        {
          role: "assistant",
          content: [
            { type: "thinking", thinking: "more thoughts", signature: sealed },
            { type: "text", text: "also kept" },
          ],
          reply: { model: "m" },
        },
        { role: "user", content: "go on" },
      ];
      expect((await collect(provider, requestTo(dialect, { messages }))).error).toBeUndefined();
      const [request] = server.requests;
      expect(JSON.stringify(request!.body)).not.toMatch(/foreign|thoughts|srvtoolu|EqQBCg|kp1/);
      expect(textsOf(request!)).toBe(["hi", "kept", "and?", "also kept", "go on"].join("\n"));
    },
  );

  dialectTest(dialect, "blank texts and empty messages are not sent", [done], async ({ provider, server }) => {
    const messages: ModelMessage[] = [
      {
        role: "user",
        content: [
          { type: "text", text: "hi" },
          { type: "text", text: " " },
        ],
      },
      { role: "assistant", content: [{ type: "text", text: "" }, toolUse("call_1", "Read")] },
      { role: "user", content: [result("call_1", "")] },
      {
        role: "assistant",
        content: [{ type: "thinking", thinking: "only", signature: "foreign" }],
        reply: { model: "another" },
      },
      { role: "user", content: "and?" },
    ];
    expect((await collect(provider, requestTo(dialect, { messages }))).error).toBeUndefined();
    const between = can("prompts after results") ? [] : ["Understood."];
    expect(textsOf(server.requests[0]!)).toBe(["hi", ...between, "and?"].join("\n"));
    expect(resultsIn(server.requests[0]!.parts)[0]!.text).not.toBe("");
  });

  for (const choice of [{ type: "auto" }, { type: "any" }, { type: "tool", name: "Read" }, { type: "none" }]) {
    dialectTest(dialect, `the choice of tools "${choice.type}" is accepted`, [done, done], async ({ provider }) => {
      expect((await collect(provider, requestTo(dialect, { tool_choice: choice }))).error).toBeUndefined();
      expect((await collect(provider, requestTo(dialect, { tool_choice: choice, tools: [] }))).error).toBeUndefined();
    });
  }

  dialectTest(dialect, "a request after calls may offer no tools", [done], async ({ provider }) => {
    const messages: ModelMessage[] = [
      { role: "user", content: "hi" },
      { role: "assistant", content: [toolUse("call_1", "Read", { path: "a" })] },
      { role: "user", content: [result("call_1", "x"), { type: "text", text: "summarize" }] },
    ];
    expect((await collect(provider, requestTo(dialect, { messages, tools: [] }))).error).toBeUndefined();
  });
}
