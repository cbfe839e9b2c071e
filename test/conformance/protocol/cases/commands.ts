// Slash commands that the program answers itself: what a client sees, and that the model hears nothing of them.

import { expect } from "bun:test";
import { heard, init, kindOf, kinds, ofKind, read, result, results, toldOf, turn, type Scenario } from "../scenario.ts";
import { SONNET } from "../../../models.ts";

const outputs = (seen: any) => results(seen).map((line) => line.result);
const text = (part: string) => expect.stringContaining(part);

export const COMMANDS: readonly Scenario[] = [
  {
    name: "a command",
    says: [{ text: "hello" }],
    steps: [...turn("/usage", { uuid: "11111111-1111-4111-8111-111111111111" }), ...turn("hi")],
    cases: [
      {
        name: "is answered by a message that no model made",
        see: (seen) => ofKind(seen, "assistant")[0].message,
        is: expect.objectContaining({
          model: "<synthetic>",
          role: "assistant",
          stop_reason: "end_turn",
          content: [{ type: "text", text: text("Total cost:") }],
          usage: expect.objectContaining({ input_tokens: 0, output_tokens: 0 }),
        }),
      },
      {
        name: "is between the start of the run and its result",
        see: (seen) =>
          kinds(seen)
            .filter((kind) => kind !== "command_lifecycle")
            .slice(0, 3),
        is: ["system/init", "assistant", "result"],
      },
      {
        name: "ends with a result of its own kind",
        see: (seen) => {
          const { subtype, is_error, result: output, num_turns, local_command, terminal_reason, usage } = result(seen);
          return [subtype, is_error, output, num_turns, local_command, terminal_reason, usage.output_tokens];
        },
        is: ["success", false, text("Total cost:"), 0, "usage", undefined, 0],
      },
      { name: "asks no model", see: ({ requests }) => requests.length, is: 1 },
      {
        name: "is not heard by the model later",
        see: (seen) => heard(seen, 1),
        is: [expect.objectContaining({ type: "text", text: "hi" })],
      },
      {
        name: "is recorded with a warning before and the output after it",
        see: ({ entries }) =>
          entries
            .filter(({ type, subtype }) => type === "user" || subtype === "local_command")
            .map(({ isMeta, message, content, commandRun }) => [
              isMeta ?? false,
              (message?.content ?? content).replace(/>[\s\S]*$/, ">"),
              commandRun,
            ]),
        is: [
          [true, "<local-command-caveat>", undefined],
          [false, "<command-name>", undefined],
          [false, "<local-command-stdout>", { command: "usage", args: "" }],
          [false, "hi", undefined],
        ],
      },
      {
        name: "keeps the id that the client gave it",
        see: ({ entries }) =>
          entries.find(({ message }) => String(message?.content).startsWith("<command-name>"))?.uuid,
        is: "11111111-1111-4111-8111-111111111111",
      },
      {
        name: "is listed before it is typed",
        see: (seen) => init(seen).slash_commands,
        is: expect.arrayContaining(["context", "help", "usage"]),
      },
    ],
  },
  {
    name: "commands",
    files: { "CLAUDE.md": "Be brief.\n" },
    says: [{ text: "hello" }],
    settings: { permissions: { allow: ["Bash(ls *)"] } },
    steps: [
      ...turn("/cost"),
      ...turn("/context"),
      ...turn("/help"),
      ...turn("/permissions"),
      ...turn("/hooks"),
      ...turn("/memory"),
      ...turn("/mcp"),
      ...turn("/status"),
      ...turn("/skills"),
      ...turn("/model claude-opus-5-5"),
      ...turn("/effort low"),
      ...turn("/rename Ship it"),
      ...turn("/add-dir nowhere"),
      ...turn("/rename"),
      ...turn("/resume"),
      ...turn("/login"),
      ...turn("/config theme"),
      ...turn("hi"),
    ],
    cases: [
      {
        name: "say what they are for",
        see: (seen) => outputs(seen).slice(0, 17),
        is: [
          text("Total cost:"),
          text("| System prompt |"),
          text("/usage"),
          text("allow: Bash(ls *) (userSettings)"),
          text("No hooks"),
          text("<project>/CLAUDE.md"),
          text("No MCP servers"),
          text(`Model: ${SONNET}`),
          text("Skills:"),
          "Set model to claude-opus-5-5",
          "Set effort to low",
          'Renamed this session to "Ship it"',
          '"nowhere" is not a directory',
          "/rename requires a name: /rename <name>",
          text("--resume <session>"),
          text("ANTHROPIC_API_KEY"),
          "theme is not set",
        ],
      },
      {
        name: "have the name of the command, also where an alias was typed",
        see: (seen) => results(seen).map(({ local_command }) => local_command),
        is: [
          ...["usage", "context", "help", "permissions", "hooks", "memory", "mcp", "status", "skills", "model"],
          ...["effort", "rename", "add-dir", "rename", "resume", "login", "config", undefined],
        ],
      },
      {
        name: "change what comes after them",
        see: (seen) => [init(seen).model, ofKind(seen, "system/init").at(-1).model, seen.requests[0].model],
        is: [SONNET, "claude-opus-5-5", "claude-opus-5-5"],
      },
      {
        name: "change how the model is asked",
        see: ({ requests }) => requests[0].output_config,
        is: { effort: "low" },
      },
      {
        name: "name the session for all to see",
        see: (seen) => ofKind(seen, "system/session_title_changed").map(({ title }) => title),
        is: ["Ship it"],
      },
      { name: "ask no model", see: ({ requests }) => requests.length, is: 1 },
    ],
  },
  {
    name: "a new conversation",
    files: { "CLAUDE.md": "Be brief.\n", "a.txt": "alpha\n" },
    answers: {
      hooks: {
        SessionStart: [{ outputs: [{}] }],
        SessionEnd: [{ outputs: [{}] }],
      },
    },
    says: [{ calls: [read("a.txt")] }, { text: "one" }, { calls: [read("a.txt")] }, { text: "two" }],
    steps: [
      ...turn("first"),
      ...turn("/clear", { uuid: "22222222-2222-4222-8222-222222222222" }),
      ...turn("second"),
      ...turn("/cost"),
    ],
    cases: [
      {
        name: "is announced, then everything begins again",
        see: (seen) => {
          const lines = seen.messages.filter(({ type }) => type !== "command_lifecycle");
          const at = lines.findIndex(({ type }) => type === "conversation_reset");
          return lines.slice(at, at + 4).map(kindOf);
        },
        is: ["conversation_reset", "system/background_tasks_changed", "system/init", "result"],
      },
      {
        name: "is announced under the old id, with the prompt that asked for it",
        see: (seen) => {
          const { uuid, new_conversation_id, session_id, trigger, user_message_uuid } = ofKind(
            seen,
            "conversation_reset",
          )[0];
          return [uuid === new_conversation_id, session_id === init(seen).session_id, trigger, user_message_uuid];
        },
        is: [true, true, "clear", "22222222-2222-4222-8222-222222222222"],
      },
      {
        name: "has an id of its own from then on",
        see: (seen) => {
          const ids = ofKind(seen, "system/init").map(({ session_id }) => session_id);
          const last = results(seen).map(({ session_id }) => ids.indexOf(session_id));
          return [new Set(ids).size, last];
        },
        is: [2, [0, 1, 1, 1]],
      },
      {
        name: "ends with an empty result",
        see: (seen) => {
          const { result: output, local_command, num_turns, total_cost_usd, modelUsage } = results(seen)[1];
          return [output, local_command, num_turns, total_cost_usd, modelUsage];
        },
        is: ["", "clear", 0, 0, {}],
      },
      {
        name: "is all that the model knows, and it has the instructions again",
        see: ({ requests }) => [
          requests[2].messages.length,
          JSON.stringify(requests[2].messages).includes(`"first"`),
          JSON.stringify(requests[2].messages).includes("Be brief."),
        ],
        is: [1, false, true],
      },
      {
        name: "has read no file",
        see: (seen) => toldOf(seen, 4),
        is: [text("alpha")],
      },
      {
        name: "counts its own cost",
        see: (seen) => Object.values<any>(results(seen)[2].modelUsage).map(({ outputTokens }) => outputTokens),
        is: [40],
      },
      {
        name: "has a transcript of its own",
        see: ({ transcripts }) => transcripts.length,
        is: 2,
      },
      {
        name: "tells hooks that the old one ended and the new one began",
        only: "pipe",
        see: ({ asked }) =>
          asked
            .filter(({ subtype }) => subtype === "hook_callback")
            .map(({ input }) => [input.hook_event_name, input.source ?? input.reason]),
        is: expect.arrayContaining([
          ["SessionEnd", "clear"],
          ["SessionStart", "clear"],
        ]),
      },
    ],
  },
  {
    name: "a new conversation with a server",
    answers: {
      servers: {
        calc: {
          instructions: "Count with care.",
          tools: [{ name: "add", description: "Adds", inputSchema: { type: "object" }, gives: { content: [] } }],
        },
      },
    },
    says: [{ text: "one" }, { text: "two" }],
    steps: [...turn("a"), ...turn("/clear"), ...turn("b"), ...turn("/mcp")],
    cases: [
      {
        name: "has the tools and the instructions of the server again",
        see: ({ requests }) =>
          requests.map((request) => [
            JSON.stringify(request).includes("mcp__calc__add"),
            JSON.stringify(request).includes("Count with care."),
          ]),
        is: [
          [true, true],
          [true, true],
        ],
      },
      { name: "keeps it connected", see: (seen) => outputs(seen)[3], is: text("- calc: connected, 1 tool") },
    ],
  },
  {
    name: "an export",
    says: [{ text: "hello" }],
    answers: { canUseTool: [{ behavior: "deny", message: "Not there" }] },
    steps: [...turn("hi"), ...turn("/export"), ...turn("/export no.md")],
    cases: [
      {
        name: "shows the conversation",
        see: (seen) => outputs(seen)[1],
        is: "## User\n\nhi\n\n## Assistant\n\nhello",
      },
      {
        name: "asks before it writes, as the tool does",
        only: "pipe",
        see: ({ asked }) => asked.map(({ subtype, tool_name, input }) => [subtype, tool_name, input.file_path])[0],
        is: ["can_use_tool", "Write", "<project>/no.md"],
      },
      { name: "says why it was refused", see: (seen) => outputs(seen)[2], is: text("Not there") },
    ],
  },
  {
    name: "an export where edits are accepted",
    options: { permissionMode: "acceptEdits" },
    says: [{ text: "hello" }],
    steps: [...turn("hi"), ...turn("/export out.md"), ...turn("/export out.md")],
    cases: [
      {
        name: "writes the file",
        see: ({ files }) => files["out.md"],
        is: "## User\n\nhi\n\n## Assistant\n\nhello\n",
      },
      {
        name: "does not replace a file",
        see: (seen) => outputs(seen)[2],
        is: '"out.md" already exists; choose another name',
      },
    ],
  },
  {
    name: "commands switched off",
    options: { extraArgs: { "disable-slash-commands": null } },
    says: [{ text: "what?" }],
    steps: turn("/usage"),
    cases: [
      {
        name: "are text for the model",
        see: (seen) => heard(seen, 1),
        is: [expect.objectContaining({ text: "/usage" })],
      },
      { name: "are not listed", see: (seen) => init(seen).slash_commands, is: [] },
    ],
  },
  {
    name: "text that a client composed",
    says: [{ text: "what?" }],
    steps: turn("/usage", { client_composed: true }),
    cases: [
      { name: "is no command", see: (seen) => heard(seen, 1), is: [expect.objectContaining({ text: "/usage" })] },
    ],
  },
];
