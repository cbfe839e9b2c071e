// The end of a session: by the end of the input, by request, by signal, by hanging up.

import { bash, kinds, ofKind, result, results, turn, type Scenario } from "../scenario.ts";

export const ENDING: readonly Scenario[] = [
  {
    name: "the end of the input before any prompt",
    steps: [],
    cases: [
      { name: "is quiet", see: ({ messages }) => messages, is: [] },
      { name: "is a good end", see: ({ end }) => [end.code ?? 0, end.stderr ?? "", end.error], is: [0, "", undefined] },
      { name: "leaves nothing", see: ({ transcripts }) => transcripts, is: [] },
    ],
  },
  {
    name: "the end of the input during a run",
    only: "pipe",
    says: [{ text: "hello", hold: "go" }],
    steps: [{ say: "hi" }, { untilModel: 1 }, { end: true }, { release: "go" }],
    cases: [{ name: "waits for the result", see: (seen) => [result(seen)?.result, seen.end.code], is: ["hello", 0] }],
  },
  {
    name: "the end of the input with prompts that wait",
    says: [{ text: "one" }, { text: "two" }],
    steps: [{ say: "a" }, { say: "b" }, { end: true }],
    cases: [{ name: "answers them all", see: (seen) => results(seen).map((each) => each.result), is: ["one", "two"] }],
  },
  {
    name: "requests at the very end of the input",
    only: "pipe",
    steps: [
      ...["get_settings", "mcp_status", "get_context_usage", "get_hooks_listing", "no_such"].map((subtype) => ({
        ask: { subtype },
        as: subtype,
        unheard: true as const,
      })),
      { end: true },
    ],
    cases: [
      {
        name: "are answered before it ends",
        see: ({ replies, end }) => [Object.keys(replies).sort(), end.code],
        is: [["get_context_usage", "get_hooks_listing", "get_settings", "mcp_status", "no_such"], 0],
      },
    ],
  },
  {
    name: "end_session",
    only: "pipe",
    says: [{ text: "hi" }],
    steps: [...turn("go"), { ask: { subtype: "end_session" }, as: "end" }, { until: { type: "never" } }],
    cases: [
      {
        name: "is acknowledged last",
        see: ({ order, replies }) => [order.at(-1), replies["end"]],
        is: ["reply end_session 1", { subtype: "success" }],
      },
      { name: "ends the program although its input stays open", see: ({ end }) => end.code, is: 0 },
    ],
  },
  {
    name: "SIGTERM during a run",
    says: [{ hold: "never", text: "no" }],
    steps: [{ say: "hi" }, { untilModel: 1 }, { signal: "SIGTERM" }, { until: { type: "never" } }],
    cases: [
      { name: "leaves no result", see: results, is: [] },
      { name: "is 143", only: "pipe", see: ({ end }) => end.code, is: 143 },
      {
        name: "is an error of the process",
        only: "sdk",
        see: ({ end }) => end.error?.errorClass,
        is: "process_exited_nonzero",
      },
    ],
  },
  {
    name: "SIGINT during a run",
    says: [{ hold: "never", text: "no" }],
    steps: [{ say: "hi" }, { untilModel: 1 }, { signal: "SIGINT" }, { until: { type: "never" } }],
    cases: [
      {
        name: "leaves the marker and no result",
        see: (seen) => [ofKind(seen, "user").map(({ message }) => message.content[0].text), results(seen)],
        is: [["[Request interrupted by user]"], []],
      },
      { name: "is a good end", see: ({ end }) => [end.code ?? 0, end.error], is: [0, undefined] },
    ],
  },
  {
    name: "SIGKILL during a run",
    says: [{ hold: "never", text: "no" }],
    steps: [{ say: "hi" }, { untilModel: 1 }, { signal: "SIGKILL" }, { until: { type: "never" } }],
    cases: [
      { name: "is told by its name", only: "pipe", see: ({ end }) => end.signal, is: "SIGKILL" },
      {
        name: "is an error that names it",
        only: "sdk",
        see: ({ end }) => [end.error?.name, end.error?.message.includes("SIGKILL")],
        is: ["ProcessError", true],
      },
    ],
  },
  {
    name: "hanging up during a command",
    options: { allowedTools: ["Bash"] },
    only: "sdk",
    says: [{ calls: [bash("sleep 60")] }],
    steps: [{ say: "hi" }, { until: { type: "assistant" } }, { close: true }],
    cases: [
      { name: "ends the messages without an error", see: ({ end }) => end, is: {} },
      { name: "shows nothing more", see: (seen) => kinds(seen), is: ["system/init", "assistant"] },
    ],
  },
];
