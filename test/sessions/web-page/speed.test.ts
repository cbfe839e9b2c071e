// How long the page keeps its thread, for long answers, long conversations and many sessions.

import { expect, test } from "bun:test";
import { startMockModel, temporaryHome, testUnless } from "@keelson/testkit";
import type { Page } from "playwright-core";
import { noBrowser, openPage, startBrowser } from "./browser.ts";
import { mainThreadDuring, slowness } from "./support/main-thread.ts";
import { startWeb, type StartedWeb } from "./web-client.ts";
import { SESSION, writeSession } from "./support/written-session.ts";

const testHere = testUnless(noBrowser, test);

const LENGTH = 200_000;
const many = (text: string) => text.repeat(Math.ceil(LENGTH / text.length));
const numbered = (line: (at: number) => string, length: number) =>
  Array.from({ length: LENGTH / length }, (_, at) => line(at)).join("");
const ANSWERS = {
  "prose, lists, code and tables": longAnswer(LENGTH),
  "one block of code": `\`\`\`ts\n${many("export const value = compute(1); // a comment\n")}\`\`\``,
  "one list": many("- an item with `code` and **weight**\n"),
  "one numbered list": numbered((at) => `${at + 1}. an item with \`code\`\n   - and one inside\n`, 50),
  "one table": `| a | b |\n|---|--:|\n${numbered((at) => `| ${at} | some words, \`code\` |\n`, 30)}`,
  "one quote": many("> quoted words with `code`\n"),
  "one line": many("Words without an end. "),
  "one paragraph": many("Words with `code`, **weight** and a [link](https://example.org/x),\nmore of it. "),
};

testHere.each(Object.entries(ANSWERS))("200 KB of %s in 2,000 deltas never hold the page up", async (_, said) => {
  using home = temporaryHome();
  const text = `${said}\n\nThat is all.`;
  await using model = await startMockModel([{ text, deltas: 2_000 }]);
  await using web = await startWeb({ home, url: model.url });
  await using browser = await startBrowser();
  const { page, problems } = await openPage(browser);
  const slower = await slowness(browser, page);
  await signIn(page, web);
  await page.getByRole("link", { name: "New", exact: true }).click();
  await page.getByRole("button", { name: "Begin" }).click();
  await page.getByText("Connected").waitFor();
  const { scriptMs, layoutMs, tasksMs } = await mainThreadDuring(browser, page, async () => {
    await page.getByRole("textbox", { name: "Prompt" }).fill("Tell me all");
    await page.getByRole("button", { name: "Send" }).click();
    await until(page, IS_ALL);
  });
  expect(scriptMs + layoutMs).toBeLessThan(1_000 * slower);
  expect(tasksMs[0]!).toBeLessThan(50 * slower);
  // What came in parts is the same as what comes at once. Colors may come later.
  const drawn = () => page.locator(".answer").evaluate(STRUCTURE);
  const streamed = await drawn();
  await page.reload();
  await until(page, IS_ALL);
  expect(await drawn()).toEqual(streamed);
  expect(problems).toEqual([]);
});

const IS_ALL = `!document.querySelector(".working") && [...document.querySelectorAll(".answer p")].at(-1)?.textContent === "That is all."`;

/** All elements but spans, with their text. */
const STRUCTURE = (answer: any): readonly string[] =>
  [...answer.querySelectorAll("*:not(span)")].map(
    (each: any) => `${each.tagName} ${each.className} ${each.textContent}`,
  );

testHere("of 10,000 entries the newest screen is there at once, and the rest scrolls", async () => {
  using home = temporaryHome();
  const ENTRIES = 10_000;
  writeSession(home, { id: SESSION, runs: ENTRIES / 4 });
  await using model = await startMockModel([]);
  await using web = await startWeb({ home, url: model.url });
  await using browser = await startBrowser();
  const { page, problems } = await openPage(browser);
  const slower = await slowness(browser, page);
  await signIn(page, web);
  const opening = await mainThreadDuring(browser, page, async () => {
    await page.locator(".session").click();
    await until(
      page,
      `[...document.querySelectorAll(".answer p")].some(p => p.textContent === "Answer ${ENTRIES / 4 - 1}.")`,
    );
    await page.getByText("Connected").waitFor();
  });
  const scrolling = await mainThreadDuring(browser, page, async () => {
    await page.locator(".scroll").hover();
    while (await page.evaluate("document.querySelector('.older') !== null")) {
      await page.mouse.wheel(0, -20_000);
      await page.waitForTimeout(16);
    }
  });
  const heapMb = await heapOf(page);
  expect(sum(opening.tasksMs)).toBeLessThan(500 * slower);
  expect(opening.tasksMs[0]!).toBeLessThan(100 * slower);
  expect(scrolling.tasksMs[0]!).toBeLessThan(100 * slower);
  expect(heapMb).toBeLessThan(150);
  expect(problems).toEqual([]);
});

testHere("with 1,000 sessions in its list the page is painted at once", async () => {
  using home = temporaryHome();
  for (let at = 0; at < 1_000; at++) {
    const id = `22222222-2222-4222-8222-${String(at).padStart(12, "0")}`;
    writeSession(home, { id, title: `Session ${at}`, runs: 1 });
  }
  await using model = await startMockModel([]);
  await using web = await startWeb({ home, url: model.url });
  await using browser = await startBrowser();
  const { page, problems } = await openPage(browser);
  const slower = await slowness(browser, page);
  await signIn(page, web);
  await page.locator(".session").first().waitFor();
  const { tasksMs } = await mainThreadDuring(browser, page, async () => {
    await page.reload();
    await page.locator(".session").first().waitFor();
  });
  // All of it: the first load and the list.
  expect(sum(tasksMs)).toBeLessThan(300 * slower);
  expect(tasksMs[0]!).toBeLessThan(100 * slower);
  expect(problems).toEqual([]);
});

async function signIn(page: Page, { link }: StartedWeb): Promise<void> {
  await page.goto(link);
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.getByRole("link", { name: "New", exact: true }).waitFor();
}

const sum = (numbers: readonly number[]) => numbers.reduce((all, each) => all + each, 0);

/** Prose, lists, code and tables. */
function longAnswer(length: number): string {
  const parts: string[] = [];
  for (let at = 0, sum = 0; sum < length; at++) {
    const part = [
      `## Part ${at}\n\nSome words about \`part${at}\`, with **weight** and a [link](https://example.org/${at}). `.repeat(
        2,
      ),
      `- one of ${at}\n- two of ${at}, with \`code\`\n- three`,
      "```ts\n" + `export const value${at} = compute(${at}); // a comment\n`.repeat(6) + "```",
      `| name | value |\n|---|---|\n| a | ${at} |\n| b | ${at + 1} |`,
    ][at % 4]!;
    parts.push(part);
    sum += part.length + 2;
  }
  return parts.join("\n\n");
}

/** A look that costs the page little. */
async function until(page: Page, holds: string): Promise<void> {
  while (!(await page.evaluate(holds))) await Bun.sleep(50);
}

async function heapOf(page: Page): Promise<number> {
  const cdp = await page.context().newCDPSession(page);
  await cdp.send("HeapProfiler.collectGarbage");
  const { usedSize } = await cdp.send("Runtime.getHeapUsage");
  await cdp.detach();
  return usedSize / 1e6;
}
