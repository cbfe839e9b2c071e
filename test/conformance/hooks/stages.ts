// The kinds of agents the hooks table is run on. Each says how an agent of its kind gets the
// prompt, which rows mean nothing there, and what is different by design; everything else is the same.

import { expect } from "bun:test";
import type { HookEvent, JsonObject } from "@keelson/protocol";
import type { ScriptedCall, ScriptedReply } from "@keelson/testkit";
import { perform, type Absence, type Stage, type Way } from "./drive.ts";
import { startHere } from "./here.ts";
import { nameOf, PROMPT, type Hook, type Observed, type Row } from "./row.ts";

export const mainAgentHere: Stage = {
  name: "main agent",
  run: (row) => perform(row, { typed: PROMPT, start: startHere }),
};

/** What the main agent is asked, which passes the row's prompt on. */
const LEAD = "Have it done";
const PASSED_ON: ScriptedReply = { text: "passed on" };

/** The main agent makes one call, which starts the other, and has nothing else to say. */
const through = (call: ScriptedCall, more: Partial<Way> = {}): Way => ({
  typed: LEAD,
  start: startHere,
  says: numbered,
  lead: (body) => {
    const texts = textsIn(body);
    if (!texts.includes(LEAD) || texts.some((text) => text.endsWith(PROMPT))) return undefined;
    const isStarted = JSON.stringify(body["messages"]).includes("call_lead");
    return isStarted ? PASSED_ON : { calls: [{ id: "call_lead", ...call }] };
  },
  ...more,
});

const textsIn = ({ messages }: JsonObject): string[] =>
  (messages as any[]).flatMap(({ content }) => [content].flat().flatMap((block) => block.text ?? []));

/** Calls are numbered as those of the main agent are, though the model has answered others before. */
function numbered<R extends object>(reply: R, at: number): R {
  if (!("calls" in reply)) return reply;
  const calls = reply.calls as readonly ScriptedCall[];
  return { ...reply, calls: calls.map((call, n) => ({ id: `call_${at + 1}_${n + 1}`, ...call })) };
}

const agent = (input: object): ScriptedCall => ({
  name: "Agent",
  input: { description: "The row", prompt: PROMPT, ...input },
});
const GENERAL = { subagent_type: "general-purpose" };
const SKILL = `---\nname: row\ndescription: Does what the row says\ncontext: fork\n---\n${PROMPT}\n`;

const isOneOf = (events: readonly HookEvent[]) => (row: Row) => events.includes(row.event);

const NOT_IN_CHILDREN: readonly Absence[] = [
  {
    why: "only the session tells what it shows and how its run failed",
    is: isOneOf(["MessageDisplay", "StopFailure"]),
  },
  { why: "a subagent did start", is: ({ hooks }) => "SubagentStart" in hooks },
  {
    why: "the end of a subagent has a subject, its type",
    is: ({ hooks }) => hooks.Stop?.some(({ matcher }) => matcher !== undefined) ?? false,
  },
];
const NOT_IN_BACKGROUND: readonly Absence[] = [
  { why: "nobody is asked about it", is: ({ person }) => person !== undefined && person !== "silent" },
];

interface ChildOptions extends Pick<Stage, "absent" | "unseen"> {
  readonly type?: string;
  readonly files?: Row["files"];
}

function child(name: string, way: Way, { type = "general-purpose", files = {}, ...less }: ChildOptions = {}): Stage {
  return {
    name,
    run: async (row) => {
      const observed = await perform({ ...row, hooks: childHooks(row), files: { ...row.files, ...files } }, way);
      return withoutAgent(observed, type);
    },
    // They are the session's, which goes on.
    unseen: ["result", "code", ...(less.unseen ?? [])],
    absent: [...NOT_IN_CHILDREN, ...(less.absent ?? [])],
  };
}

export const STAGES: readonly Stage[] = [
  child("foreground child", through(agent(GENERAL))),
  child("background child", through(agent({ ...GENERAL, run_in_background: true }), { results: 2 }), {
    absent: NOT_IN_BACKGROUND,
    // Of every denial the reason is that nobody is asked.
    unseen: ["denied"],
  }),
  child("fork", through(agent({}), { env: { CLAUDE_CODE_FORK_SUBAGENT: "1" } }), { type: "fork" }),
  child("skill fork", through({ name: "Skill", input: { skill: "row" } }), {
    files: { ".claude/skills/row/SKILL.md": SKILL },
  }),
  agentHook(),
];

/** Hooks hear only the child, and Stop hooks are those of its end. */
function childHooks({ hooks }: Row): Row["hooks"] {
  return changed(hooks, (event) => (event === "Stop" ? "SubagentStop" : event), `*'"agent_id"'*) ;; *`);
}

/** `others`: as in `case`, the inputs that are not meant. */
function changed(hooks: Row["hooks"], rename: (event: HookEvent) => HookEvent, others: string): Row["hooks"] {
  const list = Object.entries(hooks) as [HookEvent, readonly Hook[]][];
  return Object.fromEntries(
    list.map(([event, each]) => [rename(event), each.map((hook, at) => changedHook(event, hook, at + 1, others))]),
  );
}

const TOOL_EVENTS: readonly HookEvent[] = ["PreToolUse", "PostToolUse", "PostToolUseFailure"];

function changedHook(event: HookEvent, given: Hook, at: number, others: string): Hook {
  const named = JSON.stringify(given).replaceAll('hookEventName\\":\\"Stop', 'hookEventName\\":\\"SubagentStop');
  const hook = JSON.parse(named);
  const matcher = TOOL_EVENTS.includes(event) ? { matcher: "Bash|Read|Write" } : {};
  if (!("script" in hook)) return { ...matcher, ...hook };
  const body = `case "$input" in ${others}) exit 0 ;; esac\n${hook.script}`;
  return { ...matcher, called: nameOf(event, at), ...hook, script: body };
}

/** As the main agent would have seen it. */
function withoutAgent(observed: Observed, type: string): Observed {
  const told = observed.told.filter((input) => "agent_id" in input).map((input) => ofAgent(input, type));
  const posted = (observed.posted as any[]).map((each) => ({ ...each, body: ofAgent(each.body, type) }));
  const keys = told.map((input) => Object.keys(input).join(" "));
  const text = JSON.stringify({ ...observed, told, keys, posted });
  return JSON.parse(text.replaceAll("SubagentStop", "Stop").replaceAll(UNASKED, NOBODY));
}
const UNASKED = "An agent in the background cannot ask the user";
const NOBODY = "No one is available to approve it in this session";

function ofAgent(
  { agent_id, agent_type, agent_transcript_path: path, ...input }: JsonObject,
  type: string,
): JsonObject {
  expect({ agent_id, agent_type }).toEqual({ agent_id: expect.stringMatching(/^a[0-9a-f]{16}$/), agent_type: type });
  const isEnd = input["hook_event_name"] === "SubagentStop";
  expect(path).toEqual(isEnd ? expect.stringMatching(new RegExp(`/subagents/agent-${agent_id}\\.jsonl$`)) : undefined);
  return input;
}

/** A hook that is an agent: it answers with a call, and its events are the session's. */
function agentHook(): Stage {
  const says: Way["says"] = (reply, at) => {
    const isAnswer = "text" in reply && !("calls" in reply);
    const conclusion = { calls: [{ name: "StructuredOutput", input: { ok: true, reason: "fine" } }] };
    return numbered(isAnswer ? conclusion : reply, at);
  };
  const lead: Way["lead"] = (body) => (textsIn(body).includes(LEAD) ? PASSED_ON : undefined);
  return {
    name: "agent hook",
    run: async (row) => {
      const UserPromptSubmit: readonly Hook[] = [{ type: "agent", prompt: PROMPT, user: true }];
      const hooks = { ...changed(row.hooks, (event) => event, "*StructuredOutput*"), UserPromptSubmit };
      const observed = await perform({ ...row, hooks }, { typed: LEAD, start: startHere, says, lead });
      const told = observed.told.filter((input) => !JSON.stringify(input).includes("StructuredOutput"));
      // It came to no conclusion where a hook ended its run.
      const notices = observed.notices.filter((text) => !text.includes(`UserPromptSubmit hook "${PROMPT}" failed`));
      return { ...observed, told, notices, keys: told.map((input) => Object.keys(input).join(" ")) };
    },
    unseen: ["result", "code"],
    absent: [
      { why: "its start and end are no events", is: isOneOf(["Stop", "MessageDisplay", "StopFailure"]) },
      {
        why: "hooks that ask a model would call each other forever",
        is: ({ hooks }) => has(hooks, ["prompt", "agent"]),
      },
      { why: "only results of its calls reach it", is: ({ hooks }) => /"async|\{\\"async/.test(JSON.stringify(hooks)) },
      { why: "it only looks around", is: ({ says }) => JSON.stringify(says ?? []).includes('"Write"') },
      { why: "it stays where the session is", is: ({ says }) => JSON.stringify(says ?? []).includes("cd sub") },
    ],
  };
}

function has(hooks: Row["hooks"], types: readonly string[]): boolean {
  return Object.values(hooks).some((list) => list.some((hook) => types.includes(hook["type"] as string)));
}
