// Tests that cannot run everywhere. The reason is part of the title, so every report of the test names it.

/** `test`, or where there is a reason not to run, a `test.skip` that adds the reason to the title of each test. */
export function testUnless<Test extends Register & { readonly skip: Register }>(
  reason: string | null,
  test: Test,
): Test {
  // The runner's own types give `skip` the same signatures.
  return reason === null ? test : (titled(test.skip, ` [${reason}]`) as Test);
}

/** `test` of a test runner, or what its `each` returns. */
type Register = (name: string, ...rest: any[]) => unknown;

function titled(test: Register, suffix: string): Register {
  return new Proxy(test, {
    apply: (target, _, [name, ...rest]) => target(`${name}${suffix}`, ...rest),
    get(target, key) {
      const value: unknown = Reflect.get(target, key);
      if (key !== "each" || typeof value !== "function") return value;
      return (rows: unknown) => titled(value.call(target, rows), suffix);
    },
  });
}
