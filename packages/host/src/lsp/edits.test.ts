// What a server says about edits, and what of it is news.

import { expect, test } from "bun:test";
import { until } from "../alive.test-support.ts";
import { languageWorld } from "./world.test-support.ts";

const KINDS = [
  ["publishes", {}],
  ["publishes twice", { publishesTwice: true }],
  ["is asked for problems", { pulls: true }],
] as const;

test.each(KINDS)(
  "what edits bring is new, once, and not what was fixed meanwhile: a server that %s",
  async (_, fake) => {
    await using w = languageWorld({ fake });
    const first = "BAD\nrest\n";
    w.write("a.fake", first);
    w.edit("a.fake", first, "x\nBAD\nBAD\nODD\n");
    let found: readonly any[] = [];
    const taken = () => (found = w.problems()).length > 0;
    await until(taken, "the problems came");
    const about = { source: "fake", code: "7" };
    expect(found).toEqual([
      {
        path: w.path("a.fake"),
        problems: [
          { line: 2, character: 0, severity: "error", message: "BAD is not allowed", ...about },
          { line: 3, character: 0, severity: "warning", message: "ODD is not allowed", ...about },
        ],
      },
    ]);
    expect(w.problems()).toEqual([]);

    w.edit("a.fake", "x\nBAD\nBAD\nODD\n", "fine\n");
    w.edit("a.fake", "fine\n", "fine\nODD\n");
    w.edit("new.fake", undefined, "BAD\n");
    await until(() => w.problems().some(({ path }) => path.endsWith("new.fake")), "a new file has only new problems");
    // Of two edits that wait, the server hears of the last.
    expect(w.messages("textDocument/didSave")).toHaveLength(3);
  },
);

test("problems are not looked for if the server's entry says so", async () => {
  await using w = languageWorld({ server: { diagnostics: false } });
  w.edit("a.fake", "", "BAD\n");
  await w.ask("hover", "a.fake");
  expect(w.messages("textDocument/didSave")).toEqual([]);
});
