// Commands and skills that have the name of a built-in one: all of them are listed and can be invoked, and /help says which one
// the name means when it is typed.

import { describe, expect, test } from "bun:test";
import { runKeelson, startKeelson, startMockModel, temporaryHome, type TemporaryHome } from "@keelson/testkit";
import { CHAT, control, messagesOf, prompt, resultOf, STREAM } from "../front-door.ts";
import { openAtTerminal } from "../terminal/at-terminal.ts";

const PLACES = ["user", "trusted project", "project"] as const;
type Place = (typeof PLACES)[number];

const KINDS = {
  command: (home: TemporaryHome, root: string, name: string) => home.write(`${root}/commands/${name}.md`, textOf(name)),
  skill: (home: TemporaryHome, root: string, name: string) =>
    home.write(`${root}/skills/${name}/SKILL.md`, textOf(name)),
};
const textOf = (name: string) =>
  `---\ndescription: Mine is ${name}. Use it well\n---\nOWN BODY of ${name} with $ARGUMENTS\n`;

/** Commands that Keelson answers itself, an alias of one, a bundled skill, and one that only the terminal has. */
const NAMES = ["status", "plan", "cost", "review", "theme"];
const BUILT_IN = ["status", "plan", "cost"];

function lay(home: TemporaryHome, place: Place, kind: keyof typeof KINDS, names = NAMES): void {
  if (place === "trusted project")
    home.write("~/.claude.json", { projects: { [home.project]: { hasTrustDialogAccepted: true } } });
  for (const name of names) KINDS[kind](home, place === "user" ? "~/.claude" : ".claude", name);
}

const rows = PLACES.flatMap((place) =>
  (Object.keys(KINDS) as (keyof typeof KINDS)[]).map((kind) => [place, kind] as const),
);

describe.each(rows)("of %s, as a %s", (place, kind) => {
  const typedAs = (name: string) => (place === "project" && BUILT_IN.includes(name) ? `project:${name}` : name);

  test("they are listed for clients, for the model and by /help", async () => {
    using home = temporaryHome();
    lay(home, place, kind);
    await using model = await startMockModel([{ text: "ok" }]);
    await using program = startKeelson(CHAT, { home, url: model.url, stdin: "open" });
    program.send(control("i", { subtype: "initialize" }));
    program.send(prompt("hi"));
    const first = await program.waitForLine(({ type }) => type === "result");
    program.send(prompt("/help"));
    await program.waitForLine(({ type }) => type === "result", { after: first });
    program.closeStdin();
    const run = await program.done;
    const [init] = messagesOf(run, "system/init");
    for (const name of NAMES) {
      expect(init.slash_commands.filter((each: string) => each === typedAs(name))).toEqual([typedAs(name)]);
      expect([name, init.skills.includes(name)]).toEqual([name, kind === "skill"]);
      expect(JSON.stringify(model.requests[0]!.body.messages)).toContain(`- ${name}: Mine is ${name}`);
    }
    // No name twice.
    expect(new Set(init.slash_commands).size).toBe(init.slash_commands.length);
    expect(init.slash_commands.includes("usage")).toBe(true);

    const { commands } = run.messages.find(({ type }) => type === "control_response").response.response;
    const origin = place === "user" ? "user" : "project";
    const meant = (name: string) => {
      if (name === "theme") return origin;
      if (name === "review") return `${origin}; replaces the built-in skill`;
      return `${origin}; ${place === "project" ? `/${name} is the built-in command` : "replaces the built-in command"}`;
    };
    const help = String(messagesOf(run, "result").at(-1).result).split("\n");
    for (const name of NAMES) {
      const listed = commands.find((each: any) => each.name === typedAs(name));
      expect(listed.description).toBe(`Mine is ${name}. Use it well (${meant(name)})`);
      const row = help.find((line) => line.trim().startsWith(`/${typedAs(name)} `))!;
      expect(row.trim().replace(/ +/g, " ")).toBe(`/${typedAs(name)} Mine is ${name} (${meant(name)})`);
    }
    const usage = help.find((line) => line.trim().startsWith("/usage "))!;
    expect(usage.includes("/cost")).toBe(place === "project");
  });

  test.each(NAMES)("/%s, typed, means the one that is listed by this name", async (name) => {
    using home = temporaryHome();
    lay(home, place, kind, [name]);
    await using model = await startMockModel([{ text: "ok" }]);
    const typed = await runKeelson(["-p", `/${name}`, ...STREAM], { home, url: model.url });
    expect(resultOf(typed).subtype).toBe("success");
    expect(model.requests.length).toBe(typedAs(name) === name ? 1 : 0);
  });

  test.each(NAMES)("%s can be invoked by its listed name, and by the model", async (name) => {
    using home = temporaryHome();
    lay(home, place, kind, [name]);
    const calls = [{ name: "Skill", input: { skill: name, args: "care" } }];
    await using model = await startMockModel([{ text: "ok" }, { calls }, { text: "ok" }]);
    await runKeelson(["-p", `/${typedAs(name)} care`, ...STREAM], { home, url: model.url });
    const body = `OWN BODY of ${name} with care`;
    expect(JSON.stringify(model.requests[0]!.body.messages)).toContain(body);
    await runKeelson(["-p", "hi", ...STREAM], { home, url: model.url });
    expect(JSON.stringify(model.requests[1]!.body.messages)).not.toContain(body);
    expect(JSON.stringify(model.requests[2]!.body.messages)).toContain(body);
  });
});

test("a file that is called project:status in full comes before one that is beside the built-in command", async () => {
  using home = temporaryHome();
  lay(home, "project", "skill", ["status"]);
  home.write(".claude/commands/project/status.md", "The other one\n");
  await using model = await startMockModel([{ text: "ok" }]);
  await runKeelson(["-p", "/project:status"], { home, url: model.url });
  expect(JSON.stringify(model.requests[0]!.body.messages)).toContain("The other one");
});

test("at the terminal, the completion and /help say which one is meant, and /exit always ends the session", async () => {
  await using at = await openAtTerminal([{ text: "My own answer." }], {
    prepare: (home) => lay(home, "user", "skill", ["status", "exit"]),
  });
  at.terminal.type("/stat");
  await at.terminal.until("replaces the built-in command");
  at.terminal.type("us\r");
  await at.terminal.until("My own answer.");
  at.terminal.type("/help\r");
  await at.terminal.until("Search: ");
  at.terminal.type("status");
  await at.terminal.until(/status +Mine is status \(user; replaces the built-in command\)/);
  at.terminal.press("esc", "esc");
  await at.terminal.until("? for shortcuts");
  at.terminal.type("/exit\r");
  expect((await at.terminal.exited).code).toBe(0);
});
