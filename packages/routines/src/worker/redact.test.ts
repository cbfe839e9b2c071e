import { expect, test } from "bun:test";
import { liveRedactor, redactor } from "./redact.ts";

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

test("of a text that grows, no part of a secret is shown before the rest has come, nor after its beginning is gone", () => {
  const live = liveRedactor({ TOKEN: "pazzw0rd-x1", KEY: "line-one-of-it\nline-two-of-it" });
  const whole = "it is pazzw0rd-x1 and pazzw0rd-x1, done";
  for (let end = 0; end <= whole.length; end++)
    for (let start = 0; start <= end; start++) {
      const shown = live(whole.slice(start, end), start > 0);
      for (let at = 0; at + 4 <= "pazzw0rd-x1".length; at++)
        expect([start, end, shown]).not.toEqual([start, end, expect.stringContaining("pazzw0rd-x1".slice(at, at + 4))]);
    }
  expect(live(whole, false)).toBe("it is [secret TOKEN] and [secret TOKEN], done");
  expect(live("nothing of it", true)).toBe("nothing of it");
});

test("redacted JSON is still JSON", () => {
  expect(JSON.parse(redact(JSON.stringify({ a: SECRET, b: [SECRET] })))).toEqual({
    a: "[secret TOKEN]",
    b: ["[secret TOKEN]"],
  });
});
