// Skills and commands through the program: what the model is told, and what it gets when one is invoked.

import { expect, test } from "bun:test";
import { runKeelson, startMockModel, temporaryHome, type TemporaryHome } from "@keelson/testkit";
import { resultOf, STREAM } from "../front-door.ts";

const HEADER = "The following skills are available for use with the Skill tool:";

function textsIn(message: any): readonly string[] {
  const { content } = message;
  return typeof content === "string"
    ? [content]
    : content.map((block: any) => block.text ?? block.content ?? block.type);
}

const listingIn = (request: any) => textsIn(request.body.messages[0]).find((text) => text.includes(HEADER)) ?? "";

function addSkill(home: TemporaryHome, name: string, head: string, body = "Do it"): string {
  return home.write(`.claude/skills/${name}/SKILL.md`, `---\n${head}\n---\n${body}\n`);
}

test("the first request lists skills and commands, and the tool", async () => {
  using home = temporaryHome();
  addSkill(home, "deploy", "description: Ship it\nwhen_to_use: on Fridays");
  addSkill(home, "hidden", "description: Not for the model\ndisable-model-invocation: true");
  home.write(".claude/commands/ns/fix.md", "Fix the build\n\nDetails");
  await using model = await startMockModel([{ text: "done" }]);

  const ended = await runKeelson(["-p", "hi", ...STREAM], { home, url: model.url });

  const listing = listingIn(model.requests[0]);
  expect(listing).toStartWith(
    `<system-reminder>\n${HEADER}\n\n- deploy: Ship it - on Fridays\n- ns:fix: Fix the build\n`,
  );
  expect(listing).not.toContain("hidden");
  expect(listing).toContain("- review: ");
  expect(model.requests[0]!.body.tools.map(({ name }: any) => name)).toContain("Skill");
  const init = ended.messages.find(({ subtype }: any) => subtype === "init") as any;
  expect(init.slash_commands).toEqual(expect.arrayContaining(["deploy", "hidden", "ns:fix", "review"]));
  expect(init.skills).toEqual(expect.arrayContaining(["deploy", "hidden", "review"]));
  expect(init.skills).not.toContain("ns:fix");
});

test("the model invokes a skill and reads its text after the result", async () => {
  using home = temporaryHome();
  const file = addSkill(home, "deploy", "description: Ship it", "Ship $0 to $1");
  await using model = await startMockModel([
    { calls: [{ name: "Skill", input: { skill: "deploy", args: '"the app" eu' } }] },
    { text: "done" },
  ]);

  const ended = await runKeelson(["-p", "hi", ...STREAM], { home, url: model.url });

  const folder = file.slice(0, -"/SKILL.md".length);
  const [result, body] = model.requests[1]!.body.messages.at(-1).content;
  expect(result).toMatchObject({ type: "tool_result", content: "Launching skill: deploy", is_error: false });
  expect(body).toMatchObject({
    type: "text",
    text: `Base directory for this skill: ${folder}\n\nShip the app to eu\n`,
  });
  const users = ended.messages.filter(({ type }: any) => type === "user") as any[];
  expect(users[0].tool_use_result).toEqual({ success: true, commandName: "deploy" });
  expect(users[1]).toMatchObject({ isSynthetic: true, message: { content: [{ text: body.text }] } });
});
