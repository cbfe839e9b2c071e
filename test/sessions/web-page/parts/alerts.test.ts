// What the page says while no one looks at it, in a real browser.

import { expect, test } from "bun:test";
import { startMockModel, temporaryHome, testUnless } from "@keelson/testkit";
import type { Page } from "playwright-core";
import { noBrowser, openPage, startBrowser } from "../browser.ts";
import { bash, begin, press, said, send, signIn } from "../person.ts";
import { startWeb } from "../web-client.ts";

const testHere = testUnless(noBrowser, test);

/** Someone else's window is in front. */
const AWAY = "document.hasFocus = () => false;";

/** A browser without workers. What would be shown is noted. */
const NO_WORKERS = `
  Object.defineProperty(navigator, "serviceWorker", { value: undefined });
  globalThis.shown = [];
  globalThis.Notification = class extends EventTarget {
    static permission = localStorage.getItem("granted") ?? "default";
    static async requestPermission() {
      localStorage.setItem("granted", "granted");
      return (this.permission = "granted");
    }
    constructor(title, { body }) {
      super();
      shown.push(title + " " + body);
    }
    close() {}
  };`;

const shown = (page: Page) => page.evaluate("shown") as Promise<string[]>;
const showing = async (page: Page, count: number) => {
  await until(async () => (await shown(page)).length >= count);
  return shown(page);
};

/** It ends long before a test that hangs does. */
async function until(holds: () => Promise<boolean>): Promise<void> {
  const deadline = performance.now() + 30_000;
  while (!(await holds())) {
    if (performance.now() > deadline) throw new Error("Never happened");
    await Bun.sleep(20);
  }
}

testHere(
  "when a session asks or has ended, title and icon say so, and notifications for those who turned them on",
  async () => {
    using home = temporaryHome();
    await using model = await startMockModel([bash("touch made"), { text: "Made." }]);
    await using web = await startWeb({ home, url: model.url });
    await using browser = await startBrowser();
    const { page, context, problems } = await openPage(browser);
    await context.addInitScript(AWAY);
    await context.addInitScript(NO_WORKERS);
    await signIn(page, web.link);
    expect(await shown(page)).toEqual([]);
    await page.getByRole("link", { name: "Devices" }).click();
    await press(page, "Turn on");
    await page.getByRole("button", { name: "Turn off" }).waitFor();
    expect(await shown(page)).toEqual(["Keelson Notifications are on"]);
    await begin(page);
    await send(page, "Make it");
    await page.getByRole("heading", { name: "Allow Bash?" }).waitFor();
    expect((await showing(page, 2)).at(-1)).toBe("Make it needs you");
    await titled(page, "(1) Make it · Keelson");
    expect(await page.locator('link[rel="icon"]').getAttribute("href")).toBe("icon-asks.svg");
    await press(page, "Allow");
    await said(page, "Made.");
    expect((await showing(page, 3)).at(-1)).toBe("Make it has ended");
    await titled(page, "Make it · Keelson");
    expect(await page.locator('link[rel="icon"]').getAttribute("href")).toBe("icon.svg");

    await page.getByRole("link", { name: "Devices" }).click();
    await press(page, "Turn off");
    await page.reload();
    await page.getByRole("button", { name: "Turn on" }).waitFor();
    expect(problems).toEqual([]);
  },
);

testHere("a worker shows notifications, and leads a click to the session, in the page that is open", async () => {
  using home = temporaryHome();
  await using model = await startMockModel([bash("touch made"), { text: "Made." }]);
  await using web = await startWeb({ home, url: model.url });
  await using browser = await startBrowser();
  const { page, context, problems } = await openPage(browser);
  await context.grantPermissions(["notifications"]);
  await context.addInitScript(AWAY);
  await signIn(page, web.link);
  expect(context.serviceWorkers()).toEqual([]);
  await page.getByRole("link", { name: "Devices" }).click();
  const started = context.waitForEvent("serviceworker");
  await press(page, "Turn on");
  const worker = await started;
  expect(worker.url()).toBe(`${web.address}/worker.js`);
  await page.getByRole("button", { name: "Turn off" }).waitFor();
  await begin(page);
  const session = new URL(page.url()).hash;
  await send(page, "Make it");
  await page.getByRole("heading", { name: "Allow Bash?" }).waitFor();
  await page.goto(`${web.address}/#/`);
  const notifications = () =>
    page.evaluate(`navigator.serviceWorker.ready.then((registration) => registration.getNotifications()).then((all) =>
      all.map(({ title, body, tag }) => title + " " + body + " " + tag))`) as Promise<string[]>;
  await until(async () => (await notifications()).includes(`Make it needs you ${session.slice(1)}`));
  // The browser of a test has no one who could click.
  await worker.evaluate(`registration.getNotifications().then((all) => {
    const notification = all.find(({ tag }) => tag !== "/");
    dispatchEvent(new NotificationEvent("notificationclick", { notification }));
  })`);
  await page.waitForURL((url) => url.hash === session);
  await until(async () => !(await notifications()).some((each) => each.startsWith("Make it")));
  // It sees no request and keeps nothing.
  expect(await page.evaluate("caches.keys()")).toEqual([]);
  expect(await (await fetch(`${web.address}/worker.js`)).text()).not.toContain("fetch");

  await page.getByRole("link", { name: "Devices" }).click();
  await press(page, "Turn off");
  const registrations = () => page.evaluate("navigator.serviceWorker.getRegistrations().then((all) => all.length)");
  await until(async () => (await registrations()) === 0);
  expect(problems).toEqual([]);
});

testHere("the page can name no other script to the browser, whatever runs in it", async () => {
  using home = temporaryHome();
  await using model = await startMockModel([]);
  await using web = await startWeb({ home, url: model.url });
  await using browser = await startBrowser();
  const { page } = await openPage(browser);
  await page.goto(web.link);
  const tried = (script: string) =>
    page.evaluate(`(async () => { try { ${script}; return "done"; } catch (error) { return error.name; } })()`);
  expect(await tried(`await navigator.serviceWorker.register("page.js")`)).toBe("TypeError");
  expect(await tried(`new Worker("page.js")`)).toBe("TypeError");
  expect(await tried(`trustedTypes.createPolicy("keelson-worker", { createScriptURL: (url) => url })`)).toBe(
    "TypeError",
  );
  expect(await tried(`trustedTypes.createPolicy("default", { createScriptURL: (url) => url })`)).toBe("TypeError");
  expect(await tried(`trustedTypes.createPolicy("other", { createHTML: (text) => text })`)).toBe("TypeError");
  expect(await tried(`document.body.innerHTML = "<b>"`)).toBe("TypeError");
});

testHere("the page can be installed", async () => {
  using home = temporaryHome();
  await using model = await startMockModel([]);
  await using web = await startWeb({ home, url: model.url });
  await using browser = await startBrowser();
  const { page, context } = await openPage(browser);
  await page.goto(web.link);
  const devtools = await context.newCDPSession(page);
  const { errors } = await devtools.send("Page.getAppManifest");
  const { installabilityErrors } = await devtools.send("Page.getInstallabilityErrors");
  expect(errors).toEqual([]);
  // Contexts of tests are as private as a private window, where nothing can be installed.
  expect(installabilityErrors.map(({ errorId }) => errorId).filter((id) => id !== "in-incognito")).toEqual([]);
});

/** The title of a session comes a little after its first prompt. */
const titled = (page: Page, title: string) =>
  page.waitForFunction(
    (wanted) => (globalThis as unknown as { document: { title: string } }).document.title === wanted,
    title,
  );
