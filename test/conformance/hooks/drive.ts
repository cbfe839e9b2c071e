// Runs rows of the hooks table somewhere: a stage is a kind of agent. Whatever hooks do for the main agent they must do
// for every other, so a new kind of agent is a new stage here and no new table.

import { join } from "node:path";
import type { JsonObject } from "@keelson/protocol";
import { startKeelson, startMockModel, temporaryHome, type ScriptedReply, type Running } from "@keelson/testkit";
import { answer, prompt, STREAM } from "../../sessions/front-door.ts";
import { furnish, listen } from "./furnish.ts";
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
}

export const mainAgent: Stage = { name: "main agent", run: (row) => perform(row, { typed: PROMPT }) };

/** How to reach the agent that is to find `PROMPT` among its messages. */
interface Way {
  /** What a person types. */
  readonly typed: string;
  /** What the model says to those who pass the prompt on; undefined to all others. */
  lead?(body: JsonObject): ScriptedReply | undefined;
}

async function perform(row: Row, { typed, lead = () => undefined }: Way): Promise<Observed> {
  using home = temporaryHome();
  using server = row.server ? listen(row.server) : undefined;
  const before = furnish(home, row, server?.url);
  const here = <T>(value: T): T => JSON.parse(JSON.stringify(value).replaceAll("<project>", home.project));
  const script = { own: [...here(row.says ?? ONE_CALL)], aside: [...here(row.aside ?? [])] };
  await using model = await startMockModel(
    (body) => lead(body) ?? script[hasPrompt(body) ? "own" : "aside"].shift() ?? NOTHING_MORE,
  );
  const { person } = row;
  await using program = startKeelson(["-p", ...STREAM, ...(person ? TALKS : [typed]), ...(row.flags ?? [])], {
    home,
    url: model.url,
    env: { TOLD: join(home.root, "told"), ...row.env },
    timeoutMs: 40_000,
    ...(person ? { stdin: "open" } : {}),
  });
  const asked = person ? await converse(program, typed, person) : [];
  const ended = await program.done;
  const [own, others] = [true, false].map((wanted) => model.requests.filter(({ body }) => hasPrompt(body) === wanted));
  const asides = others!.filter(({ body }) => lead(body) === undefined);
  return observe({ home, ended, own: own!, asides, asked, before, posted: server?.posted ?? [] });
}

const TALKS = ["--input-format", "stream-json", "--permission-prompt-tool", "stdio"];
const NOTHING_MORE = { status: 400, message: "Nothing more to say" };

const hasPrompt = ({ messages }: any): boolean =>
  (messages ?? []).some(({ content }: any) =>
    typeof content === "string" ? content === PROMPT : content.some(({ text }: any) => text === PROMPT),
  );

/** Sends the prompt, answers questions as the person would, and leaves after the result. */
async function converse(program: Running, typed: string, person: JsonObject | "silent"): Promise<unknown[]> {
  const asked: unknown[] = [];
  program.send(prompt(typed));
  for (let after = program.lines.at(-1); ;) {
    const line = await program.waitForLine(
      ({ type, request }) => type === "result" || request?.subtype === "can_use_tool",
      after ? { after } : {},
    );
    const { type, request_id: id, request } = line.json as any;
    if (type === "result") break;
    asked.push(request);
    if (person !== "silent") program.send(answer(id, person));
    after = line;
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
