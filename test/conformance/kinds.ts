// The kinds of agents that tables are run on: how an agent of each kind gets the prompt of the row, and how its model
// says what the row's model says. What must be so for the main agent must be so for all of them.

import type { JsonObject } from "@keelson/protocol";
import type { Failure, RecordedRequest, ScriptedCall, ScriptedReply, TemporaryHome } from "@keelson/testkit";
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";

/** What the agent is asked. It stands on a line of its own among the agent's messages, and of nobody else's. */
export const PROMPT = "Do what the row says";

export interface Kind {
  readonly name: string;
  /** What a person types. */
  readonly typed: string;
  readonly env?: Readonly<Record<string, string>>;
  /** Files of the project. */
  readonly files?: Readonly<Record<string, string>>;
  /** Settings of the user. */
  readonly settings?: object;
  /** Hooks of the user. */
  readonly hooks?: Readonly<Record<string, readonly object[]>>;
  /** It has a copy of the project, which is a repository. */
  readonly isolated?: true;
  /** It is a session of its own. */
  readonly ownSession?: true;
  /** What the model says to those who pass the prompt on; undefined to all others. */
  lead?(body: JsonObject): ScriptedReply | undefined;
  /** The reply in the mouth of this agent's model. */
  says?(reply: ScriptedReply | Failure, at: number): ScriptedReply | Failure;
  /** How many results the session gives before it is done; one if absent. */
  readonly results?: number;
  /** The only tools it has, if it does not have those of the session. */
  readonly tools?: readonly string[];
}

export const isOwn = ({ messages }: JsonObject): boolean =>
  ((messages ?? []) as any[]).some(({ role, content }) =>
    [content].flat().some((block) => role === "user" && OWN_LINE.test(block.text ?? block)),
  );
const OWN_LINE = new RegExp(`(?:^|\n)${PROMPT}(?:\n|$)`);

export const MAIN: Kind = { name: "main agent", typed: PROMPT };

/** What the main agent is asked when it is not the one. */
const LEAD = "Have it done";
const PASSED_ON: ScriptedReply = { text: "passed on" };

const isLead = (body: JsonObject) => !isOwn(body) && textsIn(body).includes(LEAD);

const textsIn = ({ messages }: JsonObject): string[] =>
  (messages as any[]).flatMap(({ content }) => [content].flat().flatMap((block) => block.text ?? []));

/** The main agent makes one call, which starts the other, and has nothing else to say. */
const through = (name: string, call: ScriptedCall, more: Partial<Kind> = {}): Kind => ({
  name,
  typed: LEAD,
  says: numbered,
  lead: (body) => {
    if (!isLead(body)) return undefined;
    const isStarted = JSON.stringify(body["messages"]).includes("call_lead");
    return isStarted ? PASSED_ON : { calls: [{ id: "call_lead", ...call }] };
  },
  ...more,
});

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

export const FOREGROUND = through("foreground child", agent(GENERAL));
export const BACKGROUND = through("background child", agent({ ...GENERAL, run_in_background: true }), {
  results: 2,
});
export const WORKTREE = through("worktree child", agent({ ...GENERAL, isolation: "worktree" }), { isolated: true });
export const FORK = through("fork", agent({}), { env: { CLAUDE_CODE_FORK_SUBAGENT: "1" } });
export const SKILL_FORK = through(
  "skill fork",
  { name: "Skill", input: { skill: "row" } },
  {
    files: {
      ".claude/skills/row/SKILL.md": `---\nname: row\ndescription: Does what the row says\ncontext: fork\n---\n${PROMPT}\n`,
    },
  },
);
/** In the lead's process: a process of its own would do the same, a hundred times slower. */
export const TEAMMATE = through("teammate", agent({ ...GENERAL, name: "mate" }), {
  env: { CLAUDE_CODE_EXPERIMENTAL_AGENT_TEAMS: "1" },
  settings: { teammateMode: "in-process" },
  ownSession: true,
  // The second is about the news that it is done.
  results: 2,
});
/** A hook that is an agent: it answers with a call. */
export const AGENT_HOOK: Kind = {
  name: "agent hook",
  typed: LEAD,
  hooks: { UserPromptSubmit: [{ hooks: [{ type: "agent", prompt: PROMPT }] }] },
  lead: (body) => (isLead(body) ? PASSED_ON : undefined),
  says(reply, at) {
    const isAnswer = "text" in reply && !("calls" in reply);
    return numbered(isAnswer ? { calls: [CONCLUSION] } : reply, at);
  },
  tools: ["Bash", "Glob", "Grep", "Read"],
};
const CONCLUSION = { name: "StructuredOutput", input: { ok: true, reason: "fine" } };

/** For kinds with a copy of the project: what is not committed is not in it. */
export function commitAll({ project: cwd, env }: TemporaryHome): void {
  for (const args of [
    ["add", "--all", "--force"],
    ["commit", "--quiet", "--allow-empty", "--message", "all"],
  ]) {
    const { success, stderr } = Bun.spawnSync(["git", ...args], { cwd, env });
    if (!success) throw new Error(`git ${args[0]} failed: ${stderr.toString()}`);
  }
}

/** Where the agent worked: the copy that is left, or the project. */
export function workplaceOf({ project }: TemporaryHome): string {
  const copies = join(project, ".claude", "worktrees");
  const [copy] = existsSync(copies) ? readdirSync(copies).filter((name) => name.startsWith("agent-")) : [];
  return copy === undefined ? project : join(copies, copy);
}

/** The agent's requests, and those of everybody else who is not its lead. */
export function requestsOf(kind: Kind, requests: readonly RecordedRequest[]) {
  return {
    own: requests.filter(({ body }) => isOwn(body)),
    asides: requests.filter(({ body }) => !isOwn(body) && !isAboutLead(body) && kind.lead?.(body) === undefined),
  };
}

/** Answers for the agent, its lead and everybody else. */
export function castOf(
  kind: Kind,
  says: readonly (ScriptedReply | Failure)[],
  aside: readonly ScriptedReply[] = [],
): (body: JsonObject) => ScriptedReply | Failure {
  const { lead = () => undefined, says: inItsMouth = (reply) => reply } = kind;
  const script = { own: says.map(inItsMouth), aside: [...aside] };
  return (body) => {
    if (isAboutLead(body)) return NOTHING_MORE;
    return lead(body) ?? script[isOwn(body) ? "own" : "aside"].shift() ?? NOTHING_MORE;
  };
}
/** A lead that is a session of its own has the same hooks; what they ask may come before or after what the row is about. */
const isAboutLead = (body: JsonObject): boolean =>
  !isOwn(body) && textsIn(body).some((text) => !text.includes(LEAD) && text.includes(`"${PASSED_ON.text}"`));
const NOTHING_MORE: Failure = { status: 400, message: "Nothing more to say" };
