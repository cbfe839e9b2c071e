// The process behind a query: how it may end, what the application is told, and what is left behind.

import { expect, test } from "bun:test";
import { spawn } from "node:child_process";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { query, type Options, type SDKMessage } from "@keelson/sdk";
import { startMockModel, temporaryHome, type ScriptedReply, type ScriptStep } from "@keelson/testkit";
import { door, handedOut, read, resultsOf, textOf } from "./door.ts";
import { gone, pidIn } from "../processes.ts";

const bash = (command: string): ScriptedReply => ({ calls: [{ name: "Bash", input: { command } }] });
const failure = (promise: Promise<unknown>): Promise<any> =>
  promise.then(
    () => undefined,
    (error: unknown) => error,
  );

/** Ends the program in the given moment; what the application is told, and whether the session continues. */
async function killed(when: (message: SDKMessage) => boolean, script: readonly ScriptStep<any>[]) {
  using home = temporaryHome();
  await using model = await startMockModel([...script]);
  const options: Options = { ...door(home, model), allowedTools: ["Bash"], includePartialMessages: true };
  const running = query({ prompt: "work", options });
  const { pid } = await running.initializationResult();
  let session = "";
  const error = await failure(
    (async () => {
      for await (const message of running) {
        session = message.session_id ?? session;
        if (when(message)) process.kill(pid!, "SIGKILL");
      }
    })(),
  );
  await using afterwards = await startMockModel([{ text: "went on" }]);
  const resumed = await read(query({ prompt: "go on", options: { ...door(home, afterwards), resume: session } }));
  return { error, resumed: textOf(resumed) };
}

test.each([
  ["before the first word", (message: SDKMessage) => message.type === "system", [{ hang: true }]],
  [
    "in the middle of a reply",
    (message: SDKMessage) => message.type === "stream_event" && message.event.type === "content_block_delta",
    [{ text: ["Half", " of it"], hold: new Promise(() => {}), holdAfter: 3 }],
  ],
  ["while a tool runs", (message: SDKMessage) => message.type === "assistant", [bash("echo begun; sleep 1000")]],
] as [string, (message: SDKMessage) => boolean, ScriptStep<any>[]][])(
  "a program killed %s is an error with a name, and its session can be resumed",
  async (_, when, script) => {
    const { error, resumed } = await killed(when, script);
    expect({ name: error.name, signal: error.signal, exitCode: error.exitCode, errorClass: error.errorClass }).toEqual({
      name: "ProcessError",
      signal: "SIGKILL",
      exitCode: null,
      errorClass: "process_exited_nonzero",
    });
    expect(resumed).toBe("went on");
  },
);

test("a program that refuses to start says why", async () => {
  using home = temporaryHome();
  await using model = await startMockModel([]);
  const heard: string[] = [];
  const options = {
    ...door(home, model),
    extraArgs: { "no-such-flag": null },
    stderr: (text: string) => heard.push(text),
  };
  const error = await failure(read(query({ prompt: "hi", options })));
  expect([error.name, error.exitCode]).toEqual(["ProcessError", 1]);
  expect(error.stderr).toContain("no-such-flag");
  expect(heard.join("")).toBe(error.stderr);
});

test("a folder and a program that are not there are told apart", async () => {
  using home = temporaryHome();
  await using model = await startMockModel([]);
  const nowhere = join(home.root, "nowhere");
  const noFolder = await failure(read(query({ prompt: "hi", options: { ...door(home, model), cwd: nowhere } })));
  expect([noFolder.name, noFolder.message]).toEqual(["CLIConnectionError", `The folder "${nowhere}" does not exist`]);
  const noProgram = await failure(
    read(query({ prompt: "hi", options: { ...door(home, model), pathToKeelsonExecutable: nowhere } })),
  );
  expect([noProgram.errorClass, noProgram.code]).toEqual(["executable_not_found", "ENOENT"]);
});

test("aborting ends the program and the command it was running", async () => {
  using home = temporaryHome();
  await using model = await startMockModel([bash("echo $$ > pid; sleep 1000")]);
  const abortController = new AbortController();
  const running = query({ prompt: "work", options: { ...door(home, model), allowedTools: ["Bash"], abortController } });
  const reading = failure(read(running));
  const { pid } = await running.initializationResult();
  const command = await pidIn(home);
  abortController.abort();
  expect((await reading).name).toBe("AbortError");
  await gone(pid!);
  await gone(command);
});

test.each([
  ["SIGKILL", "killed"],
  ["SIGTERM", "told to end"],
] as const)("an application ended by %s leaves nothing behind", async (signal) => {
  using home = temporaryHome();
  await using model = await startMockModel([bash("echo $$ > pid; sleep 1000")]);
  const options = { ...door(home, model), allowedTools: ["Bash"] };
  const sdk = fileURLToPath(new URL("../../../packages/sdk/src/index.ts", import.meta.url));
  const script = home.write(
    "app.ts",
    `import { query } from ${JSON.stringify(sdk)};
     const running = query({ prompt: "work", options: ${JSON.stringify(options)} });
     running.initializationResult().then(({ pid }) => console.log(pid));
     for await (const message of running) void message;`,
  );
  const app = spawn(process.execPath, [script], { stdio: ["ignore", "pipe", "inherit"] });
  const pid = Number(await new Promise<Buffer>((resolve) => app.stdout.once("data", resolve)));
  const command = await pidIn(home);
  app.kill(signal);
  await gone(pid);
  await gone(command);
});

test("closing while a question is open withdraws it", async () => {
  using home = temporaryHome();
  await using model = await startMockModel([bash("touch a")]);
  const withdrawn = handedOut<boolean>();
  const running = query({
    prompt: "work",
    options: {
      ...door(home, model),
      canUseTool: (_, __, { signal }) =>
        new Promise((resolve) => {
          signal.addEventListener("abort", () => {
            withdrawn.give(true);
            resolve(null);
          });
          running.close();
        }),
    },
  });
  expect(resultsOf(await read(running))).toEqual([]);
  for await (const isWithdrawn of withdrawn.items) {
    expect(isWithdrawn).toBe(true);
    break;
  }
});
