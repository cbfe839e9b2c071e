// Which skills the model is told of, and when.

import { expect, test } from "bun:test";
import { readTranscript, startKeelson, startMockModel, temporaryHome } from "@keelson/testkit";
import { CHAT, messagesOf, prompt, resultOf } from "../front-door.ts";
import { addSkill, HEADER, lastOf, listingsIn, play, textsOf } from "./skill-home.ts";

const read = (path: string) => ({ calls: [{ name: "Read", input: { file_path: path } }] });

test("the first request lists skills, then commands, then bundled skills, in a reminder before the prompt", async () => {
  using home = temporaryHome();
  addSkill(home, "deploy", "description: Ship it\nwhen_to_use: on Fridays");
  addSkill(home, "quiet", "description: For the model only\nuser-invocable: false");
  addSkill(home, "hidden", "description: Not for the model\ndisable-model-invocation: true");
  home.write(".claude/commands/ns/fix.md", "Fix the build\n\nDetails");
  home.write("~/.claude/skills/mine/SKILL.md", "---\ndescription: My own\n---\nx");

  const { requests, messages } = await play(home, "hi");

  const [listing] = listingsIn(requests[0]!);
  expect(listing).toStartWith(
    "- mine: My own\n- deploy: Ship it - on Fridays\n- quiet: For the model only\n- ns:fix: Fix the build\n",
  );
  expect(listing).not.toContain("hidden");
  expect(listing!.split("\n").at(-1)).toStartWith("- security-review: ");
  const texts = textsOf(requests[0]!.body.messages[0]);
  expect(texts[0]).toStartWith(`<system-reminder>\n${HEADER}\n\n`);
  expect(texts.at(-1)).toEndWith("hi");
  expect(requests[0]!.body.tools.map(({ name }: any) => name)).toContain("Skill");

  const [init] = messagesOf({ messages }, "system/init");
  expect(init.slash_commands).toEqual(expect.arrayContaining(["deploy", "hidden", "ns:fix", "mine", "review"]));
  expect(init.slash_commands).not.toContain("quiet");
  expect(init.skills).toEqual(expect.arrayContaining(["deploy", "hidden", "mine", "review"]));
  expect(init.skills).not.toContain("ns:fix");
  expect(init.skills).not.toContain("quiet");
});

test("a skill with paths is announced with the first matching file, and can be invoked from then on", async () => {
  using home = temporaryHome();
  addSkill(home, "sql", 'description: Queries\npaths: "db/**, *.sql"', "Use indexes");
  const other = home.write("a.txt", "x");
  const file = home.write("db/schema.txt", "table");
  const { requests } = await play(home, "hi", [
    { calls: [{ name: "Skill", input: { skill: "sql" } }] },
    read(other),
    read(file),
    { calls: [{ name: "Skill", input: { skill: "sql" } }] },
    { text: "done" },
  ]);
  expect(listingsIn(requests[0]!).join()).not.toContain("sql");
  expect(lastOf(requests[1]!)[0]).toContain("Unknown skill: sql");
  expect(lastOf(requests[2]!).join()).not.toContain(HEADER);
  expect(lastOf(requests[3]!)[1]).toBe(`<system-reminder>\n${HEADER}\n\n- sql: Queries\n</system-reminder>`);
  expect(lastOf(requests[4]!)).toEqual(["Launching skill: sql", expect.stringContaining("Use indexes")]);
});

test("skills in a folder below are announced when a file there is read, not those in ignored folders", async () => {
  using home = temporaryHome({ git: true });
  home.write(".gitignore", "node_modules/\n");
  addSkill(home, "api", "description: About the API", "x", "packages/api/");
  addSkill(home, "evil", "description: From a dependency", "x", "node_modules/evil/");
  const bad = home.write("node_modules/evil/index.js", "x");
  const good = home.write("packages/api/src/a.ts", "x");
  const { requests } = await play(home, "hi", [read(bad), read(good), { text: "done" }]);
  expect(lastOf(requests[1]!).join()).not.toContain(HEADER);
  expect(lastOf(requests[2]!)[1]).toContain("- api: About the API (for files in packages/api)");
  expect(JSON.stringify(requests)).not.toContain("From a dependency");
});

test("a skill that appears between two prompts is announced, and clients learn of it", async () => {
  using home = temporaryHome();
  addSkill(home, "one", "description: First");
  await using model = await startMockModel([{ text: "a" }, { text: "b" }]);
  await using program = startKeelson([...CHAT], { home, url: model.url, stdin: "open" });
  program.send(prompt("first"));
  await program.waitForLine(({ type }) => type === "result");
  addSkill(home, "two", "description: Second");
  program.send(prompt("second"));
  program.closeStdin();
  const ended = await program.done;
  const [, second] = model.requests;
  expect(listingsIn(second!).at(-1)).toBe("- two: Second");
  const [changed] = messagesOf(ended, "system/commands_changed");
  expect(changed.commands).toContainEqual({ name: "two", description: "Second (project)", argumentHint: "" });
});

test("a resumed session is not told twice, and the listing is in the transcript", async () => {
  using home = temporaryHome();
  addSkill(home, "one", "description: First");
  const first = await play(home, "hi");
  const { session_id: id } = resultOf(first);
  addSkill(home, "two", "description: Second");
  const { requests } = await play(home, "again", [{ text: "done" }], ["--resume", id]);
  const listings = listingsIn(requests[0]!);
  expect(listings).toHaveLength(2);
  expect(listings[0]).toContain("- one: First");
  expect(listings[1]).toBe("- two: Second");
  const entries = readTranscript(home, id).filter((entry: any) => entry.attachment?.type === "skill_listing") as any[];
  expect(entries.map(({ attachment }) => attachment.isInitial)).toEqual([true, false]);
});

test("nothing is listed without the tool, with --disable-slash-commands, or if settings turn skills off", async () => {
  using home = temporaryHome();
  addSkill(home, "one", "description: First");
  const without = await play(home, "/one", [{ text: "done" }], ["--disable-slash-commands"]);
  expect(listingsIn(without.requests[0]!)).toEqual([]);
  expect(textsOf(without.requests[0]!.body.messages[0]).at(-1)).toEndWith("/one");
  expect(without.requests[0]!.body.tools.map(({ name }: any) => name)).not.toContain("Skill");
  expect(messagesOf(without, "system/init")[0]).toMatchObject({ slash_commands: [], skills: [] });

  const denied = await play(home, "hi", [{ text: "done" }], ["--disallowedTools", "Skill"]);
  expect(listingsIn(denied.requests[0]!)).toEqual([]);

  home.settings({ disableBundledSkills: true, skillOverrides: { one: "name-only" } });
  expect(listingsIn((await play(home, "hi")).requests[0]!)).toEqual(["- one"]);
  home.settings({ disableBundledSkills: true, skillOverrides: { one: "off" } });
  expect(listingsIn((await play(home, "hi")).requests[0]!)).toEqual([]);
});
