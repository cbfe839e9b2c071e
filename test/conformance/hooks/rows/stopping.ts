// Stop: whether the agent may stop. StopFailure and MessageDisplay: what it ended with, and what it said.

import { expect } from "bun:test";
import {
  base,
  DONE,
  exits,
  listens,
  nameOf,
  prints,
  reminder,
  script,
  TOUCH,
  TOUCHED,
  type Hook,
  type Row,
} from "../row.ts";

const stop = (name: string, hook: Hook, noticed: Row["noticed"], more: Partial<Row> = {}): Row => ({
  name,
  event: "Stop",
  hooks: { Stop: [hook] },
  says: [DONE, { text: "really done" }],
  noticed,
  ...more,
});
const NAME = nameOf("Stop");
/** Once no, then yes. */
const once = (body: string) => script(`case "$input" in *'"stop_hook_active":true'*) exit 0 ;; esac\n${body}`);
const completed = (text: string) => ({ text, ends: "completed", stop: "end_turn", denials: [] });
const stopped = { heard: [expect.anything()], result: completed("done") };
const wentOn = (text: string) => ({ heard: [expect.anything(), [text]], result: completed("really done") });

export const STOPPING: readonly Row[] = [
  stop("is told what was said last", listens, {
    ...stopped,
    told: [
      {
        ...base("Stop", "permission_mode", "effort"),
        stop_hook_active: false,
        last_assistant_message: "done",
        background_tasks: [],
        session_crons: [],
      },
    ],
    code: 0,
  }),
  stop("plain text does not reach the model", prints("hello"), stopped),
  stop("exit 1 lets it stop, and people are told", exits(1, "broken"), {
    ...stopped,
    notices: [expect.stringContaining("exited with code 1: broken"), "notification: stop-hook-error"],
  }),
  stop("exit 2 sends it back to work with stderr", once("echo 'tests fail' >&2; exit 2"), {
    ...wentOn(`Stop hook feedback:\n[${NAME}]: tests fail`),
    told: [expect.objectContaining({ stop_hook_active: false }), expect.objectContaining({ stop_hook_active: true })],
  }),
  stop("decision block sends it back with the reason", once(`echo '{"decision":"block","reason":"tests fail"}'`), {
    ...wentOn("Stop hook feedback:\ntests fail"),
  }),
  stop("decision block with exit 1", once(`echo '{"decision":"block","reason":"tests fail"}'; exit 1`), {
    ...wentOn("Stop hook feedback:\ntests fail"),
  }),
  stop("half of a JSON with exit 2", once(`printf '{"decision":"bl'; echo no >&2; exit 2`), {
    ...wentOn(`Stop hook feedback:\n[${NAME}]: no`),
  }),
  stop("decision approve lets it stop", prints({ decision: "approve" }), stopped),
  stop(
    "additionalContext is worth another request",
    once(`echo '{"hookSpecificOutput":{"hookEventName":"Stop","additionalContext":"one more thing"}}'`),
    {
      ...wentOn(reminder("Stop hook additional context: one more thing")),
    },
  ),
  stop(
    "continue: false stops whatever others want",
    prints({ continue: false, stopReason: "closing time" }),
    {
      heard: [expect.anything()],
      result: { text: "done", ends: "stop_hook_prevented", stop: "end_turn", denials: [] },
      notices: [expect.stringContaining("closing time")],
    },
    {
      hooks: { Stop: [prints({ continue: false, stopReason: "closing time" }), exits(2, "go on")] },
    },
  ),
  stop(
    "what names another event is not meant for this one",
    prints({ hookSpecificOutput: { hookEventName: "SessionEnd", additionalContext: "x" } }),
    {
      ...stopped,
      notices: [expect.stringContaining('"hookEventName" is not Stop'), "notification: stop-hook-error"],
    },
  ),
  stop("onFailure block is not honoured", exits(1, "broken", { onFailure: "block" }), stopped),
  stop(
    "eight times in a row, and no more",
    exits(2, "never enough"),
    {
      heard: [expect.anything(), ...Array.from({ length: 8 }, () => [`Stop hook feedback:\n[${NAME}]: never enough`])],
      notices: [expect.stringContaining("8 times in a row")],
      result: completed("try 8"),
      code: 0,
    },
    { says: Array.from({ length: 12 }, (_, at) => ({ text: `try ${at}` })) },
  ),
  stop(
    "work in between starts the count anew",
    exits(2, "more"),
    {
      heard: expect.objectContaining({ length: 14 }),
    },
    {
      says: [
        ...Array.from({ length: 4 }, (_, at) => ({ text: `try ${at}` })),
        { calls: [TOUCH] },
        ...Array.from({ length: 12 }, (_, at) => ({ text: `again ${at}` })),
      ],
    },
  ),
  stop(
    "it comes after the tools are done",
    script("ls > then"),
    { files: { ran: "", then: "ran\nthen\n" } },
    {
      says: [{ calls: [TOUCH] }, DONE],
    },
  ),
  stop("time over lets it stop", script("sleep 60", { timeout: 0.3 }), {
    ...stopped,
    notices: [expect.stringContaining("took longer than 0.3 s"), "notification: stop-hook-error"],
  }),
  {
    name: "is told of an API error, and Stop is not",
    event: "StopFailure",
    hooks: { StopFailure: [listens, script("touch matched", { matcher: "rate_limit" })], Stop: [listens] },
    says: [{ status: 400, message: "no such thing" }],
    noticed: {
      told: [
        {
          ...base("StopFailure", "effort"),
          error: "invalid_request",
          error_details: expect.stringContaining("no such thing"),
        },
      ],
      files: {},
      code: 1,
    },
  },
  {
    name: "nothing it says changes the end",
    event: "StopFailure",
    hooks: { StopFailure: [exits(2, "no"), prints({ decision: "block", continue: false })] },
    says: [{ status: 400, message: "no such thing" }, DONE],
    noticed: { heard: [expect.anything()], result: expect.objectContaining({ ends: "api_error" }), code: 1 },
  },
  {
    name: "is told of a text once it is whole",
    event: "MessageDisplay",
    hooks: { MessageDisplay: [listens] },
    says: [{ text: ["do", "ne"] }],
    noticed: {
      told: [
        { ...base("MessageDisplay"), turn_id: "<uuid>", message_id: "msg_1", index: 0, final: true, delta: "done" },
      ],
    },
  },
  {
    name: "is told of the texts between calls too",
    event: "MessageDisplay",
    hooks: { MessageDisplay: [script("echo x >> times")] },
    says: [{ text: "I will", calls: [TOUCH] }, { calls: [TOUCH] }, DONE],
    noticed: { heard: [expect.anything(), [TOUCHED], [TOUCHED]], files: { ran: "", times: "x\nx\n" } },
  },
  {
    name: "nothing it says keeps a text from the stream",
    event: "MessageDisplay",
    hooks: { MessageDisplay: [exits(2, "no"), prints({ continue: false, decision: "block" })] },
    says: [DONE],
    noticed: { result: completed("done"), code: 0 },
  },
];
