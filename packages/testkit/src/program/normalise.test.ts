import { expect, test } from "bun:test";
import { normalise, normaliser } from "./normalise.ts";

const A = "11111111-2222-4333-8444-555555555555";
const B = "aaaaaaaa-bbbb-4ccc-8ddd-eeeeeeeeeeee";

test("normalise() numbers ids by first appearance, the same id always the same way", () => {
  expect(
    normalise([{ uuid: B, parentUuid: null }, { uuid: A, parentUuid: B.toUpperCase() }, { text: `see ${A}.` }]),
  ).toEqual([
    { uuid: "<uuid-1>", parentUuid: null },
    { uuid: "<uuid-2>", parentUuid: "<uuid-1>" },
    { text: "see <uuid-2>." },
  ]);
});

test("normaliser() keeps counting over everything it is given", () => {
  const clean = normaliser();
  expect<unknown>([clean(A), clean(B), clean({ [A]: B })]).toEqual([
    "<uuid-1>",
    "<uuid-2>",
    { "<uuid-1>": "<uuid-2>" },
  ]);
});

const cases: readonly [unknown, unknown][] = [
  [{ timestamp: "2026-11-15T06:57:32.416Z" }, { timestamp: "<time>" }],
  [
    { duration_ms: 12, duration_api_ms: 3.5, durationMs: 1, retryInMs: 2, totalAPIDuration: 44 },
    {
      duration_ms: "<duration>",
      duration_api_ms: "<duration>",
      durationMs: "<duration>",
      retryInMs: "<duration>",
      totalAPIDuration: "<duration>",
    },
  ],
  [
    { startTime: 1794725851929, pid: 77 },
    { startTime: "<time>", pid: "<pid>" },
  ],
  [
    { id: "msg_01Ab", tool_use_id: "toolu_01X", ref: "call_1_2", requestId: "req_9" },
    { id: "<message-1>", tool_use_id: "<call-1>", ref: "<call-2>", requestId: "<request-1>" },
  ],
  ["http://127.0.0.1:43211/v1 and localhost:80", "http://127.0.0.1:<port>/v1 and localhost:<port>"],
  [
    { claude_code_version: "2.1.325", version: "0.1.0", "user-agent": "claude-cli/2.1.325 (external, sdk-cli)" },
    {
      claude_code_version: "<version>",
      version: "<version>",
      "user-agent": "claude-cli/<version> (external, sdk-cli)",
    },
  ],
  ["Today's date is 2026-11-15.", "Today's date is <date>."],
  [{ "content-length": "1234" }, { "content-length": "<length>" }],
  [{ agentId: "a0123456789abcdef" }, { agentId: "<agent-1>" }],
];

test.each(cases)("normalise() replaces what changes from run to run: %j", (value, expected) => {
  expect(normalise(value)).toEqual(expected);
});

test("normalise() leaves meaningful values unchanged", () => {
  const value = {
    "anthropic-version": "2023-06-01",
    betas: ["claude-code-20250219"],
    usage: { input_tokens: 100 },
    total_cost_usd: 0.0008,
    num_turns: 2,
    is_error: false,
    nothing: null,
    command: "cat 2023-06-01.log",
  };
  expect(normalise(value)).toEqual(value);
});

test("normalise() replaces paths, the longer first, also in the form of a transcript folder", () => {
  const home = { root: "/tmp/k-1", home: "/tmp/k-1/home", project: "/tmp/k-1/project" };
  expect(
    normalise(["/tmp/k-1/project/a.ts", "/tmp/k-1/home/.claude/projects/-tmp-k-1-project/x.jsonl", "/opt/data/x"], {
      home,
      paths: { data: "/opt/data" },
    }),
  ).toEqual(["<project>/a.ts", "<home>/.claude/projects/<project-key>/x.jsonl", "<data>/x"]);
});

test("two runs that differ only in volatile values become the same bytes", () => {
  const run = (id: string, root: string, ms: number) => [
    { type: "system", subtype: "init", session_id: id, cwd: `${root}/project` },
    { type: "result", session_id: id, duration_ms: ms, result: "done" },
  ];
  const bytes = (value: unknown, root: string) => JSON.stringify(normalise(value, { paths: { root } }));
  expect(bytes(run(A, "/tmp/x", 5), "/tmp/x")).toBe(bytes(run(B, "/tmp/other", 70), "/tmp/other"));
});
