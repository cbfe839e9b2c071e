// Whatever two to six clients do to one session: each prompt runs once, each question is settled once and everyone is
// told, replies go to who asked, nobody waits for a reader that stopped, and all end up showing the transcript.

import { expect, test } from "bun:test";
import fc from "fast-check";
import { readFileSync } from "node:fs";
import type { AttachOptions, Outbound, Session } from "@keelson/protocol";
import { startMockModel, temporaryHome, type ScriptedReply } from "@keelson/testkit";
import { isQuestion, openHere, TestClient } from "./live-session.ts";

type Act =
  | { readonly kind: "attach"; readonly watches: boolean; readonly drops: boolean; readonly stopped: boolean }
  | { readonly kind: "detach" | "return" | "interrupt" | "ask" | "wake" | "resend"; readonly who: number }
  | { readonly kind: "prompt"; readonly who: number; readonly what: "say" | "stream" | "write" }
  | { readonly kind: "answer"; readonly who: number; readonly which: number; readonly how: "allow" | "deny" | "broken" }
  | { readonly kind: "wait"; readonly turns: number };

const who = fc.nat(5);
const acts: fc.Arbitrary<Act> = fc.oneof(
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant("attach" as const),
      watches: fc.boolean(),
      drops: fc.boolean(),
      stopped: fc.boolean(),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({ kind: fc.constantFrom("detach", "return", "interrupt", "ask", "wake", "resend"), who }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant("prompt" as const),
      who,
      what: fc.constantFrom("say", "stream", "write"),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant("answer" as const),
      who,
      which: fc.nat(3),
      how: fc.constantFrom("allow", "deny", "broken"),
    }),
  },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant("wait" as const), turns: fc.integer({ min: 1, max: 20 }) }) },
);

/** A prompt says what the model does. Whatever follows a tool's result is the end of the run. */
function replyTo({ messages }: { readonly messages: readonly { readonly content: unknown }[] }): ScriptedReply {
  const last = JSON.stringify(messages.at(-1)?.content);
  if (last.includes("tool_result") && !/P\d+ \w/.test(last)) return { text: "done" };
  if (last.includes("write"))
    return {
      calls: [{ name: "Write", input: { file_path: "a.txt", content: "x" }, id: `call_${crypto.randomUUID()}` }],
    };
  return last.includes("stream") ? { text: "word ".repeat(700), deltas: 700 } : { text: "said" };
}

const view = { partial: true, streamEvents: true };
const ANSWERS = {
  allow: { behavior: "allow" },
  deny: { behavior: "deny", message: "no" },
  broken: { behavior: "perhaps" },
};

class Player {
  readonly session: Session;
  readonly options: AttachOptions;
  test: TestClient;
  /** All that it got, also before it came back. */
  readonly before: Outbound[] = [];
  readonly asked: string[] = [];
  /** The questions that it answered. */
  readonly answered = new Set<string>();
  /** What it sent when it had left. */
  readonly ghosts: string[] = [];
  /** Its ids in the session, one for each time that it came. */
  readonly ids: string[] = [];
  /** The position behind which it reads. */
  from: number | undefined;
  /** Where in what it got it left and came back. */
  readonly cuts: number[] = [];
  isHere = true;
  left: string[] = [];

  constructor(session: Session, options: AttachOptions, reads: boolean) {
    this.session = session;
    this.options = options;
    this.test = new TestClient(session, { ...options, view, replay: true }, { reads });
    this.ids.push(this.test.client.id);
  }

  answer(id: string, how: keyof typeof ANSWERS): void {
    this.answered.add(id);
    this.test.answer(id, ANSWERS[how]);
  }

  get got(): readonly Outbound[] {
    return [...this.before, ...this.test.got];
  }

  leave(): string {
    const { cursor } = this.test.client;
    this.test.client.detach();
    this.ghosts.push(this.test.prompt("P0 said by someone who has left"));
    this.isHere = false;
    const { got, positions } = this.test;
    const hello = got.find((message) => message.type === "stream" && message.subtype === "hello");
    const start = this.from ?? (hello && "head" in hello ? Number(hello.head) : Infinity);
    // What it read of the past is followed by what came after it attached.
    const isLive = got.some((message, at) => "uuid" in message && positions[at]! > start);
    this.before.push(...got.splice(0));
    if (isLive) this.cuts.push(this.before.length);
    // What it asked for has no one to go to.
    this.left.push(...this.asked.splice(0));
    return cursor;
  }

  comeBack(after: string): void {
    this.test = new TestClient(this.session, { ...this.options, view, after });
    this.ids.push(this.test.client.id);
    this.from = Number(after.split(".")[1]);
    this.isHere = true;
  }
}

test("any number of clients, whatever they do", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(acts, { minLength: 10, maxLength: 40 }), async (list) => {
      using home = temporaryHome();
      await using model = await startMockModel((body) => replyTo(body as never));
      const session = await openHere({ home, url: model.url });
      const steady = new Player(session, { name: "steady" }, true);
      const players: Player[] = [steady];
      const prompts = new Set<string>();
      const refused = new Set<string>();
      let number = 0;

      for (const act of list) {
        if (act.kind === "wait") {
          for (let turn = 0; turn < act.turns; turn++) await new Promise((resolve) => setImmediate(resolve));
          continue;
        }
        if (act.kind === "attach") {
          if (players.length === 6) continue;
          const role = act.watches ? "watcher" : "driver";
          const isSlow = act.drops && act.stopped;
          players.push(new Player(session, { role, whenSlow: act.drops ? "drop" : "hold" }, !isSlow));
          continue;
        }
        const player = players[act.who % players.length]!;
        const { test: client } = player;
        const isWatcher = player.options.role === "watcher";
        if (act.kind === "return" && !player.isHere) player.comeBack("gone.1");
        if (!player.isHere) continue;
        if (act.kind === "prompt") {
          const uuid = client.prompt(`P${++number} ${act.what}`);
          (isWatcher ? refused : prompts).add(uuid);
        } else if (act.kind === "answer") {
          const question = client.got.filter(isQuestion).at(-1 - act.which);
          if (question) player.answer(question.request_id, act.how);
        } else if (act.kind === "resend") {
          const [uuid] = prompts;
          if (uuid !== undefined && !isWatcher) client.prompt("P1 said again", uuid);
        } else if (act.kind === "ask" || act.kind === "interrupt") {
          const id = `req_${player.asked.length + player.left.length}`;
          player.asked.push(id);
          client.request(id, act.kind === "ask" ? "get_session_cost" : "interrupt");
        } else if (act.kind === "wake") client.read();
        else if (player !== steady) {
          const cursor = player.leave();
          if (act.kind === "return") player.comeBack(cursor);
        }
      }

      // Whoever stopped reading has not been waited for: all prompts end while they sleep.
      const isOver = () => {
        const over = steady.got.filter((message) => isEnd(message) && prompts.has(message.command_uuid));
        return over.length >= prompts.size;
      };
      for (let at = 0; !isOver();) {
        for (; at < steady.test.got.length; at++) {
          const message = steady.test.got[at]!;
          if (isQuestion(message)) steady.answer(message.request_id, "allow");
        }
        if (!isOver()) await steady.test.more();
      }
      for (const { test: client } of players) client.read();
      for (const player of players) if (player.isHere) for (const id of player.asked) await player.test.reply(id);
      await session.close("end_of_input");
      for (const { test: client, isHere } of players)
        while (isHere && !client.isOver) await client.more().catch(() => undefined);

      for (const { ghosts } of players) for (const ghost of ghosts) refused.add(ghost);
      expectPromptsOnce(steady.got, prompts, refused);
      expectQuestionsSettled(players, steady);
      if (!list.some(({ kind }) => kind === "interrupt")) expectAnsweredByAll(players);
      for (const player of players) expectNothingMissed(player, steady);
      for (const player of players) expectNothingTwice(player);
      for (const player of players) if (player.isHere) expectAllSince(player, steady);
      for (const player of players) {
        const ids = player.got.flatMap((message) =>
          message.type === "control_response" ? [message.response.request_id] : [],
        );
        expect(new Set(ids).size).toBe(ids.length);
        expect([...player.asked, ...player.left]).toEqual(expect.arrayContaining(ids));
        if (player.isHere) expect(ids).toEqual(expect.arrayContaining(player.asked));
      }
      const said = inTranscript(home, session.id);
      for (const player of players) if (player.isHere) expect(shownBy(player)).toEqual(said);
    }),
    { numRuns: 25 },
  );
});

const isEnd = (message: Outbound): message is Outbound & { command_uuid: string } =>
  message.type === "command_lifecycle" && (message.state === "completed" || message.state === "cancelled");

function expectPromptsOnce(got: readonly Outbound[], prompts: ReadonlySet<string>, refused: ReadonlySet<string>): void {
  const states = (id: string) =>
    got.flatMap((message) =>
      message.type === "command_lifecycle" && message.command_uuid === id ? [message.state] : [],
    );
  for (const id of prompts) {
    const all = states(id);
    expect(all.filter((state) => state === "started")).toHaveLength(1);
    expect(all.filter((state) => state === "completed" || state === "cancelled")).toHaveLength(1);
  }
  for (const id of refused) expect(states(id)).toEqual([]);
}

/** Whoever got a question is told once that it is settled, unless the client settled it itself. */
function expectQuestionsSettled(players: readonly Player[], steady: Player): void {
  const results = steady.got.flatMap((message) =>
    message.type === "user" && Array.isArray(message.message.content) ? message.message.content : [],
  );
  const ids = results.flatMap((block) => (block.type === "tool_result" ? [block.tool_use_id] : []));
  expect(new Set(ids).size).toBe(ids.length);
  const calls = steady.got.filter(isQuestion).map(({ request }) => (request as { tool_use_id?: unknown }).tool_use_id);
  expect(ids).toEqual(expect.arrayContaining(calls as string[]));
  for (const { test: client, isHere } of players) {
    if (!isHere) continue;
    const asked = client.got.filter(isQuestion).map(({ request_id }) => request_id);
    const cancelled = client.got.flatMap((message) =>
      message.type === "control_cancel_request" ? [message.request_id] : [],
    );
    const told = client.got.flatMap((message) =>
      message.type === "stream" && message.subtype === "answered" ? [message] : [],
    );
    const own = asked.filter((id) => !cancelled.includes(id));
    expect(new Set(cancelled).size).toBe(cancelled.length);
    expect(new Set(told.map(({ request_id }) => request_id)).size).toBe(told.length);
    for (const id of own) expect(told.map(({ request_id }) => request_id)).not.toContain(id);
    for (const id of cancelled) expect(told.map(({ request_id }) => request_id)).toContain(id);
  }
}

/** Who is said to have answered a question has answered it. Nobody interrupted, and someone was always there who could. */
function expectAnsweredByAll(players: readonly Player[]): void {
  for (const { got } of players) {
    const by = new Map<string, unknown>();
    for (const message of got) {
      if (message.type === "stream" && message.subtype === "answered") {
        expect(players.find(({ ids }) => ids.includes(message.by?.id ?? ""))?.answered).toContain(message.request_id);
        if (by.has(message.request_id)) expect<unknown>(message.by).toEqual(by.get(message.request_id));
      }
      if (message.type === "control_cancel_request") {
        const { id = "" } = message.answered_by ?? {};
        expect(players.find(({ ids }) => ids.includes(id))?.answered).toContain(message.request_id);
        by.set(message.request_id, message.answered_by);
      }
    }
  }
}

/** Since it came last it got everything that went to all, but for deltas if it drops them, and open questions at once. */
function expectAllSince({ test: { got }, options, from }: Player, steady: Player): void {
  const hello = got.find((message) => message.type === "stream" && message.subtype === "hello");
  if (hello?.type !== "stream" || hello.subtype !== "hello") throw new Error("It was not greeted");
  const asked = got.filter(isQuestion).map(({ request_id }) => request_id);
  if (options.role === "watcher") expect(asked).toEqual([]);
  else {
    const settled = got.flatMap((message) =>
      message.type === "stream" && message.subtype === "answered" ? [message.request_id] : [],
    );
    expect([...asked, ...settled]).toEqual(expect.arrayContaining(hello.pending.map(({ request_id }) => request_id)));
  }
  if (got.some((message) => message.type === "stream" && message.subtype === "reset")) return;
  const { got: all, positions } = steady.test;
  const since = all.filter((message, at) => {
    const isForAll = at > 0 && positions[at] !== positions[at - 1] && positions[at]! > (from ?? hello.head);
    return isForAll && "uuid" in message && !(options.whenSlow === "drop" && isPartial(message));
  });
  const idsOf = (messages: readonly Outbound[]) =>
    messages.flatMap((message) => ("uuid" in message ? [message.uuid] : []));
  const wanted = new Set(idsOf(since));
  expect(idsOf(got).filter((id) => wanted.has(id))).toEqual([...wanted]);
}

/** What only a client gets that asked for what is in progress. */
const isPartial = (message: Outbound) =>
  message.type === "stream_event" || (message.type === "system" && message.subtype === "status");

/** Nothing comes twice to a client that comes back, unless it has to start anew. */
function expectNothingTwice({ got }: Player): void {
  if (got.some((message) => message.type === "stream" && message.subtype === "reset")) return;
  const ids = got.flatMap((message) => ("uuid" in message ? [message.uuid] : []));
  expect(new Set(ids).size).toBe(ids.length);
}

/** What it got last before it left is followed by what came next, unless it had to start anew. */
function expectNothingMissed({ got, cuts, options }: Player, steady: Player): void {
  if (options.whenSlow === "drop") return;
  const places = new Map(steady.got.flatMap((message, at) => ("uuid" in message ? [[message.uuid, at] as const] : [])));
  const placeOf = (message: Outbound) => ("uuid" in message ? places.get(message.uuid!) : undefined);
  const numbered = steady.got.map((message, at) => (placeOf(message) === at ? at : -1)).filter((at) => at >= 0);
  for (const cut of cuts) {
    const isReset = got.slice(cut, cut + 2).some((message) => message.type === "stream" && message.subtype === "reset");
    const before = got.slice(0, cut).findLast((message) => placeOf(message) !== undefined);
    const after = got.slice(cut).find((message) => placeOf(message) !== undefined);
    if (isReset || !before || !after) continue;
    expect(numbered.indexOf(placeOf(after)!)).toBe(numbered.indexOf(placeOf(before)!) + 1);
  }
}

/** Answers and results in the transcript. Prompts that ran together are one there. */
function inTranscript({ root }: { readonly root: string }, id: string): readonly string[] {
  const path = [...new Bun.Glob(`**/${id}.jsonl`).scanSync({ cwd: root, dot: true })][0];
  if (path === undefined) return [];
  const lines = readFileSync(`${root}/${path}`, "utf8").trim().split("\n");
  return lines.flatMap((line) => talkIn(JSON.parse(line)));
}

function shownBy({ got }: Player): readonly string[] {
  const reset = got.findLastIndex((message) => message.type === "stream" && message.subtype === "reset");
  return got.slice(reset + 1).flatMap((message) => talkIn(message));
}

function talkIn(value: unknown): readonly string[] {
  const { type, uuid, message } = value as { type: string; uuid: string; message?: { content?: unknown } };
  const isResult = JSON.stringify(message?.content ?? "").includes('"tool_result"');
  return type === "assistant" || (type === "user" && isResult) ? [uuid] : [];
}
