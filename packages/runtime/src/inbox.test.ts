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

test("prompts come in order, and after the last one nothing", async () => {
  const inbox = new Inbox();
  inbox.push(prompt("a"));
  inbox.push(prompt("b"));
  inbox.close();
  inbox.push(prompt("too late"));
  expect([await inbox.next(), await inbox.next(), await inbox.next()]).toEqual([
    { prompt: prompt("a") },
    { prompt: prompt("b") },
    undefined,
  ]);
});

test("a notice that wakes starts work by itself while prompts may still come", async () => {
  const inbox = new Inbox();
  const next = inbox.next();
  inbox.notify(notice("quiet"), { wakes: false });
  inbox.notify(notice("loud"), { wakes: true });
  expect(await next).toEqual({});
  expect(inbox.takeNotices()).toEqual([notice("quiet"), notice("loud")]);
});

test("a prompt goes first, and takes the notices along", async () => {
  const inbox = new Inbox();
  inbox.notify(notice("loud"), { wakes: true });
  inbox.push(prompt("a"));
  expect(await inbox.next()).toEqual({ prompt: prompt("a") });
  expect(inbox.takeNotices()).toEqual([notice("loud")]);
  inbox.close();
  expect(await inbox.next()).toBeUndefined();
});

test("once no prompt can come, notices start nothing", async () => {
  const inbox = new Inbox();
  inbox.close();
  inbox.notify(notice("loud"), { wakes: true });
  expect(await inbox.next()).toBeUndefined();
});
