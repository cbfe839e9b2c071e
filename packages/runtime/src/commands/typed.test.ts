import { expect, test } from "bun:test";
import { elsewhere } from "./elsewhere.ts";
import { builtInCommands, findBuiltInCommand, sessionCommands } from "./registry.ts";
import { readTyped, unknownCommandText } from "./typed.ts";

test.each([
  ["/usage", { name: "usage", args: "" }],
  ["/model  opus ", { name: "model", args: "opus" }],
  ["/team:deploy.now a\nb", { name: "team:deploy.now", args: "a\nb" }],
  ["/étude x", { name: "étude", args: "x" }],
  ["/naïve x", undefined],
  ["/etc/hosts is odd", undefined],
  ["/", undefined],
  ["/ usage", undefined],
  ["//usage", undefined],
  ["usage", undefined],
  ["/deploy all now", { name: "deploy all", args: "now" }],
  ["/deploy all", { name: "deploy all", args: "" }],
  ["/deploy allnow", { name: "deploy", args: "allnow" }],
])("%j is read as %j", (text, typed) => {
  expect(readTyped(text, ["deploy", "deploy all", "étude"])).toEqual(typed as never);
});

test("an unknown command gets the closest name, skills included", () => {
  expect(unknownCommandText("contxt", ["context", "usage"])).toBe("Unknown command: /contxt. Did you mean /context?");
  expect(unknownCommandText("my-skil", ["context", "my-skill"])).toBe(
    "Unknown command: /my-skil. Did you mean /my-skill?",
  );
  expect(unknownCommandText("nope", ["context"])).toBe("Unknown command: /nope");
});

test("names and aliases mean one command each, and every command can be loaded", async () => {
  const names = builtInCommands().flatMap(({ name, aliases = [] }) => [name, ...aliases]);
  expect(names.length).toBe(new Set(names).size);
  expect(names.filter((name) => elsewhere(name) !== undefined)).toEqual([]);
  for (const name of names) expect(await findBuiltInCommand(name)!.load()).toBeFunction();
});

test("a skill replaces the built-in command of its name, and a flag turns all commands off", () => {
  const skill = { name: "usage", description: "Mine", argumentHint: "" };
  const listed = sessionCommands({ flags: {}, env: {} } as never, [skill]);
  expect(listed.filter(({ name }) => name === "usage")).toEqual([skill]);
  expect(listed.length).toBe(builtInCommands().length);
  expect(sessionCommands({ flags: { disableSlashCommands: true } } as never, [skill])).toEqual([]);
});
