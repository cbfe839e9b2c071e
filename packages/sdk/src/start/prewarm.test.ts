import { afterAll, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { collect, fakeProgram, result, type FakeProgram } from "../fake-program.test-support.ts";
import { prewarm } from "./prewarm.ts";
import { query } from "../query/query.ts";
import { keepSpares } from "./spares.ts";
import { startup } from "./startup.ts";

const folder = mkdtempSync(join(tmpdir(), "keelson-sdk-"));
afterAll(() => rmSync(folder, { recursive: true }));

const optionsFor = (program: FakeProgram) => ({
  pathToKeelsonExecutable: "keelson",
  spawnClaudeCodeProcess: program.spawn,
  env: { A: "1" },
});
const parked = { type: "keep_alive", startup_mark: "parked" };
const failure = (promise: Promise<unknown>): Promise<any> =>
  promise.then(
    () => undefined,
    (error: unknown) => error,
  );

test("startup() waits for initialize, and its query only needs the prompt", async () => {
  const program = fakeProgram();
  const starting = startup({ options: optionsFor(program) });
  program.answer((await program.request("initialize")).request_id, { models: [] });
  const warm = await starting;
  expect(program.started!.env["CLAUDE_CODE_SDK_READS_STARTUP_MARKS"]).toBe("1");
  expect(program.heard.length).toBe(1);
  // Nothing sent before the prompt can end what has not begun.
  program.say({ type: "system", subtype: "background_tasks_changed", tasks: [] });

  const running = warm.query("hi");
  await program.hears(({ type }) => type === "user");
  program.say(result("hello"));
  program.exit(0);
  expect((await collect(running)).at(-1)).toEqual(result("hello") as any);
  expect(() => warm.query("again")).toThrow("one prompt");
});

test("startup() fails with the program's error, or when it takes too long", async () => {
  const dying = fakeProgram();
  const died = failure(startup({ options: optionsFor(dying) }));
  dying.exit(1);
  expect((await died).errorClass).toBe("process_exited_nonzero");

  const silent = fakeProgram();
  expect((await failure(startup({ options: optionsFor(silent), initializeTimeoutMs: 5 }))).message).toBe(
    "The program did not answer initialize within 5 ms",
  );
  await silent.inputEnded;
});

test("a spare has nothing until it is claimed, and then gets everything at once", async () => {
  const program = fakeProgram();
  const warming = prewarm({ options: { ...optionsFor(program), model: "m" } });
  program.say(parked);
  const spare = await warming;
  expect(program.started!.args).toEqual([
    "--output-format",
    "stream-json",
    "--verbose",
    "--input-format",
    "stream-json",
    "--await-claim",
  ]);
  expect(program.heard).toEqual([]);

  const running = spare.claim({ prompt: "hi", options: { cwd: folder, env: { B: "2" }, maxTurns: 3 } });
  await program.hears(({ type }) => type === "user");
  expect(program.heard.map(({ type, request }) => request?.subtype ?? type)).toEqual(["claim", "initialize", "user"]);
  const { request, request_id } = await program.request("claim");
  expect(request).toEqual({
    subtype: "claim",
    cwd: folder,
    argv: [...program.started!.args.slice(0, 5), "--model=m", "--max-turns=3"],
    env: expect.objectContaining({ B: "2", CLAUDE_CODE_ENTRYPOINT: "sdk-ts" }),
  });
  expect(request.env.A).toBeUndefined();
  program.answer(request_id, { cwd: folder, session_id: "s", parked_ms: 12, sdk_mcp_settled: true });
  expect(await spare.claimed).toEqual({ cwd: folder, sessionId: "s", parkedMs: 12, sdkMcpSettled: true });

  program.say(result("hello"));
  await program.inputEnded;
  program.exit(0);
  expect(await collect(running)).toEqual([result("hello")] as any);
  await spare.exited;
  expect(() => spare.claim({ prompt: "again" })).toThrow("once");
});

test("a refused claim is the query's error", async () => {
  const program = fakeProgram();
  const warming = prewarm({ options: optionsFor(program) });
  program.say(parked);
  const spare = await warming;
  const running = spare.claim({ prompt: "hi", options: { cwd: folder } });
  const reading = failure(running.next());
  program.refuse((await program.request("claim")).request_id, "no such folder");
  expect([(await reading).message, (await failure(spare.claimed)).message]).toEqual([
    "no such folder",
    "no such folder",
  ]);
  await program.inputEnded;
});

test("prewarm() fails if the program does not support waiting", async () => {
  const program = fakeProgram();
  const warming = failure(prewarm({ options: optionsFor(program) }));
  program.complain("error: unknown option '--await-claim'\n");
  program.exit(1);
  expect((await warming).message).toContain("unknown option");
});

test("claimed rejects when a spare is closed before it is claimed", async () => {
  const program = fakeProgram();
  const warming = prewarm({ options: optionsFor(program) });
  program.say(parked);
  const spare = await warming;
  spare.close();
  await program.inputEnded;
  program.exit(0);
  await spare.exited;
  expect((await failure(spare.claimed)).message).toBe("The spare process ended before it was claimed");
});

test("spares serve one query each and are replaced", async () => {
  const programs: FakeProgram[] = [];
  const spares = keepSpares({
    options: {
      pathToKeelsonExecutable: "keelson",
      spawnClaudeCodeProcess: (given) => {
        const program = fakeProgram();
        programs.push(program);
        if (given.args.includes("--await-claim")) program.say(parked);
        return program.spawn(given);
      },
    },
  });
  await spares.ready;
  const first = query({ prompt: "one", options: { spares } });
  // The next one is not ready yet, so this starts the normal way.
  const second = spares.query({ prompt: "two" });
  await spares.ready;
  const third = spares.query({ prompt: "three" });
  await spares.ready;
  const kinds = await Promise.all(
    programs.map(async (program) => [
      program.started!.args.includes("--await-claim") ? "spare" : "cold",
      program.heard.find(({ type }) => type === "user")?.message.content[0].text,
    ]),
  );
  // A new spare starts only after the queries have had a moment to themselves.
  expect(kinds).toEqual([
    ["spare", "one"],
    ["cold", "two"],
    ["spare", "three"],
    ["spare", undefined],
  ]);
  spares.close();
  await programs[3]!.inputEnded;
  for (const running of [first, second, third]) running.close();
});

test("without spares, queries start the normal way", async () => {
  const programs: FakeProgram[] = [];
  const spares = keepSpares({
    options: {
      pathToKeelsonExecutable: "keelson",
      spawnClaudeCodeProcess: (given) => {
        const program = fakeProgram();
        programs.push(program);
        const spawned = program.spawn(given);
        if (given.args.includes("--await-claim")) queueMicrotask(() => program.exit(1));
        return spawned;
      },
    },
  });
  const kinds: (boolean | undefined)[] = [];
  for (let number = 0; number < 5; number++) {
    await spares.ready;
    spares.query({ prompt: "hi" }).close();
  }
  for (const { started } of programs) kinds.push(started?.args.includes("--await-claim"));
  expect(kinds.filter((isSpare) => isSpare).length).toBe(3);
  expect(kinds.filter((isSpare) => !isSpare).length).toBe(5);
  spares.close();
});
