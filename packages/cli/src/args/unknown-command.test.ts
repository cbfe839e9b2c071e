import { expect, test } from "bun:test";
import { withFakeIO, removed, scratch } from "../commands/command-io.test-support.ts";
import { COMMANDS } from "../commands.ts";
import { main } from "../main.ts";
import { asPrompt } from "./nearest.ts";
import { SUBCOMMANDS, unknownCommand } from "./unknown-command.ts";

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

test("a command of compatible programs that does not exist here is answered with what to do instead", () => {
  expect(unknownCommand(["update", "the", "readme", "--verbose"])).toBe(
    "there is no updater; in your clone of Keelson, run: git pull && npm ci && npm run build\nTo send it as a prompt: keelson -p 'update the readme'",
  );
  expect(unknownCommand(["login"])).toBe(
    `there is no command "login"; to store an API key, run: keelson auth login\nTo send it as a prompt: keelson -p 'login'`,
  );
});

const PROMPTS = [
  "update the readme -p",
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

test("the table of subcommands lists exactly those that exist", async () => {
  const root = scratch("unknown-command");
  try {
    expect(Object.keys(SUBCOMMANDS.help!)).toEqual(COMMANDS.map(({ name }) => name));
    expect(Object.keys(SUBCOMMANDS)).toEqual([...COMMANDS.map(({ name }) => name), "help"]);
    for (const { name, run } of COMMANDS) {
      const names = Object.keys(SUBCOMMANDS[name]!);
      if (names.length === 0) continue;
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
