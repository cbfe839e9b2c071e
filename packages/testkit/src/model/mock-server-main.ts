// The mock model as a program, for tests in other languages: `bun mock-server-main.ts script.json [--requests]`. Prints
// `{"url":…}` first; with --requests, one `{"request":…}` line per request. Ends when its stdin ends.

import { startMockModel, type MockModelOptions } from "./mock-server.ts";
import type { Failure, ScriptedReply } from "./reply.ts";

/** The file: a list of replies, or an object with the list and options. */
type ScriptFile =
  | readonly (ScriptedReply | Failure)[]
  | { readonly script: readonly (ScriptedReply | Failure)[]; readonly options?: Omit<MockModelOptions, "countTokens"> };

const args = process.argv.slice(2);
const path = args.find((arg) => !arg.startsWith("--"));
if (path === undefined) {
  console.error("Usage: bun mock-server-main.ts script.json [--requests]");
  process.exit(2);
}

const file: ScriptFile = await Bun.file(path).json();
const { script, options } = "script" in file ? file : { script: file, options: undefined };
await using model = await startMockModel(script, options);
print({ url: model.url });

// Waiting for the next request is cancelled when the server closes, which is not a failure.
if (args.includes("--requests")) printRequests().catch(() => {});
await Bun.stdin.stream().pipeTo(new WritableStream());

async function printRequests(): Promise<void> {
  for (let number = 1; ; number++) {
    const { method, path, headers, body } = await model.waitForRequest(number);
    print({ request: { number, method, path, headers, body } });
  }
}

function print(value: object): void {
  process.stdout.write(`${JSON.stringify(value)}\n`);
}
