// What servers do not accept, send oddly, or refuse.

import { expect, test } from "bun:test";
import type { ModelRequest } from "@keelson/engine";
import type { ContentBlock, JsonObject, ModelMessage } from "@keelson/protocol";
import type { DialectStep } from "@keelson/testkit";
import { collect, image, PNG } from "../conformance/support.test-support.ts";
import { startGemini } from "./gemini.test-support.ts";

const done = { blocks: [{ text: "done" }] };
const input_schema: JsonObject = {
  $schema: "http://json-schema.org/draft-07/schema#",
  type: "object",
  properties: { mode: { const: "fast" }, limit: { type: ["integer", "null"] } },
  additionalProperties: false,
  required: ["mode"],
};

function requestFor(messages: readonly ModelMessage[] = [{ role: "user", content: "hi" }]): ModelRequest {
  return {
    model: "gemini-3-flash-preview",
    max_tokens: 5_000,
    system: [],
    messages,
    tools: [
      { name: "Read", description: "d", input_schema },
      { name: "Now", description: "d", input_schema: { type: "object", properties: {} } },
    ],
    betas: [],
  };
}

const showing = (...content: ContentBlock[]): readonly ModelMessage[] => [
  { role: "user", content: "hi" },
  { role: "assistant", content: [{ type: "tool_use", id: "a", name: "Read", input: {} }] },
  { role: "user", content: [{ type: "tool_result", tool_use_id: "a", content }] },
];

/** Chunks as the server sends them. */
const raw = (...chunks: object[]): DialectStep => ({
  raw: {
    headers: { "content-type": "text/event-stream" },
    frames: chunks.map((chunk) => `data:${JSON.stringify(chunk)}\r\n\r\n`),
  },
});
const chunk = (parts: object[], finishReason?: string) => ({
  candidates: [{ content: { role: "model", parts }, ...(finishReason ? { finishReason } : {}) }],
  usageMetadata: { promptTokenCount: 7, candidatesTokenCount: 3 },
});

test("schemas are sent as they are, without what names their dialect", async () => {
  await using gemini = await startGemini([done]);
  await collect(gemini.provider, requestFor());
  const { $schema: _, ...schema } = input_schema;
  expect(gemini.server.requests[0]!.body.tools[0].functionDeclarations[0]).toEqual({
    name: "Read",
    description: "d",
    parametersJsonSchema: schema,
  });
});

test("an old proxy gets schemas of the subset, and is asked wrongly only once", async () => {
  await using gemini = await startGemini([done, done], { old: true });
  for (let time = 0; time < 2; time++) expect((await collect(gemini.provider, requestFor())).error).toBeUndefined();
  expect(gemini.server.problems).toHaveLength(1);
  expect(gemini.server.requests[1]!.body.tools[0].functionDeclarations).toEqual([
    {
      name: "Read",
      description: "d",
      parameters: {
        type: "object",
        properties: { mode: { type: "string", enum: ["fast"] }, limit: { type: "integer", nullable: true } },
        required: ["mode"],
      },
    },
    { name: "Now", description: "d" },
  ]);
});

test("schemas that the server does not accept are sent in the subset from then on", async () => {
  const message =
    "* GenerateContentRequest.tools[0].function_declarations[0].parameters.properties[list].items: missing field.";
  await using gemini = await startGemini([
    { raw: { status: 400, body: { error: { code: 400, message } } } },
    done,
    done,
  ]);
  for (let time = 0; time < 2; time++) expect((await collect(gemini.provider, requestFor())).error).toBeUndefined();
  const declared = gemini.server.requests.map(({ body }) => Object.keys(body.tools[0].functionDeclarations[0]).at(-1));
  expect(declared).toEqual(["parametersJsonSchema", "parameters", "parameters"]);
});

test("a schema for the answer that is not accepted says nothing about tools", async () => {
  const message = 'Invalid JSON payload received. Unknown name "responseJsonSchema" at generation_config';
  await using gemini = await startGemini([{ raw: { status: 400, body: { error: { code: 400, message } } } }, done]);
  expect((await collect(gemini.provider, requestFor())).error?.message).toContain("responseJsonSchema");
  await collect(gemini.provider, requestFor());
  const declared = gemini.server.requests.map(({ body }) => Object.keys(body.tools[0].functionDeclarations[0]).at(-1));
  expect(declared).toEqual(["parametersJsonSchema", "parametersJsonSchema"]);
});

test("pictures are in results of new models; elsewhere they follow, each with the name of the call", async () => {
  await using gemini = await startGemini([done]);
  await collect(gemini.provider, requestFor(showing({ type: "text", text: "a picture" }, image)));
  const inlineData = { mimeType: "image/png", data: PNG };
  expect(gemini.server.requests[0]!.body.contents[2].parts).toEqual([
    { functionResponse: { name: "Read", response: { output: "a picture" }, parts: [{ inlineData }] } },
  ]);

  await using plain = await startGemini([done, done], { plainResults: true });
  for (let time = 0; time < 2; time++) {
    const request = requestFor(showing({ type: "text", text: "a picture" }, image));
    expect((await collect(plain.provider, request)).error).toBeUndefined();
  }
  expect(plain.server.problems).toHaveLength(1);
  expect(plain.server.requests[1]!.body.contents[2].parts).toEqual([
    { functionResponse: { name: "Read", response: { output: expect.stringContaining("a picture\n[") } } },
    { text: "Files of the result of Read:" },
    { inlineData },
  ]);
});

test("a GIF, and any picture for a model that reads text, become words and a notice", async () => {
  const gif: ContentBlock = { type: "image", source: { type: "base64", media_type: "image/gif", data: "R0lGODlh" } };
  await using gemini = await startGemini([done]);
  const shown = await collect(gemini.provider, requestFor(showing(gif)));
  expect(shown.losses).toEqual(["Gemini cannot read image/gif, so the model does not see that picture"]);
  expect(JSON.stringify(gemini.server.requests[0]!.body)).toContain(
    "[picture not shown: this model cannot read image/gif]",
  );

  await using blind = await startGemini([done], {}, { images: false, documents: false });
  const pdf: ContentBlock = {
    type: "document",
    source: { type: "base64", media_type: "application/pdf", data: "JVBERg" },
  };
  const told = await collect(blind.provider, requestFor([{ role: "user", content: [image, image, pdf] }]));
  expect(told.losses).toHaveLength(2);
  expect(blind.server.requests[0]!.parts).toEqual([
    { from: "user", text: "[picture not shown: this model reads text only]" },
    { from: "user", text: "[picture not shown: this model reads text only]" },
    { from: "user", text: "[document not shown: this model cannot read PDF files]" },
  ]);
});

test("a call that the server could not read is asked for once more", async () => {
  await using gemini = await startGemini([raw(chunk([{ text: "I w" }], "MALFORMED_FUNCTION_CALL")), done]);
  const { events, error } = await collect(gemini.provider, requestFor());
  expect(error).toBeUndefined();
  const start = events.findIndex((event) => event.type === "notice" && event.notice.type === "restart");
  expect(start).toBeGreaterThan(0);
  expect(events[start + 1]!.type).toBe("message_start");
  expect(events.at(-1)!.type).toBe("message_stop");
  expect(gemini.server.requests).toHaveLength(2);
});

test("if it fails again, or something is finished already, what there is ends the turn", async () => {
  const malformed = raw(chunk([{ text: "so" }], "UNEXPECTED_TOOL_CALL"));
  await using gemini = await startGemini([malformed, malformed]);
  const { events } = await collect(gemini.provider, requestFor());
  expect(events.at(-2)).toMatchObject({ type: "message_delta", delta: { stop_reason: "end_turn" } });
  expect(gemini.server.requests).toHaveLength(2);

  const thoughts = chunk([{ text: "hm", thought: true }, { text: "so" }], "MALFORMED_FUNCTION_CALL");
  await using finished = await startGemini([raw(thoughts)]);
  const got = await collect(finished.provider, requestFor());
  expect({ stop: got.stop, problems: got.problems }).toEqual({ stop: "end_turn", problems: [] });
  expect(finished.server.requests).toHaveLength(1);
});

test("a blocked prompt is a refusal", async () => {
  await using gemini = await startGemini([
    raw({ promptFeedback: { blockReason: "PROHIBITED_CONTENT" }, usageMetadata: { promptTokenCount: 5 } }),
  ]);
  const got = await collect(gemini.provider, requestFor());
  expect({ error: got.error, stop: got.stop, blocks: got.blocks }).toEqual({
    error: undefined,
    stop: "refusal",
    blocks: [],
  });
  expect(got.usage).toMatchObject({ input_tokens: 5, output_tokens: 0 });
});

test("a reply is complete with its reason, even if the connection breaks after it, and cut without one", async () => {
  const frames = [`data: ${JSON.stringify(chunk([{ text: "all" }], "STOP"))}\n\n`];
  const headers = { "content-type": "text/event-stream" };
  await using gemini = await startGemini([
    { raw: { headers, frames, cut: true } },
    raw(chunk([{ text: "ha" }])),
    raw(),
  ]);
  const whole = await collect(gemini.provider, requestFor());
  expect({ error: whole.error, blocks: whole.blocks }).toEqual({
    error: undefined,
    blocks: [{ type: "text", text: "all" }],
  });
  for (let time = 0; time < 2; time++)
    expect((await collect(gemini.provider, requestFor())).error?.kind).toBe("stream_cut");
});

test("a list instead of a stream is read, and so is a lone error in one", async () => {
  const list = [chunk([{ text: "one " }]), chunk([{ text: "two" }], "STOP")];
  const error = [{ error: { code: 503, message: "overloaded", status: "UNAVAILABLE" } }];
  await using gemini = await startGemini([{ raw: { status: 200, body: list } }, { raw: { status: 200, body: error } }]);
  expect((await collect(gemini.provider, requestFor())).blocks).toEqual([{ type: "text", text: "one two" }]);
  expect((await collect(gemini.provider, requestFor())).error?.kind).toBe("overloaded");
});

test("half a character is not sent", async () => {
  await using gemini = await startGemini([done]);
  await collect(gemini.provider, requestFor([{ role: "user", content: "a\ud800b" }]));
  expect(gemini.server.requests[0]!.parts).toEqual([{ from: "user", text: "a\ufffdb" }]);
});

test("a format is asked for where no tools are in the way", async () => {
  await using gemini = await startGemini([done, done]);
  const schema = { type: "object", properties: { ok: { type: "boolean" } } };
  const request = { ...requestFor(), output_config: { format: { type: "json_schema", schema } } };
  await collect(gemini.provider, { ...request, tools: [] });
  await collect(gemini.provider, request);
  expect(gemini.server.requests.map(({ body }) => body.generationConfig)).toEqual([
    { maxOutputTokens: 5_000, responseMimeType: "application/json", responseJsonSchema: schema },
    { maxOutputTokens: 5_000 },
  ]);
});

test("another kind of server is named as such", async () => {
  const html = { headers: { "content-type": "text/html" }, frames: ["<html>Sign in</html>"] };
  await using gemini = await startGemini([{ raw: html }, { raw: { status: 200, body: { hello: "world" } } }]);
  for (let time = 0; time < 2; time++)
    expect((await collect(gemini.provider, requestFor())).error).toMatchObject({
      kind: "unknown",
      message: `${gemini.server.url} does not behave like the Gemini API; check GOOGLE_GEMINI_BASE_URL`,
    });
});

test("a model without instructions reads them first, and a limit that the server tells is respected", async () => {
  const refusal = (message: string) => ({ failure: "invalid_request", message }) as const;
  await using gemini = await startGemini([
    refusal("Developer instruction is not enabled for models/gemma-3-27b-it"),
    refusal(
      "Unable to submit request because it has a maxOutputTokens value of 5000 but the supported range is from 1 (inclusive) to 4097 (exclusive).",
    ),
    done,
    done,
  ]);
  const request = { ...requestFor(), system: [{ type: "text" as const, text: "be brief" }] };
  for (let time = 0; time < 2; time++) expect((await collect(gemini.provider, request)).error).toBeUndefined();
  expect(gemini.server.requests).toHaveLength(4);
  expect(gemini.server.requests[3]).toMatchObject({
    system: "",
    maxTokens: 4096,
    parts: [
      { from: "user", text: "be brief" },
      { from: "user", text: "hi" },
    ],
  });
});

test("a name with the place of the tools before it is the name of the tool", async () => {
  await using gemini = await startGemini([{ blocks: [{ call: { name: "default_api:Read", input: {} } }] }]);
  expect((await collect(gemini.provider, requestFor())).blocks).toMatchObject([{ type: "tool_use", name: "Read" }]);
});

test("a system message amid the conversation is a reminder", async () => {
  await using gemini = await startGemini([done]);
  const amid = { role: "system", content: "mind the gap" } as never;
  await collect(gemini.provider, requestFor([{ role: "user", content: "hi" }, amid]));
  expect(gemini.server.requests[0]!.parts).toEqual([
    { from: "user", text: "hi" },
    { from: "user", text: "<system-reminder>\nmind the gap\n</system-reminder>" },
  ]);
});

test("a last event without its empty line counts", async () => {
  const frames = [`data: ${JSON.stringify(chunk([{ text: "all" }], "STOP"))}`];
  await using gemini = await startGemini([{ raw: { headers: { "content-type": "text/event-stream" }, frames } }]);
  expect(await collect(gemini.provider, requestFor())).toMatchObject({
    blocks: [{ type: "text", text: "all" }],
    stop: "end_turn",
  });
});
