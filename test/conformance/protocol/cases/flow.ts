// Requests while a run continues, what they change for the model, and taking back what was done to files.

import { expect } from "bun:test";
import { bash, kinds, ofKind, read, result, results, turn, write, type Scenario } from "../scenario.ts";

const [FIRST, SECOND] = ["11111111-2222-4333-8444-555555555555", "22222222-2222-4333-8444-555555555555"] as const;
const OK = { subtype: "success" };
const ok = (response: unknown) => ({ ...OK, response });
const DELTA = { until: { type: "stream_event", event: { type: "content_block_delta" } } };
const rewind = (user_message_id: string, more: object = {}) => ({ subtype: "rewind_files", user_message_id, ...more });
const thinkingOf = ({ requests }: { requests: readonly any[] }) => requests.map(({ thinking }) => thinking);

export const FLOW: readonly Scenario[] = [
  {
    name: "tools that the client calls by other names",
    options: { toolAliases: { Shell: "Bash", Read: "Shell", Loop: "Loop" }, allowedTools: ["Bash"] },
    says: [
      { calls: [{ name: "Shell", input: { command: "echo here", description: "x" } }] },
      { calls: [{ name: "Read", input: { file_path: "/etc/hostname" } }] },
      { calls: [{ name: "Loop", input: {} }] },
      { text: "done" },
    ],
    steps: turn("go"),
    cases: [
      {
        name: "are those tools, in one step and no more",
        see: (seen) => ofKind(seen, "user").map(({ message }) => message.content[0].content),
        is: [
          "here",
          "<tool_use_error>Error: No such tool available: Shell</tool_use_error>",
          "<tool_use_error>Error: No such tool available: Loop</tool_use_error>",
        ],
      },
      {
        name: "are shown as the model called them",
        see: (seen) => ofKind(seen, "assistant").flatMap(({ message }) => message.content[0].name ?? []),
        is: ["Shell", "Read", "Loop"],
      },
    ],
  },
  {
    name: "a server that reports limits",
    env: { ANTHROPIC_AUTH_TOKEN: "token-of-an-account" },
    says: [
      {
        status: 429,
        headers: {
          "retry-after": "0",
          "anthropic-ratelimit-unified-status": "rejected",
          "anthropic-ratelimit-unified-reset": "1894725583",
          "anthropic-ratelimit-unified-representative-claim": "five_hour",
        },
      },
      { text: "done" },
    ],
    steps: turn("go"),
    cases: [
      {
        name: "is quoted",
        see: (seen) => ofKind(seen, "rate_limit_event").map(({ rate_limit_info }) => rate_limit_info),
        is: [{ status: "rejected", resetsAt: 1894725583, rateLimitType: "five_hour", isUsingOverage: false }],
      },
    ],
  },
  {
    name: "plan mode chosen while the model answers",
    options: { includePartialMessages: true },
    says: [{ text: ["one", " more"], hold: "go", holdAfter: "first_delta" }, { text: "two" }],
    steps: [
      { say: "first" },
      DELTA,
      { ask: { subtype: "set_permission_mode", mode: "plan" }, as: "plan" },
      { release: "go" },
      { until: { type: "result" } },
      ...turn("second"),
    ],
    cases: [
      {
        name: "is told to the model with the next prompt, and starts nothing",
        see: (seen) => results(seen).map(({ result: text }) => text),
        is: ["one more", "two"],
      },
      {
        name: "is part of that request",
        see: ({ requests }) => requests.map(({ messages }) => JSON.stringify(messages).includes("lan mode")),
        is: [false, true],
      },
    ],
  },
  {
    name: "interrupt with prompts that wait",
    options: { includePartialMessages: true },
    says: [{ text: ["one"], hold: "never", holdAfter: "first_delta" }, { text: "two" }],
    steps: [
      { say: "first" },
      DELTA,
      { say: "second", more: { uuid: FIRST } },
      { until: { type: "command_lifecycle", state: "queued" } },
      { ask: { subtype: "interrupt" }, as: "stop" },
      { until: { type: "result" } },
      { until: { type: "result" } },
    ],
    cases: [
      {
        name: "names them",
        about: { subtype: "interrupt" },
        see: ({ replies }) => replies["stop"],
        is: ok({ still_queued: [FIRST] }),
      },
      {
        name: "lets them run",
        see: (seen) => results(seen).map(({ subtype }) => subtype),
        is: ["error_during_execution", "success"],
      },
      {
        name: "keeps what was said until then",
        see: ({ requests }) => JSON.stringify(requests[1].messages),
        is: expect.stringMatching(/first[^]*one[^]*interrupted by user[^]*second/),
      },
      {
        name: "marks what is unfinished",
        see: (seen) => ofKind(seen, "assistant").map(({ message, aborted }) => [message.content[0].text, aborted]),
        is: [
          ["one", true],
          ["two", undefined],
        ],
      },
      {
        name: "ends the deltas that had begun",
        see: (seen) =>
          ofKind(seen, "stream_event")
            .map(({ event }) => event.type)
            .slice(0, 6),
        is: [
          "message_start",
          "content_block_start",
          "content_block_delta",
          "content_block_stop",
          "message_stop",
          "message_start",
        ],
      },
    ],
  },
  {
    name: "interrupt that takes back what waits",
    only: "pipe",
    options: { includePartialMessages: true },
    says: [{ text: ["one"], hold: "never", holdAfter: "first_delta" }],
    steps: [
      { say: "first" },
      DELTA,
      { say: "second", more: { uuid: FIRST } },
      { say: "third", more: { uuid: SECOND } },
      { ask: { subtype: "interrupt", cancel_queued: true }, as: "stop" },
      { until: { type: "result" } },
    ],
    cases: [
      {
        name: "names what it took",
        see: ({ replies }) => replies["stop"],
        is: ok({ still_queued: [], cancelled: [FIRST, SECOND] }),
      },
      {
        name: "leaves one result and one request",
        see: (seen) => [results(seen).length, seen.requests.length],
        is: [1, 1],
      },
    ],
  },
  {
    name: "a request that is taken back",
    only: "pipe",
    says: [{ hold: "never", text: "no" }],
    steps: [
      { line: { type: "control_request", request_id: "r1", request: { subtype: "side_question", question: "what?" } } },
      { untilModel: 1 },
      { line: { type: "control_cancel_request", request_id: "r1" } },
      { ask: { subtype: "mcp_status" }, as: "next" },
    ],
    cases: [
      {
        name: "gets no answer",
        see: ({ order }) => order.filter((what) => what.startsWith("reply")),
        is: ["reply mcp_status 1"],
      },
      { name: "does not keep the program", see: ({ end }) => end.code, is: 0 },
    ],
  },
  {
    name: "what the model is asked with",
    options: { model: "claude-haiku-4-5" },
    says: [{ text: "1" }, { text: "2" }, { text: "3" }],
    steps: [
      { ask: { subtype: "set_max_thinking_tokens", max_thinking_tokens: 2000 }, as: "some" },
      ...turn("one"),
      { ask: { subtype: "set_max_thinking_tokens", max_thinking_tokens: null }, as: "usual" },
      ...turn("two"),
      { ask: { subtype: "set_max_thinking_tokens", max_thinking_tokens: 0 }, as: "none" },
      { ask: { subtype: "set_model", model: "claude-sonnet-4-6" }, as: "model" },
      { ask: { subtype: "apply_flag_settings", settings: { effortLevel: "low" } }, as: "effort" },
      ...turn("three"),
    ],
    cases: [
      {
        name: "has the budget that was set",
        see: (seen) => thinkingOf(seen)[0],
        is: { type: "enabled", budget_tokens: 2000 },
      },
      {
        name: "without one has what suits the model",
        see: (seen) => thinkingOf(seen)[1],
        is: { type: "enabled", budget_tokens: 31_999 },
      },
      { name: "with nothing to spend thinks nothing", see: (seen) => thinkingOf(seen)[2], is: { type: "disabled" } },
      {
        name: "is the model that was set",
        see: ({ requests }) => requests.map(({ model }) => model),
        is: ["claude-haiku-4-5", "claude-haiku-4-5", "claude-sonnet-4-6"],
      },
      { name: "has the effort that was set", see: ({ requests }) => requests[2].output_config, is: { effort: "low" } },
      {
        name: "is in the next init",
        see: (seen) => ofKind(seen, "system/init").map(({ model }) => model),
        is: ["claude-haiku-4-5", "claude-haiku-4-5", "claude-sonnet-4-6"],
      },
    ],
  },
  {
    name: "a command in the background",
    options: { allowedTools: ["Bash"] },
    says: [{ calls: [bash("sleep 60", { run_in_background: true, description: "slow" })] }, { text: "running" }],
    steps: [
      { say: "go" },
      { until: { type: "result" } },
      { ask: { subtype: "stop_task", task_id: "<task>" }, as: "stop" },
    ],
    cases: [
      {
        name: "is told when it starts",
        see: (seen) => ofKind(seen, "system/task_started")[0],
        is: expect.objectContaining({
          task_id: expect.stringMatching(/^b[0-9a-z]{8}$/),
          tool_use_id: "call_1_1",
          description: "slow",
          task_type: "local_bash",
        }),
      },
      {
        name: "is listed before it is told",
        see: (seen) =>
          kinds(seen)
            .filter((kind) => /background_tasks_changed|task_started/.test(kind))
            .slice(0, 2),
        is: ["system/background_tasks_changed", "system/task_started"],
      },
      {
        name: "is stopped on request",
        about: { subtype: "stop_task" },
        see: ({ replies }) => replies["stop"],
        is: ok({}),
      },
      {
        name: "is told when it was stopped, before the answer",
        only: "pipe",
        see: ({ order }) => order.slice(0, order.indexOf("reply stop_task 1")).slice(-3),
        is: ["system/task_updated", "system/task_notification", "system/background_tasks_changed"],
      },
      {
        name: "is told as killed, then as stopped",
        see: (seen) => [
          ofKind(seen, "system/task_updated").at(-1).patch.status,
          ofKind(seen, "system/task_notification").map(({ status }) => status),
        ],
        is: ["killed", ["stopped"]],
      },
      {
        name: "has what clients need to be told",
        see: (seen) => ofKind(seen, "system/task_notification")[0],
        is: expect.objectContaining({
          task_id: expect.any(String),
          output_file: expect.any(String),
          summary: expect.any(String),
          uuid: expect.any(String),
          session_id: expect.any(String),
        }),
      },
      { name: "stopped by the client starts no run", see: (seen) => results(seen).length, is: 1 },
    ],
  },
  {
    name: "files taken back",
    files: { "w.txt": "alpha\n" },
    options: { enableFileCheckpointing: true, permissionMode: "acceptEdits" },
    says: [
      { calls: [read("w.txt")] },
      { calls: [write("w.txt", "beta\n")] },
      { text: "one" },
      { calls: [write("w.txt", "gamma\n"), write("made.txt", "1\n2\n")] },
      { text: "two" },
    ],
    steps: [
      ...turn("first", { uuid: FIRST }),
      ...turn("second", { uuid: SECOND }),
      { ask: rewind(SECOND, { dry_run: true }), as: "preview" },
      { ask: rewind(SECOND), as: "second" },
      { ask: { subtype: "read_file", path: "w.txt" }, as: "between" },
      { ask: rewind(FIRST), as: "first" },
    ],
    cases: [
      {
        name: "can be looked at first",
        about: rewind(SECOND),
        see: ({ replies }) => replies["preview"],
        is: ok({
          canRewind: true,
          filesChanged: ["<project>/w.txt", "<project>/made.txt"],
          insertions: 1,
          deletions: 3,
        }),
      },
      {
        name: "one prompt after the other",
        about: rewind(SECOND),
        see: ({ replies }) => replies["second"],
        is: ok({ canRewind: true, skippedLinks: 0 }),
      },
      {
        name: "are as they were before the second prompt",
        see: ({ replies }) => replies["between"].response.contents,
        is: "beta\n",
      },
      {
        name: "are noted prompt by prompt",
        see: ({ entries }) =>
          entries
            .filter(({ type }) => type.startsWith("file-history"))
            .map(({ type, messageId, snapshotMessageId }) => [type, snapshotMessageId ?? messageId]),
        is: [
          ["file-history-snapshot", FIRST],
          ["file-history-delta", FIRST],
          ["file-history-snapshot", SECOND],
          ["file-history-delta", SECOND],
        ],
      },
      {
        name: "are noted with the entry that holds the call",
        see: ({ entries }) => {
          const holders = entries.filter(({ message }) => message?.content?.[0]?.name === "Write");
          const [change] = entries.filter(({ type }) => type === "file-history-delta");
          return holders.some(({ uuid }) => uuid === change.messageId);
        },
        is: true,
      },
      {
        name: "that were not there have no copy",
        see: ({ entries }) => entries.filter(({ type }) => type === "file-history-delta").at(-1).backup.backupFileName,
        is: null,
      },
      {
        name: "are as they were at first, and what was made is gone",
        see: ({ files }) => files,
        is: { "w.txt": "alpha\n" },
      },
    ],
  },
  {
    name: "files of a session without checkpoints",
    options: { permissionMode: "acceptEdits" },
    says: [{ calls: [write("a", "x")] }, { text: "one" }],
    steps: [...turn("first", { uuid: FIRST }), { ask: rewind(FIRST), as: "rewind" }],
    cases: [
      {
        name: "cannot be taken back",
        about: rewind(FIRST),
        see: ({ replies }) => replies["rewind"],
        is: { subtype: "error", error: "File rewinding is not enabled." },
      },
      { name: "are not copied", see: ({ config }) => config.includes("file-history"), is: false },
    ],
  },
  {
    name: "a file the client has shown",
    files: { "a.txt": "old\n" },
    options: { permissionMode: "acceptEdits" },
    says: [{ calls: [write("a.txt", "new\n")] }, { text: "done" }],
    steps: [
      { ask: { subtype: "seed_read_state", path: "a.txt", mtime: 9_999_999_999_999 }, as: "seed" },
      ...turn("go"),
    ],
    cases: [{ name: "may be edited without being read", see: ({ files }) => files["a.txt"], is: "new\n" }],
  },
  {
    name: "a file that changed since the client showed it",
    files: { "a.txt": "old\n" },
    options: { permissionMode: "acceptEdits" },
    says: [{ calls: [write("a.txt", "new\n")] }, { text: "done" }],
    steps: [{ ask: { subtype: "seed_read_state", path: "a.txt", mtime: 1_000 }, as: "seed" }, ...turn("go")],
    cases: [{ name: "must be read first", see: ({ files }) => files["a.txt"], is: "old\n" }],
  },
  {
    name: "requests before, during and after a run",
    says: [{ text: "hello", hold: "go" }],
    steps: [
      { ask: { subtype: "get_context_usage" }, as: "before" },
      { say: "hi" },
      { untilModel: 1 },
      { ask: { subtype: "get_context_usage" }, as: "during" },
      { ask: { subtype: "set_permission_mode", mode: "acceptEdits" }, as: "mode" },
      { release: "go" },
      { until: { type: "result" } },
      { ask: { subtype: "get_context_usage" }, as: "after" },
    ],
    cases: [
      {
        name: "are all answered",
        see: ({ replies }) => Object.values(replies).map(({ subtype }) => subtype),
        is: Array(4).fill("success"),
      },
      { name: "leave the run alone", see: (seen) => result(seen).result, is: "hello" },
    ],
  },
];
