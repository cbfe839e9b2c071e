// What keeps a request within its limits before a compaction is needed: the room of results, exact counts, pictures.

import { expect, test } from "bun:test";
import { runKeelson, startMockModel, temporaryHome } from "@keelson/testkit";
import { messagesOf, resultOf, STREAM } from "../front-door.ts";

const MODEL = ["--model", "claude-sonnet-4-6"];

const results = ({ body }: any): any[] =>
  body.messages.flatMap(({ content }: any) => content.filter(({ type }: any) => type === "tool_result"));

test("the results of one reply get half of the window together; the rest is in files", async () => {
  using home = temporaryHome();
  const calls = Array.from({ length: 6 }, (_, n) => {
    home.write(`${n}.txt`, "words\n".repeat(3_000));
    return { name: "Read", input: { file_path: `${n}.txt` } };
  });
  await using model = await startMockModel([{ calls }, { text: "done" }]);
  const env = { CLAUDE_CODE_MAX_CONTEXT_TOKENS: "40000" };
  const ended = await runKeelson(["-p", "read", ...STREAM, ...MODEL], { home, url: model.url, env });
  expect(resultOf(ended).result).toBe("done");
  const shown = results(model.requests[1]).map(({ content }) => content as string);
  const saved = shown.filter((text) => text.startsWith("<persisted-output>"));
  expect(shown).toHaveLength(6);
  expect(saved.length).toBeGreaterThan(2);
  expect(shown.join("").length).toBeLessThan(40_000 * 0.5 * 4 + saved.length * 3_000);
  const [, path] = /saved to: (\S+)/.exec(saved[0]!)!;
  expect(await Bun.file(path!).text()).toContain("3000\twords");
});

test("near the limit the provider counts, and its count decides", async () => {
  using home = temporaryHome();
  home.write("a.txt", "words ".repeat(4_000));
  const read = { calls: [{ name: "Read", input: { file_path: "a.txt" } }] };
  const full = { ...read, usage: { input_tokens: 163_000, output_tokens: 10 } };
  const play = async (count: number) => {
    await using model = await startMockModel(
      (body: any, number) => {
        if (JSON.stringify(body.messages.at(-1)).includes("about to be shortened")) return { text: "so far" };
        return number === 1
          ? { calls: [{ name: "Bash", input: { command: "echo a" } }] }
          : number === 2
            ? full
            : { text: "done" };
      },
      { countTokens: () => count },
    );
    const ended = await runKeelson(["-p", "go", ...STREAM, ...MODEL], { home, url: model.url });
    expect(resultOf(ended).result).toBe("done");
    expect(model.others.map(({ path }) => path.split("?")[0])).toEqual(["/v1/messages/count_tokens"]);
    return messagesOf(ended, "system/compact_boundary").length;
  };
  expect([await play(166_000), await play(168_000)]).toEqual([0, 1]);
});

/** One transparent pixel. */
const PIXEL = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
  "base64",
);

test("old pictures make room for new ones before a server refuses the request", async () => {
  using home = temporaryHome();
  for (let n = 0; n < 96; n++) home.write(`${n}.png`, PIXEL);
  const batch = (from: number) => ({
    calls: Array.from({ length: 24 }, (_, n) => ({ name: "Read", input: { file_path: `${from + n}.png` } })),
  });
  const more = { calls: [{ name: "Bash", input: { command: "echo a" } }] };
  await using model = await startMockModel([batch(0), batch(24), batch(48), batch(72), more, { text: "done" }]);
  const ended = await runKeelson(["-p", "look", ...STREAM, ...MODEL], { home, url: model.url });
  expect(resultOf(ended).result).toBe("done");
  const pictures = (request: any) => JSON.stringify(results(request)).split('"type":"image"').length - 1;
  expect([3, 4, 5].map((at) => pictures(model.requests[at]))).toEqual([72, 72, 72]);
  expect(messagesOf(ended, "system/compact_boundary")).toEqual([]);
});
