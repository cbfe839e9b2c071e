// What the page shows of a conversation, in a real browser.

import { expect, test } from "bun:test";
import fc from "fast-check";
import { startMockModel, temporaryHome, testUnless } from "@keelson/testkit";
import type { Page } from "playwright-core";
import { noBrowser, openPage, startBrowser } from "../browser.ts";
import { startWeb, type StartedWeb } from "../web-client.ts";
import { SESSION, writeSession } from "../support/written-session.ts";

const testHere = testUnless(noBrowser, test);

testHere("a command that runs shows what it prints, colors included, and all of it when it is opened", async () => {
  using home = temporaryHome();
  const command = `printf '\\033[32mready\\033[0m\\n'; seq 20; until [ -e go ]; do sleep 0.1; done; echo "the end"`;
  await using model = await startMockModel([{ calls: [{ name: "Bash", input: { command } }] }, { text: "Done." }]);
  await using web = await startWeb({ home, url: model.url, args: ["--allowedTools", "Bash"] });
  await using browser = await startBrowser();
  const { page, problems } = await openPage(browser, { size: "phone" });
  await signIn(page, web);
  await begin(page, "Wait for it");
  await page.locator(".call.running .tail").getByText("20").waitFor();
  expect(await page.locator(".tail").textContent()).toBe("16\n17\n18\n19\n20");
  await page.locator(".call summary").click();
  expect(await page.locator(".call-body .output .ink-green").textContent()).toBe("ready");
  // Who comes later sees it too.
  await page.reload();
  await page.locator(".call.running .tail").getByText("20").waitFor();
  home.write("go", "");
  await page.getByText("Done.", { exact: true }).waitFor();
  await page.locator(".call.done summary").click();
  expect(await page.locator(".call-body .output").textContent()).toEndWith("20\nthe end");
  expect(await page.locator(".tail").count()).toBe(0);
  expect(problems).toEqual([]);
});

testHere("a call whose result is on a later page of the conversation is done there, not interrupted", async () => {
  using home = temporaryHome();
  writeSession(home, { id: SESSION, runs: 120, isShifted: true });
  await using model = await startMockModel([]);
  await using web = await startWeb({ home, url: model.url });
  await using browser = await startBrowser();
  const { page, problems } = await openPage(browser);
  await signIn(page, web);
  await page.locator(".session").click();
  await page.getByText("Good day.").waitFor();
  expect(await page.locator(".call").count()).toBe(49);
  while ((await page.locator(".older").count()) > 0) {
    const before = await page.locator(".call").count();
    await page.locator(".older").click();
    await page.locator(".call").nth(before).waitFor({ state: "attached" });
  }
  expect([await page.locator(".call").count(), await page.locator(".call.done").count()]).toEqual([120, 120]);
  expect(problems).toEqual([]);
});

testHere("a subagent's calls and its report are inside of the call that started it", async () => {
  using home = temporaryHome();
  home.write("here.txt", "here");
  const input = { description: "Look around", prompt: "Look", subagent_type: "general-purpose" };
  await using model = await startMockModel([
    { calls: [{ name: "Agent", input }] },
    { calls: [{ name: "Read", input: { file_path: `${home.project}/here.txt` } }] },
    { text: "I **looked**." },
    { text: "It looked." },
  ]);
  await using web = await startWeb({ home, url: model.url });
  await using browser = await startBrowser();
  const { page, problems } = await openPage(browser);
  await signIn(page, web);
  await begin(page, "Look around");
  await page.getByText("It looked.", { exact: true }).waitFor();
  await page.locator(".call.done summary").click();
  expect(await page.locator(".call .agent li").first().innerText()).toBe("Read here.txt");
  expect(await page.locator(".call .report").innerText()).toBe("I looked.");
  expect(await page.locator(".call .report strong").count()).toBe(1);
  expect(problems).toEqual([]);
});

const PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

testHere("images of prompts and results are shown from what the session has of them, also after a reload", async () => {
  using home = temporaryHome();
  const file_path = home.write("dot.png", Buffer.from(PIXEL, "base64"));
  await using model = await startMockModel([
    { calls: [{ name: "Read", input: { file_path } }] },
    { text: "Two dots." },
  ]);
  await using web = await startWeb({ home, url: model.url });
  await using browser = await startBrowser();
  const { page, problems } = await openPage(browser);
  await signIn(page, web);
  await page.getByRole("link", { name: "New", exact: true }).click();
  await page.getByRole("button", { name: "Begin" }).click();
  await page.getByLabel("Attach images").setInputFiles(file_path);
  await page.getByAltText("Image 1").waitFor();
  await page.getByRole("textbox", { name: "Prompt" }).fill("What is this?");
  await page.getByRole("button", { name: "Send" }).click();
  const look = async () => {
    await page.getByText("Two dots.", { exact: true }).waitFor();
    await page.locator(".call.done summary").click();
    await page.locator(".call-body .picture").waitFor();
    await page.locator(".picture").nth(1).waitFor();
    return await page.locator(".picture").evaluateAll((all) => all.map((each: any) => each.naturalWidth as number));
  };
  expect(await look()).toEqual([1, 1]);
  await page.reload();
  expect(await look()).toEqual([1, 1]);
  expect(problems).toEqual([]);
});

const PARTS = [
  "Words with `code`, **weight** and a [link](https://example.org/).",
  "\n\n",
  "\n",
  "- item\n",
  "  - inner\n",
  "1. one\n2. two\n",
  "- [x] done\n",
  "# Heading\n",
  "Title\n---\n",
  "```ts\nconst a = 1;\n",
  "const b = `a\n${c} // d\n",
  '```py\ndef f(a):\n  """more\n',
  "```unknown\nif (a)\n",
  "```\n",
  "> quote\n",
  "| a | b |\n|---|--:|\n| 1 | 2 |\n",
  "<b>html</b>",
  "![x](https://example.org/x.png)",
  "    indented\n",
  "[x]: https://example.org/\n",
  "***\n",
  "é😀",
];

testHere("an answer that came in any parts looks like one that came at once, element for element", async () => {
  const parts = fc.array(fc.constantFrom(...PARTS), { minLength: 3, maxLength: 60 });
  const cuts = fc.array(fc.integer({ min: 1, max: 1_200 }), { maxLength: 60 });
  // What is only white space is no answer.
  const answer = fc.tuple(parts, cuts).map(([parts, cuts]) => cutAt(`Answer. ${parts.join("")}`, cuts));
  const answers = fc.sample(answer, { numRuns: 25, seed: 20261119 });
  using home = temporaryHome();
  await using model = await startMockModel((_, number) => {
    const text = answers[number - 1]!;
    // So long that what came is drawn.
    return { text, hold: Bun.sleep(60), holdAfter: Math.ceil(text.length / 2) };
  });
  await using web = await startWeb({ home, url: model.url });
  await using browser = await startBrowser();
  const { page, problems } = await openPage(browser);
  await signIn(page, web);
  await begin(page, "Say something");
  const shown = page.locator(".answer");
  for (let at = 1; at <= answers.length; at++) {
    await shown.nth(at - 1).waitFor();
    await page.locator(".working").waitFor({ state: "detached" });
    if (at === answers.length) break;
    await page.getByRole("textbox", { name: "Prompt" }).fill("More");
    await page.getByRole("button", { name: "Send" }).click();
  }
  const elements = () => shown.evaluateAll((all) => all.map((each: any) => each.innerHTML as string));
  await colored(page);
  const streamed = await elements();
  await page.reload();
  await shown.nth(answers.length - 1).waitFor();
  await colored(page);
  expect(streamed).toHaveLength(answers.length);
  expect(streamed).toEqual(await elements());
  expect(problems).toEqual([]);
});

/** Colors come a little later. */
const colored = (page: Page) =>
  page.waitForFunction(`[...document.querySelectorAll(".answer pre code")].every(
    (code) => !/^(const|def) /.test(code.textContent) || code.querySelector(".c-keyword"))`);

testHere("code has colors in answers, commands and changes, and its text stays what it was", async () => {
  using home = temporaryHome();
  const code = "/* one\ntwo */\nconst a: Map<string> = `x${f(1)}`;\n\n\tend";
  const file_path = home.write("add.ts", `/* begins\nends */\nconst a = "b";\n`);
  const long = Array.from({ length: 400 }, (_, at) => `const line${at} = ${at};`).join("\n");
  await using model = await startMockModel([
    { text: `Look:\n\n\`\`\`ts title="x"\n${code}\n\`\`\`\n\n\`\`\`\nconst plain = 1;\n\`\`\`` },
    { calls: [{ name: "Read", input: { file_path } }] },
    { calls: [{ name: "Edit", input: { file_path, old_string: '"b"', new_string: "1" } }] },
    { calls: [{ name: "Write", input: { file_path: `${home.project}/long.ts`, content: long } }] },
    { calls: [{ name: "Bash", input: { command: 'if make it; then echo "a"; fi # why' } }] },
    { text: "Done." },
  ]);
  await using web = await startWeb({ home, url: model.url, args: ["--permission-mode", "acceptEdits"] });
  await using browser = await startBrowser();
  const { page, problems } = await openPage(browser);
  await signIn(page, web);
  await begin(page, "Show me");
  await page.locator(".answer .c-keyword").waitFor();
  const [block, plain] = await page.locator(".answer pre code").all();
  const styles = (of: typeof block) =>
    of!
      .locator("span:not(.lines)")
      .evaluateAll((all) => all.map((each: any) => `${each.className} ${each.textContent}`));
  expect(await block!.textContent()).toBe(code);
  expect(await styles(block)).toEqual([
    "c-comment /* one",
    "c-comment two */",
    "c-keyword const",
    "c-type Map",
    "c-type string",
    "c-string `x",
    "c-name f",
    "c-number 1",
    "c-string `",
  ]);
  expect([await plain!.textContent(), await styles(plain)]).toEqual(["const plain = 1;", []]);

  await page.getByRole("textbox", { name: "Prompt" }).fill("Change it");
  await page.getByRole("button", { name: "Send" }).click();
  await page.getByRole("heading", { name: "Allow Bash?" }).waitFor();
  await page.locator(".question .command .c-keyword").first().waitFor();
  expect(await page.locator(".question .command").textContent()).toBe('if make it; then echo "a"; fi # why');
  await page.getByRole("button", { name: "Deny", exact: true, disabled: false }).click();
  await page.getByText("Done.", { exact: true }).waitFor();
  const [edit, write] = await page.locator(".call .diff").all();
  await page.locator(".call summary").nth(1).click();
  await edit!.locator(".removed .c-string").waitFor();
  expect(await edit!.locator(".text").allTextContents()).toEqual([
    "/* begins",
    "ends */",
    'const a = "b";',
    "const a = 1;",
  ]);
  expect(await styles(edit)).toContain("c-comment ends */");
  // A long change is folded.
  await page.locator(".call summary").nth(2).click();
  expect(await write!.locator(".text").count()).toBe(200);
  await write!.getByRole("button", { name: "Show 200 more lines" }).click();
  expect((await write!.locator(".text").allTextContents()).join("\n")).toBe(long);
  await write!.locator("tr").nth(399).locator(".c-keyword").waitFor();
  expect(problems).toEqual([]);
});

function cutAt(text: string, cuts: readonly number[]): readonly string[] {
  const places = [...new Set([0, ...cuts.filter((cut) => cut < text.length), text.length])].toSorted((a, b) => a - b);
  return places.slice(1).map((place, at) => text.slice(places[at], place));
}

async function signIn(page: Page, { link }: StartedWeb): Promise<void> {
  await page.goto(link);
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.getByRole("link", { name: "New", exact: true }).waitFor();
}

async function begin(page: Page, prompt: string): Promise<void> {
  await page.getByRole("link", { name: "New", exact: true }).click();
  await page.getByRole("button", { name: "Begin" }).click();
  await page.getByRole("textbox", { name: "Prompt" }).fill(prompt);
  await page.getByRole("button", { name: "Send" }).click();
}
