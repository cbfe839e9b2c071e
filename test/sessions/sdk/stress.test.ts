// The SDK and the real program under stress: many at once, killed at any point, readers that stop, long lines. Checks
// what an application would notice, and what is left behind.

import { afterAll, expect, test } from "bun:test";
import { spawn } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { query, type Options } from "@keelson/sdk";
import { readTranscript, startMockModel, temporaryHome, transcriptFiles, type TemporaryHome } from "@keelson/testkit";
import { door, handedOut, read, resultsOf, says, textOf } from "./door.ts";
import { bash, MOMENTS, processesNamed, SCRIPTS, upTo } from "./moments.ts";
import { isRunning, until } from "../processes.ts";

/** What was measured; shown with KEELSON_FIGURES=1. */
const figures: Record<string, string> = {};
afterAll(() => {
  if (process.env["KEELSON_FIGURES"]) console.log(figures);
});

test("a hundred queries at once in one folder: none is lost or mixed up, and memory is bounded", async () => {
  using home = temporaryHome({ git: true });
  const count = 100;
  const before = readdirSync(home.project);
  await using model = await startMockModel(({ messages }: any) => {
    const prompt = JSON.stringify(messages[0]).match(/number (\d+)/)![1];
    const isAnswered = JSON.stringify(messages.at(-1)).includes("tool_result");
    return isAnswered ? { text: `done ${prompt}` } : bash(`mkdir made-${prompt}`);
  });
  const asked: string[] = [];
  const memory = process.memoryUsage.rss();

  const one = async (number: number) => {
    const canUseTool: Options["canUseTool"] = async (_, input) => {
      asked.push(`${number}: ${input["command"]}`);
      return { behavior: "allow" };
    };
    const messages = await read(query({ prompt: `number ${number}`, options: { ...door(home, model), canUseTool } }));
    expect(new Set(messages.map(({ session_id }) => session_id)).size).toBe(1);
    return textOf(messages);
  };
  const numbers = Array.from({ length: count }, (_, number) => number);
  expect(await Promise.all(numbers.map(one))).toEqual(numbers.map((number) => `done ${number}`));

  const made = numbers.map((number) => `made-${number}`);
  expect(asked.toSorted()).toEqual(made.map((name, number) => `${number}: mkdir ${name}`).toSorted());
  expect(readdirSync(home.project).toSorted()).toEqual([...before, ...made].toSorted());
  const grown = process.memoryUsage.rss() - memory;
  figures[`application memory, ${count} queries`] = megabytes(grown);
  expect(grown).toBeLessThan(400e6);
});

test.each(MOMENTS)(
  "a program killed when %s is a typed error with its last stderr, and resumes with all that was seen",
  async (moment) => {
    using home = temporaryHome();
    await using model = await startMockModel(SCRIPTS[moment]);
    const sessionId = crypto.randomUUID();
    const options = { ...door(home, model), sessionId };
    // Prints to stderr, then becomes the program.
    const talkative = ["-c", `echo "said last" >&2; exec "$@"`, "sh", ...commandOf(options)];
    const kill = async () => {
      await until(() => processesNamed(sessionId).length > 0, "nothing was started");
      for (const pid of processesNamed(sessionId)) process.kill(pid, "SIGKILL");
    };
    const { seen, error } = await upTo(
      moment,
      { ...options, pathToKeelsonExecutable: "/bin/sh", executableArgs: talkative },
      () => void kill(),
    );

    expect({ name: error?.name, errorClass: error?.errorClass, signal: error?.signal }).toEqual({
      name: "ProcessError",
      errorClass: "process_exited_nonzero",
      signal: "SIGKILL",
    });
    if (moment !== "it starts") expect(error.stderr).toContain("said last");
    await until(() => !somethingRuns(home, sessionId), "something is left");

    const shown = seen.flatMap((message) => (message.type === "assistant" ? [message.uuid as string] : []));
    if (shown.length > 0) {
      const kept = new Set(readTranscript(home).map((entry: any) => entry.uuid));
      expect(shown.filter((uuid) => !kept.has(uuid))).toEqual([]);
    }
    await using afterwards = await startMockModel([{ text: "went on" }]);
    const hasBegun = transcriptFiles(home).length > 0;
    const again = { ...door(home, afterwards), ...(hasBegun ? { resume: sessionId } : { sessionId }) };
    expect(textOf(await read(query({ prompt: "go on", options: again })))).toBe("went on");
    if (moment === "a run has ended")
      expect(JSON.stringify(afterwards.requests[0]!.body.messages)).toContain("first answer");
  },
);

test("a program killed at any message: what was shown before is kept, and the session can be resumed", async () => {
  using home = temporaryHome();
  const script = [{ text: ["Let me", " look"], ...bash("ls") }, { text: ["There", " is", " nothing"] }];
  let session: string | undefined;
  let messages = Infinity;
  for (let at = 1; at < messages; at++) {
    await using model = await startMockModel(script);
    const again = session === undefined ? {} : { resume: session };
    const options: Options = { ...door(home, model), ...again, allowedTools: ["Bash"], includePartialMessages: true };
    const running = query({ prompt: `prompt ${at}`, options });
    const { pid } = await running.initializationResult();
    const shown: string[] = [];
    let count = 0;
    const reading = (async () => {
      for await (const message of running) {
        session = message.session_id;
        if (message.type === "assistant" || message.type === "user") shown.push(message.uuid!);
        if (++count === at) process.kill(pid!, "SIGKILL");
      }
    })();
    const error = await reading.catch((reason: any) => reason);
    // Some messages arrive together; by the last of them the program has already ended.
    if (error !== undefined) expect([error.name, error.signal]).toEqual(["ProcessError", "SIGKILL"]);
    else messages = count;
    const kept = new Set(readTranscript(home).map((entry: any) => entry.uuid));
    expect(shown.filter((uuid) => !kept.has(uuid))).toEqual([]);
    if (at > 40) throw new Error("It never ended");
  }
  expect(messages).toBeGreaterThan(8);
});

test.each(MOMENTS.flatMap((moment) => [[moment, "itself"] as const, [moment, "through a launcher"] as const]))(
  "an application killed when %s, having started the program %s, leaves nothing behind",
  async (moment, how) => {
    using home = temporaryHome();
    await using model = await startMockModel(SCRIPTS[moment]);
    const sessionId = crypto.randomUUID();
    const options = { ...door(home, model), sessionId };
    const app = spawn(process.execPath, [fileURLToPath(new URL("moments.ts", import.meta.url))], {
      stdio: ["ignore", "pipe", "inherit"],
      env: {
        ...process.env,
        APPLICATION: JSON.stringify({ moment, options: how === "itself" ? options : launched(home, options) }),
      },
    });
    await new Promise((resolve, reject) => {
      app.stdout.once("data", resolve);
      app.once("exit", () => reject(new Error("The application ended too soon")));
    });
    expect(processesNamed(sessionId).length).toBeGreaterThan(0);
    app.kill("SIGKILL");
    await until(() => !somethingRuns(home, sessionId), "something is left");
  },
);

test("a reader that stops delays only its own query, and memory is bounded", async () => {
  using home = temporaryHome();
  const piece = "x".repeat(1_000);
  const count = 40_000;
  const script = ({ messages }: any) =>
    JSON.stringify(messages).includes("much") ? { text: Array(count).fill(piece) } : { text: "quick" };
  await using model = await startMockModel(script);
  const options = { ...door(home, model), includePartialMessages: true };
  const running = query({ prompt: "say much", options });
  const { pid } = await running.initializationResult();
  const deltas = (message: any) => (message.event?.type === "content_block_delta" ? 1 : 0);
  let heard = 0;
  while (heard === 0) heard += deltas((await running.next()).value);
  const memory = { application: process.memoryUsage.rss(), program: memoryOf(pid!) };

  // While no one reads, other queries are answered, and so are requests on this one as long as there is room.
  const others = await Promise.all([1, 2, 3].map(() => read(query({ prompt: "hi", options: door(home, model) }))));
  expect(others.map(textOf)).toEqual(["quick", "quick", "quick"]);
  home.write("note.txt", "still here");
  expect((await running.readFile(join(home.project, "note.txt")))?.contents).toBe("still here");
  const grown = {
    application: process.memoryUsage.rss() - memory.application,
    program: memoryOf(pid!) - memory.program,
  };
  figures["stopped reader, application"] = megabytes(grown.application);
  figures["stopped reader, program"] = megabytes(grown.program);
  expect(grown.application).toBeLessThan(300e6);
  expect(grown.program).toBeLessThan(200e6);

  for await (const message of running) {
    heard += deltas(message);
    if (message.type === "result") expect((message as any).result.length).toBe(count * piece.length);
  }
  expect(heard).toBe(count);
});

test("lines of several megabytes, both ways", async () => {
  using home = temporaryHome();
  const long = (letter: string) => letter.repeat(3_000_000);
  const path = join(home.project, "long.txt");
  await using model = await startMockModel([
    { text: long("a"), calls: [{ name: "Write", input: { file_path: path, content: long("b") } }] },
    { text: "done" },
  ]);
  const options: Options = {
    ...door(home, model),
    canUseTool: async (_, input) => {
      expect(input["content"] === long("b")).toBe(true);
      return { behavior: "allow", updatedInput: { ...input, content: long("c") } };
    },
  };
  const messages = await read(query({ prompt: long("p"), options }));
  expect(textOf(messages)).toBe("done");
  expect(JSON.stringify(model.requests[0]!.body.messages).includes(long("p"))).toBe(true);
  const texts = messages
    .flatMap((message: any) => message.message?.content ?? [])
    .flatMap(({ text }: any) => text ?? []);
  expect(texts.includes(long("a"))).toBe(true);
  expect(readFileSync(path, "utf8") === long("c")).toBe(true);
});

test("ten thousand requests in any order, while prompts run, each get their own answer", async () => {
  using home = temporaryHome();
  const paths = Array.from({ length: 20 }, (_, n) => home.write(`${n}.txt`, `content ${n}`));
  await using model = await startMockModel([bash("ls"), { text: "one" }, { text: "two" }]);
  const prompts = handedOut<any>();
  const options = { ...door(home, model), allowedTools: ["Bash"], joinQueuedPrompts: false };
  const running = query({ prompt: prompts.items, options });
  const reading = read(running);
  const kinds: readonly ((n: number) => Promise<boolean>)[] = [
    async (n) => (await running.readFile(paths[n % 20]!))?.contents === `content ${n % 20}`,
    async (n) => (await running.readFile(`/nowhere/${n}`)) === null,
    async () => Array.isArray(await running.mcpServerStatus()),
    async () => (await running.setPermissionMode("acceptEdits")) === undefined,
    async () => Array.isArray(await running.supportedCommands()),
    async () => (await running.setModel("claude-haiku-4-5")) === undefined,
  ];
  const warnings: string[] = [];
  const onWarning = ({ name }: Error) => void warnings.push(name);
  process.on("warning", onWarning);
  const draw = random(5);
  const asked = Array.from({ length: 10_000 }, (_, n) => {
    if (n === 3_000 || n === 6_000) prompts.give(says(`prompt ${n}`));
    return kinds[Math.floor(draw() * kinds.length)]!(n);
  });
  const answers = await Promise.all(asked);
  prompts.end();
  process.off("warning", onWarning);
  expect([answers.filter((isRight) => isRight).length, warnings]).toEqual([10_000, []]);
  expect(resultsOf(await reading).map((result: any) => result.result)).toEqual(["one", "two"]);
});

test("partial messages come through by the ten thousand, and none is lost", async () => {
  using home = temporaryHome();
  const count = 60_000;
  await using model = await startMockModel([{ text: Array(count).fill("word ") }], { chunkBytes: 65_536 });
  let heard = 0;
  let text = "";
  let first = 0;
  let last = 0;
  const options = { ...door(home, model), includePartialMessages: true };
  for await (const message of query({ prompt: "speak", options })) {
    if (message.type !== "stream_event") continue;
    heard++;
    const { event } = message as any;
    if (event.type === "content_block_delta") text += event.delta.text;
    last = performance.now();
    first ||= last;
  }
  const rate = (heard / (last - first)) * 1000;
  figures["partial messages per second"] = rate.toFixed(0);
  expect(text).toBe("word ".repeat(count));
});

function commandOf({ pathToKeelsonExecutable, executableArgs = [] }: Options): string[] {
  return [pathToKeelsonExecutable!, ...executableArgs];
}

/** The same program behind a launcher process such as npm's. */
function launched(home: TemporaryHome, options: Options): Options {
  const [program, ...args] = commandOf(options);
  const passThrough = JSON.stringify(new URL("../../../scripts/pass-through.mjs", import.meta.url).href);
  const launcher = home.write(
    "~/launcher.mjs",
    `import { passThrough } from ${passThrough};
     passThrough(${JSON.stringify(program)}, [...${JSON.stringify(args)}, ...process.argv.slice(2)]);`,
  );
  return { ...options, pathToKeelsonExecutable: launcher, executable: "node", executableArgs: [] };
}

/** The program, its launcher, or the command it ran. */
function somethingRuns(home: TemporaryHome, sessionId: string): boolean {
  const path = join(home.project, "pid");
  const command = existsSync(path) ? Number(readFileSync(path, "utf8")) : 0;
  return processesNamed(sessionId).length > 0 || (command > 0 && isRunning(command));
}

function memoryOf(pid: number): number {
  return Number(readFileSync(`/proc/${pid}/status`, "utf8").match(/VmRSS:\s+(\d+)/)![1]) * 1024;
}

const megabytes = (bytes: number) => `${(bytes / 1e6).toFixed(0)} MB`;

/** The same numbers every time. */
function random(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}
