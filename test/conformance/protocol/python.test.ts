// The main ways to use the Python SDK, played by its double: everything it needs is there, in time, on lines it can read.

import { expect, test } from "bun:test";
import { pythonClient, probeVersion, type PythonClient, type PythonOptions } from "./clients/python-client.ts";
import { bash, kindOf, read, toldOf, write, type Said, type Seen } from "./scenario.ts";
import { setStage } from "./stage.ts";

interface Played {
  readonly client: PythonClient;
  readonly code: number | null;
  readonly seen: Pick<Seen, "requests" | "files">;
}

async function play(
  says: readonly Said[],
  options: PythonOptions,
  act: (client: PythonClient) => Promise<void>,
  files: Readonly<Record<string, string>> = {},
): Promise<Played> {
  await using stage = await setStage({ name: "python", says, files, steps: [], cases: [] });
  const client = pythonClient(stage.place, options);
  let code: number | null;
  try {
    await act(client);
  } finally {
    code = await client.disconnect();
  }
  const nothing = { messages: [], order: [], replies: {}, asked: [], called: [], end: {} };
  return { client, code, seen: stage.observe([nothing]) };
}

/** A prompt and what was answered. */
async function talk(client: PythonClient, prompt = "go"): Promise<any> {
  client.query(prompt);
  return (await client.receiveResponse()).at(-1);
}

const LIMIT = 20_000;

test.each(["-v", "--version"])("the program says with %s a version that is new enough", async (flag) => {
  await using stage = await setStage({ name: "version", steps: [], cases: [] });
  expect(await probeVersion(stage.place, flag)).toMatch(/^\d+\.\d+\.\d+$/);
});

test(
  "a single query closes its input right after the prompt, and gets its result",
  async () => {
    const { code } = await play([{ calls: [read("a")] }, { text: "done" }], {}, async (python) => {
      await python.connect();
      python.query("go");
      python.endInput();
      expect((await python.receiveResponse()).at(-1).result).toBe("done");
    });
    expect(code).toBe(0);
  },
  LIMIT,
);

test(
  "a single query that may be asked something keeps its input open until the result",
  async () => {
    const { code, seen } = await play(
      [{ calls: [bash("touch a")] }, { text: "done" }],
      { canUseTool: async () => ({ behavior: "allow" }) },
      async (python) => {
        await python.connect();
        python.query("go");
        await python.receiveResponse();
        python.endInput();
      },
    );
    expect([code, seen.files]).toEqual([0, { a: "" }]);
  },
  LIMIT,
);

test(
  "connect, a prompt, another, and a good end",
  async () => {
    const { client, code, seen } = await play([{ text: "one" }, { text: "two" }], {}, async (python) => {
      const facts = await python.connect();
      expect(facts).toMatchObject({ commands: expect.any(Array), output_style: "default" });
      expect((await talk(python, "a")).result).toBe("one");
      expect((await talk(python, "b")).result).toBe("two");
    });
    expect(client.messages.map(kindOf)).toEqual([1, 2].flatMap(() => ["system/init", "assistant", "result"]));
    expect(code).toBe(0);
    // An empty prompt by flag is a choice.
    expect(seen.requests[0].system.length).toBe(1);
  },
  LIMIT,
);

test(
  "everything it is shown can be read: thoughts, tools, pieces, large files and background work",
  async () => {
    const large = "line of text\n".repeat(15_000);
    const other = "other line\n".repeat(40_000);
    const { client, code } = await play(
      [
        { thinking: "hm", text: "Looking.", calls: [read("large.txt")] },
        { calls: [{ name: "Read", input: { file_path: "<project>/large.txt", offset: 1, limit: 2000 } }] },
        { calls: [write("large.txt", other)] },
        { calls: [bash("true", { run_in_background: true })] },
        { calls: [bash("cat large.txt")] },
        { text: "done" },
        { text: "noticed" },
      ],
      { includePartialMessages: true, canUseTool: async () => ({ behavior: "allow" }) },
      async (python) => {
        await python.connect();
        expect(await talk(python)).toMatchObject({ subtype: "success", is_error: false });
      },
      { "large.txt": large },
    );
    const kinds = new Set(client.messages.map(kindOf));
    for (const kind of ["stream_event", "assistant", "user", "system/task_started", "result"])
      expect(kinds).toContain(kind);
    expect(code).toBe(0);
  },
  LIMIT,
);

test(
  "a permission callback allows with the input it was given, or denies",
  async () => {
    const asked: unknown[] = [];
    const { seen } = await play(
      [{ calls: [bash("touch a")] }, { calls: [bash("touch b")] }, { text: "done" }],
      {
        canUseTool: async (name, input, { suggestions }) => {
          asked.push([name, input.command, suggestions.length > 0]);
          return input.command === "touch a" ? { behavior: "allow" } : { behavior: "deny", message: "enough" };
        },
      },
      async (python) => {
        await python.connect();
        const { permission_denials: denials } = await talk(python);
        expect(denials).toMatchObject([{ tool_name: "Bash" }]);
      },
    );
    expect(asked).toEqual([
      ["Bash", "touch a", true],
      ["Bash", "touch b", true],
    ]);
    expect(seen.files).toEqual({ a: "" });
    expect(toldOf(seen, 3)).toEqual(["error: enough"]);
  },
  LIMIT,
);

test(
  "a permission callback that returns a bare true is an error there, and a no here",
  async () => {
    const { seen } = await play(
      [{ calls: [bash("touch a")] }, { text: "done" }],
      {
        canUseTool: () => Promise.reject(new TypeError("Tool permission callback must return PermissionResult")),
      },
      async (python) => {
        await python.connect();
        await talk(python);
      },
    );
    expect(seen.files).toEqual({});
  },
  LIMIT,
);

test(
  "hooks with a matcher and with none are called, and obeyed",
  async () => {
    const heard: string[] = [];
    const { seen } = await play(
      [{ calls: [bash("touch kept")] }, { calls: [bash("touch blocked")] }, { text: "done" }],
      {
        allowedTools: ["Bash"],
        hooks: {
          PreToolUse: [
            {
              matcher: "Bash",
              timeout: 30,
              hooks: [
                async ({ tool_input: input }) => {
                  heard.push(`before ${input.command}`);
                  if (!input.command.includes("blocked")) return {};
                  const deny = { permissionDecision: "deny", permissionDecisionReason: "house rules" };
                  return { hookSpecificOutput: { hookEventName: "PreToolUse", ...deny } };
                },
              ],
            },
          ],
          UserPromptSubmit: [{ matcher: null, hooks: [async ({ prompt }) => (heard.push(`prompt ${prompt}`), {})] }],
          Stop: [{ matcher: null, hooks: [async () => (heard.push("stop"), { continue: true })] }],
        },
      },
      async (python) => {
        await python.connect();
        await talk(python);
      },
    );
    expect(heard).toEqual(["prompt go", "before touch kept", "before touch blocked", "stop"]);
    expect(seen.files).toEqual({ kept: "" });
  },
  LIMIT,
);

test(
  "servers it lists in --mcp-config are spoken to, with the whole handshake",
  async () => {
    const { seen } = await play(
      [{ calls: [{ name: "mcp__calc__add", input: { a: 1, b: 2 } }] }, { text: "three" }],
      {
        allowedTools: ["mcp__calc__add"],
        servers: { calc: { add: async ({ a, b }) => String(a + b) } },
      },
      async (python) => {
        await python.connect();
        expect((await talk(python)).result).toBe("three");
        const { mcpServers } = await python.control({ subtype: "mcp_status" });
        expect(mcpServers).toMatchObject([{ name: "calc", status: "connected" }]);
      },
    );
    expect(toldOf(seen, 2)).toEqual(["3"]);
  },
  LIMIT,
);

test(
  "all its requests are answered",
  async () => {
    await play([{ text: "one" }, { text: "two" }], {}, async (python) => {
      await python.connect();
      await talk(python);
      await python.control({ subtype: "interrupt" });
      await python.control({ subtype: "set_permission_mode", mode: "acceptEdits" });
      await python.control({ subtype: "set_model", model: "claude-haiku-4-5" });
      await python.control({ subtype: "set_model", model: null });
      await python.control({ subtype: "mcp_status" });
      await python.control({ subtype: "stop_task", task_id: "none" });
      expect(await python.control({ subtype: "get_context_usage" })).toMatchObject({ totalTokens: expect.any(Number) });
      const refused = async (request: object) =>
        (await python.control(request).catch((error: unknown) => error)) as Error;
      expect((await refused({ subtype: "rewind_files", user_message_id: "x" })).message).toBe(
        "File rewinding is not enabled.",
      );
      expect((await refused({ subtype: "mcp_reconnect", serverName: "x" })).message).toBe("Server not found: x");
      expect((await refused({ subtype: "mcp_toggle", serverName: "x", enabled: true })).message).toBe(
        "Server not found: x",
      );
      expect((await talk(python)).result).toBe("two");
    });
  },
  LIMIT,
);

test(
  "requests sent before initialize was answered are answered, too",
  async () => {
    await play([{ text: "one" }], {}, async (python) => {
      const [facts, usage] = await Promise.all([python.connect(), python.control({ subtype: "get_context_usage" })]);
      expect([facts, usage]).toEqual([expect.any(Object), expect.any(Object)]);
      await talk(python);
    });
  },
  LIMIT,
);

test(
  "system prompts come as flags: a text, an addition to ours",
  async () => {
    const systemWith = async (options: PythonOptions) => {
      const { seen } = await play([{ text: "ok" }], options, async (python) => {
        await python.connect();
        await talk(python);
      });
      return seen.requests[0].system.map(({ text }: any) => text);
    };
    expect((await systemWith({ systemPrompt: "You are a parrot" })).slice(1)).toEqual(["You are a parrot"]);
    expect((await systemWith({ appendSystemPrompt: "Mind the gap" })).at(-1)).toMatch(/# How to work[^]*Mind the gap$/);
  },
  LIMIT,
);

test(
  "a result that is an error has what its exception needs, and the program ends with 1",
  async () => {
    const { client, code } = await play(
      [{ calls: [read("a")] }],
      { maxTurns: 1 },
      async (python) => {
        await python.connect();
        await talk(python);
      },
      { a: "x" },
    );
    expect(client.messages.at(-1)).toMatchObject({
      subtype: "error_max_turns",
      errors: ["Reached maximum number of turns (1)"],
      terminal_reason: "max_turns",
      session_id: expect.any(String),
    });
    expect(code).toBe(1);
  },
  LIMIT,
);

test(
  "a schema by flag alone shapes the answer",
  async () => {
    const jsonSchema = { type: "object", properties: { a: { type: "string" } }, required: ["a"] };
    await play([{ calls: [{ name: "StructuredOutput", input: { a: "b" } }] }], { jsonSchema }, async (python) => {
      await python.connect();
      expect((await talk(python)).structured_output).toEqual({ a: "b" });
    });
  },
  LIMIT,
);

test(
  "commands are listed, answered without the model, and may begin a new conversation",
  async () => {
    const { client, code, seen } = await play([{ text: "one" }, { text: "two" }], {}, async (python) => {
      const { commands } = await python.connect();
      expect(commands).toContainEqual({
        name: "usage",
        aliases: ["cost", "stats"],
        description: expect.any(String),
        argumentHint: "",
        builtin: true,
      });
      expect((await talk(python, "a")).result).toBe("one");
      expect(await talk(python, "/usage")).toMatchObject({ local_command: "usage", num_turns: 0, is_error: false });
      expect(await talk(python, "/clear")).toMatchObject({ local_command: "clear", result: "" });
      expect((await talk(python, "b")).result).toBe("two");
    });
    expect(code).toBe(0);
    const ids = client.messages.filter(({ type }) => type === "result").map(({ session_id }) => session_id);
    expect([ids[0] === ids[1], ids[1] === ids[2], ids[2] === ids[3]]).toEqual([true, false, true]);
    expect(seen.requests.map(({ messages }) => messages.length)).toEqual([1, 1]);
  },
  LIMIT,
);
