// Instruction files as they are found in real projects, through the program: what the model reads of them.

import { expect, test } from "bun:test";
import { runKeelson, startMockModel, temporaryHome, type TemporaryHome } from "@keelson/testkit";

/** The text before the first prompt, and what people are told. */
async function instructionsOf(home: TemporaryHome): Promise<{ text: string; stderr: string }> {
  await using model = await startMockModel([{ text: "Done" }]);
  const { code, stderr } = await runKeelson(["-p", "Hello"], { home, url: model.url });
  expect(code).toBe(0);
  return {
    text: model.requests[0]!.body.messages[0].content.find(({ text }: any) => text.includes("# currentDate")).text,
    stderr,
  };
}

test("emphasis around an include does not keep it from being read, a bracket or a quote does", async () => {
  using home = temporaryHome();
  home.write("CLAUDE.md", '**@bold.md** and _@italic.md_\n- *@item.md*\n\n(@bracket.md) "@quote.md" `**@code.md**`\n');
  for (const name of ["bold", "italic", "item", "bracket", "quote", "code"])
    home.write(`${name}.md`, `Rule of ${name}`);

  const { text } = await instructionsOf(home);

  const read = ["bold", "italic", "item", "bracket", "quote", "code"].filter((name) =>
    text.includes(`Rule of ${name}`),
  );
  expect(read).toEqual(["bold", "italic", "item"]);
});

test("a comment that begins a line goes and the text behind it stays; in code, lists and HTML it is text", async () => {
  using home = temporaryHome();
  home.write(
    "CLAUDE.md",
    [
      "<!-- one --> Use tabs",
      "<!-- two",
      "lines --> Run the tests",
      "",
      "```html",
      "<!-- code --> sample",
      "```",
      "",
      "- item",
      "  <!-- listed -->",
      "",
      "<details>",
      "<!-- tagged -->",
      "</details>",
      "",
      "Inline <!-- inner --> stays",
    ].join("\n"),
  );

  const { text } = await instructionsOf(home);

  const kept = ["one", "two", "code", "listed", "tagged", "inner"].filter((name) => text.includes(`<!-- ${name}`));
  expect(kept).toEqual(["code", "listed", "tagged", "inner"]);
  expect(text).toContain("\nUse tabs\nRun the tests\n");
});

test("a rule whose pattern YAML cannot read is loaded always, without its head, and people are told why", async () => {
  using home = temporaryHome();
  home.write(".claude/rules/ts.md", "---\npaths:\n  - **/*.ts\n---\nNo default exports\n");
  home.write(".claude/rules/go.md", '---\npaths:\n  - "**/*.go"\n---\nHandle errors\n');

  const { text, stderr } = await instructionsOf(home);

  expect(text).toContain("No default exports");
  expect(text).not.toContain("paths:");
  expect(text).not.toContain("Handle errors");
  expect(stderr).toContain("put quotes around **/*.ts");
});

test("AGENTS.md beside and in .claude is read where there is no CLAUDE.md, and not where there is one", async () => {
  using home = temporaryHome();
  home.write("AGENTS.md", "For every agent");
  home.write(".claude/AGENTS.md", "Also for every agent");
  const without = await instructionsOf(home);
  home.write(".claude/CLAUDE.md", "For this one");
  const { text } = await instructionsOf(home);

  expect(without.text).toMatch(
    /AGENTS\.md \(.*\):\n\nFor every agent[^]*\.claude\/AGENTS\.md \(.*\):\n\nAlso for every/,
  );
  expect(text).toContain("For this one");
  expect(text).not.toContain("every agent");
});
