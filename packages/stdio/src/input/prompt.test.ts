import { expect, test } from "bun:test";
import { gatherPrompt, type PromptSources } from "./prompt.ts";

const bytes = (text: string) => new TextEncoder().encode(text);

async function* chunks(...parts: (string | Uint8Array)[]): AsyncGenerator<Uint8Array> {
  for (const part of parts) yield typeof part === "string" ? bytes(part) : part;
}

/** A clock that has either run out already or never does. */
function sources(argument: string | undefined, piped: PromptSources["piped"], clock: "out" | "never" = "never") {
  const notes: string[] = [];
  const asked: number[] = [];
  return {
    notes,
    asked,
    argument,
    piped,
    note: (text: string) => void notes.push(text),
    wait(ms: number): Promise<void> {
      asked.push(ms);
      return clock === "out" ? Promise.resolve() : new Promise(() => undefined);
    },
  };
}

const TABLE: readonly [argument: string | undefined, piped: string[] | undefined, text: string | undefined][] = [
  ["ask", undefined, "ask"],
  ["ask", [], "ask"],
  ["ask", ["data\n", "more\n"], "ask\ndata\nmore\n"],
  [undefined, ["from ", "the pipe"], "from the pipe"],
  [undefined, [" \n"], undefined],
  [undefined, [], undefined],
  [undefined, undefined, undefined],
  ["", undefined, undefined],
];

test.each(TABLE)("gatherPrompt() joins argument %p and piped %p", async (argument, piped, text) => {
  const gathered = await gatherPrompt(sources(argument, piped && chunks(...piped)));
  expect(gathered).toEqual(text === undefined ? { kind: "none" } : { kind: "prompt", text });
});

test("characters split across chunks are joined again", async () => {
  const euro = bytes("€");
  const gathered = await gatherPrompt(sources(undefined, chunks(euro.slice(0, 1), euro.slice(1))));
  expect(gathered).toEqual({ kind: "prompt", text: "€" });
});

test("with a prompt, stdin is ignored when nothing arrives, with a warning", async () => {
  const silent = (async function* (): AsyncGenerator<Uint8Array> {
    await new Promise<never>(() => undefined);
  })();
  const given = sources("ask", silent, "out");
  expect(await gatherPrompt(given)).toEqual({ kind: "prompt", text: "ask" });
  expect(given.asked).toEqual([3_000]);
  expect(given.notes).toEqual([expect.stringContaining("continuing without it")]);
});

test("without a prompt it waits for stdin, and says so", async () => {
  const late = Promise.withResolvers<void>();
  const piped = (async function* () {
    await late.promise;
    yield bytes("at last");
  })();
  const given = { ...sources(undefined, piped, "out"), note: () => late.resolve() };
  expect(await gatherPrompt(given)).toEqual({ kind: "prompt", text: "at last" });
});

test("piped text has a limit", async () => {
  const gathered = await gatherPrompt(sources("ask", chunks(new Uint8Array(11 * 1024 * 1024))));
  expect(gathered).toMatchObject({ kind: "too_long", message: expect.stringContaining("put the text in a file") });
});
