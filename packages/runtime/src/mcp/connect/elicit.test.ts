import { expect, test } from "bun:test";
import { answerElicitation } from "./elicit.ts";

const on = new AbortController().signal;

async function ask(params: object): Promise<{ action: string; asked: number }> {
  let asked = 0;
  const person = async () => {
    asked++;
    return { action: "accept" };
  };
  const fire = async () => ({ reasons: [] }) as never;
  const { action } = await answerElicitation("s", params as never, { fire, person }, on);
  return { action, asked };
}

test.each([
  "javascript:alert(1)",
  "file:///etc/passwd",
  "vscode://x",
  "https://bank.test@evil.test/",
  "https://:x@evil.test/",
  "not a url",
  "",
  undefined,
])("nobody is sent to %j", async (url) =>
  expect(await ask({ mode: "url", url, elicitationId: "1" })).toEqual({ action: "decline", asked: 0 }),
);

test("people are sent to web pages, and asked to fill in forms that are not endless", async () => {
  expect(await ask({ mode: "url", url: "https://x.test/" })).toEqual({ action: "accept", asked: 1 });
  const form = (length: number) => ({
    message: "m",
    requestedSchema: { properties: { a: { title: "x".repeat(length) } } },
  });
  expect(await ask(form(100))).toEqual({ action: "accept", asked: 1 });
  const deep = JSON.parse(`{"a":${"[".repeat(50_000)}${"]".repeat(50_000)}}`);
  expect(await ask({ message: "m", requestedSchema: deep })).toEqual({ action: "decline", asked: 0 });
  expect(await ask(form(200_000))).toEqual({ action: "decline", asked: 0 });
});

test("hooks see which question was answered", async () => {
  const fired: object[] = [];
  const fire = async (event: string, input: object) => {
    fired.push({ event, ...input });
    return { reasons: [] } as never;
  };
  const person = async () => ({ action: "accept" });
  const params = { mode: "url", message: "m", url: "https://x.test/", elicitationId: "7" };
  await answerElicitation("s", params, { fire, person }, on);
  const about = { mcp_server_name: "s", mode: "url", elicitation_id: "7" };
  expect(fired).toEqual([
    { event: "Elicitation", ...about, message: "m", url: "https://x.test/" },
    { event: "ElicitationResult", ...about, action: "accept" },
  ]);
});

test.each([
  ["accept", undefined, { action: "accept", content: { name: "Jo", on: false } }],
  ["accept", { name: "Al", age: 3 }, { action: "accept", content: { name: "Al", on: false, age: 3 } }],
  ["decline", undefined, { action: "decline" }],
])("fields that are left out have their default values (%s, %j)", async (action, content, expected) => {
  const properties = {
    name: { type: "string", default: "Jo" },
    age: { type: "integer" },
    on: { type: "boolean", default: false },
  };
  const params = { message: "m", requestedSchema: { type: "object", properties } };
  const fire = async (event: string) =>
    ({ reasons: [], ...(event === "Elicitation" ? { fields: { action, content } } : {}) }) as never;
  expect(await answerElicitation("s", params as never, { fire }, on)).toEqual(expected as never);
});
