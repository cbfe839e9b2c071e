import { expect, test } from "bun:test";
import type { NewEntry, PromptMessage } from "@keelson/protocol";
import { Inbox } from "./inbox.ts";

const prompt = (content: string): PromptMessage => ({
  type: "user",
  message: { role: "user", content },
  parent_tool_use_id: null,
});
const notice = (uuid: string): NewEntry => ({
  type: "user",
  uuid,
  isMeta: true,
  message: { role: "user", content: "" },
});

async function next(inbox: Inbox) {
  await inbox.filled();
  return inbox.shift();
}

test("prompts come in order, and nothing follows the last one", async () => {
  const inbox = new Inbox();
  inbox.push(prompt("a"));
  inbox.push(prompt("b"));
  inbox.close();
  inbox.push(prompt("too late"));
  expect([await next(inbox), await next(inbox), await next(inbox)]).toEqual([
    { prompt: prompt("a") },
    { prompt: prompt("b") },
    undefined,
  ]);
});

test("a prompt that came before is known by its id until it is taken back", () => {
  const inbox = new Inbox();
  for (const uuid of ["a", "b", "c"]) inbox.push({ ...prompt(uuid), uuid });
  inbox.shift();
  inbox.take("b");
  expect(["a", "b", "c", "d"].map((uuid) => inbox.hadPrompt(uuid))).toEqual([true, false, true, false]);
  inbox.clear();
  expect(["a", "c"].map((uuid) => inbox.hadPrompt(uuid))).toEqual([true, false]);
});

test("prompts come by their priority; one that no one knows is the usual one", async () => {
  const inbox = new Inbox();
  for (const priority of ["later", "urgent", "next", "now"]) {
    inbox.push({ ...prompt(priority), priority } as unknown as PromptMessage);
  }
  inbox.close();
  const order = [await next(inbox), await next(inbox), await next(inbox), await next(inbox)];
  expect(order.map((each) => each?.prompt?.message.content)).toEqual(["now", "urgent", "next", "later"]);
});

test("prompts that waited during a run are one prompt, with the id of the last", () => {
  const inbox = new Inbox();
  for (const name of ["a", "b", "c"]) inbox.push({ ...prompt(name), uuid: name });
  const [a, b, c] = ["a", "b", "c"].map((name) => ({ ...prompt(name), uuid: name }));
  expect(inbox.shift({ waited: true })).toEqual({ prompt: { ...prompt("a\nb\nc"), uuid: "c" }, parts: [a!, b!, c!] });
  inbox.push(prompt("a"));
  inbox.push(prompt("b"));
  // The session was idle: the first one does not wait for others.
  expect(inbox.shift()).toEqual({ prompt: prompt("a") });
  expect(inbox.shift({ waited: true })).toEqual({ prompt: prompt("b") });
});

test("prompts that waited run one by one if the client wants that", () => {
  const inbox = new Inbox();
  inbox.joins = false;
  inbox.push(prompt("a"));
  inbox.push(prompt("b"));
  expect(inbox.nextToJoin()).toBeUndefined();
  expect(inbox.shift({ waited: true })).toEqual({ prompt: prompt("a") });
});

test("a notice that wakes starts work while the inbox is open", async () => {
  const inbox = new Inbox();
  const work = next(inbox);
  inbox.notify(notice("quiet"), { wakes: false });
  inbox.notify(notice("loud"), { wakes: true });
  expect(await work).toEqual({});
  expect(inbox.takeNotices()).toEqual([notice("quiet"), notice("loud")]);
});

test("a prompt goes before notices, which join its run", async () => {
  const inbox = new Inbox();
  inbox.notify(notice("loud"), { wakes: true });
  inbox.push(prompt("a"));
  expect(await next(inbox)).toEqual({ prompt: prompt("a") });
  expect(inbox.takeNotices()).toEqual([notice("loud")]);
  inbox.close();
  expect(await next(inbox)).toBeUndefined();
});

test("notices start nothing once the inbox is closed", async () => {
  const inbox = new Inbox();
  inbox.close();
  inbox.notify(notice("loud"), { wakes: true });
  expect(await next(inbox)).toBeUndefined();
});

test("a prompt removed before it runs leaves nothing to run", async () => {
  const inbox = new Inbox();
  inbox.push({ ...prompt("a"), uuid: "u" });
  await inbox.filled();
  expect([inbox.ids, inbox.take("u").length, inbox.shift(), inbox.closed]).toEqual([["u"], 1, undefined, false]);
});

test("whoever queued a notice learns when it is taken", () => {
  const inbox = new Inbox();
  const taken: string[] = [];
  for (const name of ["a", "b"]) inbox.notify(notice(name), { wakes: false, taken: () => void taken.push(name) });
  expect(taken).toEqual([]);
  inbox.takeNotices();
  inbox.takeNotices();
  expect(taken).toEqual(["a", "b"]);
});

test("work under way means that the session goes on, and a notice that starts no run is no work", () => {
  const inbox = new Inbox();
  let released = 0;
  inbox.released = () => released++;
  inbox.notify(notice("context"), { wakes: false });
  expect([inbox.isEmpty, inbox.hasWork, inbox.goesOn]).toEqual([false, false, false]);
  const [one, two] = [inbox.hold(), inbox.hold()];
  expect([inbox.hasWork, inbox.goesOn]).toEqual([false, true]);
  inbox.notify(notice("end"), { wakes: true });
  one();
  expect(released).toBe(0);
  two();
  two();
  expect(released).toBe(1);
  expect([inbox.hasWork, inbox.goesOn]).toEqual([true, true]);
  inbox.takeNotices();
  expect(inbox.goesOn).toBe(false);
});

test("a session that ends now waits for what is under way, and starts no run for it", async () => {
  const inbox = new Inbox();
  const release = inbox.hold();
  inbox.notify(notice("before"), { wakes: true });
  inbox.close({ now: true });
  inbox.notify(notice("after"), { wakes: true });
  expect([inbox.hasWork, inbox.closed, inbox.shift()]).toEqual([false, false, undefined]);
  inbox.close();
  release();
  expect(await next(inbox)).toBeUndefined();
});

test("a run is followed by another if anything else is under way or waits", () => {
  const inbox = new Inbox();
  const release = [inbox.hold(), inbox.hold()].at(-1)!;
  expect(inbox.isFollowed).toBe(true);
  release();
  expect(inbox.isFollowed).toBe(false);
  inbox.push(prompt("a"));
  expect(inbox.isFollowed).toBe(true);
});
