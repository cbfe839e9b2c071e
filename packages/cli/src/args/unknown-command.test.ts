import { expect, test } from "bun:test";
import { withFakeIO, removed, scratch } from "../commands/command-io.test-support.ts";
import { COMMANDS } from "../commands.ts";
import { main } from "../main.ts";
import { asPrompt, unknownCommand } from "./unknown-command.ts";

const TYPOS: readonly [line: string, meant: string][] = [
  ["conifg", "config"],
  ["conifg list", "config"],
  ["confg get model", "config"],
  ["Config list", "config"],
  ["configs set model opus --scope project", "config"],
  ["config-list", ""],
  ["docter", "doctor"],
  ["doctr --json", "doctor"],
  ["hook", "hooks"],
  ["hook list", "hooks"],
  ["hoosk test PreToolUse", "hooks"],
  ["permission list", "permissions"],
  ["permisions explain Bash(ls)", "permissions"],
  ["instruction approve --revoke", "instructions"],
  ["trsut", "trust"],
  ["trus ../other", "trust"],
  ["hlep", "help"],
  ["halp config", "help"],
];

test.each(TYPOS)("%s is a typo of %s", (line, meant) => {
  const [first] = line.split(" ");
  const expected = meant === "" ? undefined : expect.stringContaining(`"${first}"; did you mean "${meant}"?`);
  expect<unknown>(unknownCommand(line.split(" "))).toEqual(expected);
});

const PROMPTS = [
  "hook up the login form",
  "hook list items to the handler",
  "configure eslint for me",
  "configs are broken, please fix",
  "doctors and patients schema",
  "books like this one",
  "rust or go",
  "hello",
  "what is this",
  "conifg list -p",
  "conifg -pc list",
  "--model opus conifg",
];

test.each(PROMPTS)("%s is a prompt", (line) => {
  expect(unknownCommand(line.split(" "))).toBeUndefined();
});

test("a quoted prompt with spaces is never a typo", () => {
  expect(unknownCommand(["conifg list"])).toBeUndefined();
});

test("every subcommand in the table of commands exists, and there are no others", async () => {
  const root = scratch("unknown-command");
  try {
    for (const { name, words, run } of COMMANDS) {
      const names = Object.keys(words);
      if (names.length === 0 || names[0] === "<path>") continue;
      const { err } = await withFakeIO(root, (io) => run(["zzzzzzzz"], io));
      const [, listed] = /; use (.*)\n/.exec(err[0]!)!;
      expect(listed!.split(/, | or /).toSorted(), name).toEqual(names.toSorted());
    }
  } finally {
    removed(root);
  }
});

test("a typo ends with 1 and says how to send the words as a prompt, which then works", async () => {
  const root = scratch("unknown-command");
  const keelson = (...argv: string[]) => withFakeIO(root, (io) => main(argv, io));
  try {
    expect(await keelson("conifg", "list")).toEqual({
      code: 1,
      out: "",
      err: [
        'error: unknown command "conifg"; did you mean "config"?\nTo send it as a prompt: keelson -p \'conifg list\'',
      ],
    });
    const opened = { message: "A session was opened" };
    expect(await keelson("-p", "conifg list").catch((error: Error) => error)).toMatchObject(opened);
    expect(await keelson("-p", "--", "conifg", "list").catch((error: Error) => error)).toMatchObject(opened);
  } finally {
    removed(root);
  }
});

test("asPrompt() quotes for the shell", () => {
  expect(asPrompt(["hook", "it's"])).toEndWith(`keelson -p 'hook it'\\''s'`);
});
