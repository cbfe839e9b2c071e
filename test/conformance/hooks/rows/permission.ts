// PermissionRequest, PermissionDenied and Notification: around the question whether a call may run.

import { expect } from "bun:test";
import {
  base,
  bash,
  DONE,
  exits,
  listens,
  prints,
  RAN,
  rowsOf,
  says,
  script,
  TOUCH,
  TOUCHED,
  type Row,
} from "../row.ts";

/** No rule speaks about `touch`, so it is a question. */
const asks = rowsOf("PermissionRequest", { settings: {} });
const answers = (decision: object, fields: { exit?: number } = {}) => says("PermissionRequest", { decision }, fields);
const runs = { files: RAN, heard: [expect.anything(), [TOUCHED]], result: expect.objectContaining({ denials: [] }) };
const refused = (text: unknown) => ({ files: {}, heard: [expect.anything(), [text]] });
const nobody = refused(expect.stringContaining("No one is available to approve it in this session"));
const YES = { behavior: "allow", updatedInput: { command: "touch ran" } };
const REMEMBER = {
  type: "addRules",
  behavior: "allow",
  destination: "session",
  rules: [{ toolName: "Bash", ruleContent: "touch *" }],
};

const PERMISSION_REQUEST: readonly Row[] = [
  asks("is told of the question, and without an answer nobody has one", listens, {
    ...nobody,
    told: [
      {
        ...base("PermissionRequest", "permission_mode"),
        tool_name: "Bash",
        tool_input: { command: "touch ran" },
        permission_suggestions: expect.any(Array),
      },
    ],
    denied: ["Bash other"],
  }),
  asks("allow answers it", answers({ behavior: "allow" }), runs),
  asks("allow with exit 1 answers it", answers({ behavior: "allow" }, { exit: 1 }), runs),
  asks("allow with another input", answers({ behavior: "allow", updatedInput: { command: "touch other" } }), {
    files: { other: "" },
    heard: [expect.anything(), [TOUCHED]],
  }),
  asks(
    "allow with an input that a rule forbids",
    answers({ behavior: "allow", updatedInput: { command: "touch other" } }),
    refused(expect.stringContaining("touch other has been denied")),
    { settings: { permissions: { deny: ["Bash(touch other)"] } } },
  ),
  asks("allow with an input that does not fit", answers({ behavior: "allow", updatedInput: { words: 1 } }), {
    ...refused(expect.stringContaining("InputValidationError")),
  }),
  asks(
    "allow with a rule, which holds from then on",
    answers({ behavior: "allow", updatedPermissions: [REMEMBER] }),
    {
      files: { ran: "", other: "" },
      keys: [expect.anything()],
    },
    { says: [{ calls: [TOUCH] }, { calls: [bash("touch other")] }, DONE] },
  ),
  asks("deny with a message", answers({ behavior: "deny", message: "not on Sundays" }), {
    ...refused("error: not on Sundays"),
    result: expect.objectContaining({ text: "done", denials: ["Bash"] }),
  }),
  asks("deny without a message", answers({ behavior: "deny" }), refused(expect.stringMatching(/^error: \S/))),
  asks("deny that interrupts ends the run", answers({ behavior: "deny", message: "stop it", interrupt: true }), {
    files: {},
    heard: [expect.anything()],
    result: expect.objectContaining({ ends: "aborted_tools" }),
  }),
  asks("deny beats allow", answers({ behavior: "deny", message: "no" }), refused("error: no"), {
    hooks: { PermissionRequest: [answers({ behavior: "allow" }), answers({ behavior: "deny", message: "no" })] },
  }),
  asks("neither yes nor no is no answer", answers({ behavior: "perhaps" }), {
    ...nobody,
    notices: [expect.stringContaining('"behavior" is not allow or deny')],
  }),
  asks("exit 2 is not honoured", exits(2, "no"), {
    ...nobody,
    notices: [expect.stringContaining("exited with code 2")],
  }),
  asks("exit 1 is no answer", exits(1, "no"), { ...nobody, notices: [expect.stringContaining("exited with code 1")] }),
  asks("plain text is no answer", prints("allow"), nobody),
  asks("the old decision is no answer", prints({ decision: "approve" }), nobody),
  asks("a permissionDecision is no answer", says("PermissionRequest", { permissionDecision: "allow" }), nobody),
  asks(
    "what rules decided is no question",
    answers({ behavior: "allow" }),
    { ...refused(expect.anything()), told: [] },
    {
      settings: { permissions: { deny: ["Bash"] } },
    },
  ),
  asks("it answers for an ask rule", answers({ behavior: "allow" }), runs, {
    settings: { permissions: { ask: ["Bash(touch *)"] } },
  }),
  asks("it answers for a hook that asks", answers({ behavior: "allow" }), runs, {
    hooks: {
      PreToolUse: [says("PreToolUse", { permissionDecision: "ask" })],
      PermissionRequest: [answers({ behavior: "allow" })],
    },
  }),
  asks("a person is asked beside it, and who answers first decides: the hook", answers({ behavior: "allow" }), runs, {
    person: "silent",
  }),
  asks(
    "a person is asked beside it, and who answers first decides: the person",
    script("sleep 60"),
    {
      ...runs,
      asked: [expect.objectContaining({ subtype: "can_use_tool", tool_name: "Bash" })],
    },
    { person: YES },
  ),
  asks(
    "a person has the word where it says nothing",
    listens,
    {
      ...refused("error: I say no"),
      asked: [expect.objectContaining({ tool_name: "Bash" })],
    },
    { person: { behavior: "deny", message: "I say no" } },
  ),
];

const verdict = (word: string) => ({ text: JSON.stringify({ verdict: word, reason: `it is ${word}` }) });
const denies = rowsOf("PermissionDenied", {
  settings: {},
  flags: ["--permission-mode", "auto"],
  aside: [verdict("deny")],
});
const denial = (text: unknown) => ({ files: {}, heard: [expect.anything(), [text]] });

const PERMISSION_DENIED: readonly Row[] = [
  denies("is told what auto mode denied, and why", listens, {
    ...denial(expect.stringContaining("Reason: it is deny")),
    told: [
      {
        ...base("PermissionDenied", "permission_mode"),
        permission_mode: "auto",
        tool_name: "Bash",
        tool_input: { command: "touch ran" },
        tool_use_id: "call_1_1",
        reason: expect.stringContaining("it is deny"),
      },
    ],
  }),
  denies("retry lets the model know that it may try again", says("PermissionDenied", { retry: true }), {
    ...denial(expect.stringMatching(/Reason: it is deny.*allows one retry/s)),
  }),
  denies("without retry it reads only the refusal", says("PermissionDenied", { retry: false }), {
    ...denial(expect.not.stringContaining("one retry")),
  }),
  denies("exit 2 is ignored", exits(2, "no"), denial(expect.stringContaining("Reason: it is deny"))),
  denies("exit 1 is ignored", exits(1, "no"), denial(expect.stringContaining("Reason: it is deny"))),
  denies("what auto mode allowed is none", listens, { told: [], files: RAN }, { aside: [verdict("allow")] }),
  denies(
    "what rules denied is none",
    listens,
    { told: [], files: {} },
    { settings: { permissions: { deny: ["Bash"] } } },
  ),
  denies("outside auto mode there is none", listens, { told: [], files: {} }, { flags: [] }),
];

const notified = rowsOf("Notification", { settings: {}, person: YES });

const NOTIFICATION: readonly Row[] = [
  notified("is told that a question is waiting", listens, {
    files: RAN,
    told: [
      {
        ...base("Notification"),
        message: expect.stringContaining("Bash"),
        notification_type: "permission_prompt",
      },
    ],
  }),
  notified("its matcher is the kind of notification", script("touch heard", { matcher: "idle_prompt" }), {
    files: RAN,
  }),
  notified("exit 2 is ignored", exits(2, "no"), { files: RAN, heard: [expect.anything(), [TOUCHED]] }),
  notified("with nobody to be told there is none", listens, { told: [], files: {} }, { person: undefined as never }),
];

export const PERMISSION: readonly Row[] = [...PERMISSION_REQUEST, ...PERMISSION_DENIED, ...NOTIFICATION];
