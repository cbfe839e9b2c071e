// The official client drives the program: every method, an edit, and a question about it.

import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { client, methods, type NewSessionRequest, type Stream } from "@agentclientprotocol/sdk";
import { startKeelson, startMockModel, temporaryHome, type LoggedLine, type Running } from "@keelson/testkit";

/** The messages of the program as the client reads them, and back. */
function streamOf(program: Running): Stream {
  let after: LoggedLine | undefined;
  return {
    writable: new WritableStream({
      write: (message) => program.send(message as object),
      close: () => program.closeStdin(),
    }),
    readable: new ReadableStream({
      async pull(controller) {
        try {
          after = await program.waitForLine(() => true, after ? { after } : {});
          controller.enqueue(JSON.parse(after.text));
        } catch {
          controller.close();
        }
      },
    }),
  };
}

test("the official client uses every method", async () => {
  using home = temporaryHome();
  const file = home.write("story.txt", "Once upon a time.\n");
  await using model = await startMockModel([
    { calls: [{ name: "Read", input: { file_path: file } }] },
    { calls: [{ name: "Edit", input: { file_path: file, old_string: "Once", new_string: "Twice" } }] },
    { text: "Changed." },
  ]);
  await using program = startKeelson(["acp"], { home, url: model.url, stdin: "open" });
  const updates: any[] = [];
  const asked: any[] = [];
  const editor = client({ name: "test" })
    .onRequest(methods.client.session.requestPermission, ({ params }) => {
      asked.push(params);
      const { optionId } = params.options.find(({ kind }) => kind === "allow_once")!;
      return { outcome: { outcome: "selected", optionId } };
    })
    .onNotification(methods.client.session.update, ({ params }) => void updates.push(params.update));
  const { agent } = editor.connect(streamOf(program));
  const { initialize, authenticate, logout, session } = methods.agent;

  const { agentCapabilities } = await agent.request(initialize, { protocolVersion: 1, clientCapabilities: {} });
  expect(agentCapabilities?.loadSession).toBe(true);
  expect(await agent.request(authenticate, { methodId: "api-key" })).toEqual({});
  const place: NewSessionRequest = { cwd: home.project, mcpServers: [] };
  const { sessionId, configOptions } = await agent.request(methods.agent.session.new, place);
  expect(configOptions).toHaveLength(3);
  await agent.request(session.setMode, { sessionId, modeId: "plan" });
  await agent.request(session.setConfigOption, { sessionId, configId: "mode", value: "default" });
  const prompt = [{ type: "text" as const, text: "Change the story" }];
  expect(await agent.request(session.prompt, { sessionId, prompt })).toMatchObject({ stopReason: "end_turn" });
  await agent.notify(session.cancel, { sessionId });
  expect(readFileSync(file, "utf8")).toBe("Twice upon a time.\n");
  expect(asked).toHaveLength(1);
  expect(asked[0].toolCall.content).toContainEqual(expect.objectContaining({ type: "diff", path: file }));
  const diffs = updates
    .flatMap(({ content }) => (Array.isArray(content) ? content : []))
    .filter(({ type }) => type === "diff");
  expect(diffs.at(-1)).toMatchObject({ path: join(home.project, "story.txt") });

  expect((await agent.request(session.list, { cwd: home.project })).sessions).toMatchObject([
    { sessionId, cwd: home.project },
  ]);
  await agent.request(session.load, { sessionId, ...place });
  await agent.request(session.close, { sessionId });
  await agent.request(session.resume, { sessionId, ...place });
  await agent.request(session.delete, { sessionId });
  expect((await agent.request(session.list, {})).sessions).toEqual([]);
  expect(await agent.request(logout, {})).toEqual({});
  program.closeStdin();
  expect((await program.done).code).toBe(0);
});
