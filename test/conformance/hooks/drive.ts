// Runs rows of the hooks table somewhere: a stage is a kind of agent. Whatever hooks do for the main agent they must do
// for every other, so a new kind of agent is a new stage in `stages.ts` and no new table.

import { join } from "node:path";
import type { JsonObject } from "@keelson/protocol";
import {
  startKeelson,
  startMockModel,
  temporaryHome,
  type Failure,
  type ProgramOptions,
  type ScriptedReply,
} from "@keelson/testkit";
import { answer, prompt, STREAM } from "../../sessions/front-door.ts";
import { furnish, listen } from "./furnish.ts";
import type { Program } from "./here.ts";
import { observe } from "./observe.ts";
import { ONE_CALL, PROMPT, type Observed, type Row } from "./row.ts";

export interface Stage {
  readonly name: string;
  /**
   * Has an agent of this kind do what the row's model says, with the row's hooks registered. What it reports is told
   * from the agent's side: `heard` are the agent's own requests, and what only its kind has in a hook's input
   * (`agent_id`, `agent_type`) is checked by the stage and taken out of `told`.
   */
  run(row: Row): Promise<Observed>;
  /** What cannot be told from this agent's side. */
  readonly unseen?: readonly (keyof Observed)[];
  /** Rows that mean nothing there, with the reason. */
  readonly absent?: readonly Absence[];
}

export interface Absence {
  readonly why: string;
  is(row: Row): boolean;
}

export const mainAgent: Stage = { name: "main agent", run: (row) => perform(row, { typed: PROMPT }) };

/** How to reach the agent that is to find `PROMPT` among its messages. */
export interface Way {
  /** What a person types. */
  readonly typed: string;
  /** Runs the program; the real one if absent. */
  start?(args: readonly string[], options: ProgramOptions): Program;
  readonly env?: Readonly<Record<string, string>>;
  /** What the model says to those who pass the prompt on; undefined to all others. */
  lead?(body: JsonObject): ScriptedReply | undefined;
  /** What the row's replies are in the mouth of this agent's model. */
  says?(reply: ScriptedReply | Failure, at: number): ScriptedReply | Failure;
  /** How many results the session gives before it is done. */
  readonly results?: number;
}

export async function perform(row: Row, way: Way): Promise<Observed> {
  const { typed, lead = () => undefined, says = (reply) => reply, start = startKeelson } = way;
  using home = temporaryHome();
  using server = row.server ? listen(row.server) : undefined;
  const before = furnish(home, row, server?.url);
  const here = <T>(value: T): T => JSON.parse(JSON.stringify(value).replaceAll("<project>", home.project));
  const script = { own: here(row.says ?? ONE_CALL).map(says), aside: [...here(row.aside ?? [])] };
  await using model = await startMockModel(
    (body) => lead(body) ?? script[hasPrompt(body) ? "own" : "aside"].shift() ?? NOTHING_MORE,
  );
  const { person } = row;
  const program = start(["-p", ...STREAM, ...(person ? TALKS : [typed]), ...(row.flags ?? [])], {
    home,
    url: model.url,
    env: { TOLD: join(home.root, "told"), ...way.env, ...row.env },
    timeoutMs: 40_000,
    ...(person ? { stdin: "open" } : {}),
  });
  const asked = person ? await converse(program, typed, person, way.results) : [];
  const ended = await program.done;
  const [own, others] = [true, false].map((wanted) => model.requests.filter(({ body }) => hasPrompt(body) === wanted));
  const asides = others!.filter(({ body }) => lead(body) === undefined);
  return observe({ home, ended, own: own!, asides, asked, before, posted: server?.posted ?? [] });
}

const TALKS = ["--input-format", "stream-json", "--permission-prompt-tool", "stdio"];
const NOTHING_MORE = { status: 400, message: "Nothing more to say" };

/** Some agents find more than the prompt in its block. */
const hasPrompt = ({ messages }: any): boolean =>
  (messages ?? []).some(({ role, content }: any) =>
    [content].flat().some((block: any) => role === "user" && PROMPTED.test(block.text ?? block)),
  );
const PROMPTED = new RegExp(`(?:^|\n)${PROMPT}(?:\n|$)`);

/** Sends the prompt, answers questions as the person would, and leaves after the last result. */
async function converse(
  program: Program,
  typed: string,
  person: JsonObject | "silent",
  results = 1,
): Promise<unknown[]> {
  const asked: unknown[] = [];
  program.send(prompt(typed));
  for (let after = program.lines.at(-1), left = results; left > 0;) {
    const line = await program.waitForLine(
      ({ type, request }) => type === "result" || request?.subtype === "can_use_tool",
      after ? { after } : {},
    );
    const { type, request_id: id, request } = line.json as any;
    after = line;
    if (type === "result") left--;
    else asked.push(request);
    if (type !== "result" && person !== "silent") program.send(answer(id, person));
  }
  program.closeStdin();
  return asked;
}

/** At most so many at once: a row has a program of its own. */
export function inTurn(most: number): <T>(work: () => Promise<T>) => Promise<T> {
  const waiting: (() => void)[] = [];
  let busy = 0;
  return async (work) => {
    if (busy >= most) await new Promise<void>((resolve) => waiting.push(resolve));
    busy++;
    try {
      return await work();
    } finally {
      busy--;
      waiting.shift()?.();
    }
  };
}
