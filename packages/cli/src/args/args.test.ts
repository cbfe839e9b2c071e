import { expect, test } from "bun:test";
import { parseArguments, type Arguments } from "./args.ts";
import { FLAGS } from "./flags.ts";

/** The parsed arguments as plain data. */
function given(argv: readonly string[]) {
  const parsed = parseArguments(argv);
  if (!parsed.ok) return parsed.error;
  const names = FLAGS.map((flag) => flag.name).filter((name) => parsed.arguments.has(name));
  const flags = Object.fromEntries(names.map((name) => [name, parsed.arguments.list(name)]));
  const { prompt } = parsed.arguments;
  return prompt === undefined ? flags : { ...flags, prompt };
}

const GOOD: readonly [argv: string[], expected: object][] = [
  [[], {}],
  [["hello"], { prompt: "hello" }],
  [["-p", "hello"], { print: [], prompt: "hello" }],
  [["hello", "-p"], { print: [], prompt: "hello" }],
  [["--print", "hello"], { print: [], prompt: "hello" }],
  [["-p", "fix", "the", "bug"], { print: [], prompt: "fix the bug" }],
  [["-"], { prompt: "-" }],
  [["-p", "--", "--not-a-flag", "-x"], { print: [], prompt: "--not-a-flag -x" }],
  [["-pc", "go"], { print: [], continue: [], prompt: "go" }],
  [["-pr", "id", "go"], { print: [], resume: ["id"], prompt: "go" }],
  [["-prid", "go"], { print: [], resume: ["id"], prompt: "go" }],
  [["-nmy name"], { name: ["my name"] }],
  [["--model", "m"], { model: ["m"] }],
  [["--model=m"], { model: ["m"] }],
  [["--model=a=b"], { model: ["a=b"] }],
  [["--model="], { model: [""] }],
  [["--model", "a", "--model", "b"], { model: ["a", "b"] }],
  [["--model", "-odd"], { model: ["-odd"] }],
  [["--system-prompt", ""], { "system-prompt": [""] }],
  [["--append-system-prompt", "--dashes"], { "append-system-prompt": ["--dashes"] }],
  [
    ["--system-prompt-file", "f", "--append-system-prompt-file=g"],
    { "system-prompt-file": ["f"], "append-system-prompt-file": ["g"] },
  ],
  [["--allowedTools", "A", "B(git *)", "-p", "go"], { print: [], allowedTools: ["A", "B(git *)"], prompt: "go" }],
  [["--allowedTools=A,B(git *)", "go"], { allowedTools: ["A,B(git *)"], prompt: "go" }],
  [["--allowed-tools", "A"], { allowedTools: ["A"] }],
  [["--disallowed-tools=A", "--disallowedTools", "B"], { disallowedTools: ["A", "B"] }],
  [["--allowedTools", "A", "--", "go"], { allowedTools: ["A"], prompt: "go" }],
  [["--add-dir", "a", "b"], { "add-dir": ["a", "b"] }],
  [["--add-dir=a", "--add-dir=b", "go"], { "add-dir": ["a", "b"], prompt: "go" }],
  [["--tools="], { tools: [""] }],
  [["--tools", ""], { tools: [""] }],
  [["--tools", "default"], { tools: ["default"] }],
  [["--betas=a,b"], { betas: ["a,b"] }],
  [["--resume"], { resume: [] }],
  [["-r"], { resume: [] }],
  [["-r", "-p"], { resume: [], print: [] }],
  [["--resume=id", "go"], { resume: ["id"], prompt: "go" }],
  [["--resume", "id", "go"], { resume: ["id"], prompt: "go" }],
  [["--debug", "-p"], { debug: [], print: [] }],
  [["-d", "api"], { debug: ["api"] }],
  [["--debug", "api,!mcp", "go"], { debug: ["api,!mcp"], prompt: "go" }],
  [["--debug", "!api"], { debug: ["!api"] }],
  [["--debug", "Fix the tests"], { debug: [], prompt: "Fix the tests" }],
  [["-d", "why?"], { debug: [], prompt: "why?" }],
  [
    ["--output-format", "stream-json", "--verbose", "--input-format", "stream-json"],
    { "output-format": ["stream-json"], "input-format": ["stream-json"], verbose: [] },
  ],
  [["--output-format=json"], { "output-format": ["json"] }],
  [
    ["--include-partial-messages", "--replay-user-messages"],
    { "include-partial-messages": [], "replay-user-messages": [] },
  ],
  [["--json-schema={}"], { "json-schema": ["{}"] }],
  [["--max-turns", "3"], { "max-turns": ["3"] }],
  [["--max-budget-usd=0.5"], { "max-budget-usd": ["0.5"] }],
  [["--max-thinking-tokens=0"], { "max-thinking-tokens": ["0"] }],
  [["--thinking=adaptive"], { thinking: ["adaptive"] }],
  [["--effort", "xhigh"], { effort: ["xhigh"] }],
  [["--fallback-model", "a,b"], { "fallback-model": ["a,b"] }],
  [["--permission-mode", "manual"], { "permission-mode": ["manual"] }],
  [["--permission-mode=plan"], { "permission-mode": ["plan"] }],
  [["--dangerously-skip-permissions"], { "dangerously-skip-permissions": [] }],
  [["--allow-dangerously-skip-permissions"], { "allow-dangerously-skip-permissions": [] }],
  [["--permission-prompt-tool=stdio"], { "permission-prompt-tool": ["stdio"] }],
  [["--permission-prompts=none"], { "permission-prompts": ["none"] }],
  [["--settings", '{"a":1}', "--setting-sources="], { settings: ['{"a":1}'], "setting-sources": [""] }],
  [
    ["-c", "--fork-session", "--session-id=x", "--resume-session-at=y"],
    { continue: [], "fork-session": [], "session-id": ["x"], "resume-session-at": ["y"] },
  ],
  [["--no-session-persistence", "--bare"], { "no-session-persistence": [], bare: [] }],
  [["--debug-file=f"], { "debug-file": ["f"] }],
  [["-h"], { help: [] }],
  [["-v"], { version: [] }],
  [["--strict-mcp-config", "--include-hook-events"], { "include-hook-events": [], "strict-mcp-config": [] }],
  [["tell", "mcp", "jokes"], { prompt: "tell mcp jokes" }],
];

test.each(GOOD)("parseArguments(%j)", (argv, expected) => {
  expect<unknown>(given(argv)).toEqual(expected);
});

const MODES = "acceptEdits, auto, bypassPermissions, default, dontAsk, manual or plan";
const BAD: readonly [argv: string[], message: string][] = [
  [["--modle", "x"], "unknown option '--modle' (did you mean --model?)"],
  [["--output-fromat=json"], "unknown option '--output-fromat=json' (did you mean --output-format?)"],
  [["--zzzzzzzzzz"], "unknown option '--zzzzzzzzzz'"],
  [["-x"], "unknown option '-x'"],
  [["-px"], "unknown option '-x'"],
  [["--print=yes"], "unknown option '--print=yes' (did you mean --print?)"],
  [["--model"], "option --model requires a value"],
  [["--allowedTools"], "option --allowedTools requires a value"],
  [["--permission-mode", "zzz"], `invalid value "zzz" for --permission-mode; use ${MODES}`],
  [["--output-format", "xml"], 'invalid value "xml" for --output-format; use text, json or stream-json'],
  [["--max-turns", "0"], 'invalid value "0" for --max-turns; use a whole number, 1 or more'],
  [["--max-turns=-1"], 'invalid value "-1" for --max-turns; use a whole number, 1 or more'],
  [["--max-turns", "2.5"], 'invalid value "2.5" for --max-turns; use a whole number, 1 or more'],
  [["--max-turns", "1e3"], 'invalid value "1e3" for --max-turns; use a whole number, 1 or more'],
  [["--max-budget-usd", "0"], 'invalid value "0" for --max-budget-usd; use a number greater than 0'],
  [["--max-budget-usd", "lots"], 'invalid value "lots" for --max-budget-usd; use a number greater than 0'],
  [["--max-budget-usd="], 'invalid value "" for --max-budget-usd; use a number greater than 0'],
  [["--environment", "u"], "option --environment is not available in this version yet"],
];

test.each(BAD)("parseArguments(%j) is refused", (argv, message) => {
  expect(given(argv)).toBe(message);
});

test("a prompt taken by a flag is kept for the error message", () => {
  const swallowed = (...argv: string[]) => (parseArguments(argv) as { arguments: Arguments }).arguments.swallowed;
  expect(swallowed("--allowedTools", "Read", "do this")).toEqual({ flag: "allowedTools", word: "do this" });
  expect(swallowed("--allowedTools", "Bash(git *)")).toBeUndefined();
  expect(swallowed("--add-dir", "../lib", "hi")).toEqual({ flag: "add-dir", word: "hi" });
  expect(swallowed("--add-dir", "../lib")).toBeUndefined();
  expect(swallowed("--allowedTools", "do this", "-p")).toBeUndefined();
  expect(swallowed("-p", "--debug", "hello")).toEqual({ flag: "debug", word: "hello" });
  expect(swallowed("-p", "--resume", "nightly")).toBeUndefined();
});

test("no two flags share a name", () => {
  const names = FLAGS.flatMap((flag) => [
    flag.name,
    ...(flag.aliases ?? []),
    ...(flag.short ? [`-${flag.short}`] : []),
  ]);
  expect(names).toEqual([...new Set(names)]);
});
