// Everything that people do in a session, one after the other, at a desk and on a phone.

import { expect, test } from "bun:test";
import { startMockModel, temporaryHome, testUnless } from "@keelson/testkit";
import type { Page } from "playwright-core";
import { noBrowser, openPage, startBrowser, type SIZES } from "./browser.ts";
import { bash, begin, press, said, send, signIn } from "./person.ts";
import { startWeb } from "./web-client.ts";

const testHere = testUnless(noBrowser, test);

const WORDS = Array.from({ length: 60 }, (_, at) => `word${at}`).join(" ");
const QUESTION = {
  question: "Which color?",
  header: "Color",
  options: [
    { label: "Red", description: "warm" },
    { label: "Blue", description: "cold" },
  ],
  multiSelect: false,
};

testHere.each(["desktop", "phone"] as (keyof typeof SIZES)[])(
  "%s: the whole way from a link to a device that is signed out, with nothing that the page complains of",
  async (size) => {
    using home = temporaryHome();
    const rest = Promise.withResolvers<void>();
    await using model = await startMockModel([
      { text: WORDS, deltas: 60, hold: rest.promise, holdAfter: 30 },
      bash("touch made"),
      bash("touch other"),
      { text: "Only one of them." },
      { calls: [{ name: "AskUserQuestion", input: { questions: [QUESTION] } }] },
      { text: "Blue, then." },
      { calls: [{ name: "ExitPlanMode", input: { plan: "# The plan\n\n1. Paint it" } }] },
      { text: "Planned." },
      bash("sleep 300"),
      { text: "In the copy." },
    ]);
    const args = ["--allowedTools", "Bash(sleep:*)"];
    await using web = await startWeb({ home, url: model.url, args });
    await using browser = await startBrowser();
    const { page, problems } = await openPage(browser, { size });
    await signIn(page, web.link);
    await begin(page);
    await send(page, "Say words");
    await page.getByText("word20").waitFor();
    expect(await page.getByText("word59").count()).toBe(0);
    rest.resolve();
    await said(page, WORDS);

    await send(page, "Make two files");
    await page.locator(".question").getByText("touch made", { exact: true }).waitFor();
    await press(page, "Allow");
    await page.locator(".question").getByText("touch other", { exact: true }).waitFor();
    await page.getByRole("textbox", { name: "What to do instead" }).fill("One is enough");
    await press(page, "Deny and say this");
    await said(page, "Only one of them.");
    expect(JSON.stringify(model.requests.at(-1)!.body)).toContain("One is enough");
    expect([await made(home, "made"), await made(home, "other")]).toEqual([true, false]);

    await send(page, "Ask me");
    await page.getByRole("radio", { name: "Blue" }).check();
    await press(page, "Answer");
    await said(page, "Blue, then.");
    expect(JSON.stringify(model.requests.at(-1)!.body)).toContain("Blue");

    const modes = page.getByRole("combobox", { name: "Permission mode" });
    await modes.selectOption("plan");
    await send(page, "Plan it");
    await page.getByRole("heading", { name: "The plan" }).waitFor();
    await press(page, "Yes, and accept edits");
    await said(page, "Planned.");

    await send(page, "Sleep");
    await page.locator(".call.running").waitFor();
    await press(page, "Stop");
    await page.getByText("Interrupted", { exact: true }).waitFor();
    await page.locator(".working").waitFor({ state: "detached" });

    const shown = await page.locator(".transcript").textContent();
    const original = page.url();
    const bodies = page.locator(".call-body");
    const calls = await bodies.count();
    await page.reload();
    await page.getByText("Interrupted", { exact: true }).waitFor();
    // What is inside of a folded call is a part of the page that is loaded when the first call is drawn.
    await bodies.nth(calls - 1).waitFor({ state: "attached" });
    expect(await page.locator(".transcript").textContent()).toBe(shown);

    await choose(page, "Fork");
    await page.waitForURL((url) => url.href !== original);
    await page.getByText("Interrupted", { exact: true }).waitFor();
    await send(page, "Go on");
    await said(page, "In the copy.");
    await page.goto(original);
    await page.getByText("Interrupted", { exact: true }).waitFor();
    expect(await page.getByText("In the copy.").count()).toBe(0);

    await choose(page, "Rewind");
    await page.locator(".sheet").getByRole("button", { name: "Ask me", exact: true }).click();
    await press(page, "Restore conversation");
    await page.locator(".transcript").getByText("Blue, then.").waitFor({ state: "detached" });
    await said(page, "Only one of them.");
    expect(await page.getByRole("textbox", { name: "Prompt" }).inputValue()).toBe("Ask me");

    await page.goto(`${web.address}/#/devices`);
    await press(page, "Link that may do everything");
    const second = await openPage(browser, { size: size === "phone" ? "desktop" : "phone" });
    await signIn(second.page, (await page.locator("pre.link").textContent())!);
    await second.page.goto(original);
    await said(second.page, "Only one of them.");
    await page.goto(`${web.address}/#/`);
    await page.goto(`${web.address}/#/devices`);
    await page.getByRole("listitem").filter({ hasText: "seen" }).getByRole("button", { name: "Sign out" }).click();
    await second.page.getByText("Paste the link that the server printed", { exact: false }).waitFor();
    expect(await second.page.locator(".transcript").count()).toBe(0);
    expect([...problems, ...second.problems]).toEqual([]);
  },
);

const made = (home: { readonly project: string }, name: string) => Bun.file(`${home.project}/${name}`).exists();

async function choose(page: Page, name: string): Promise<void> {
  await press(page, "More");
  await press(page, name);
}
