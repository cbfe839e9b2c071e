import { expect, test } from "bun:test";
import type { ChainEntry, ContentBlock, ModelMessage } from "@keelson/protocol";
import { readSummary, renderCompactionRequest } from "../context/compaction-prompt.ts";
import { Conversation } from "../turn/conversation.ts";
import { TokenAccount } from "./account.ts";
import { CLEARED, withoutResults } from "./cleared-results.ts";
import { oldResults } from "./old-results.ts";
import { splitAtPrompt, splitForSummary, withRequest } from "./split.ts";
import { compactionRules } from "./when.ts";

test.each([
  [200_000, {}, 167_000, 177_000],
  [1_000_000, {}, 967_000, 977_000],
  [128_000, {}, 95_000, 113_280],
  [100_000, {}, 67_000, 88_500],
  [32_000, {}, 19_200, 28_320],
  [8_000, {}, 4_800, 7_080],
  [200_000, { percent: 50 }, 100_000, 177_000],
  [200_000, { percent: 99 }, 167_000, 177_000],
  [1_000_000, { window: 200_000 }, 167_000, 977_000],
  [200_000, { window: 1_000_000 }, 167_000, 177_000],
])("a window of %p with %p is compacted at %p and full at %p", (window, wishes, threshold, limit) => {
  expect(compactionRules(window, { automatic: true, ...wishes })).toEqual({ threshold, limit });
});

test("without automatic compaction there is only the limit", () => {
  expect(compactionRules(200_000, { automatic: false })).toEqual({ threshold: undefined, limit: 177_000 });
});

const text = (value: string): ContentBlock => ({ type: "text", text: value });
const usage = (input_tokens: number, output_tokens = 0) => ({ input_tokens, output_tokens });

test("an account is what was reported plus an estimate of what came later", () => {
  const account = new TokenAccount();
  account.added([text("x".repeat(4_000))]);
  const first = account.tokens(4_000);
  expect(first).toBeGreaterThan(1_900);
  account.replied({ ...usage(1_000, 50), cache_read_input_tokens: 500 });
  account.continued(usage(1_000, 700));
  expect(account.tokens(4_000)).toBe(1_700);
  account.added([text("y".repeat(400))]);
  expect(account.tokens(4_000)).toBeGreaterThan(1_790);
  account.replied(usage(0));
  expect(account.tokens(4_000)).toBeGreaterThan(1_790);
});

test("an account learns how long a token is, within bounds", () => {
  const account = new TokenAccount();
  account.replied(usage(10_000));
  for (let turn = 1; turn <= 20; turn++) {
    account.added([text("z".repeat(6_000))]);
    account.replied(usage(10_000 + turn * 2_500));
  }
  expect(account.tokensIn(2_400)).toBeGreaterThan(900);
  expect(account.tokensIn(2_400)).toBeLessThan(1_200);
});

test("what requests have besides messages takes no more than a request that a server accepted", () => {
  const account = new TokenAccount();
  expect(account.tokensBesides(40_000)).toBe(10_000);
  account.replied({ input_tokens: 7_000, output_tokens: 1 });
  account.replied({ input_tokens: 9_000, output_tokens: 1 });
  expect([account.tokensBesides(40_000), account.tokensBesides(4_000)]).toEqual([7_000, 1_000]);
  account.replied({ input_tokens: 3, output_tokens: 1 });
  expect(account.tokensBesides(60_000)).toBe(10_000);
});

test("pictures and documents are not counted by their length", () => {
  const account = new TokenAccount();
  const data = "A".repeat(1_000_000);
  account.added([{ type: "image", source: { type: "base64", media_type: "image/png", data } } as never]);
  expect(account.tokens(0)).toBe(1_600);
  const inside = { type: "image", source: { type: "base64", media_type: "image/png", data } };
  account.added([{ type: "tool_result", tool_use_id: "a", content: [inside] } as never]);
  expect(account.tokens(0)).toBe(3_200);
});

test("too many pictures are noticed, until they are removed", () => {
  const account = new TokenAccount();
  const picture = (data: string) =>
    ({ type: "image", source: { type: "base64", media_type: "image/png", data } }) as never;
  account.added(Array.from({ length: 90 }, () => picture("AAAA")));
  expect(account.hasTooMuchMedia).toBe(false);
  account.added([picture("AAAA")]);
  expect(account.hasTooMuchMedia).toBe(true);
  account.removed({ tokens: 0, media: 50, mediaCharacters: 0 });
  expect(account.hasTooMuchMedia).toBe(false);
  account.added([picture("A".repeat(25_000_000))]);
  expect(account.hasTooMuchMedia).toBe(true);
});

const user = (...content: ContentBlock[]): ModelMessage => ({ role: "user", content });
const assistant = (...content: ContentBlock[]): ModelMessage => ({ role: "assistant", content });
const result = (id: string, content: string | readonly object[]) =>
  ({ type: "tool_result", tool_use_id: id, content }) as ContentBlock;

test("the newest reply and what follows it is kept; one exchange is too little", () => {
  const [a, b, c, d] = [user(text("1")), assistant(text("2")), user(text("3")), assistant(text("4"))];
  expect(splitForSummary([a, b])).toBeUndefined();
  expect(splitForSummary([a, b, c])).toBeUndefined();
  expect(splitForSummary([a, b, c, d])).toEqual({ head: [a, b, c], kept: [d] });
  expect(withRequest([a, b, c], "sum up").at(-1)).toEqual(user(text("3"), text("sum up")));
  expect(withRequest([a, b], "sum up").at(-1)).toEqual(user(text("sum up")));
});

test("old results are those before the newest messages with results, unless short or needed", () => {
  const long = "x".repeat(2_000);
  const loaded = [{ type: "tool_reference", tool_name: "t".repeat(2_000) }];
  const messages = ["a", "b", "c", "d", "e"].map((id) => user(result(id, long)));
  const all = [user(result("s", "short")), user(result("r", loaded)), ...messages];
  expect(oldResults(all).ids).toEqual(["b", "a"]);
  const cleared = withoutResults(messages[0]!, new Set(["a"]));
  expect(cleared.content).toEqual([{ ...result("a", CLEARED) }]);
  expect(withoutResults(cleared, new Set(["a"]))).toBe(cleared);
  expect(withoutResults(messages[1]!, new Set(["a"]))).toBe(messages[1]!);
});

test("only results with pictures go if there are too many of them", () => {
  const data = "A".repeat(2_000);
  const picture = [{ type: "image", source: { type: "base64", media_type: "image/png", data } }];
  const all = ["a", "b", "c", "d", "e"].map((id) => user(result(id, id === "a" ? "x".repeat(2_000) : picture)));
  expect(oldResults(all, { mediaOnly: true })).toMatchObject({ ids: ["b"], media: 1, mediaTokens: 1_600 });
});

test.each([
  ["<analysis>a</analysis><summary>\nb\n</summary>", "Summary:\nb"],
  ["plain words", "plain words"],
  ["<analysis>cut <summary>b</summary>", "Summary:\nb"],
  ["<summary>never closed", "Summary:\nnever closed"],
])("the summary in %p", (reply, summary) => {
  expect(readSummary(reply)).toBe(summary);
});

test("the user's own words are at the end of the request", () => {
  expect(renderCompactionRequest(["keep the apples", " "])).toEndWith("keep the apples");
  expect(renderCompactionRequest([""])).not.toContain("Further instructions");
});

test("what a compaction keeps begins with the newest reply that says something", () => {
  const conversation = new Conversation();
  const says = (uuid: string) => ({ type: "user", uuid, message: { role: "user", content: uuid } }) as const;
  const replies = (uuid: string, content: ContentBlock[]) =>
    ({
      type: "assistant",
      uuid,
      message: { id: uuid, type: "message", role: "assistant", model: "m", content, usage: usage(10, 1) },
    }) as never;
  for (const entry of [says("1"), replies("2", [text("a")]), says("3"), replies("4", [text("b")]), replies("5", [])])
    conversation.add(entry);
  expect(conversation.newest).toEqual(["4", "5"]);
  conversation.compact({ type: "user", uuid: "s", message: { role: "user", content: "so far" } }, "preface");
  expect(conversation.messages.map(({ content }) => content)).toEqual([[text("preface"), text("so far")], [text("b")]]);
  expect(conversation.newest).toEqual(["4", "5"]);
  // The reply kept what it reported, but it counted what is gone.
  expect(conversation.account.tokens(0)).toBeLessThan(100);
});

const said = (uuid: string, content: string | readonly ContentBlock[] = uuid) =>
  ({ type: "user", uuid, message: { role: "user", content } }) as ChainEntry;
const replied = (uuid: string, ...content: ContentBlock[]) =>
  ({
    type: "assistant",
    uuid,
    message: { id: `m-${uuid}`, type: "message", role: "assistant", model: "m", content, usage: usage(9_000, 1) },
  }) as unknown as ChainEntry;
const call = (id: string): ContentBlock => ({ type: "tool_use", id, name: "Read", input: {} });
const thought: ContentBlock = { type: "thinking", thinking: "hm", signature: "sealed" } as never;

const TALK = [
  ...[said("p1"), replied("r1", call("c1")), said("t1", [result("c1", "one")]), replied("r2", text("first done"))],
  ...[said("p2"), replied("r3", thought, call("c2")), said("t2", [result("c2", "two")]), replied("r4", text("done"))],
];
const summary = said("s", "so far") as ChainEntry & { type: "user" };
const place = { at: 4, prompt: "p2", preface: "rules" };

test("a compaction up to a prompt keeps it and everything after it, calls with their results and thoughts included", async () => {
  const conversation = await Conversation.of(TALK, "rules");
  const split = await splitAtPrompt(TALK, { ...place, direction: "up_to" });
  expect(split.head).toEqual(conversation.messages.slice(0, 4));
  expect(split.keptIds).toEqual(["p2", "r3", "t2", "r4"]);
  conversation.become(await split.rebuild(summary, "new rules"));
  expect(conversation.messages.map(({ content }) => content)).toEqual([
    [text("new rules"), text("so far"), text("p2")],
    [thought, call("c2")],
    [result("c2", "two")],
    [text("done")],
  ]);
  expect(conversation.newest).toEqual(["r4"]);
  // The replies kept what they reported, but they counted what is gone.
  expect(conversation.account.tokens(0)).toBeLessThan(200);
});

test("a compaction from a prompt on keeps everything before it; an earlier boundary is not kept", async () => {
  const boundary = { type: "system", subtype: "compact_boundary", uuid: "b" } as unknown as ChainEntry;
  const entries = [boundary, ...TALK];
  const conversation = await Conversation.of(entries, "rules");
  const split = await splitAtPrompt(entries, { ...place, at: 5, direction: "from" });
  expect(split.head).toEqual(conversation.messages);
  expect(split.keptIds).toEqual(["p1", "r1", "t1", "r2"]);
  conversation.become(await split.rebuild(summary, "rules"));
  expect(conversation.messages.slice(-2).map(({ content }) => content)).toEqual([
    [text("first done")],
    [text("so far")],
  ]);
  expect(conversation.messages).toHaveLength(5);
});

test("a part without a reply is not worth a summary, and a prompt without one can be all that is kept", async () => {
  const entries = [said("p1"), replied("r1", text("done")), said("p2")];
  const conversation = await Conversation.of(entries);
  const at = { ...place, at: 2, preface: undefined };
  expect((await splitAtPrompt(entries, { ...at, direction: "from" })).isWorthwhile).toBe(false);
  expect((await splitAtPrompt(entries, { ...at, at: 0, direction: "up_to" })).isWorthwhile).toBe(false);
  const split = await splitAtPrompt(entries, { ...at, direction: "up_to" });
  expect(split.isWorthwhile).toBe(true);
  conversation.become(await split.rebuild(summary, undefined));
  expect(conversation.messages).toEqual([user(text("so far"), text("p2"))]);
  conversation.add(replied("r2", text("yes")));
  expect(conversation.newest).toEqual(["r2"]);
});

test("the model learns which part its summary replaces", () => {
  const upTo = renderCompactionRequest(["be brief"], { direction: "up_to", prompt: "p" });
  expect(upTo).toMatch(/What came later stays[\s\S]*be brief$/);
  const from = renderCompactionRequest([], { direction: "from", prompt: "now test it" });
  expect(from).toMatch(/What came before one prompt[\s\S]*now test it$/);
  expect(renderCompactionRequest([])).not.toMatch(/What came (?:later|before)/);
});
