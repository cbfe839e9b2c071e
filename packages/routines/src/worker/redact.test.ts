import { expect, test } from "bun:test";
import { redactor } from "./redact.ts";

const SECRET = 's3cret-"käse"/+pass';
const redact = redactor({
  TOKEN: SECRET,
  KEY: "-----BEGIN-----\nabcdefghijkl\nmnopqrstuv\n",
  SHORT: "abc",
  NONE: undefined,
});

test("a secret is replaced by its name, however it is written", () => {
  const written = [
    SECRET,
    JSON.stringify({ text: SECRET }),
    JSON.stringify(JSON.stringify({ text: SECRET })),
    encodeURIComponent(SECRET),
    ...["", "a", "ab", "user:"].map((before) => Buffer.from(`${before}${SECRET}${before}`).toString("base64")),
    Buffer.from(`x${SECRET}`).toString("base64url"),
    Buffer.from(SECRET).toString("hex"),
    "line mnopqrstuv of a key",
  ];
  for (const text of written) expect(redact(text)).toMatch(/\[secret (?:TOKEN|KEY)\]/);
  expect(redact(`a ${SECRET} b`)).toBe("a [secret TOKEN] b");
});

test("other text is left alone, and short secrets do not tear it apart", () => {
  expect(redact("abc and everything else")).toBe("abc and everything else");
  expect(redactor({})("text")).toBe("text");
});

test("redacted JSON is still JSON", () => {
  expect(JSON.parse(redact(JSON.stringify({ a: SECRET, b: [SECRET] })))).toEqual({
    a: "[secret TOKEN]",
    b: ["[secret TOKEN]"],
  });
});
