// Questions of servers for the user: answered by hooks, by the client, or cancelled if there is no one.

import { expect, test } from "bun:test";
import { join } from "node:path";
import { query, type ElicitationRequest } from "@keelson/sdk";
import {
  runKeelson,
  startKeelson,
  startMockModel,
  temporaryHome,
  type Running,
  type ScriptedReply,
} from "@keelson/testkit";
import { answer, CHAT, kindOf, prompt, STREAM, told } from "../front-door.ts";
import { door, read } from "../sdk/door.ts";
import { fakeServer, withServers } from "./fake.ts";

const call = (name: string, input = {}): ScriptedReply => ({ calls: [{ name, input }] });
const ALLOWED = ["--allowedTools", "mcp__srv"];
const SCHEMA = { type: "object", properties: { name: { type: "string" } }, required: ["name"] };

/** The answer that the server got, as its tool returned it. */
const answerIn = (request: Parameters<typeof told>[0]) => JSON.parse(told(request)[0].content[0].text);

/** A hook that logs its input and replies with the fields of this event. */
const replying = (event: string, fields: object) => ({
  hooks: {
    [event]: [
      {
        hooks: [
          {
            type: "command",
            command: `{ cat; echo; } >>hooks.log; echo '${JSON.stringify({
              hookSpecificOutput: { hookEventName: event, ...fields },
            })}'`,
          },
        ],
      },
    ],
  },
});

async function askWithoutClient(settings: object) {
  using home = temporaryHome();
  home.settings(settings);
  const server = fakeServer(home, "srv", { tools: ["ask"] });
  await using model = await startMockModel([call("mcp__srv__ask"), { text: "done" }]);
  await runKeelson(["-p", "go", ...STREAM, ...withServers({ srv: server }), ...ALLOWED], { home, url: model.url });
  const offered = server.notes.find(({ got }) => got === "initialize").params.capabilities;
  return {
    answer: answerIn(model.requests[1]!),
    offered,
    hooked: await Bun.file(join(home.project, "hooks.log"))
      .text()
      .then(
        (text) => text.split("\n").flatMap((line) => (line ? [JSON.parse(line)] : [])),
        () => [],
      ),
  };
}

test("without a client and without hooks, a question is cancelled", async () => {
  const { answer: got, offered } = await askWithoutClient({});
  expect(got).toEqual({ action: "cancel" });
  expect(offered).toMatchObject({ elicitation: { form: {}, url: {} }, roots: { listChanged: true } });
});

test("an Elicitation hook answers for the user", async () => {
  const fields = { action: "accept", content: { name: "Ada" } };
  const { answer: got, hooked } = await askWithoutClient(replying("Elicitation", fields));
  expect(got).toEqual(fields);
  expect(hooked).toMatchObject([
    {
      hook_event_name: "Elicitation",
      mcp_server_name: "srv",
      message: "Your name?",
      mode: "form",
      requested_schema: SCHEMA,
    },
  ]);
});

test("an Elicitation hook that blocks declines for the user", async () => {
  const { answer: got } = await askWithoutClient({
    hooks: {
      Elicitation: [{ matcher: "srv", hooks: [{ type: "command", command: "echo No questions >&2; exit 2" }] }],
    },
  });
  expect(got).toEqual({ action: "decline" });
});

/** Calls a tool that asks; `respond` is the client. */
async function askClient(
  tool: string,
  respond: (program: Running, request: any) => void | Promise<void>,
  settings: object = {},
) {
  using home = temporaryHome();
  home.settings(settings);
  const server = fakeServer(home, "srv", { tools: [tool] });
  await using model = await startMockModel([call(`mcp__srv__${tool}`), { text: "done" }]);
  await using program = startKeelson(
    ["-p", ...CHAT, "--permission-prompt-tool", "stdio", ...withServers({ srv: server }), ...ALLOWED],
    { home, url: model.url, stdin: "open" },
  );
  program.send(prompt("go"));
  const { json } = await program.waitForLine(({ request }) => request?.subtype === "elicitation");
  await respond(program, json);
  await program.waitForLine(({ type }) => type === "result");
  program.closeStdin();
  const ended = await program.done;
  return { request: json.request, answer: answerIn(model.requests[1]!), ended };
}

const accept = (program: Running, { request_id }: any) =>
  program.send(answer(request_id, { action: "accept", content: { name: "Ada" } }));

test("a client answers a form", async () => {
  const asked = await askClient("ask", accept);
  expect(asked.request).toEqual({
    subtype: "elicitation",
    mcp_server_name: "srv",
    message: "Your name?",
    mode: "form",
    requested_schema: SCHEMA,
    property_order: ["name"],
  });
  expect(asked.answer).toEqual({ action: "accept", content: { name: "Ada" } });
});

test("a client that cannot answer declines", async () => {
  const refuse = (program: Running, { request_id }: any) =>
    program.send({
      type: "control_response",
      response: { subtype: "error", request_id, error: "Unsupported control request subtype: elicitation" },
    });
  expect((await askClient("ask", refuse)).answer).toEqual({ action: "decline" });
});

test("an ElicitationResult hook changes what the client answered, or refuses it", async () => {
  const changed = await askClient(
    "ask",
    accept,
    replying("ElicitationResult", { action: "accept", content: { name: "Grace" } }),
  );
  expect(changed.answer).toEqual({ action: "accept", content: { name: "Grace" } });
  const blocking = { hooks: [{ type: "command", command: "exit 2" }] };
  const refused = await askClient("ask", accept, { hooks: { ElicitationResult: [blocking] } });
  expect(refused.answer).toEqual({ action: "decline" });
});

test("a question with an address: the client is asked, and told when the server is done", async () => {
  const asked = await askClient("visit", async (program, { request_id }) => {
    program.send(answer(request_id, { action: "accept" }));
    await program.waitForLine((message) => kindOf(message) === "system/elicitation_complete");
  });
  expect(asked.request).toEqual({
    subtype: "elicitation",
    mcp_server_name: "srv",
    message: "Sign in",
    mode: "url",
    url: "https://example.test/sign-in",
    elicitation_id: "e1",
  });
  expect(asked.ended.messages.find((message) => message.subtype === "elicitation_complete")).toMatchObject({
    type: "system",
    mcp_server_name: "srv",
    elicitation_id: "e1",
    session_id: expect.any(String),
    uuid: expect.any(String),
  });
});

test("an application answers through onElicitation", async () => {
  using home = temporaryHome();
  const server = fakeServer(home, "srv", { tools: ["ask"] });
  await using model = await startMockModel([call("mcp__srv__ask"), { text: "done" }]);
  const asked: ElicitationRequest[] = [];
  await read(
    query({
      prompt: "go",
      options: {
        ...door(home, model),
        mcpServers: { srv: { ...server.entry, args: [...server.entry.args] } },
        allowedTools: ["mcp__srv"],
        onElicitation: async (request) => {
          asked.push(request);
          return { action: "accept", content: { name: "Ada" } };
        },
      },
    }),
  );
  expect(asked).toMatchObject([{ serverName: "srv", message: "Your name?", mode: "form" }]);
  expect(answerIn(model.requests[1]!)).toEqual({ action: "accept", content: { name: "Ada" } });
});

test("a server may ask for the working directories", async () => {
  using home = temporaryHome();
  const server = fakeServer(home, "srv", { tools: ["roots"] });
  await using model = await startMockModel([call("mcp__srv__roots"), { text: "done" }]);
  await runKeelson(["-p", "go", ...withServers({ srv: server }), ...ALLOWED, "--add-dir", home.home], {
    home,
    url: model.url,
  });
  expect(told(model.requests[1]!)[0].content[0].text).toBe(`file://${home.project},file://${home.home}`);
});
