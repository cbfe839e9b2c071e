// Shows a run as it happens: text as it is written, calls as they are made, and their results.
//   bun examples/sdk/streaming-ui.ts "what is in this folder?"

import process from "node:process";
import { query, type SDKMessage } from "@keelson/sdk";

const print = (text: string) => void process.stdout.write(text);
/** True in the middle of a line. */
let isOpen = false;

function line(text: string): void {
  print(`${isOpen ? "\n" : ""}${text}\n`);
  isOpen = false;
}

function show(message: SDKMessage): void {
  switch (message.type) {
    case "stream_event": {
      const { event } = message;
      if (event.type !== "content_block_delta" || event.delta.type !== "text_delta") return;
      print(event.delta.text);
      isOpen = !event.delta.text.endsWith("\n");
      return;
    }
    case "assistant":
      // The whole block, once it is finished. Its text has already been shown in pieces.
      for (const block of message.message.content) {
        if (block.type === "tool_use") line(`* ${block.name} ${JSON.stringify(block.input)}`);
      }
      return;
    case "user": {
      const { content } = message.message;
      for (const block of typeof content === "string" ? [] : content) {
        if (block.type === "tool_result") line(`  ${block.is_error ? "failed" : "done"}: ${firstLine(block.content)}`);
      }
      return;
    }
    case "system":
      if (message.subtype === "api_retry") line(`(no answer yet; trying again in ${message.retry_delay_ms} ms)`);
      return;
    case "result":
      line(`${message.subtype}, ${message.num_turns} turns, ${(message.duration_ms / 1000).toFixed(1)} s`);
  }
}

function firstLine(content: unknown): string {
  const text = typeof content === "string" ? content : JSON.stringify(content ?? "");
  return text.split("\n")[0]!.slice(0, 80);
}

const running = query({ prompt: process.argv[2] ?? "What is here?", options: { includePartialMessages: true } });
// Ctrl+C ends the loop below without an error; the session is kept and can be resumed.
process.once("SIGINT", () => running.close());
for await (const message of running) show(message);
