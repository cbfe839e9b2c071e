// Warm-up: runs a few sessions with fake I/O while the program waits for a claim, because code runs slower the first time
// (14 ms from the claim to the first request; 6 ms after this). No home, no settings, no network, nothing saved.

import { toLine } from "@keelson/protocol";
import { devNull } from "node:os";
import { dirname } from "node:path";
import type { ProcessIO } from "../process/process-io.ts";

type Main = (argv: readonly string[], io: ProcessIO) => Promise<number>;

const TIMES = 3;

const ARGUMENTS = [
  "--output-format=stream-json",
  "--verbose",
  "--input-format=stream-json",
  "--no-session-persistence",
  "--setting-sources=",
  "--strict-mcp-config",
];

/** Ignores errors: a real session would fail the same way and report it. */
export async function rehearse(io: ProcessIO, main: Main): Promise<void> {
  const client = startClient();
  for (let time = 0; time < TIMES; time++) await main(ARGUMENTS, nowhere(io)).catch(() => undefined);
  await client;
}

/** I/O that reads nothing and discards everything: no file can exist below a device. */
function nowhere({ platform, sessions }: ProcessIO): ProcessIO {
  return {
    cwd: dirname(devNull),
    home: devNull,
    managedDir: devNull,
    env: {
      // A data URL contains its own response, so the request never leaves the process.
      ANTHROPIC_BASE_URL: `data:text/event-stream,${encodeURIComponent(REPLY.map(toEvent).join(""))}`,
      ANTHROPIC_API_KEY: "none",
      CLAUDE_CODE_MAX_RETRIES: "0",
    },
    platform,
    terminal: { stdin: false, stdout: false },
    sessions,
    stdin: played,
    write: () => undefined,
    error: () => undefined,
    append: () => undefined,
    wait: async () => undefined,
    onSignal: () => () => undefined,
    exit: () => undefined,
  };
}

/** The first request starts the thread of Bun's HTTP client. This one goes to a socket that cannot exist. */
async function startClient(): Promise<void> {
  await fetch("http://localhost/", { unix: `${devNull}/none` }).catch(() => undefined);
}

async function* played(): AsyncGenerator<Uint8Array> {
  const content = [{ type: "text", text: "hello" }];
  const lines = [
    { type: "control_request", request_id: "1", request: { subtype: "initialize" } },
    { type: "user", message: { role: "user", content }, parent_tool_use_id: null, session_id: "" },
  ];
  yield Buffer.from(lines.map((line) => toLine(line)).join(""));
}

const REPLY = [
  {
    type: "message_start",
    message: {
      id: "msg_1",
      type: "message",
      role: "assistant",
      model: "none",
      content: [],
      stop_reason: null,
      stop_sequence: null,
      usage: { input_tokens: 1, output_tokens: 1 },
    },
  },
  { type: "content_block_start", index: 0, content_block: { type: "text", text: "" } },
  { type: "content_block_delta", index: 0, delta: { type: "text_delta", text: "hello" } },
  { type: "content_block_stop", index: 0 },
  { type: "message_delta", delta: { stop_reason: "end_turn", stop_sequence: null }, usage: { output_tokens: 1 } },
  { type: "message_stop" },
];

const toEvent = (data: { readonly type: string }) => `event: ${data.type}\ndata: ${JSON.stringify(data)}\n\n`;
