import { expect, test } from "bun:test";
import {
  call,
  delta,
  end,
  event,
  failure,
  feedOf,
  frameOf,
  labelled,
  openText,
  prompt,
  result,
  running,
  start,
  synthetic,
  system,
  text,
  thinking,
  userText,
  written,
  plainTheme,
} from "./feed.test-support.ts";
import { renderItem } from "../blocks/item.ts";

test("a prompt and its answer are written with their signs", () => {
  expect(written([prompt("hello"), text("Hi\n\nthere"), end()])).toEqual(["❯ hello", "", "● Hi", "", "  there"]);
});

test("a message that came in deltas is written once, even if the session gave it another id", () => {
  const feed = feedOf();
  const rows: string[] = [];
  const message = { id: "another", type: "message", role: "assistant", content: [{ type: "text", text: "one two" }] };
  for (const each of [start(), openText(), delta("one "), delta("two"), text("one two", { message }), end()]) {
    feed.take(each, 10_000);
    rows.push(...feed.finished(frameOf()));
  }
  expect(rows).toEqual(["● one two"]);
});

test("a message that came in deltas is written once", () => {
  const feed = feedOf();
  const rows: string[] = [];
  for (const message of [
    start(),
    openText(),
    delta("one\n\ntwo"),
    delta(" words\n\n"),
    text("one\n\ntwo words\n\nlast"),
    end(),
  ]) {
    feed.take(message, 10_000);
    rows.push(...feed.finished(frameOf()));
  }
  expect(rows).toEqual(["● one", "", "  two words", "", "  last"]);
  expect(feed.live(frameOf())).toEqual([]);
});

test("a long replay is handed out in parts, and nothing of it is live meanwhile", () => {
  const feed = feedOf();
  for (let at = 0; at < 3_000; at++) feed.take(prompt(`prompt ${at}`, `p${at}`), 10_000);
  const parts: string[][] = [];
  do parts.push(feed.finished(frameOf()));
  while (feed.hasMore && feed.live(frameOf()).length === 0);
  expect(parts.length).toBeGreaterThan(2);
  expect(parts.flat().filter((row) => row !== "")).toEqual(Array.from({ length: 3_000 }, (_, at) => `❯ prompt ${at}`));
});

test("what an interruption left of an answer stays", () => {
  const feed = feedOf();
  for (const message of [start(), openText(), delta("half a sen")]) feed.take(message, 10_000);
  expect(feed.live(frameOf())).toEqual(["● half a sen"]);
  for (const message of [
    userText("[Request interrupted by user]"),
    end({ subtype: "error_during_execution", is_error: true, terminal_reason: "aborted_streaming", errors: ["x"] }),
  ]) {
    feed.take(message, 10_000);
  }
  expect(feed.finished(frameOf())).toEqual(["● half a sen", "", "▲ Interrupted. Say what to do instead"]);
});

test("a reply that starts over leaves nothing of what was not written", () => {
  expect(
    written([start("m0"), openText(), delta("fir"), start(), openText(), delta("fine"), text("fine"), end()]),
  ).toEqual(["● fine"]);
});

test("items wait for those before them", () => {
  const feed = feedOf();
  for (const message of [call("a", "Bash", { command: "make" }), text("Meanwhile")]) feed.take(message, 10_000);
  expect(feed.finished(frameOf())).toEqual([]);
  expect(feed.live(frameOf({ now: 14_000 }))).toEqual(["● Bash(make)", "  ⎿  Running… 4s", "", "● Meanwhile"]);
  feed.take(result("a", "ok", { stdout: "ok", stderr: "" }), 14_000);
  expect(feed.finished(frameOf())).toEqual(["● Bash(make)  4s", "  ⎿  ok", "", "● Meanwhile"]);
});

test("of long output, the first and the last line are shown", () => {
  const stdout = Array.from({ length: 9 }, (_, index) => `line ${index}`).join("\n");
  expect(written([call("a", "Bash", { command: "seq" }), result("a", stdout, { stdout, stderr: "" })])).toEqual([
    "● Bash(seq)",
    "  ⎿  line 0",
    "     … 7 more lines (ctrl+o to see all)",
    "     line 8",
  ]);
});

test("of output that failed, the last lines are shown, and of one long line its ends", () => {
  const lines = Array.from({ length: 40 }, (_, index) => `line ${index}`);
  expect(written([call("a", "Bash", { command: "x" }), failure("a", ["Exit code 2", ...lines].join("\n"))])).toEqual([
    "● Bash(x)",
    "  ⎿  Exit code 2",
    "     … 32 more lines (ctrl+o to see all)",
    ...lines.slice(-8).map((line) => `     ${line}`),
  ]);
  const long = `${"a".repeat(100)}${"b".repeat(500)}${"c".repeat(60)}`;
  const rows = written([call("a", "Bash", { command: "x" }), result("a", long, { stdout: long, stderr: "" })], 65);
  expect(rows.slice(1)).toEqual([
    `  ⎿  ${"a".repeat(60)}`,
    "     … 1 more line (ctrl+o to see all)",
    `     ${"c".repeat(60)}`,
  ]);
});

test("in a viewer, the line numbers of a file stand one below the other", () => {
  const feed = feedOf();
  feed.take(call("a", "Read", { file_path: "/p/a.ts" }), 10_000);
  feed.take(result("a", "8\teight\n9\tnine\n10\tten\n\tindented"), 10_000);
  feed.take(end(), 10_000);
  feed.finished(frameOf());
  const look = { columns: 80, theme: plainTheme, now: 0, cwd: "/p", whole: true, key: () => "" };
  expect(feed.past.items.flatMap((item) => renderItem(item, look)).slice(0, 5)).toEqual([
    "● Read(a.ts)",
    "  ⎿   8  eight",
    "      9  nine",
    "     10  ten",
    "       indented",
  ]);
});

test("a stopped agent says so, and what it had said is Markdown", () => {
  const text =
    "The agent was stopped before it was done (agentId: a1b2).\n\nWhat it said before that, which is not finished:\nI **looked**.";
  expect(written([call("t", "Task", { description: "find it" }), failure("t", text)])).toEqual([
    "● Task(find it)",
    "  ⎿  Stopped",
    "     I looked.",
  ]);
  expect(
    written([call("t", "Task", { description: "find it" }), failure("t", "The agent failed (agentId: a1): no model")]),
  ).toEqual(["● Task(find it)", "  ⎿  The agent failed: no model"]);
});

test("what an interrupted command had printed stays", () => {
  const feed = feedOf();
  feed.take(call("a", "Bash", { command: "make" }), 10_000);
  feed.take(running("a"), 11_000);
  feed.take(running("a", { output: "one\ntwo\n", output_lines: 2 }), 12_000);
  expect(feed.live(frameOf({ now: 13_000 }))).toEqual([
    "● Bash(make)",
    "  ⎿  one",
    "     two",
    "     Running… 2s · 2 lines",
  ]);
  const stopped = "The user doesn't want to proceed with this tool use: the run was stopped";
  feed.take(failure("a", stopped), 13_000);
  expect(feed.finished(frameOf())).toEqual(["● Bash(make)  2s", "  ⎿  one", "     two", "     Interrupted"]);
});

test("output is shown as a terminal would leave it: without colors, and each line as it was written last", () => {
  const stdout = "\u001b[31mred\u001b[0m\n10%\r50%\r100%\r\ndone\r";
  expect(written([call("a", "Bash", { command: "x" }), result("a", stdout, { stdout, stderr: "" })])).toEqual([
    "● Bash(x)",
    "  ⎿  red",
    "     100%",
    "     done",
  ]);
});

test("four rows of output are not folded", () => {
  const stdout = "1\n2\n3\n4";
  expect(written([call("a", "Bash", { command: "seq 4" }), result("a", stdout, { stdout, stderr: "" })])).toHaveLength(
    5,
  );
});

test("reads and searches in a row are one line, also with thoughts between them", () => {
  const messages = [
    call("a", "Read", { file_path: "/p/a.ts" }),
    result("a", "1\tx"),
    thinking("hm"),
    call("b", "Grep", { pattern: "x" }),
    call("c", "Read", { file_path: "/p/b.ts" }),
    result("c", "2\ty"),
    result("b", "found"),
  ];
  const feed = feedOf();
  for (const message of messages) feed.take(message, 10_000);
  expect(feed.finished(frameOf())).toEqual([]);
  feed.take(text("Done"), 10_000);
  feed.take(end(), 10_000);
  expect(feed.finished(frameOf())).toEqual(["● Read 2 files, searched for 1 pattern", "", "● Done"]);
});

test("a read that failed is named below the line", () => {
  expect(
    written([
      call("a", "Read", { file_path: "/p/a.ts" }),
      call("b", "Read", { file_path: "/p/b.ts" }),
      failure("a", "File does not exist."),
      result("b", "1\tx"),
      end(),
    ]),
  ).toEqual(["● Read 2 files", "  ⎿  a.ts: File does not exist."]);
});

test("a single read is shown like any call", () => {
  const file = { filePath: "/p/a.ts", numLines: 40, totalLines: 40, startLine: 1, content: "x" };
  expect(
    written([call("a", "Read", { file_path: "/p/a.ts" }), result("a", "1\tx", { type: "text", file }), end()]),
  ).toEqual(["● Read(a.ts)", "  ⎿  40 lines"]);
});

test("the todo list's tools leave no block", () => {
  expect(written([call("a", "TodoWrite", { todos: [] }), result("a", "ok"), text("x"), end()])).toEqual(["● x"]);
});

test("commands show what was typed and what was printed", () => {
  const typed =
    "<command-name>/model</command-name>\n<command-message>model</command-message>\n<command-args>opus</command-args>";
  expect(written([prompt(typed), synthetic("Model: **opus**"), end({ local_command: "model" })])).toEqual([
    "❯ /model opus",
    "  ⎿  Model: opus",
  ]);
  expect(
    written([
      prompt("<bash-input>ls</bash-input>"),
      prompt("<bash-stdout>a\nb</bash-stdout><bash-stderr></bash-stderr>", "p2"),
    ]),
  ).toEqual(["! ls", "  ⎿  a", "     b"]);
  expect(
    written([
      prompt("<bash-input>true</bash-input>"),
      prompt("<bash-stdout></bash-stdout><bash-stderr></bash-stderr>", "p2"),
    ]),
  ).toEqual(["! true"]);
});

test("a skill is shown as it was typed, not with its text", () => {
  const skill =
    "<command-message>deploy</command-message>\n<command-name>/deploy</command-name>\n<command-args>prod</command-args>\nDo this";
  expect(written([prompt(skill)])).toEqual(["❯ /deploy prod"]);
});

test("a prompt that was shown at once is not shown again", () => {
  const feed = feedOf();
  feed.addPrompt({ type: "user", message: { role: "user", content: "hi" }, parent_tool_use_id: null, uuid: "p1" });
  feed.take(prompt("hi", "p1"), 10_000);
  expect(feed.finished(frameOf())).toEqual(["❯ hi"]);
});

test("a retry is a live row with the seconds left, and goes when the reply comes", () => {
  const feed = feedOf();
  feed.take(
    system("api_retry", { attempt: 2, max_retries: 10, retry_delay_ms: 4000, error_status: 529, error: "overloaded" }),
    10_000,
  );
  expect(feed.live(frameOf({ now: 11_500 }))).toEqual(["↻ The server is overloaded, trying again in 3s (2 of 10)"]);
  feed.take(start(), 14_000);
  expect(feed.live(frameOf())).toEqual([]);
});

test("a retry of an agent goes when the agent has its reply, and when it ends", () => {
  const feed = feedOf();
  const retry = { attempt: 1, max_retries: 10, retry_delay_ms: 4000, error_status: 529, error_category: "overloaded" };
  const progress = { type: "tool_progress", tool_use_id: "t", tool_name: "Agent", elapsed_time_seconds: 1 };
  const retried = { ...progress, subagent_retry: retry } as never;
  for (const over of [
    progress as never,
    system("task_notification", { task_id: "a", tool_use_id: "t", status: "failed" }),
  ]) {
    feed.take(retried, 10_000);
    expect(feed.live(frameOf({ now: 11_500 }))).toEqual(["↻ The server is overloaded, trying again in 3s (1 of 10)"]);
    feed.take({ ...progress, tool_use_id: "another" } as never, 12_000);
    expect(feed.live(frameOf())).toHaveLength(1);
    feed.take(over, 14_000);
    expect(feed.live(frameOf())).toEqual([]);
  }
});

test("limits of the account are mentioned once in a run", () => {
  const info = { status: "allowed_warning", rateLimitType: "five_hour", utilization: 0.9, resetsAt: 70 };
  const limit = { type: "rate_limit_event", rate_limit_info: info, uuid: "u", session_id: "s" } as const;
  expect(written([limit, text("x"), limit, end()])).toEqual([
    "▲ Used 90% of the limit for five hours, reset in 1m 00s",
    "",
    "● x",
  ]);
});

test("errors of the server and of limits are shown", () => {
  expect(
    written([synthetic("API Error: 400 scripted failure", { is_api_error_message: true }), end({ is_error: true })]),
  ).toEqual(["✗ API Error: 400 scripted failure"]);
  expect(
    written([
      end({
        subtype: "error_max_turns",
        is_error: true,
        errors: ["Reached maximum number of turns (1)"],
        terminal_reason: "max_turns",
      }),
    ]),
  ).toEqual(["✗ Reached maximum number of turns (1)"]);
});

test("a subagent is a tree of its newest calls", () => {
  const feed = feedOf();
  for (const message of [
    call("t", "Task", { description: "find it", subagent_type: "Explore" }),
    system("task_started", { task_id: "a1", tool_use_id: "t", is_backgrounded: false }),
    system("task_progress", { task_id: "a1", usage: { total_tokens: 9, tool_uses: 1, duration_ms: 5 } }),
    call("c1", "Grep", { pattern: "x" }, "t"),
    result("c1", "", undefined, { parent_tool_use_id: "t" }),
    call("c2", "Read", { file_path: "/p/src/a.ts" }, "t"),
    system("task_progress", { task_id: "a1", usage: { total_tokens: 12_300, tool_uses: 2, duration_ms: 5 } }),
  ]) {
    feed.take(message, 10_000);
  }
  expect(feed.live(frameOf({ now: 12_000 }))).toEqual([
    "● Explore(find it)",
    "  ⎿  Working… 2s · 2 calls, 12.3k tokens",
    "     ├─ Grep(x)",
    "     └─ Read(src/a.ts)",
  ]);
  const done = "It is in a.ts\nagentId: a1 (use SendMessage …)\n<usage>subagent_tokens: 1</usage>";
  feed.take(
    result("t", done, { status: "completed", totalTokens: 20_000, totalToolUseCount: 3, totalDurationMs: 9_000 }),
    19_000,
  );
  expect(feed.finished(frameOf())).toEqual([
    "● Explore(find it)",
    "  ⎿  Done: 3 calls, 20k tokens, 9s",
    "     It is in a.ts",
  ]);
});

test("an agent that has only been started is not done", () => {
  const started = "Teammate a has joined the team fix and begins to work.";
  expect(
    written([
      call("t", "Agent", { description: "fix it", name: "a" }),
      result("t", started, { status: "teammate_spawned", name: "a", team_name: "fix" }),
      end(),
    ]),
  ).toEqual(["● Agent(fix it)", `  ⎿  ${started}`]);
});

test("a background task is announced when it ends", () => {
  expect(
    written([
      call("b", "Bash", { command: "sleep 9", run_in_background: true }),
      system("task_started", { task_id: "b1", tool_use_id: "b", is_backgrounded: true }),
      result("b", "started", { stdout: "", stderr: "", backgroundTaskId: "b1" }),
      end(),
      system("task_notification", { task_id: "b1", status: "completed", summary: 'Background command "x" completed' }),
    ]),
  ).toEqual([
    "● Bash(sleep 9)",
    "  ⎿  Running in the background as b1 (/tasks shows it)",
    "",
    '✻ Background command "x" completed',
  ]);
});

test("a cleared conversation starts anew", () => {
  const feed = feedOf();
  for (const message of [
    text("old"),
    { type: "conversation_reset", uuid: "u", session_id: "s" } as never,
    text("new"),
  ]) {
    feed.take(message, 10_000);
  }
  expect(feed.finished(frameOf())).toEqual(["● new"]);
  expect(feed.resets).toBe(1);
});

test("a call that waits for approval says so, and its time starts after it", () => {
  const feed = feedOf();
  feed.take(call("a", "Bash", { command: "make" }), 10_000);
  expect(feed.nextChange(10_100)).toBe(900);
  feed.asked("a");
  expect(feed.live(frameOf())).toEqual(["● Bash", "  ⎿  Waiting for your answer"]);
  expect(feed.nextChange(10_100)).toBeUndefined();
  feed.answered("a", 60_000);
  expect(feed.live(frameOf({ now: 61_000 }))).toEqual(["● Bash(make)", "  ⎿  Running… 1s"]);
});

test("nothing ticks when nothing runs, also with reads that others may join", () => {
  const feed = feedOf();
  feed.take(call("a", "Read", { file_path: "/p/a" }), 10_000);
  feed.take(result("a", "x"), 10_000);
  expect([feed.live(frameOf()).length, feed.nextChange(0)]).toEqual([1, undefined]);
});

test("what is live is cut to the rows there are", () => {
  const feed = feedOf();
  for (const message of ["a", "b", "c", "d"].map((id) => call(id, "Bash", { command: id }))) feed.take(message, 10_000);
  const rows = feed.live(frameOf({ rows: 5 }));
  expect(rows).toEqual(["  … 7 more rows above", "  ⎿  Running… 0s", "", "● Bash(d)", "  ⎿  Running… 0s"]);
});

test("calls without a result are finished with the run", () => {
  const feed = feedOf();
  feed.take(
    event({
      type: "content_block_start",
      index: 0,
      content_block: { type: "tool_use", id: "w", name: "Write", input: {} },
    }),
    1,
  );
  feed.take(call("a", "WebFetch", { url: "https://x.example" }), 10_000);
  feed.take(end({ subtype: "error_during_execution", is_error: true, terminal_reason: "aborted_tools" }), 10_000);
  expect(feed.finished(frameOf())).toEqual(["● WebFetch(https://x.example)", "  ⎿  Interrupted"]);
});

test("nothing that a terminal obeys gets through", () => {
  const evil = "\u001b]0;x\u0007\u009b2J\u202e";
  const rows = written([
    prompt(evil),
    text(evil),
    call("a", "Bash", { command: evil, description: evil }),
    result("a", evil, { stdout: evil, stderr: evil }),
    call("b", `mcp__${evil}__t`, { [evil]: evil }),
    failure("b", evil),
    call("c", "Task", { description: evil, subagent_type: evil }),
    result("c", evil),
    labelled(
      "m",
      "Bash",
      { command: evil },
      { display_name: evil, server_display_name: evil, kind: "execute", title: evil, note: evil },
    ),
    result("m", evil),
    labelled("n", "Glob", { pattern: evil }, { display_name: evil, kind: "search", title: evil, note: evil }),
    failure("n", evil),
    call("d", "Read", { file_path: evil }),
    failure("d", evil),
    system("informational", { content: evil, level: "warning" }),
    synthetic(evil),
    call("e", "WebSearch", { query: evil }),
    result("e", evil, { results: [{ content: [{ title: evil, url: evil }] }], durationSeconds: 1 }),
    call("f", "AskUserQuestion", {}),
    result("f", "", { answers: { [evil]: evil } }),
    call("g", "Write", { file_path: evil, content: evil }),
    result("g", "", { type: "create", filePath: evil, content: evil }),
    system("compact_boundary", { compact_metadata: {} }),
    end({ subtype: "error_max_turns", is_error: true, errors: [evil] }),
  ]);
  expect(rows.length).toBeGreaterThan(20);
  // oxlint-disable-next-line no-control-regex
  expect(rows.filter((row) => /[\u0000-\u001f\u007f-\u009f\u202e]/.test(row))).toEqual([]);
});

test("what is printed without a command is a note, and a failed compaction is told once", () => {
  const printed = (words: string) => userText(`<local-command-stdout>${words}</local-command-stdout>`);
  expect(written([printed("Set model to m")])).toEqual(["✻ Set model to m"]);
  expect(written([prompt("/model m"), printed("Set model to m")])).toEqual(["❯ /model m", "  ⎿  Set model to m"]);
  const failed = system("status", { compact_result: "failed", compact_error: "Too short" });
  expect(written([prompt("/compact"), failed, synthetic("Too short")])).toEqual([
    "❯ /compact",
    "",
    "✗ The conversation was not compacted: Too short",
  ]);
});

test("the time of a call is what the session says it ran, not how long its answer and its turn took", () => {
  const times = { timestamp: "2026-01-01T00:01:00Z" };
  const waited = [call("c1", "Bash", { command: "x" }), call("c2", "Bash", { command: "y" })];
  const rows = written([
    ...waited,
    result("c1", "ok", undefined, { ...times, tool_duration_ms: 10 }),
    result("c2", "ok", undefined, { ...times, tool_duration_ms: 12_000 }),
    end(),
  ]);
  expect(rows.filter((row) => row.startsWith("●"))).toEqual(["● Bash(x)", "● Bash(y)  12s"]);
});
