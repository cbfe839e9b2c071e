// What an application brings along: hooks, tools and prompts of its own, called by the real program.

import { expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { createSdkMcpServer, query, tool, type HookCallback, type HookInput } from "@keelson/sdk";
import { startMockModel, temporaryHome } from "@keelson/testkit";
import { z } from "zod";
import { told } from "../front-door.ts";
import { door, read, textOf } from "./door.ts";

const text = (value: string) => ({ content: [{ type: "text" as const, text: value }] });
const bash = (command: string) => ({ calls: [{ name: "Bash", input: { command } }] });

test("a hook sees each call, and what it blocks does not run", async () => {
  using home = temporaryHome();
  await using model = await startMockModel([bash("touch kept"), bash("touch blocked"), { text: "done" }]);
  const seen: HookInput[] = [];
  const audit: HookCallback = async (input) => {
    seen.push(input);
    if (input.hook_event_name !== "PreToolUse") return {};
    const { command } = input.tool_input as { command: string };
    return command.includes("blocked")
      ? {
          hookSpecificOutput: {
            hookEventName: "PreToolUse",
            permissionDecision: "deny",
            permissionDecisionReason: "house rules",
          },
        }
      : {};
  };

  const messages = await read(
    query({
      prompt: "work",
      options: {
        ...door(home, model),
        allowedTools: ["Bash"],
        hooks: {
          PreToolUse: [{ matcher: "Bash", hooks: [audit] }],
          PostToolUse: [{ hooks: [audit] }],
          UserPromptSubmit: [{ hooks: [audit] }],
          Stop: [{ hooks: [audit] }],
        },
      },
    }),
  );

  expect(seen.map(({ hook_event_name }) => hook_event_name)).toEqual([
    "UserPromptSubmit",
    "PreToolUse",
    "PostToolUse",
    "PreToolUse",
    "Stop",
  ]);
  expect(["kept", "blocked"].map((name) => existsSync(join(home.project, name)))).toEqual([true, false]);
  expect(JSON.stringify(told(model.requests[2]!))).toContain("house rules");
  expect(textOf(messages)).toBe("done");
});

test("a tool of the application is offered to the model and runs in the application", async () => {
  using home = temporaryHome();
  const name = "mcp__calc__add";
  await using model = await startMockModel([
    { calls: [{ name, input: { a: 2, b: 3 } }] },
    { calls: [{ name, input: { a: "two" } }] },
    { text: "five" },
  ]);
  const calls: unknown[] = [];
  const add = tool("add", "Adds two numbers", { a: z.number(), b: z.number() }, async (args) => {
    calls.push(args);
    return text(String(args.a + args.b));
  });

  const messages = await read(
    query({
      prompt: "what is 2 + 3?",
      options: {
        ...door(home, model),
        allowedTools: [name],
        mcpServers: { calc: createSdkMcpServer({ name: "calc", tools: [add] }) },
      },
    }),
  );

  const offered = model.requests[0]!.body.tools.find((each: any) => each.name === name);
  expect(offered).toMatchObject({ description: "Adds two numbers", input_schema: { required: ["a", "b"] } });
  expect(calls).toEqual([{ a: 2, b: 3 }]);
  expect(told(model.requests[1]!)).toMatchObject([{ type: "tool_result", content: [{ type: "text", text: "5" }] }]);
  expect(told(model.requests[2]!)).toMatchObject([{ type: "tool_result", is_error: true }]);
  expect(textOf(messages)).toBe("five");
});

test("hooks around a tool of a server are told the server, and around a question the call it is about", async () => {
  using home = temporaryHome();
  const name = "mcp__calc__zero";
  await using model = await startMockModel([{ calls: [{ name, input: {} }] }, { text: "zero" }]);
  const seen: unknown[] = [];
  const note: HookCallback = async (input, id) => {
    seen.push([input.hook_event_name, (input as { mcp_server?: unknown }).mcp_server, id]);
    return {};
  };
  const hooks = [{ hooks: [note] }];
  const zero = tool("zero", "Says zero", {}, async () => text("0"));
  await read(
    query({
      prompt: "zero?",
      options: {
        ...door(home, model),
        mcpServers: { calc: createSdkMcpServer({ name: "calc", tools: [zero] }) },
        canUseTool: async (_, updatedInput) => ({ behavior: "allow", updatedInput }),
        hooks: { PreToolUse: hooks, PermissionRequest: hooks, PostToolUse: hooks },
      },
    }),
  );
  const server = { name: "calc", source: "sdk" };
  expect(seen).toEqual(["PreToolUse", "PermissionRequest", "PostToolUse"].map((event) => [event, server, "call_1_1"]));
});

test("the system prompt is nothing, the program's, or the application's, as it was asked for", async () => {
  using home = temporaryHome();
  await using model = await startMockModel([{ text: "a" }, { text: "b" }, { text: "c" }]);
  const preset = { type: "preset", preset: "claude_code", append: "Mind the gap" } as const;
  for (const systemPrompt of [undefined, "You are a parrot", preset]) {
    await read(query({ prompt: "hi", options: { ...door(home, model), ...(systemPrompt ? { systemPrompt } : {}) } }));
  }

  const [none, own, product] = model.requests.map(({ body }) =>
    body.system.map((block: { text: string }) => block.text),
  );
  const [identity] = none;
  expect(none).toEqual([identity]);
  expect(own).toEqual([identity, "You are a parrot"]);
  expect(product.join("\n").length).toBeGreaterThan(own.join("\n").length + 100);
  expect(product.at(-1)).toEndWith("Mind the gap");
});

test("a tool policy of a server still applies after the settings change during a run", async () => {
  using home = temporaryHome();
  const call = { calls: [{ name: "mcp__house__knock", input: {} }] };
  await using model = await startMockModel([call, call, { text: "done" }]);
  const asked: string[] = [];
  const knock = tool("knock", "Knocks", {}, async () => {
    await running.applyFlagSettings({ language: "german" });
    return text("come in");
  });
  const house = createSdkMcpServer({ name: "house", tools: [knock] });
  const running = query({
    prompt: "knock twice",
    options: {
      ...door(home, model),
      allowedTools: ["mcp__house__knock"],
      mcpServers: { house: { ...house, tools: [{ name: "knock", permission_policy: "always_ask" as const }] } },
      canUseTool: async (name, input) => {
        asked.push(name);
        return { behavior: "allow", updatedInput: input };
      },
    },
  });

  expect(textOf(await read(running))).toBe("done");
  expect(asked).toEqual(["mcp__house__knock", "mcp__house__knock"]);
});
