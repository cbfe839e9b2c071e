// Setup, SessionStart and SessionEnd: before the first prompt and after the last.

import { expect } from "bun:test";
import {
  answered,
  base,
  bash,
  DONE,
  early,
  exits,
  listens,
  prints,
  reads,
  reminder,
  rowsOf,
  says,
  script,
  type Row,
} from "../row.ts";

const starts = rowsOf("SessionStart", { says: [DONE] });
const SESSION_START: readonly Row[] = [
  starts("is told how the session came about", listens, {
    ...reads(),
    told: [{ ...early("SessionStart"), source: "startup", model: expect.stringMatching(/^claude-/) }],
    hookLines: [
      expect.objectContaining({
        subtype: "hook_started",
        hook_name: "SessionStart:startup",
        hook_event: "SessionStart",
      }),
      expect.objectContaining({ subtype: "hook_response", outcome: "success", exit_code: 0 }),
    ],
  }),
  starts(
    "plain text is heard with the first prompt",
    prints("main is frozen"),
    reads(reminder("SessionStart:startup hook success: main is frozen")),
  ),
  starts(
    "additionalContext is heard with the first prompt",
    says("SessionStart", { additionalContext: "main is frozen" }),
    {
      ...reads(reminder("SessionStart hook additional context: main is frozen")),
    },
  ),
  starts("exit 1 stops nothing", exits(1, "broken"), {
    ...reads(),
    notices: [expect.stringContaining("exited with code 1: broken")],
  }),
  starts("exit 2 is shown to people, and the session goes on", exits(2, "broken"), {
    ...reads(),
    notices: [expect.stringContaining("broken")],
    stderr: expect.stringContaining("broken"),
    code: 0,
  }),
  starts("continue: false stops nothing", prints({ continue: false }), reads()),
  starts(
    "its matcher is the source",
    script("touch start", { matcher: "startup|clear" }),
    { files: { start: "" } },
    {
      hooks: {
        SessionStart: [
          script("touch start", { matcher: "startup|clear" }),
          script("touch resumed", { matcher: "resume" }),
        ],
      },
    },
  ),
  starts("http hooks do not run here", { type: "http", url: "<server>/" }, { ...reads(), posted: [] }, { server: {} }),
  starts(
    "what it exports is there for every command",
    script('echo "export GREETING=hello" >> "$CLAUDE_ENV_FILE"; basename "$CLAUDE_ENV_FILE" > name'),
    { files: { name: "sessionstart-hook-0.sh\n", said: "hello\n" } },
    { says: [{ calls: [bash('echo "$GREETING" > said')] }, DONE], settings: { permissions: { allow: ["Bash"] } } },
  ),
  starts(
    "nothing waits for it but the first request",
    script("sleep 0.5; echo ready"),
    reads(reminder("SessionStart:startup hook success: ready")),
  ),
];

const ends = rowsOf("SessionEnd", { says: [DONE] });
const SESSION_END: readonly Row[] = [
  ends("is told why", listens, { told: [{ ...base("SessionEnd"), reason: "other" }], code: 0 }),
  ends(
    "its matcher is the reason",
    script("touch other", { matcher: "other" }),
    { files: { other: "" } },
    {
      hooks: { SessionEnd: [script("touch other", { matcher: "other" }), script("touch clear", { matcher: "clear" })] },
    },
  ),
  ends("exit 2 changes nothing", exits(2, "no"), { result: answered, code: 0 }),
  ends("exit 1 changes nothing", exits(1, "no"), { result: answered, code: 0 }),
  ends("JSON changes nothing", prints({ decision: "block", continue: false }), { result: answered, code: 0 }),
  ends("it has a second and a half", script("touch one; sleep 4; touch two"), { files: { one: "" }, code: 0 }),
  ends("its own timeout raises that", script("touch one; sleep 2; touch two", { timeout: 20 }), {
    files: { one: "", two: "" },
  }),
  ends(
    "the environment may say how long",
    script("touch one; sleep 2; touch two"),
    { files: { one: "", two: "" } },
    {
      env: { CLAUDE_CODE_SESSIONEND_HOOKS_TIMEOUT_MS: "20000" },
    },
  ),
  ends(
    "it also comes after a failure",
    listens,
    { told: [expect.objectContaining({ reason: "other" })], code: 1 },
    { says: [{ status: 400 }] },
  ),
];

const setup = rowsOf("Setup", { says: [DONE], flags: ["--init"] });
const SETUP: readonly Row[] = [
  setup(
    "comes before SessionStart",
    listens,
    {
      told: [{ ...early("Setup"), trigger: "init" }, expect.objectContaining({ hook_event_name: "SessionStart" })],
    },
    { hooks: { Setup: [script("sleep 0.2")], SessionStart: [listens] } },
  ),
  setup(
    "--maintenance says so",
    listens,
    { told: [expect.objectContaining({ trigger: "maintenance" })] },
    { flags: ["--maintenance"] },
  ),
  setup("without the flag it does not run", listens, { told: [] }, { flags: [] }),
  setup(
    "additionalContext is heard",
    says("Setup", { additionalContext: "installed" }),
    reads(reminder("Setup hook additional context: installed")),
  ),
  setup("plain text is not", prints("installed"), reads()),
  setup("exit 2 is shown to people, and the session goes on", exits(2, "broken"), {
    ...reads(),
    notices: [expect.stringContaining("broken")],
  }),
  setup(
    "what it exports is there for every command",
    script('echo "export GREETING=hello" >> "$CLAUDE_ENV_FILE"'),
    { files: { said: "hello\n" } },
    {
      says: [{ calls: [bash('echo "$GREETING" > said')] }, DONE],
      settings: { permissions: { allow: ["Bash"] } },
    },
  ),
];

export const START_AND_END: readonly Row[] = [...SESSION_START, ...SESSION_END, ...SETUP];
