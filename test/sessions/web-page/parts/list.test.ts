// The list of sessions, in a real browser: all of it is reached, found and kept up to date.

import { expect, test } from "bun:test";
import { utimesSync } from "node:fs";
import { startMockModel, temporaryHome, testUnless, transcriptFiles } from "@keelson/testkit";
import { noBrowser, openPage, startBrowser } from "../browser.ts";
import { signIn } from "../person.ts";
import { writeSession } from "../support/written-session.ts";
import { startWeb } from "../web-client.ts";

const testHere = testUnless(noBrowser, test);

testHere(
  "of many sessions the newest come first, and the others when someone scrolls to them or searches",
  async () => {
    using home = temporaryHome();
    const COUNT = 1_150;
    const idOf = (at: number) => `22222222-1111-4111-8111-${String(at).padStart(12, "0")}`;
    for (let at = 0; at < COUNT; at++) writeSession(home, { id: idOf(at), title: `Number ${at}`, runs: 1 });
    for (const path of transcriptFiles(home)) {
      const minutes = Number(path.slice(-"000000000000.jsonl".length, -".jsonl".length));
      utimesSync(path, new Date(Date.now() - minutes * 60_000), new Date(Date.now() - minutes * 60_000));
    }
    await using model = await startMockModel([]);
    await using web = await startWeb({ home, url: model.url });
    await using browser = await startBrowser();
    const { page, problems } = await openPage(browser);
    await page.clock.install();
    await signIn(page, web.link);
    const rows = page.locator(".session");
    await rows.nth(2).waitFor();
    expect(await rows.nth(2).innerText()).toMatch(/^Number 2: 0\s+project\s+2 min ago$/);
    // The text changes with the time.
    await page.clock.runFor(60_000);
    await rows.nth(2).getByText("3 min ago").waitFor();

    const before = await rows.count();
    expect(before).toBeLessThan(COUNT);
    for (let scrolls = 0; (await rows.count()) < COUNT; scrolls++) {
      expect(scrolls).toBeLessThan(1_000);
      await page.locator(".side").evaluate((side: any) => side.scrollTo(0, side.scrollHeight));
      await page.clock.runFor(100);
    }
    expect(await rows.last().textContent()).toStartWith(`Number ${COUNT - 1}: 0`);
    expect(await page.getByRole("button", { name: "Older sessions" }).count()).toBe(0);

    await page.reload();
    await rows.first().waitFor();
    await page.getByRole("searchbox", { name: "Search sessions" }).fill(`number ${COUNT - 7}`);
    await page.clock.runFor(1_000);
    await rows.filter({ hasText: `Number ${COUNT - 7}` }).waitFor();
    while ((await rows.count()) !== 1) await Bun.sleep(20);
    expect(problems).toEqual([]);
  },
);

testHere("a server that is gone is said in words, and the list is still there", async () => {
  using home = temporaryHome();
  writeSession(home, { id: "22222222-1111-4111-8111-000000000001", title: "One", runs: 1 });
  await using model = await startMockModel([]);
  await using web = await startWeb({ home, url: model.url });
  await using browser = await startBrowser();
  const { page } = await openPage(browser, { size: "phone" });
  await signIn(page, web.link);
  await page.locator(".session").waitFor();
  web.program.kill("SIGKILL");
  await web.program.done;
  await page.getByText("The server cannot be reached", { exact: false }).waitFor();
  expect(await page.locator(".session").count()).toBe(1);
});

testHere("while the archive is read, no other session is shown as a part of it", async () => {
  using home = temporaryHome();
  writeSession(home, { id: "22222222-1111-4111-8111-000000000001", title: "Not put away", runs: 1 });
  await using model = await startMockModel([]);
  await using web = await startWeb({ home, url: model.url });
  await using browser = await startBrowser();
  const { page, problems } = await openPage(browser);
  await signIn(page, web.link);
  await page.locator(".session").first().waitFor();
  const [asked, answered] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  await page.route(/archived=true/, async (route) => {
    asked.resolve();
    await answered.promise;
    await route.continue();
  });
  await page.getByRole("button", { name: "Archived sessions" }).click();
  await asked.promise;
  expect(await page.locator(".session").count()).toBe(0);
  answered.resolve();
  await page.getByText("Nothing was put away.").waitFor();
  await page.getByRole("button", { name: "Back to all sessions" }).click();
  await page.locator(".session").getByText("Not put away").waitFor();
  expect(problems).toEqual([]);
});
