// Plays the steps of a run with a client of any kind. Knows no runtime and no transport.

import type { Answer, Answers, End, Request, Run, RunSeen, Start, Step } from "./scenario.ts";

/** What a run is played in. */
export interface Place {
  readonly project: string;
  /** Where gates are opened and the model's requests are waited for. */
  readonly directions: string;
  readonly env: Readonly<Record<string, string>>;
  /** Words that start the program. */
  readonly program: readonly string[];
}

export interface Client {
  say(message: object): void;
  /** Undefined where this client has no way to ask it. */
  ask(request: Request): Promise<object | undefined>;
  line?(line: string | object): void;
  endInput(): void;
  signal(name: NodeJS.Signals): void;
  close(): void;
  readonly ended: Promise<End>;
}

/** What clients write down, and how they answer. */
export interface Book {
  message(message: any): void;
  /** With the id of the question, where the client can see it. */
  asked(request: any, id?: string): void;
  replied(name: string): void;
  called(tool: string, input: unknown): void;
  canUseTool(): Answer;
  hook(event: string, at: number): Answer;
}

/** No run takes this long unless it hangs. */
const LONGEST_MS = 20_000;

export type Open = (start: Start, answers: Answers, place: Place, book: Book) => Client;

export async function playRuns(runs: readonly Run[], place: Place, open: Open): Promise<RunSeen[]> {
  const seen: RunSeen[] = [];
  for (const run of runs) {
    const first = seen[0];
    seen.push(await play(first === undefined ? run : named(run, first), place, open));
  }
  return seen;
}

async function play({ options = {}, env = {}, answers = {}, steps }: Run, place: Place, open: Open): Promise<RunSeen> {
  const [messages, order, asked, called]: [any[], string[], any[], [string, unknown][]] = [[], [], [], []];
  const replies: Record<string, any> = {};
  const questions: string[] = [];
  const news = bell();
  const left = [...(answers.canUseTool ?? [])];
  const outputs = Object.fromEntries(
    Object.entries(answers.hooks ?? {}).map(([event, hooks]) => [event, hooks.map((hook) => [...hook.outputs])]),
  );
  const book: Book = {
    message(message) {
      messages.push(message);
      order.push(message.type === "system" ? `system/${message.subtype}` : message.type);
      news.ring();
    },
    asked(request, id) {
      asked.push(request);
      if (id !== undefined) questions.push(id);
      order.push(`ask ${request.subtype}`);
      news.ring();
    },
    replied: (name) => void order.push(`reply ${name}`),
    called: (tool, input) => void called.push([tool, input]),
    canUseTool: () => left.shift() ?? "silent",
    hook(event, at) {
      const list = outputs[event]![at]!;
      return (list.length > 1 ? list.shift() : list[0])!;
    },
  };
  const client = open(options, answers, { ...place, env: { ...place.env, ...env } }, book);
  const late = setTimeout(() => client.signal("SIGKILL"), LONGEST_MS);
  let over: End | undefined;
  void client.ended.then((end) => {
    clearTimeout(late);
    over = end;
    news.ring();
  });
  const until = async (holds: () => boolean) => {
    while (!holds() && over === undefined) await news.next();
  };
  let at = 0;
  const unheard: Promise<void>[] = [];
  for (const step of [...steps, { end: true } as const]) {
    if (over !== undefined) break;
    await take(step);
  }
  await Promise.all(unheard);
  return { messages, order, replies, asked, called, end: await client.ended };

  /** Fills in what only the run itself can tell. */
  function filled(step: Step): Step {
    const text = JSON.stringify(step);
    if (!PLACEHOLDER.test(text)) return step;
    const task = messages.find(({ subtype }) => subtype === "task_started")?.task_id;
    const ids = text
      .replaceAll("<task>", task)
      .replaceAll(/<id of question (\d+)>/g, (_, number: string) => questions[Number(number) - 1]!);
    return JSON.parse(ids) as Step;
  }

  async function take(given: Step): Promise<void> {
    const step = filled(given);
    if ("say" in step) return client.say({ ...prompt(step.say), ...step.more });
    if ("ask" in step) {
      const answered = client.ask(step.ask).then((reply) => {
        if (reply !== undefined) replies[step.as] = reply;
      });
      if (!step.unheard) return answered;
      return void unheard.push(answered);
    }
    if ("until" in step) {
      await until(() => messages.slice(at).some((message) => isLike(message, step.until)));
      const found = messages.slice(at).findIndex((message) => isLike(message, step.until));
      at += found + 1;
      return;
    }
    if ("untilAsked" in step) return until(() => asked.length >= step.untilAsked);
    if ("untilModel" in step) return direct(place, `model/${step.untilModel}`);
    if ("release" in step) return direct(place, `gate/${step.release}`);
    if ("line" in step) return client.line?.(step.line);
    if ("end" in step) return client.endInput();
    if ("signal" in step) return client.signal(step.signal);
    client.close();
  }
}

const PLACEHOLDER = /<(?:task|id of question \d+)>/;

const prompt = (content: string | readonly object[]) => ({
  type: "user",
  message: { role: "user", content },
  parent_tool_use_id: null,
});

async function direct({ directions }: Place, what: string): Promise<void> {
  await (await fetch(`${directions}/${what}`)).text();
}

/** Every field of the wanted is in the message, and the same. */
export function isLike(message: any, wanted: any): boolean {
  if (typeof wanted !== "object" || wanted === null) return message === wanted;
  return Object.entries(wanted).every(([key, value]) => isLike(message?.[key], value));
}

/** Fills in what only an earlier run can tell. */
function named(run: Run, { messages }: RunSeen): Run {
  const text = JSON.stringify(run).replaceAll(
    /<uuid of (\w+) (\d+)>/g,
    (_, type: string, number: string) => messages.filter((message) => message.type === type)[Number(number) - 1].uuid,
  );
  return JSON.parse(text) as Run;
}

function bell() {
  let waiting: (() => void)[] = [];
  return {
    ring() {
      const woken = waiting;
      waiting = [];
      for (const wake of woken) wake();
    },
    next: () => new Promise<void>((resolve) => waiting.push(resolve)),
  };
}
