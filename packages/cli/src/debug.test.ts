import { expect, test } from "bun:test";
import { FLAGS } from "./args/flags.ts";
import { CATEGORIES, openDebug, type DebugChoice } from "./debug.ts";
import type { ProcessIO } from "./process/process-io.ts";

const AT = "2026-11-15T06:57:32.416Z";

function logOf(choice: DebugChoice, env: ProcessIO["env"] = {}, append?: ProcessIO["append"]) {
  const [errors, appended]: [string[], string[]] = [[], []];
  const io = {
    cwd: "/w",
    env,
    error: (text: string) => void errors.push(text),
    append: append ?? ((file: string, text: string) => void appended.push(`${file}: ${text}`)),
  } as unknown as ProcessIO;
  return { debug: openDebug(choice, io, () => new Date(AT)), errors, appended };
}

test.each([
  [undefined, ["api", "hooks", "tools"]],
  ["", ["api", "hooks", "tools"]],
  ["api", ["api"]],
  ["API, hooks", ["api", "hooks"]],
  ["!api", ["hooks", "tools"]],
  ["!api,!hooks", ["tools"]],
  ["api,tools,!tools", ["api"]],
])("the filter %j lets through %j", (filter, through) => {
  const { debug, errors } = logOf({ filter });
  for (const category of ["api", "hooks", "tools"] as const) debug(category, () => category);
  expect(errors).toEqual(through.map((category) => `${AT} [${category}] ${category}`));
});

test("an unknown category is a warning, and texts that are not logged are never built", () => {
  const { debug, errors } = logOf({ filter: "apis" });
  debug("api", () => {
    throw new Error("made");
  });
  expect(errors).toEqual([
    'warning: unknown --debug category "apis"; use api, config, hooks, instructions, lsp, mcp, permissions, session, telemetry or tools',
  ]);
});

test("lines go to the file, one each, whatever a name looks like", () => {
  const { debug, appended, errors } = logOf({ file: "log.txt" });
  debug("tools", () => "one\ntwo\u001b[31m\u2028three");
  expect(appended).toEqual([`/w/log.txt: ${AT} [tools] one two [31m three\n`]);
  expect(errors).toEqual([]);
});

test("a file that cannot be written is a warning, once", () => {
  const { debug, errors } = logOf({ file: "log.txt" }, {}, () => {
    throw new Error("EACCES: permission denied");
  });
  debug("tools", () => "a");
  debug("tools", () => "b");
  expect(errors).toEqual(["warning: cannot write the debug log (EACCES: permission denied); continuing without it"]);
});

test("values of variables that are secret by their name are hidden, longest first", () => {
  const env = {
    ANTHROPIC_API_KEY: "sk-1234",
    NPM_TOKEN: "sk-1234-longer",
    X_HEADERS: "A: bearer-9\nB: c",
    PATH: "/bin/sh",
  };
  const { debug, errors } = logOf({}, env);
  debug("api", () => "sk-1234-longer, sk-1234, bearer-9, /bin/sh");
  expect(errors).toEqual([`${AT} [api] [hidden], [hidden], [hidden], /bin/sh`]);
});

test("the help of --debug lists every category", () => {
  const help = FLAGS.find(({ name }) => name === "debug")!.help!;
  expect(help).toEndWith(`Categories: ${CATEGORIES.join(", ")}`);
});
