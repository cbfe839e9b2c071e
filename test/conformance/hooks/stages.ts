// The kinds of agents the hooks table is run on, which rows mean nothing there, and what is different by design;
// everything else is the same.

import { expect } from "bun:test";
import type { HookEvent, JsonObject } from "@keelson/protocol";
import {
  AGENT_HOOK,
  BACKGROUND,
  FOREGROUND,
  FORK,
  MAIN,
  PROMPT,
  SKILL_FORK,
  TEAMMATE,
  WORKTREE,
  type Kind,
} from "../kinds.ts";
import { perform, type Absence, type Stage } from "./drive.ts";
import { startLinked, startOwned, startSecond } from "../here.ts";
import { startInEditor } from "../in-editor.ts";
import { nameOf, type Hook, type Observed, type Row } from "./row.ts";

export const mainAgentHere: Stage = { name: "main agent", run: (row) => perform(row, MAIN) };
/** Seen by a client that attached second, and answered by it. */
export const mainAgentBeside: Stage = {
  name: "main agent, second client",
  run: (row) => perform(row, MAIN, startSecond),
};
/** Seen and answered through the terminal's link to the session. */
export const mainAgentLinked: Stage = {
  name: "main agent, terminal",
  run: (row) => perform(row, MAIN, startLinked),
};
/** Seen and answered in another process, over the socket of the session's owner. */
export const mainAgentElsewhere: Stage = {
  name: "main agent, client elsewhere",
  run: (row) => perform(row, MAIN, startOwned),
};

const isOneOf = (events: readonly HookEvent[]) => (row: Row) => events.includes(row.event);

/** Prompted and answered by an editor, and seen by a client that only watches. A hook has the word where no one else has. */
export const mainAgentInEditor: Stage = {
  name: "main agent, editor",
  run: (row) => perform(row.event === "PermissionRequest" ? { person: "silent", ...row } : row, MAIN, startInEditor),
  // An editor is asked in its own words, and is still there after a run.
  unseen: ["asked", "code"],
  absent: [
    {
      why: "there always is someone",
      is: ({ person, noticed }) =>
        person === undefined &&
        (/Bash (?:other|rule|hook)\b/.test(String(noticed.denied)) ||
          Bun.inspect(noticed).includes("No one is available")),
    },
    { why: "there always is someone to be told", is: ({ name }) => name.startsWith("with nobody to be told") },
    {
      why: "a no of an editor has no words",
      is: ({ person }) => typeof person === "object" && "message" in person,
    },
    { why: "its environment names the front end", is: ({ name }) => name.includes("finds in its environment") },
  ],
};

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

const NOT_IN_COPIES: readonly Absence[] = [
  {
    why: "the folder of the project is not where it works",
    is: ({ says, hooks }) => /<project>|CLAUDE_PROJECT_DIR|pwd/.test(JSON.stringify([says ?? [], hooks])),
  },
];

interface ChildOptions extends Pick<Stage, "absent" | "unseen"> {
  /** As hooks know it. */
  readonly type?: string;
}

function child(kind: Kind, { type = "general-purpose", ...less }: ChildOptions = {}): Stage {
  return {
    name: kind.name,
    run: async (row) => withoutAgent(await perform({ ...row, hooks: childHooks(row) }, kind), type),
    // They are the session's, which continues.
    unseen: ["result", "code", ...(less.unseen ?? [])],
    absent: [...NOT_IN_CHILDREN, ...(less.absent ?? [])],
  };
}

export const STAGES: readonly Stage[] = [
  child(FOREGROUND),
  // Of every denial the reason is that no one is asked.
  child(BACKGROUND, { absent: NOT_IN_BACKGROUND, unseen: ["denied"] }),
  child(WORKTREE, { absent: NOT_IN_COPIES }),
  child(FORK, { type: "fork" }),
  child(SKILL_FORK),
  agentHook(),
  teammate(),
];

/** Hooks hear only the child, and Stop hooks are those of its end. */
function childHooks({ hooks }: Row): Row["hooks"] {
  const ended = JSON.parse(JSON.stringify(hooks).replaceAll(STOP_OUTPUT, "$1SubagentStop")) as Row["hooks"];
  return changed(ended, (event) => (event === "Stop" ? "SubagentStop" : event), `*'"agent_id"'*) ;; *`);
}
/** In JSON inside JSON. */
const STOP_OUTPUT = /(hookEventName\\":\\")Stop/g;

/** `others`: as in `case`, the inputs that are not meant. */
function changed(hooks: Row["hooks"], rename: (event: HookEvent) => HookEvent, others: string): Row["hooks"] {
  const list = Object.entries(hooks) as [HookEvent, readonly Hook[]][];
  return Object.fromEntries(
    list.map(([event, each]) => [rename(event), each.map((hook, at) => changedHook(event, hook, at + 1, others))]),
  );
}

const TOOL_EVENTS: readonly HookEvent[] = ["PreToolUse", "PostToolUse", "PostToolUseFailure"];

function changedHook(event: HookEvent, hook: Hook, at: number, others: string): Hook {
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

/** Its events are the session's. */
function agentHook(): Stage {
  return {
    name: AGENT_HOOK.name,
    run: async (row) => {
      const hooks = changed(row.hooks, (event) => event, "*StructuredOutput*");
      const observed = await perform({ ...row, hooks }, AGENT_HOOK);
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

/** A session of its own, whose stream and result only its lead has. */
function teammate(): Stage {
  return {
    name: TEAMMATE.name,
    run: async (row) => {
      const hooks = changed(row.hooks, (event) => event, `*${LEAD_SESSION}*`);
      const flags = [...(row.flags ?? []), "--session-id", LEAD_SESSION];
      const observed = await perform({ ...row, hooks, flags }, TEAMMATE);
      const told = observed.told.filter(({ session_id: id }) => id === "<session>");
      return { ...observed, told, keys: told.map((input) => Object.keys(input).join(" ")) };
    },
    unseen: ["result", "code", "notices", "denied", "hookLines"],
    absent: [
      { why: "the model has answered its lead before", is: ({ noticed }) => JSON.stringify(noticed).includes("msg_1") },
      { why: "its environment says that teams are on", is: ({ name }) => name.includes("finds in its environment") },
      {
        why: "it asks its lead, which knows that nobody is there",
        is: ({ name }) => name.startsWith("with nobody to be told"),
      },
    ],
  };
}
const LEAD_SESSION = "11111111-1111-4111-8111-111111111111";

function has(hooks: Row["hooks"], types: readonly string[]): boolean {
  return Object.values(hooks).some((list) => list.some((hook) => types.includes(hook["type"] as string)));
}
