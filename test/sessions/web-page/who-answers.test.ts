// A terminal and two pages on one session: who answers a question, and that the others hear of it.

import { expect, test } from "bun:test";
import { existsSync, readFileSync } from "node:fs";
import { testUnless } from "@keelson/testkit";
import type { Page } from "playwright-core";
import { openAtTerminal } from "../terminal/at-terminal.ts";
import { noBrowser, openPage, startBrowser } from "./browser.ts";
import { bash, press, said, signIn } from "./person.ts";

/** Who is first, and whether another one tries at the same time. */
const ANSWERS = [
  { first: "desk" },
  { first: "phone" },
  { first: "terminal" },
  { first: "desk", also: "phone" },
  { first: "phone", also: "terminal" },
  { first: "terminal", also: "desk" },
  { first: "phone" },
] as const;

testUnless(noBrowser, test)(
  "each question is answered once, whoever is first, and everyone else is told at once by whom",
  async () => {
    await using at = await openAtTerminal([
      ...ANSWERS.flatMap((_, n) => [bash(`echo x >> made-${n}`), { text: `Done ${n}.` }]),
    ]);
    const { terminal, home } = at;
    const link = async () => {
      terminal.type("/web\r");
      await terminal.until(/#code=[\w-]{43}/);
      const found = /http:\/\/127\.0\.0\.1:\d+\/#code=[\w-]{43}/.exec(terminal.screen().join("\n"))![0];
      terminal.press("esc");
      await terminal.until("✻ This session is on the page");
      return found;
    };
    terminal.type("/rename Shared\r");
    await terminal.until("Shared");
    await using browser = await startBrowser();
    const [desk, phone] = [await openPage(browser), await openPage(browser, { size: "phone" })];
    await signIn(desk.page, await link());
    const session = desk.page.url();
    await desk.page.getByText("Connected").waitFor();
    await desk.page.getByRole("link", { name: "Devices" }).click();
    await press(desk.page, "Link that may do everything");
    const other = (await desk.page.locator("pre.link").textContent())!;
    await signIn(phone.page, other);
    for (const { page } of [desk, phone]) {
      await page.goto(session);
      await page.getByText("Connected").waitFor();
      await page.evaluate(NOTE_ANSWERS);
    }
    /** Whoever comes too late finds no button. */
    const click = (page: Page) =>
      page
        .getByRole("button", { name: "Allow", exact: true })
        .click({ timeout: 2_000 })
        .catch(() => undefined);
    const allow = {
      desk: () => click(desk.page),
      phone: () => click(phone.page),
      terminal: async () => terminal.press("enter"),
    };
    for (const [n, answer] of ANSWERS.entries()) {
      await desk.page.getByRole("textbox", { name: "Prompt" }).fill(`Prompt ${n}`);
      await desk.page.getByRole("button", { name: "Send" }).click();
      await terminal.until("Run this command?");
      for (const { page } of [desk, phone])
        await page.getByRole("button", { name: "Allow", exact: true, disabled: false }).waitFor();
      // A terminal takes no key in the first moment that it asks.
      await Bun.sleep(400);
      const { first } = answer;
      const also = "also" in answer ? answer.also : undefined;
      await Promise.all([allow[first](), also && allow[also]()]);
      for (const { page } of [desk, phone]) await said(page, `Done ${n}.`);
      await terminal.until(`Done ${n}.`);
      expect(readFileSync(`${home.project}/made-${n}`, "utf8")).toBe("x\n");
      if (also !== undefined) {
        for (const { page } of [desk, phone]) await notesOf(page);
        continue;
      }
      // Before the command that was allowed has run.
      const told = first === "terminal" ? "Answered by terminal" : expect.stringContaining("Answered by ");
      for (const [name, { page }] of Object.entries({ desk, phone }))
        expect(await notesOf(page)).toEqual(name === first ? [`Done ${n}.`] : [told, `Done ${n}.`]);
      if (first !== "terminal") await terminal.until(/Answered by Chrome on Linux|Answered by HeadlessChrome/);
    }
    expect(existsSync(`${home.project}/made-${ANSWERS.length}`)).toBe(false);
    expect([...desk.problems, ...phone.problems]).toEqual([]);
  },
);

/** What was told since the last look, in its order. */
const notesOf = (page: Page) => page.evaluate<readonly string[]>(`window.told.splice(0)`);

const NOTE_ANSWERS = `
window.told = [];
new MutationObserver((changes) => {
  for (const { target, addedNodes } of changes)
    for (const node of [target, ...addedNodes]) {
      const element = node.nodeType === 1 ? node : node.parentElement;
      const told = element?.closest(".note, .answer")?.textContent ?? element?.querySelector(".answer")?.textContent ?? "";
      if (/^Answered by|^Done .*[.]$/.test(told) && window.told.at(-1) !== told) window.told.push(told);
    }
}).observe(document.body, { childList: true, subtree: true, characterData: true });`;
