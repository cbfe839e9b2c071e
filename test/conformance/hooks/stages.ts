// The kinds of agents the hooks table is run on, besides the main agent. Each says how an agent of its kind gets the
// prompt, and which rows mean nothing there.

import { expect } from "bun:test";
import type { HookEvent, JsonObject } from "@keelson/protocol";
import type { ScriptedCall, ScriptedReply } from "@keelson/testkit";
import { perform, type Absence, type Stage, type Way } from "./drive.ts";
import { startHere } from "./here.ts";
import { nameOf, PROMPT, script, type Hook, type Observed, type Row } from "./row.ts";

const LEAD = "Have it done";
/** Calls are numbered as those of the main agent are. */
const numbered: Way["says"] = (reply, at) =>
  "calls" in reply && reply.calls
    ? { ...reply, calls: reply.calls.map((call, n) => ({ id: `call_${at + 1}_${n + 1}`, ...call })) }
    : reply;

/** The main agent makes one call, which starts the other, and has nothing else to say. */
const through = (call: ScriptedCall, more: Partial<Way> = {}): Way => ({
  typed: LEAD,
  start: startHere,
  says: numbered,
  ...more,
  lead: (body) => {
    const isLead = textsIn(body).includes(LEAD) && !textsIn(body).some((text) => text.endsWith(PROMPT));
    if (!isLead) return undefined;
    const isFirst = !JSON.stringify(body["messages"]).includes("call_lead");
    return isFirst ? { calls: [{ id: "call_lead", ...call }] } : PASSED_ON;
  },
});
const PASSED_ON: ScriptedReply = { text: "passed on" };

const textsIn = ({ messages }: JsonObject): string[] =>
  (messages as any[]).flatMap(({ content }) => [content].flat().flatMap((block) => block.text ?? []));

const agent = (more: object = {}): ScriptedCall => ({
  name: "Agent",
  input: { description: "The row", prompt: PROMPT, ...more },
});
const GENERAL = { subagent_type: "general-purpose" };

const SESSION_ONLY: readonly HookEvent[] = ["StopFailure", "MessageDisplay"];
const CHILDLESS: readonly Absence[] = [
  {
    why: "only the session tells of API errors and of what is displayed",
    is: ({ event }) => SESSION_ONLY.includes(event),
  },
];

function childStage(name: string, type: string, way: Way, absent: readonly Absence[] = []): Stage {
  return {
    name,
    run: async (row) => asChild(await perform(forChild(row), way), type),
    // They are the session's, which goes on.
    unseen: ["result", "code"],
    absent: [...CHILDLESS, ...absent],
  };
}

export const STAGES: readonly Stage[] = [
  childStage("foreground child", "general-purpose", through(agent(GENERAL))),
  childStage(
    "background child",
    "general-purpose",
    through(agent({ ...GENERAL, run_in_background: true }), { results: 2 }),
  ),
  childStage("fork", "fork", through(agent(), { env: { CLAUDE_CODE_FORK_SUBAGENT: "1" } })),
];

/** Its hooks hear only the child, and Stop hooks are those of its end. */
function forChild(row: Row): Row {
  const hooks: Partial<Record<HookEvent, readonly Hook[]>> = {};
  for (const [event, list] of Object.entries(row.hooks) as [HookEvent, readonly Hook[]][]) {
    hooks[event === "Stop" ? "SubagentStop" : event] = list.map((hook, at) => childHook(event, hook, at + 1));
  }
  return { ...row, hooks };
}

const CHILD_ONLY = `case "$input" in *'"agent_id"'*) ;; *) exit 0 ;; esac\n`;
const TOOL_EVENTS: readonly HookEvent[] = ["PreToolUse", "PostToolUse", "PostToolUseFailure"];

function childHook(event: HookEvent, hook: Hook, at: number): Hook {
  const renamed = JSON.parse(
    JSON.stringify(hook).replaceAll('hookEventName\\":\\"Stop', 'hookEventName\\":\\"SubagentStop'),
  );
  if ("script" in renamed) return { called: nameOf(event, at), ...renamed, ...script(CHILD_ONLY + renamed.script) };
  const matcher = renamed.matcher ?? "^(?!Agent$|Skill$)";
  return TOOL_EVENTS.includes(event) ? { ...renamed, matcher } : renamed;
}

/** As the main agent would have seen it. */
function asChild(observed: Observed, type: string): Observed {
  const told = observed.told.flatMap((input) => {
    const { agent_id, agent_type, agent_transcript_path, ...rest } = input;
    if (agent_id === undefined) return [];
    expect({ agent_id, agent_type }).toEqual({ agent_id: expect.stringMatching(/^a[0-9a-f]{16}$/), agent_type: type });
    return [rest];
  });
  const plain = JSON.parse(JSON.stringify({ ...observed, told }).replaceAll("SubagentStop", "Stop"));
  return { ...plain, keys: told.map((input) => Object.keys(input).join(" ")) };
}
