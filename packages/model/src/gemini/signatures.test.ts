// Thought signatures: what a call came with goes back with it, to the same service and model only.

import { expect, test } from "bun:test";
import type { ModelRequest } from "@keelson/engine";
import type { ContentBlock, ModelMessage } from "@keelson/protocol";
import { thinkingStateOf } from "@keelson/testkit";
import { collect, continued } from "../conformance/support.test-support.ts";
import { startGemini } from "./gemini.test-support.ts";

const SKIP = "skip_thought_signature_validator";
const done = { blocks: [{ text: "done" }] };
const call = (name: string) => ({ call: { name, input: {} } });
const use = (id: string): ContentBlock => ({ type: "tool_use", id, name: "Read", input: {} });
const result = (id: string): ContentBlock => ({ type: "tool_result", tool_use_id: id, content: "x" });
const tool = (name: string) => ({ name, description: "d", input_schema: { type: "object" } });

function requestFor(
  model: string,
  messages: readonly ModelMessage[] = [{ role: "user", content: "hi" }],
): ModelRequest {
  return { model, max_tokens: 5_000, system: [], messages, tools: ["Read", "Bash"].map(tool), betas: [] };
}

const signaturesIn = ({ contents }: any) =>
  contents.flatMap(({ parts }: any) =>
    parts.flatMap((part: any) => (part.functionCall ? [part.thoughtSignature ?? null] : [])),
  );

const foreign: readonly ModelMessage[] = [
  { role: "user", content: "hi" },
  { role: "assistant", content: [use("a"), use("b")], reply: { model: "claude-sonnet-4-5" } },
  { role: "user", content: [result("a"), result("b")] },
  {
    role: "assistant",
    content: [use("c")],
    reply: { model: "gpt-5", callState: { c: { api: "openai-responses", id: "fc_1", signature: "theirs" } } },
  },
  { role: "user", content: [result("c")] },
];

test("each step keeps its own signature, and parallel calls only the first", async () => {
  await using gemini = await startGemini([{ blocks: [call("Read"), call("Bash")] }, { blocks: [call("Read")] }, done]);
  const first = await collect(gemini.provider, requestFor("gemini-3-pro-preview"));
  const two = continued(
    requestFor("gemini-3-pro-preview"),
    first,
    first.blocks.map(({ id }) => result(id)),
  );
  const second = await collect(gemini.provider, two);
  const three = continued(
    two,
    second,
    second.blocks.map(({ id }) => result(id)),
  );
  expect((await collect(gemini.provider, three)).error).toBeUndefined();
  expect(signaturesIn(gemini.server.requests[2]!.body)).toEqual([thinkingStateOf(1, 0), null, thinkingStateOf(2, 0)]);
  expect(gemini.server.problems).toEqual([]);
});

test("ids that the server gave go back with the call and its result", async () => {
  await using gemini = await startGemini([{ blocks: [call("Read"), call("Read")] }, done], { ids: true });
  const reply = await collect(gemini.provider, requestFor("gemini-3-pro-preview"));
  const ids = reply.blocks.map(({ id }) => id as string);
  // The engine may have to rename a call; the server gets its own id all the same.
  const messages: ModelMessage[] = [
    { role: "user", content: "hi" },
    {
      role: "assistant",
      content: [use("mine"), use(ids[1]!)],
      reply: {
        model: reply.model,
        callState: { mine: reply.callState[ids[0]!]!, [ids[1]!]: reply.callState[ids[1]!]! },
      },
    },
    { role: "user", content: [result(ids[1]!), result("mine")] },
  ];
  expect((await collect(gemini.provider, requestFor("gemini-3-pro-preview", messages))).error).toBeUndefined();
  const { contents } = gemini.server.requests[1]!.body;
  expect(contents[1].parts.map((part: any) => part.functionCall.id)).toEqual(ids);
  expect(contents[2].parts.map((part: any) => part.functionResponse.id)).toEqual(ids);
});

test("an older model gets no ids of a newer one", async () => {
  await using gemini = await startGemini([{ blocks: [call("Read")] }, done], { ids: true });
  const asked = requestFor("gemini-3-pro-preview");
  const reply = await collect(gemini.provider, asked);
  const later = continued(asked, reply, [result(reply.blocks[0].id)]);
  await collect(gemini.provider, { ...later, model: "gemini-2.5-flash" });
  const [, called, answered] = gemini.server.requests[1]!.body.contents;
  expect([called.parts[0].functionCall, answered.parts[0].functionResponse]).toEqual([
    { name: "Read", args: {} },
    { name: "Read", response: { output: "x" } },
  ]);
});

test("calls of other providers get the value that skips the check, where there is one", async () => {
  await using gemini = await startGemini([done, done]);
  expect((await collect(gemini.provider, requestFor("gemini-3-pro-preview", foreign))).error).toBeUndefined();
  expect((await collect(gemini.provider, requestFor("gemini-2.5-flash", foreign))).error).toBeUndefined();
  expect(gemini.server.requests.map(({ body }) => signaturesIn(body))).toEqual([
    [SKIP, null, SKIP],
    [null, null, null],
  ]);
});

test("a signature of another model or service is not sent", async () => {
  await using gemini = await startGemini([done]);
  const state = (api: string, model: string) => ({ api, model, signature: "foreign" });
  const steps = [
    state("gemini", "gemini-3-flash-preview"),
    state("vertex", "gemini-3-pro-preview"),
    { signature: "no api" },
  ];
  const messages: ModelMessage[] = [
    { role: "user", content: "hi" },
    ...steps.flatMap((callState, at): ModelMessage[] => [
      {
        role: "assistant",
        content: [use(`c${at}`)],
        reply: { model: "gemini-3-pro-preview", callState: { [`c${at}`]: callState } },
      },
      { role: "user", content: [result(`c${at}`)] },
    ]),
  ];
  expect((await collect(gemini.provider, requestFor("gemini-3-pro-preview", messages))).error).toBeUndefined();
  expect(signaturesIn(gemini.server.requests[0]!.body)).toEqual([SKIP, SKIP, SKIP]);
});

test("a release of the same model gets its signatures back", async () => {
  await using gemini = await startGemini([{ blocks: [call("Read")] }, done]);
  const reply = await collect(gemini.provider, requestFor("gemini-3-pro-preview"));
  const next = continued(requestFor("gemini-3-pro-001"), reply, [result(reply.blocks[0].id)]);
  expect((await collect(gemini.provider, next)).error).toBeUndefined();
  expect(signaturesIn(gemini.server.requests[1]!.body)).toEqual([thinkingStateOf(1, 0)]);
});

test("signatures that the server does not accept are replaced, and only those", async () => {
  await using gemini = await startGemini([{ blocks: [call("Read")] }, done]);
  const messages: ModelMessage[] = [
    { role: "user", content: "hi" },
    {
      role: "assistant",
      content: [use("old")],
      reply: {
        model: "gemini-3-pro-preview",
        callState: { old: { api: "gemini", model: "gemini-3-pro-preview", signature: "of another key" } },
      },
    },
    { role: "user", content: [result("old")] },
  ];
  const request = requestFor("gemini-3-pro-preview", messages);
  const reply = await collect(gemini.provider, request);
  expect(reply.error).toBeUndefined();
  expect(gemini.server.problems).toEqual(["Corrupted thought signature."]);
  const next = continued(request, reply, [result(reply.blocks[0].id)]);
  expect((await collect(gemini.provider, next)).error).toBeUndefined();
  expect(signaturesIn(gemini.server.requests[1]!.body)).toEqual([SKIP, thinkingStateOf(1, 0)]);
  expect(gemini.server.problems).toHaveLength(1);
});

test("a model whose name does not tell is found to need signatures, once", async () => {
  await using gemini = await startGemini([done, done], { realModel: "gemini-3-pro-preview" });
  for (let time = 0; time < 2; time++)
    expect((await collect(gemini.provider, requestFor("our-model", foreign))).error).toBeUndefined();
  expect(gemini.server.problems).toEqual([expect.stringContaining("missing a thought_signature")]);
});
