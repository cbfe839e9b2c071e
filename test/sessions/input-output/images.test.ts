// Images reach the model in a size that it can use, however they come in: in a prompt, behind a running one, from the
// clipboard or a file at the terminal, from an application, and in the result of a call.

import { query } from "@keelson/sdk";
import { expect, test } from "bun:test";
import {
  readTranscript,
  runKeelson,
  startKeelson,
  startMockModel,
  temporaryHome,
  type RecordedRequest,
} from "@keelson/testkit";
import { answer, CHAT, control, prompt, told } from "../front-door.ts";
import { door } from "../sdk/door.ts";
import { openAtTerminal } from "../terminal/at-terminal.ts";

/** A picture without colors, as BMP. */
function bitmap(width: number, height: number): Uint8Array {
  const row = Math.ceil((width * 3) / 4) * 4;
  const bytes = Buffer.alloc(54 + row * height, 0x7f);
  bytes.fill(0, 0, 54);
  bytes.write("BM");
  for (const [at, value] of [
    [2, bytes.length],
    [10, 54],
    [14, 40],
    [18, width],
    [22, height],
  ] as const)
    bytes.writeUInt32LE(value, at);
  bytes.writeUInt16LE(1, 26);
  bytes.writeUInt16LE(24, 28);
  return bytes;
}

const base64 = (bytes: Uint8Array) => Buffer.from(bytes).toString("base64");
const png = async (width: number, height: number) => base64(await new Bun.Image(bitmap(width, height)).png().bytes());
const jpeg = async (width: number, height: number) => base64(await new Bun.Image(bitmap(width, height)).jpeg().bytes());
const block = (data: string, media_type = "image/png") =>
  ({ type: "image", source: { type: "base64", media_type, data } }) as const;

/** Declared type, real type, width and height of each image, in order. */
async function imagesOf(blocks: readonly any[]) {
  const all = blocks.flatMap((each) =>
    each.type === "tool_result" && Array.isArray(each.content) ? each.content : each,
  );
  const sources = all.filter(({ type }) => type === "image").map(({ source }) => source);
  return Promise.all(
    sources.map(async ({ media_type, data }) => {
      const { width, height, format } = await new Bun.Image(Buffer.from(data, "base64")).metadata();
      return [media_type, format, width, height];
    }),
  );
}

const imagesIn = (request: RecordedRequest | undefined) => imagesOf(told(request!));

test("images in a prompt are scaled, and named for what they are", async () => {
  using home = temporaryHome();
  await using model = await startMockModel([{ text: "seen" }]);
  const damaged = base64(Buffer.concat([Buffer.from("\x89PNG\r\n\x1a\n", "latin1"), Buffer.alloc(40, 7)]));
  const huge = base64(Buffer.concat([Buffer.from("\x89PNG\r\n\x1a\n", "latin1"), Buffer.alloc(5_000_000, 7)]));
  const content = [
    { type: "text", text: "look" },
    block(await png(3_136, 20)),
    block(await jpeg(20, 2_352), "image/jpeg"),
    block(await png(30, 20)),
    // Sent with the wrong name, which the API rejects, and in a format that it does not know.
    block(await jpeg(40, 20), "image/png"),
    block(base64(bitmap(50, 20)), "image/bmp"),
    block(damaged),
    block(huge),
    { type: "image", source: { type: "url", url: "https://example.com/a.png" } },
  ];
  await runKeelson(CHAT, { home, url: model.url, stdin: [prompt(content)] });
  const sent = told(model.requests[0]!);
  expect(await imagesOf(sent.slice(0, 6))).toEqual([
    ["image/png", "png", 1_568, 10],
    ["image/jpeg", "jpeg", 13, 1_568],
    ["image/png", "png", 30, 20],
    ["image/jpeg", "jpeg", 40, 20],
    ["image/png", "png", 50, 20],
  ]);
  // What cannot be read stays, as it may be readable elsewhere, but not if its size alone ends every request.
  expect(sent.slice(6)).toMatchObject([
    block(damaged),
    { type: "text", text: "[Image (4.8MB): omitted, damaged or too large]" },
    content.at(-1)!,
  ]);
  // The transcript has what the model saw.
  const typed = (readTranscript(home) as readonly any[]).find(({ type }) => type === "user");
  expect(await imagesOf(typed.message.content.slice(0, 3))).toEqual([
    ["image/png", "png", 1_568, 10],
    ["image/jpeg", "jpeg", 13, 1_568],
  ]);
});

test("an image behind a running prompt, and one with a typed command, are scaled", async () => {
  using home = temporaryHome();
  home.write(".claude/commands/look.md", "Look at this\n");
  await using model = await startMockModel([
    { calls: [{ name: "Bash", input: { command: "touch made" } }] },
    { text: "done" },
    { text: "looked" },
  ]);
  await using program = startKeelson([...CHAT, "--permission-prompt-tool=stdio"], {
    home,
    url: model.url,
    stdin: "open",
  });
  program.send(control("init", { subtype: "initialize" }));
  program.send(prompt("go"));
  const { json } = await program.waitForLine(({ request }: any) => request?.subtype === "can_use_tool");
  const uuid = "bbbbbbbb-1111-4222-8333-444444444444";
  program.send(prompt([{ type: "text", text: "and this" }, block(await png(3_136, 20))], { uuid }));
  await program.waitForLine(({ command_uuid, state }: any) => command_uuid === uuid && state === "queued");
  program.send(answer((json as any).request_id, { behavior: "allow" }));
  await program.waitForLine(({ result }: any) => result === "done");
  program.send(prompt([{ type: "text", text: "/look" }, block(await png(20, 3_136))]));
  await program.waitForLine(({ result }: any) => result === "looked");
  program.closeStdin();
  await program.done;
  expect(await imagesIn(model.requests[1])).toEqual([["image/png", "png", 1_568, 10]]);
  expect((await imagesIn(model.requests[2])).at(-1)).toEqual(["image/png", "png", 10, 1_568]);
});

test("an image that an application sends is scaled", async () => {
  using home = temporaryHome();
  await using model = await startMockModel([{ text: "seen" }]);
  const data = await png(2_000, 2_000);
  async function* prompts() {
    const content = [block(data), { type: "text" as const, text: "what is it?" }];
    yield { type: "user", message: { role: "user", content }, parent_tool_use_id: null } as never;
  }
  for await (const _ of query({ prompt: prompts(), options: door(home, model) }));
  expect(await imagesIn(model.requests[0])).toEqual([["image/png", "png", 1_568, 1_568]]);
});

test("an image that a command prints, and one in a notebook, are scaled", async () => {
  using home = temporaryHome();
  const data = await png(3_136, 20);
  home.write("picture.txt", `data:image/png;base64,${data}`);
  const outputs = [{ output_type: "display_data", data: { "image/png": data }, metadata: {} }];
  const cells = [{ cell_type: "code", id: "c1", source: "draw()", outputs, metadata: {}, execution_count: 1 }];
  home.write("drawing.ipynb", { cells, metadata: {}, nbformat: 4, nbformat_minor: 5 });
  await using model = await startMockModel([
    {
      calls: [
        { name: "Bash", input: { command: "cat picture.txt" } },
        { name: "Read", input: { file_path: "drawing.ipynb" } },
      ],
    },
    { text: "done" },
  ]);
  await runKeelson(["-p", "go", "--allowedTools", "Bash", "Read"], { home, url: model.url });
  expect(await imagesIn(model.requests[1])).toEqual([
    ["image/png", "png", 1_568, 10],
    ["image/png", "png", 1_568, 10],
  ]);
});

test("an image whose file is pasted into the terminal is scaled", async () => {
  const bytes = await new Bun.Image(bitmap(3_136, 20)).png().bytes();
  await using at = await openAtTerminal([{ text: "Seen." }], {
    prepare: (home) => void home.write("picture.png", Buffer.from(bytes)),
  });
  at.terminal.paste(`${at.home.project}/picture.png`);
  await at.terminal.until("[Image #1]");
  at.terminal.type(" what is it?");
  at.terminal.press("enter");
  await at.terminal.until("Seen.");
  const request = at.model.requests.find(({ body }) => JSON.stringify(body).includes("what is it?"));
  expect(await imagesIn(request)).toEqual([["image/png", "png", 1_568, 10]]);
});
