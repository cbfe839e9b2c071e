// A session kept in a store while the real program runs it, and gone on with where nothing else of it exists.

import { expect, test } from "bun:test";
import { InMemorySessionStore, listSessions, query, type SDKMessage } from "@keelson/sdk";
import { startMockModel, temporaryHome, transcriptFiles } from "@keelson/testkit";
import { door, kindOf, read, resultsOf, textOf } from "./door.ts";

test("a session continues from its store in another home", async () => {
  using first = temporaryHome();
  using second = temporaryHome();
  await using model = await startMockModel([{ text: "one" }, { text: "two" }]);
  const sessionStore = new InMemorySessionStore();
  const [before] = resultsOf(await read(query({ prompt: "a", options: { ...door(first, model), sessionStore } })));

  // The same folder, seen from a home that knows nothing of it.
  const options = { ...door(second, model), cwd: first.project, sessionStore, resume: before!.session_id };
  const messages = await read(query({ prompt: "b", options }));

  expect(textOf(messages)).toBe("two");
  expect(resultsOf(messages)[0]!.session_id).toBe(before!.session_id);
  const said = model.requests[1]!.body.messages.filter(({ role }: any) => role === "assistant");
  expect(said.map(({ content }: any) => content[0].text)).toEqual(["one"]);
  expect(transcriptFiles(second)).toEqual([]);
  const [kept] = await listSessions({ dir: first.project, sessionStore });
  expect(kept).toMatchObject({ sessionId: before!.session_id, firstPrompt: "a" });
});

test("a store that refuses everything costs a message, not the conversation", async () => {
  using home = temporaryHome();
  await using model = await startMockModel([{ text: "hello" }]);
  const sessionStore = {
    append: () => Promise.reject(new Error("the store is down")),
    load: async () => null,
  };
  const messages: SDKMessage[] = await read(query({ prompt: "hi", options: { ...door(home, model), sessionStore } }));
  expect(textOf(messages)).toBe("hello");
  const complaints = messages.filter((message) => kindOf(message) === "system/mirror_error") as any[];
  expect(complaints.length).toBeGreaterThan(0);
  expect(complaints[0].error).toContain("the store is down");
  expect(transcriptFiles(home).length).toBe(1);
});

test("a store that cannot be asked for the session is the query's error", async () => {
  using home = temporaryHome();
  await using model = await startMockModel([]);
  const sessionStore = {
    append: async () => {},
    load: () => Promise.reject(new Error("no connection")),
  };
  const options = { ...door(home, model), sessionStore, resume: crypto.randomUUID() };
  const error = await read(query({ prompt: "hi", options })).catch((reason: unknown) => reason);
  expect((error as Error).message).toContain("no connection");
});
