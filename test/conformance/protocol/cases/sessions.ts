// Going on with a session: by id, the last one, in a copy, from an earlier point; and sessions that cannot be had.

import { expect } from "bun:test";
import { init, result, results, turn, type Scenario } from "../scenario.ts";

const ID = "11111111-2222-4333-8444-555555555555";
const OTHER = "22222222-2222-4333-8444-555555555555";
const saidIn = ({ requests }: any, number: number) =>
  requests[number - 1].messages
    .filter(({ role }: any) => role === "assistant")
    .flatMap(({ content }: any) => content.map(({ text }: any) => text));
const idOf = (run: any) => result(run).session_id;
const TWO = [{ text: "one" }, { text: "two" }];

export const SESSIONS: readonly Scenario[] = [
  {
    name: "a session with an id of its own",
    options: { sessionId: ID },
    says: TWO,
    steps: turn("a"),
    then: [{ options: { sessionId: ID }, steps: turn("b") }],
    cases: [
      {
        name: "has it on every line",
        see: ({ runs }) => new Set(runs[0]!.messages.map(({ session_id }) => session_id)),
        is: new Set([ID]),
      },
      {
        name: "is kept under it",
        see: ({ transcripts }) => transcripts,
        is: [expect.stringMatching(new RegExp(`${ID}\\.jsonl$`))],
      },
      {
        name: "cannot be begun a second time",
        see: (seen) => [results(seen).filter(({ is_error }) => !is_error), seen.requests.length],
        is: [[], 1],
      },
      {
        name: "a second time ends with 1",
        only: "pipe",
        see: ({ end }) => [end.code, end.stderr],
        is: [1, expect.stringContaining(ID)],
      },
    ],
  },
  {
    name: "an id that is none",
    options: { sessionId: "my-session" },
    steps: turn("a"),
    cases: [
      {
        name: "is refused",
        only: "pipe",
        see: ({ end }) => [end.code, end.stderr],
        is: [1, expect.stringContaining("UUID")],
      },
      { name: "asks no model", see: ({ requests }) => requests, is: [] },
    ],
  },
  {
    name: "resume",
    options: { sessionId: ID },
    says: TWO,
    steps: turn("a"),
    then: [{ options: { resume: ID }, steps: turn("b") }],
    cases: [
      { name: "keeps the id", see: ({ runs }) => runs.map(idOf), is: [ID, ID] },
      { name: "knows what was said", see: (seen) => saidIn(seen, 2), is: ["one"] },
      { name: "writes to the same file", see: ({ transcripts }) => transcripts.length, is: 1 },
      {
        name: "carries the cost on",
        see: ({ runs }) => {
          const [first, second] = runs.map((run) => result(run).total_cost_usd);
          return Math.abs(second - 2 * first) < 1e-9;
        },
        is: true,
      },
      { name: "has an init like any other", see: (seen) => init(seen).session_id, is: ID },
    ],
  },
  {
    name: "continue",
    says: TWO,
    steps: turn("a"),
    then: [{ options: { continue: true }, steps: turn("b") }],
    cases: [
      { name: "goes on with the last session", see: ({ runs }) => idOf(runs[0]) === idOf(runs[1]), is: true },
      { name: "knows what was said", see: (seen) => saidIn(seen, 2), is: ["one"] },
    ],
  },
  {
    name: "continue with nothing to go on with",
    options: { continue: true },
    says: TWO,
    steps: turn("a"),
    cases: [{ name: "begins", see: (seen) => result(seen).result, is: "one" }],
  },
  {
    name: "fork",
    options: { sessionId: ID },
    says: TWO,
    steps: turn("a"),
    then: [{ options: { resume: ID, forkSession: true }, steps: turn("b") }],
    cases: [
      { name: "has an id of its own", see: ({ runs }) => idOf(runs[1]) !== ID, is: true },
      { name: "knows what was said", see: (seen) => saidIn(seen, 2), is: ["one"] },
      { name: "is a file of its own", see: ({ transcripts }) => transcripts.length, is: 2 },
    ],
  },
  {
    name: "fork under a chosen id",
    options: { sessionId: ID },
    says: TWO,
    steps: turn("a"),
    then: [{ options: { resume: ID, forkSession: true, sessionId: OTHER }, steps: turn("b") }],
    cases: [{ name: "has it", see: ({ runs }) => idOf(runs[1]), is: OTHER }],
  },
  {
    name: "resume at an earlier message",
    options: { sessionId: ID },
    says: [...TWO, { text: "three" }],
    steps: [...turn("a"), ...turn("b")],
    then: [{ options: { resume: ID, resumeSessionAt: "<uuid of assistant 1>" }, steps: turn("c") }],
    cases: [
      { name: "forgets what came after", see: (seen) => saidIn(seen, 3), is: ["one"] },
      { name: "keeps the id", see: ({ runs }) => idOf(runs[1]), is: ID },
    ],
  },
  {
    name: "resume of a session nobody knows",
    options: { resume: ID },
    steps: turn("a"),
    cases: [
      {
        name: "is one result, under that id",
        see: (seen) => seen.messages,
        is: [
          expect.objectContaining({
            type: "result",
            subtype: "error_during_execution",
            is_error: true,
            num_turns: 0,
            session_id: ID,
            errors: [expect.stringContaining(ID)],
          }),
        ],
      },
      {
        name: "says the same on stderr and ends with 1",
        only: "pipe",
        see: (seen) => [seen.end.code, seen.end.stderr?.trim() === result(seen).errors[0]],
        is: [1, true],
      },
      { name: "is thrown", only: "sdk", see: ({ end }) => end.error?.errorClass, is: "error_result" },
    ],
  },
  {
    name: "resume of a session nobody knows, after initialize",
    only: "pipe",
    options: { resume: ID },
    steps: [{ ask: { subtype: "initialize" }, as: "initialize" }],
    cases: [{ name: "does not answer it", see: ({ replies }) => replies, is: {} }],
  },
  {
    name: "a session that is not kept",
    options: { persistSession: false },
    says: TWO,
    steps: turn("a"),
    then: [{ options: { continue: true }, steps: turn("b") }],
    cases: [
      { name: "leaves no file", see: ({ runs, transcripts }) => [transcripts.length, runs.length], is: [1, 2] },
      { name: "is not gone on with", see: (seen) => saidIn(seen, 2), is: [] },
    ],
  },
];
