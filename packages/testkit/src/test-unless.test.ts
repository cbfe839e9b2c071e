import { expect, test } from "bun:test";
import { testUnless } from "./test-unless.ts";

function recorder() {
  const registered: string[] = [];
  const make = (kind: string) =>
    Object.assign((name: string, _run: () => void) => void registered.push(`${kind} ${name}`), {
      each: (rows: readonly unknown[]) => (name: string, _run: () => void) =>
        void registered.push(`${kind} ${name} x${rows.length}`),
    });
  return { registered, test: Object.assign(make("run"), { skip: make("skip") }) };
}

test.each([
  [null, ["run a", "run b %p x2"]],
  ["zsh is not installed", ["skip a [zsh is not installed]", "skip b %p [zsh is not installed] x2"]],
])("testUnless(%p) registers tests, skipped ones with the reason in their title", (reason, expected) => {
  const recorded = recorder();
  const maybe = testUnless(reason, recorded.test);
  maybe("a", () => {});
  maybe.each([1, 2])("b %p", () => {});
  expect(recorded.registered).toEqual(expected);
});

test("the test function of bun:test will do", () => {
  expect(testUnless(null, test)).toBe(test);
});
