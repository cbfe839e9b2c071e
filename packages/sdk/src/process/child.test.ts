import { expect, test } from "bun:test";
import process from "node:process";
import { CLIConnectionError, CLINotFoundError, type Exit } from "../errors.ts";
import { fakeProgram } from "../fake-program.test-support.ts";
import { superviseChild } from "./child.ts";
import type { SpawnedProcess } from "./spawn.ts";

/** Supervises a program that does what the test says, and keeps all it reports. */
function supervised() {
  const program = fakeProgram();
  const force = new AbortController();
  const spawned = program.spawn({ command: "keelson", args: [], env: {}, signal: force.signal });
  const reported: (string | { exit: Exit; failure: Error | undefined })[] = [];
  const ended = Promise.withResolvers<void>();
  const child = superviseChild(
    { process: spawned, command: "keelson", force },
    {
      line: (line) => void reported.push(line),
      end(exit, failure) {
        reported.push({ exit, failure });
        ended.resolve();
      },
    },
  );
  return { program, emit: emitterOf(spawned), child, reported, ended: ended.promise, force };
}

/** The fake program is an event emitter underneath. */
const emitterOf = (spawned: SpawnedProcess) => spawned as SpawnedProcess & NodeJS.EventEmitter;

const settled = () => new Promise((resolve) => setImmediate(resolve));

test("the end comes once, after the last line, with exit code and stderr", async () => {
  const { program, emit, reported, ended } = supervised();
  program.complain("something is wrong\n");
  program.stdout.write("one\ntwo");
  await settled();
  program.exit(3);
  await ended;
  emit.emit("exit", 0, null);
  emit.emit("error", new Error("too late"));
  await settled();
  const exit = { exitCode: 3, signal: null, stderr: "something is wrong\n" };
  expect(reported).toEqual(["one", "two", { exit, failure: undefined }]);
});

test("a program ended by a signal has no exit code", async () => {
  const { program, reported, ended } = supervised();
  program.exit(null, "SIGKILL");
  await ended;
  expect(reported).toEqual([{ exit: { exitCode: null, signal: "SIGKILL", stderr: "" }, failure: undefined }]);
});

test("neither the exit alone nor the end of the output alone is the end", async () => {
  const exitFirst = supervised();
  exitFirst.emit.emit("exit", 0, null);
  await settled();
  expect(exitFirst.reported).toEqual([]);
  exitFirst.program.stdout.end("last\n");
  await exitFirst.ended;
  expect(exitFirst.reported).toEqual(["last", { exit: { exitCode: 0, signal: null, stderr: "" }, failure: undefined }]);

  const outputFirst = supervised();
  outputFirst.program.stdout.end("last\n");
  await settled();
  expect(outputFirst.reported).toEqual(["last"]);
  outputFirst.emit.emit("exit", 1, null);
  await outputFirst.ended;
  expect(outputFirst.reported).toEqual([
    "last",
    { exit: { exitCode: 1, signal: null, stderr: "" }, failure: undefined },
  ]);
});

test("output that something else keeps open delays the end only for a moment", async () => {
  const { emit, reported, ended } = supervised();
  emit.emit("exit", 5, null);
  await ended;
  expect(reported).toEqual([{ exit: { exitCode: 5, signal: null, stderr: "" }, failure: undefined }]);
});

test("a program that cannot be started is an end with the reason", async () => {
  const missing = supervised();
  missing.emit.emit("error", Object.assign(new Error("spawn keelson ENOENT"), { code: "ENOENT" }));
  const refused = supervised();
  refused.emit.emit("error", Object.assign(new Error("spawn keelson EACCES"), { code: "EACCES" }));
  await Promise.all([missing.ended, refused.ended]);
  const exit = { exitCode: null, signal: null, stderr: "" };
  expect(missing.reported).toEqual([{ exit, failure: expect.any(CLINotFoundError) }]);
  expect(refused.reported).toEqual([{ exit, failure: expect.any(CLIConnectionError) }]);
});

test("when this process ends, programs that still run are told to end, and those that ended are forgotten", async () => {
  const before = process.listeners("exit");
  const [first, second] = [supervised(), supervised()];
  // One for all programs; there already if another test left one running.
  const [endAll, ...more] = process.listeners("exit").filter(({ name }) => name === "endAll");
  expect(more).toEqual([]);
  first.program.exit(0);
  await first.ended;
  endAll!(0);
  expect([first.program.signals, second.program.signals]).toEqual([[], ["SIGTERM"]]);
  second.program.exit(null, "SIGTERM");
  await second.ended;
  expect(process.listeners("exit")).toEqual(before);
});

test("stop() ends the input, then the program; one that ended meanwhile gets no signal", async () => {
  const [obeys, stays] = [supervised(), supervised()];
  for (const { child } of [obeys, stays]) child.stop();
  await Promise.all([obeys.program.inputEnded, stays.program.inputEnded]);
  obeys.program.exit(0);
  await obeys.ended;
  // Aborted just before the signal is sent; the timer of the other was set first.
  await new Promise((resolve) => stays.force.signal.addEventListener("abort", resolve));
  await settled();
  expect([obeys.program.signals, obeys.force.signal.aborted]).toEqual([[], false]);
  expect(stays.program.signals).toEqual(["SIGTERM"]);
  stays.program.exit(null, "SIGTERM");
  await stays.ended;
});
