import { expect, test } from "bun:test";
import type { HttpHook } from "@keelson/protocol";
import { hookHeaders } from "./headers.ts";

const env = { TOKEN: "s3cret", TEAM: "blue", BROKEN: "a\r\nEvil: 1\0", NAMES_TOKEN: "$TOKEN" };
const headersOf = (handler: Partial<HttpHook>, permitted?: readonly string[]) =>
  hookHeaders({ type: "http", url: "http://localhost/", ...handler }, env, permitted);

test("a hook without headers sends only the content type", () => {
  expect(headersOf({})).toEqual({ "content-type": "application/json" });
});

test("variables are filled in only if the handler lists them", () => {
  const headers = { Authorization: "Bearer $TOKEN", "X-Team": "${TEAM}/$TEAM", "X-Other": "<$HOME${PATH}>" };
  expect(headersOf({ headers, allowedEnvVars: ["TOKEN", "ABSENT"] })).toEqual({
    "content-type": "application/json",
    authorization: "Bearer s3cret",
    "x-team": "/",
    "x-other": "<>",
  });
});

test("a policy can only restrict what the handler lists", () => {
  const headers = { a: "$TOKEN", b: "$TEAM" };
  const both = { headers, allowedEnvVars: ["TOKEN"] };
  expect(headersOf(both, ["TOKEN", "TEAM"])).toMatchObject({ a: "s3cret", b: "" });
  expect(headersOf(both, ["TEAM"])).toMatchObject({ a: "", b: "" });
  expect(headersOf(both, [])).toMatchObject({ a: "", b: "" });
});

test("no value can start another header, whether it was written or filled in", () => {
  const headers = { a: "x\r\nEvil: 1", b: "$BROKEN", c: "nul\0byte" };
  expect(headersOf({ headers, allowedEnvVars: ["BROKEN"] })).toMatchObject({
    a: "xEvil: 1",
    b: "aEvil: 1",
    c: "nulbyte",
  });
});

test("variables in the value of a variable are not expanded", () => {
  expect(headersOf({ headers: { a: "$NAMES_TOKEN" }, allowedEnvVars: ["NAMES_TOKEN", "TOKEN"] })).toMatchObject({
    a: "$TOKEN",
  });
});

test("text that only looks like a variable stays unchanged", () => {
  const a = "$ $1 ${} ${1} ${TOKEN $";
  expect(headersOf({ headers: { a }, allowedEnvVars: ["TOKEN"] })).toMatchObject({ a: "$ $1 ${} ${1} ${TOKEN $" });
});

test("names that every object inherits are not variables", () => {
  expect(headersOf({ headers: { a: "<$constructor>" }, allowedEnvVars: ["constructor"] })).toMatchObject({ a: "<>" });
});

test("headers for the target and the framing of the message are dropped", () => {
  const headers = {
    Host: "other.test",
    "CONTENT-LENGTH": "0",
    "Transfer-Encoding": "chunked",
    Connection: "keep-alive",
    Expect: "100-continue",
    "Proxy-Authorization": "x",
    "content-TYPE": "application/cloudevents+json",
  };
  expect(headersOf({ headers })).toEqual({ "content-type": "application/cloudevents+json" });
});
