import { createHmac } from "node:crypto";
import { expect, test } from "bun:test";
import { githubSignatureProblem } from "./signature.ts";

// The vector that GitHub publishes for those who check signatures.
const SECRET = "It's a Secret to Everybody";
const BODY = Buffer.from("Hello, World!");
const RIGHT = "sha256=757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17";

const problem = (headers: Record<string, string>, body: Uint8Array = BODY, secret = SECRET) =>
  githubSignatureProblem(new Headers(headers), body, secret);

test("the published vector is authentic", () => {
  expect(problem({ "X-Hub-Signature-256": RIGHT })).toBeUndefined();
  expect(problem({ "X-Hub-Signature-256": RIGHT, "X-Hub-Signature": "sha1=0" })).toBeUndefined();
});

const sha1 = `sha1=${createHmac("sha1", SECRET).update(BODY).digest("hex")}`;

test.each<[string, Record<string, string>]>([
  ["not signed", {}],
  ["SHA-1 alone", { "X-Hub-Signature": sha1 }],
  ["SHA-1 in the wrong header", { "X-Hub-Signature-256": sha1 }],
  ["one digit is another", { "X-Hub-Signature-256": RIGHT.replace(/7$/, "8") }],
  ["cut", { "X-Hub-Signature-256": RIGHT.slice(0, -2) }],
  ["longer", { "X-Hub-Signature-256": `${RIGHT}00` }],
  ["empty", { "X-Hub-Signature-256": "" }],
  ["without a name", { "X-Hub-Signature-256": RIGHT.slice(7) }],
  ["no digits", { "X-Hub-Signature-256": `sha256=${"z".repeat(64)}` }],
  ["two of them", { "X-Hub-Signature-256": `${RIGHT}, ${RIGHT}` }],
])("refused: %s", (_, headers) => {
  expect(problem(headers)).toBeString();
});

test("another body, another secret or none is refused", () => {
  const headers = { "X-Hub-Signature-256": RIGHT };
  expect(problem(headers, Buffer.from("Hello, World?"))).toBeString();
  expect(problem(headers, BODY, "other")).toBeString();
  const empty = { "X-Hub-Signature-256": `sha256=${createHmac("sha256", "").update(BODY).digest("hex")}` };
  expect(problem(empty, BODY, "")).toBe("The trigger has no secret; rotate it");
});

test("the signature is over bytes, not over what they mean", () => {
  const body = Buffer.from([0xff, 0xfe, 0x00, 0x0d, 0x0a]);
  const right = `sha256=${createHmac("sha256", SECRET).update(body).digest("hex")}`;
  expect(problem({ "X-Hub-Signature-256": right }, body)).toBeUndefined();
  expect(problem({ "X-Hub-Signature-256": right }, Buffer.from(body.toString()))).toBeString();
});
