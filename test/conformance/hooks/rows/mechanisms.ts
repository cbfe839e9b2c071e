// Handlers that are no scripts: HTTP requests, a small model, an agent; and scripts that continue in the background.

import { expect } from "bun:test";
import { bash, base, DONE, exits, nameOf, RAN, reminder, script, TOUCH, TOUCHED, type Hook, type Row } from "../row.ts";

const row = (name: string, hook: Hook, noticed: Row["noticed"], more: Partial<Row> = {}): Row => ({
  name,
  event: "PreToolUse",
  hooks: { PreToolUse: [hook] },
  noticed,
  ...more,
});
const runs = { files: RAN, heard: [expect.anything(), [TOUCHED]] };
const refused = (text: unknown) => ({ files: {}, heard: [expect.anything(), [text]] });

const CALL = {
  ...base("PreToolUse", "permission_mode", "effort"),
  tool_name: "Bash",
  tool_input: { command: "touch ran" },
  tool_use_id: "call_1_1",
};
const post = (fields: object = {}): Hook => ({ type: "http", url: "<server>/hook", ...fields });
const DENY = {
  hookSpecificOutput: { hookEventName: "PreToolUse", permissionDecision: "deny", permissionDecisionReason: "no" },
};

const HTTP: readonly Row[] = [
  row(
    "http: the input is posted, with headers of its own",
    post({
      headers: { "x-key": "$OTHER k $KEY ${KEY}", "x-lines": "a\r\nEvil: 1" },
      allowedEnvVars: ["KEY"],
    }),
    {
      ...runs,
      posted: [
        {
          method: "POST",
          path: "/hook",
          type: "application/json",
          headers: { "x-key": "k v v", "x-lines": "aEvil: 1" },
          body: CALL,
        },
      ],
    },
    { server: {}, env: { KEY: "v", OTHER: "hidden" } },
  ),
  row("http: JSON decides", post(), refused("error: no"), { server: { body: JSON.stringify(DENY) } }),
  row("http: JSON on another good status decides", post(), refused("error: no"), {
    server: { status: 201, body: JSON.stringify(DENY) },
  }),
  row(
    "http: a bad status never blocks, whatever the body",
    post(),
    { ...runs, notices: [expect.stringContaining("403")] },
    {
      server: { status: 403, body: JSON.stringify(DENY) },
    },
  ),
  row(
    "http: a redirect is not followed",
    post(),
    { ...runs, posted: [expect.objectContaining({ path: "/hook" })], notices: [expect.stringContaining("302")] },
    {
      server: { status: 302, headers: { location: "<server>/other" }, body: "" },
    },
  ),
  row(
    "http: text is an error that stops nothing",
    post(),
    { ...runs, notices: [expect.stringContaining("JSON object")] },
    {
      server: { body: "deny" },
    },
  ),
  row("http: nobody there stops nothing", post({ url: "http://127.0.0.1:1/" }), {
    ...runs,
    notices: [expect.stringContaining("127.0.0.1:1")],
  }),
  row(
    "http: onFailure block refuses when nobody is there",
    post({ url: "http://127.0.0.1:1/", onFailure: "block" }),
    refused(expect.stringContaining("127.0.0.1:1")),
  ),
  row(
    "http: no answer in time stops nothing",
    post({ timeout: 0.3 }),
    { ...runs, notices: [expect.stringContaining("0.3 s")] },
    {
      server: { silent: true },
    },
  ),
  row(
    "http: an address that is not allowed is not asked",
    post(),
    { ...runs, posted: [], notices: [expect.stringContaining("allowedHttpHookUrls")] },
    {
      server: { body: JSON.stringify(DENY) },
      settings: { permissions: { allow: ["Bash(touch *)"] }, allowedHttpHookUrls: ["https://example.com/*"] },
    },
  ),
  row("http: a private address is not asked", post({ url: "http://10.0.0.1/" }), {
    ...runs,
    notices: [expect.stringContaining("10.0.0.1")],
  }),
];

const holds = (ok: boolean, reason = "it is Sunday") => ({ text: JSON.stringify({ ok, reason }) });
const prompt = (fields: object = {}): Hook => ({
  type: "prompt",
  prompt: "Is it a working day? $ARGUMENTS",
  ...fields,
});
const NO = `error: PreToolUse:Bash hook error: [Is it a working day? $ARGUMENTS]: it is Sunday`;
const SCHEMA = expect.objectContaining({
  type: "json_schema",
  schema: expect.objectContaining({ required: ["ok", "reason"] }),
});

const PROMPTS: readonly Row[] = [
  row(
    "prompt: one question to a small model, with the input in it",
    prompt(),
    {
      ...runs,
      asides: [
        {
          model: expect.stringContaining("haiku"),
          system: [expect.stringContaining("condition")],
          messages: [
            {
              role: "user",
              content: [
                expect.objectContaining({
                  text: expect.stringMatching(
                    /^Is it a working day\? \{"session_id":"<session>".*"tool_use_id":"call_1_1"\}$/,
                  ),
                }),
              ],
            },
          ],
          tools: [],
          output_config: expect.objectContaining({ format: SCHEMA }),
        },
      ],
    },
    { aside: [holds(true)] },
  ),
  row(
    "prompt: without a place for it the input follows",
    prompt({ prompt: "Is it Monday?" }),
    {
      asides: [
        expect.objectContaining({
          messages: [
            {
              role: "user",
              content: [expect.objectContaining({ text: expect.stringMatching(/^Is it Monday\?\n\n\{"session_id"/) })],
            },
          ],
        }),
      ],
    },
    { aside: [holds(true)] },
  ),
  row(
    "prompt: a model of its own",
    prompt({ model: "opus" }),
    { asides: [expect.objectContaining({ model: expect.stringContaining("opus") })] },
    {
      aside: [holds(true)],
    },
  ),
  row(
    "prompt: no refuses the call and ends the run",
    prompt(),
    {
      files: {},
      heard: [expect.anything()],
      result: expect.objectContaining({ ends: "hook_stopped" }),
      notices: [expect.stringContaining("it is Sunday")],
    },
    { aside: [holds(false)] },
  ),
  row("prompt: no with continueOnBlock lets the model go on", prompt({ continueOnBlock: true }), refused(NO), {
    aside: [holds(false)],
  }),
  row(
    "prompt: an answer nobody can read stops nothing",
    prompt(),
    { ...runs, notices: [expect.stringContaining("did not say whether the condition is met")] },
    {
      aside: [{ text: "well…" }],
    },
  ),
  {
    ...row(
      "prompt: no on Stop is work to go on with",
      prompt(),
      {
        heard: [expect.anything(), [expect.stringMatching(/^Stop hook feedback:\n.*it is Sunday$/s)]],
      },
      { aside: [holds(false), holds(true)], says: [DONE, { text: "really done" }] },
    ),
    event: "Stop",
    hooks: { Stop: [prompt()] },
  },
];

const agent: Hook = { type: "agent", prompt: "Do the tests pass? $ARGUMENTS" };
const concludes = (ok: boolean, reason = "one fails") => ({
  calls: [{ name: "StructuredOutput", input: { ok, reason } }],
});

const AGENTS: readonly Row[] = [
  row(
    "agent: looks around, and its yes lets the call run",
    agent,
    {
      ...runs,
      asides: [
        expect.objectContaining({
          model: expect.stringContaining("haiku"),
          tools: ["Bash", "Glob", "Grep", "Read", "StructuredOutput"],
          messages: [
            {
              role: "user",
              content: [
                expect.objectContaining({ text: expect.stringMatching(/^Do the tests pass\? \{"session_id"/) }),
              ],
            },
          ],
        }),
        expect.objectContaining({
          messages: expect.arrayContaining([
            {
              role: "user",
              content: [
                expect.objectContaining({ type: "tool_result", content: expect.stringContaining("all green") }),
              ],
            },
          ]),
        }),
      ],
    },
    {
      files: { "report.txt": "all green\n" },
      aside: [{ calls: [{ name: "Read", input: { file_path: "report.txt" } }] }, concludes(true)],
    },
  ),
  row(
    "agent: its no refuses the call, and the model goes on",
    agent,
    {
      ...refused("error: PreToolUse:Bash hook error: Agent hook condition was not met: one fails"),
      result: expect.objectContaining({ text: "done", ends: "completed" }),
    },
    { aside: [concludes(false)] },
  ),
  row(
    "agent: rules hold for it",
    agent,
    {
      ...runs,
      asides: [
        expect.anything(),
        expect.objectContaining({
          messages: expect.arrayContaining([{ role: "user", content: [expect.objectContaining({ is_error: true })] }]),
        }),
      ],
    },
    { aside: [{ calls: [bash("mkdir x")] }, concludes(true)] },
  ),
  row(
    "agent: one that comes to no conclusion stops nothing",
    agent,
    { ...runs, notices: [expect.stringContaining("did not say")] },
    {
      aside: Array.from({ length: 8 }, () => ({ text: "hm" })),
    },
  ),
];

/** Waits until the hook is through, and a little longer. */
const WAIT = {
  calls: [bash("n=0; until [ -e through ] || [ $n -gt 200 ]; do n=$((n+1)); sleep 0.05; done; sleep 0.5; touch ran")],
};
const MEANWHILE = {
  says: [WAIT, { calls: [TOUCH] }, { calls: [TOUCH] }, { calls: [TOUCH] }, DONE],
  settings: { permissions: { allow: ["Bash"] } },
};
const later = (text: string) => expect.arrayContaining([expect.arrayContaining([text])]);

const MCP: readonly Row[] = [
  row(
    "mcp_tool: a server that is not connected stops nothing",
    { type: "mcp_tool", server: "lint", tool: "check" },
    { ...runs, notices: [expect.stringContaining('the MCP server "lint" is not connected')] },
  ),
];

const BACKGROUND: readonly Row[] = [
  row(
    "async: its decision comes too late, what it says is heard with a later request",
    script(
      `sleep 0.2; echo '{"decision":"block","reason":"no","systemMessage":"checked","hookSpecificOutput":{"hookEventName":"PreToolUse","additionalContext":"two warnings"}}'; touch through`,
      { async: true, matcher: "Bash" },
    ),
    {
      files: { ran: "", through: "" },
      heard: later(reminder("checked\ntwo warnings")),
    },
    MEANWHILE,
  ),
  row(
    "async: a script says so itself",
    script(`echo '{"async":true,"asyncTimeout":20000}'; sleep 0.2; echo '{"systemMessage":"checked"}'; touch through`),
    {
      files: { ran: "", through: "" },
      heard: later(reminder("checked")),
    },
    MEANWHILE,
  ),
  row("async: exit 2 blocks nothing", exits(2, "no", { async: true }), { files: RAN }),
  row(
    "asyncRewake: exit 2 is heard",
    script("touch through; echo 'port 80 is open' >&2; exit 2", { asyncRewake: true }),
    {
      heard: later(
        reminder(
          `PreToolUse:Bash hook blocking error from command: "${nameOf("PreToolUse")}": [${nameOf("PreToolUse")}]: port 80 is open`,
        ),
      ),
    },
    MEANWHILE,
  ),
  row("async: what is still at work at the end is given up", script("sleep 60", { async: true }), {
    ...runs,
    code: 0,
    notices: [],
  }),
  {
    ...row(
      "async: PostToolUse too",
      script(
        `echo '{"hookSpecificOutput":{"hookEventName":"PostToolUse","additionalContext":"late"}}'; touch through`,
        { async: true },
      ),
      {
        heard: later(reminder("late")),
      },
      { ...MEANWHILE, says: [{ calls: [TOUCH] }, WAIT, { calls: [TOUCH] }, DONE] },
    ),
    event: "PostToolUse",
    hooks: {
      PostToolUse: [
        script(
          `echo '{"hookSpecificOutput":{"hookEventName":"PostToolUse","additionalContext":"late"}}'; touch through`,
          { async: true },
        ),
      ],
    },
  },
];

export const MECHANISMS: readonly Row[] = [...HTTP, ...PROMPTS, ...AGENTS, ...MCP, ...BACKGROUND];
