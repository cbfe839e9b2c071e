// Standard streams that are closed, full or not readable: the program says so, ends with an error, and loses nothing.

import { expect, test } from "bun:test";
import {
  chainProblems,
  readTranscript,
  runKeelson,
  startMockModel,
  temporaryHome,
  testUnless,
  transcriptFiles,
} from "@keelson/testkit";

const noProc = process.platform === "linux" ? null : "closed streams are known on Linux only";
const through = (redirection: string) => ["sh", "-c", `exec "$@" ${redirection}`, "sh"];
const CLOSED = "error: standard output is closed; redirect it to a file, or to /dev/null\n";
const FULL = "error: could not write to standard output: no space left on device\n";

testUnless(noProc, test).each([
  ["text", []],
  ["json", ["--output-format", "json"]],
  ["stream-json", ["--output-format", "stream-json", "--verbose"]],
])("-p with standard output closed is an error, and no model is asked: %s", async (_name, format) => {
  using home = temporaryHome();
  await using model = await startMockModel([{ text: "nobody reads this" }]);
  for (const [redirection, stderr] of [
    [">&-", CLOSED],
    [">&- <&-", CLOSED],
    [">&- 2>&- <&-", ""],
  ] as const) {
    const ended = await runKeelson(["-p", "hi", ...format], { home, url: model.url, through: through(redirection) });
    expect([ended.code, ended.stderr]).toEqual([1, stderr]);
  }
  expect(model.requests).toHaveLength(0);
  expect(transcriptFiles(home)).toEqual([]);
});

testUnless(noProc, test)("a command that cannot print is an error", async () => {
  using home = temporaryHome();
  for (const args of [["--help"], ["mcp", "list"], ["models"]]) {
    expect((await runKeelson(args, { home, through: through(">&-") })).stderr).toBe(CLOSED);
    const full = await runKeelson(args, { home, through: through(">/dev/full") });
    expect([full.code, full.stderr]).toEqual([1, FULL]);
  }
  const version = await runKeelson(["--version"], { home, through: through(">/dev/full") });
  expect([version.code, version.stderr]).toEqual([1, FULL]);
});

test("standard input or standard error that is closed does not keep an answer from being printed", async () => {
  using home = temporaryHome();
  await using model = await startMockModel(() => ({ text: "the answer" }));
  for (const redirection of ["<&-", "2>&-", "<&- 2>&-", "2>/dev/full"]) {
    const ended = await runKeelson(["-p", "hi"], { home, url: model.url, through: through(redirection) });
    expect([redirection, ended.code, ended.stdout, ended.stderr]).toEqual([redirection, 0, "the answer\n", ""]);
  }
});

test("/dev/null is a place to write to, however it was opened", async () => {
  using home = temporaryHome();
  await using model = await startMockModel(() => ({ text: "the answer" }));
  for (const redirection of [">/dev/null", "1<>/dev/null", ">/dev/null </dev/null"]) {
    const ended = await runKeelson(["-p", "hi"], { home, url: model.url, through: through(redirection) });
    expect([ended.code, ended.stderr]).toEqual([0, ""]);
  }
  expect(model.requests).toHaveLength(3);
});

test.each([
  ["text on a full disk", [], ">/dev/full", 1, FULL],
  ["json on a full disk", ["--output-format", "json"], ">/dev/full", 1, FULL],
  // Like `head`, a reader that has enough ends it without an error.
  ["text to a pipe without a reader", [], "| true", 0, ""],
])("%s: the answer is in the transcript", async (_name, format, redirection, code, stderr) => {
  using home = temporaryHome();
  await using model = await startMockModel([
    { calls: [{ name: "Bash", input: { command: "sleep 0.1; echo done" } }] },
    { text: "the whole answer" },
  ]);
  const shell = redirection.startsWith("|")
    ? ["bash", "-c", `"$@" ${redirection}; exit \${PIPESTATUS[0]}`, "bash"]
    : through(redirection);
  const args = ["-p", "hi", "--allowedTools", "Bash", ...format];
  const ended = await runKeelson(args, { home, url: model.url, through: shell });
  expect([ended.code, ended.stderr]).toEqual([code, stderr]);
  const entries = readTranscript(home);
  expect(chainProblems(entries)).toEqual([]);
  expect(JSON.stringify(entries.findLast(({ type }) => type === "assistant"))).toContain("the whole answer");
});

test("standard input that cannot be read is named", async () => {
  using home = temporaryHome();
  home.write("unreadable", "");
  for (const [redirection, why] of [
    ["<.", "illegal operation on a directory"],
    ["0>unreadable", "bad file descriptor"],
  ]) {
    const ended = await runKeelson(["-p", "hi"], { home, through: through(redirection!) });
    expect([ended.code, ended.stderr]).toEqual([1, `error: could not read standard input: ${why}\n`]);
  }
});
