// Runs rows of the hooks table somewhere: a stage is a kind of agent. Whatever hooks do for the main agent they must do
// for every other, so a new kind of agent is a new stage in `stages.ts` and no new table.

import { join } from "node:path";
import type { JsonObject } from "@keelson/protocol";
import { startKeelson, startMockModel, temporaryHome, type ProgramOptions } from "@keelson/testkit";
import { answer, prompt, STREAM } from "../../sessions/front-door.ts";
import { startHere, TALKS, type Program } from "../here.ts";
import { castOf, commitAll, MAIN, requestsOf, type Kind } from "../kinds.ts";
import { furnish, listen } from "./furnish.ts";
import { observe } from "./observe.ts";
import { ONE_CALL, type Observed, type Row } from "./row.ts";

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

export const mainAgent: Stage = { name: "main agent", run: (row) => perform(row, MAIN, startKeelson) };

type Start = (args: readonly string[], options: ProgramOptions) => Program;

/** `start` runs the program: the real one, or a cheaper one in this process. */
export async function perform(row: Row, kind: Kind, start: Start = startHere): Promise<Observed> {
  using home = temporaryHome({ git: kind.isolated === true });
  using server = row.server ? listen(row.server) : undefined;
  const before = furnish(
    home,
    { ...row, files: { ...row.files, ...kind.files } },
    { url: server?.url, hooks: kind.hooks, settings: kind.settings },
  );
  if (kind.isolated) commitAll(home);
  const here = <T>(value: T): T => JSON.parse(JSON.stringify(value).replaceAll("<project>", home.project));
  await using model = await startMockModel(castOf(kind, here(row.says ?? ONE_CALL), here(row.aside ?? [])));
  const { person } = row;
  const { typed, env, results } = kind;
  const program = start(["-p", ...STREAM, ...(person ? TALKS : [typed]), ...(row.flags ?? [])], {
    home,
    url: model.url,
    env: { TOLD: join(home.root, "told"), ...env, ...row.env },
    timeoutMs: 40_000,
    ...(person ? { stdin: "open" } : {}),
  });
  const asked = person ? await converse(program, typed, person, results) : [];
  const ended = await program.done;
  const { ownSession = false } = kind;
  const posted = server?.posted ?? [];
  return observe({ home, ended, ownSession, ...requestsOf(kind, model.requests), asked, before, posted });
}

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
