// A page whose connections break while something happens: a question, a rewind, a fork, an upload, a sign-in. In the end it shows
// what the transcript says, and everything was done once.

import { expect, test } from "bun:test";
import { existsSync, readFileSync } from "node:fs";
import fc from "fast-check";
import { readTranscript, startMockModel, temporaryHome, testUnless, type ScriptedReply } from "@keelson/testkit";
import type { Locator, Page } from "playwright-core";
import { noBrowser, openPage, startBrowser } from "./browser.ts";
import { bash, begin, press, said, send, signIn } from "./person.ts";
import { startRelay, type Relay } from "./support/relay.ts";
import { startWeb, type StartedWeb } from "./web-client.ts";

const testHere = testUnless(noBrowser, test);

/** What the model says follows from the conversation, so a server that was killed changes nothing. */
function reply({ messages }: any): ScriptedReply {
  const { content } = messages.at(-1);
  // What was open when a server was killed has a result too, in front of the next prompt.
  const isAfterCall =
    Array.isArray(content) &&
    content.some(({ type }: any) => type === "tool_result") &&
    !/Run \d/.test(JSON.stringify(content.filter(({ type }: any) => type === "text")));
  const prompts = messages.filter(
    ({ role, content }: any) => role === "user" && /Run \d+/.test(JSON.stringify(content)),
  );
  const [, run, kind] = [...JSON.stringify(prompts).matchAll(/Run (\d+) (\w+)/g)].at(-1)!;
  const slow = { hold: Bun.sleep(40), holdAfter: 8 } as const;
  if (kind === "asks" && !isAfterCall)
    return { text: `Asking ${run}.`, calls: [{ name: "Bash", input: { command: `echo x >> made-${run}` } }] };
  const images = prompts.flatMap(({ content }: any) => content).filter(({ type }: any) => type === "image").length;
  return { text: `Done ${run} with ${images} images, ${"in many words, ".repeat(10)}end.`, deltas: 20, ...slow };
}

const KINDS = ["says", "asks", "shows", "forks", "rewinds"] as const;
const ROUNDS = Number(process.env["KEELSON_CUTS"] || 14);
const SEED = Number(process.env["KEELSON_CUTS_SEED"] || 20261120);

const round = fc.record({
  kind: fc.constantFrom(...KINDS),
  /** Before the first, and between the others. */
  waits: fc.array(fc.integer({ min: 0, max: 120 }), { minLength: 1, maxLength: 4 }),
  dies: fc.nat({ max: 7 }).map((n) => n === 0),
});

testHere(
  "whatever a person does while connections break, the page shows the transcript, and all was done once",
  async () => {
    const plan = fc.sample(round, { numRuns: ROUNDS, seed: SEED });
    using home = temporaryHome();
    await using model = await startMockModel(reply);
    await using relay = await startRelay();
    const address = `http://127.0.0.1:${relay.port}/k`;
    let web: StartedWeb = await startBehind(relay, address, { home, url: model.url });
    try {
      await using browser = await startBrowser();
      const { page, problems } = await openPage(browser);
      await signIn(page, web.link);
      await begin(page);
      let shown: string[] = [];
      for (const [run, { kind, waits, dies }] of plan.entries()) {
        const breaking = (async () => {
          for (const wait of waits) {
            await Bun.sleep(wait);
            relay.cut();
          }
          if (!dies) return;
          web.program.kill("SIGKILL");
          await web.program.done;
          await web[Symbol.asyncDispose]();
          web = await startBehind(relay, address, { home, url: model.url });
        })();
        const text = `Run ${run} ${kind}`;
        if (kind === "shows") await attachImage(page);
        await send(page, text);
        shown.push(text);
        const done = page.locator(".answer").getByText(new RegExp(`^Done ${run} `));
        const allow = page.getByRole("button", { name: "Allow", exact: true, disabled: false });
        if (dies) await breaking;
        for (;;) {
          if (!dies) await done.or(allow).first().waitFor();
          // A run ends with its server. Whoever sees that says it again.
          else if (await isStill(page, done.or(allow))) {
            await send(page, text);
            shown.push(text);
          }
          if ((await done.count()) > 0) break;
          await allow.click({ timeout: 1_000 }).catch(() => undefined);
        }
        await breaking;
        await isAtRest(page);
        if (kind === "forks") {
          const before = page.url();
          await forkDespite(page, relay, waits[0]!);
          expect(page.url()).not.toBe(before);
          await isAtRest(page);
        }
        if (kind === "rewinds") {
          await rewindDespite(page, relay, text, waits[0]!);
          shown = shown.slice(0, shown.lastIndexOf(text));
          await isAtRest(page);
        }
        expect(await prompts(page)).toEqual(shown);
      }
      const drawn = await page.locator(".transcript").textContent();
      const bodies = await page.locator(".call-body").count();
      await page.reload();
      await isAtRest(page);
      await readAll(page);
      // What is inside of a folded call is a part of the page that is loaded when the first call is drawn.
      if (bodies > 0)
        await page
          .locator(".call-body")
          .nth(bodies - 1)
          .waitFor({ state: "attached" });
      expect(await page.locator(".transcript").textContent()).toBe(drawn);
      const id = new URL(page.url()).hash.slice("#/s/".length);
      const stored = readTranscript(home, id).filter(({ type }: any) => type === "assistant");
      for (const text of await page.locator(".answer").allTextContents())
        expect(JSON.stringify(stored)).toContain(JSON.stringify(text).slice(1, 40));
      for (const [run, { kind }] of plan.entries()) {
        if (kind !== "asks") continue;
        const file = `${home.project}/made-${run}`;
        expect([run, existsSync(file) ? readFileSync(file, "utf8") : ""]).toEqual([run, "x\n"]);
      }
      expect(problems).toEqual([]);
    } finally {
      await web[Symbol.asyncDispose]();
    }
  },
  // Many rounds take their time.
  300_000 + ROUNDS * 20_000,
);

interface Behind {
  readonly home: any;
  readonly url: string;
}

async function startBehind(relay: Relay, address: string, options: Behind): Promise<StartedWeb> {
  const web = await startWeb({ ...options, args: ["--behind-proxy", address] });
  relay.lead(Number(/for a proxy at 127\.0\.0\.1:(\d+)/.exec(web.program.lines[0]!.text)![1]));
  return web;
}

async function prompts(page: Page): Promise<readonly string[]> {
  await readAll(page);
  return (await page.locator(".transcript .prompt > p").allTextContents()).map((text) => text.trim());
}

/** A long conversation begins with its newest messages. */
async function readAll(page: Page): Promise<void> {
  const older = page.getByRole("button", { name: "Earlier messages" });
  while ((await older.count()) > 0) await older.click({ timeout: 1_000 }).catch(() => undefined);
}

async function isAtRest(page: Page): Promise<void> {
  await page.getByText("Connected").waitFor();
  await page.locator(".working").waitFor({ state: "detached" });
  await page.locator(".queued").waitFor({ state: "detached" });
}

/** Whether nothing of this comes, and nothing else happens. */
async function isStill(page: Page, coming: Locator): Promise<boolean> {
  for (let looks = 0; looks < 10; looks++) {
    if ((await coming.count()) > 0) return false;
    const isConnected = (await page.getByText("Connected").count()) > 0;
    if (!isConnected || (await page.locator(".working, .queued").count()) > 0) looks = 0;
    await Bun.sleep(100);
  }
  return true;
}

async function attachImage(page: Page): Promise<void> {
  const buffer = Buffer.from(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
    "base64",
  );
  const image = page.locator(".prompt-box img");
  const problem = page.locator(".prompt-box [role=alert]");
  // What reads images is loaded with the first one, and may be cut off.
  while ((await image.count()) === 0) {
    await page.getByLabel("Attach images").setInputFiles({ name: "dot.png", mimeType: "image/png", buffer });
    await image.or(problem).first().waitFor();
  }
}

/** As a person does who sees an error: once more. */
async function forkDespite(page: Page, relay: Relay, wait: number): Promise<void> {
  const before = page.url();
  for (let tries = 0; page.url() === before; tries++) {
    if ((await page.locator(".menu:popover-open").count()) === 0) await press(page, "More");
    await press(page, "Fork");
    if (tries === 0) {
      await Bun.sleep(wait);
      relay.cut();
    }
    const failed = page.locator(".menu .error").waitFor();
    await Promise.race([page.waitForURL((url) => url.href !== before), failed]);
    failed.catch(() => undefined);
  }
}

async function rewindDespite(page: Page, relay: Relay, text: string, wait: number): Promise<void> {
  const all = page.locator(".transcript .prompt").getByText(text, { exact: true });
  const before = await all.count();
  for (let tries = 0; (await all.count()) === before; tries++) {
    await press(page, "More");
    await press(page, "Rewind");
    const one = page.locator(".sheet").getByRole("button", { name: text, exact: true });
    await one.first().click();
    await press(page, "Restore conversation");
    if (tries === 0) {
      await Bun.sleep(wait);
      relay.cut();
    }
    await page
      .locator(".sheet")
      .waitFor({ state: "detached", timeout: 3_000 })
      .catch(() => undefined);
    if ((await page.locator(".sheet").count()) > 0) await page.keyboard.press("Escape");
    await page.getByText("Connected").waitFor();
    await all
      .nth(before - 1)
      .waitFor({ state: "detached", timeout: 1_000 })
      .catch(() => undefined);
  }
  await page.getByRole("textbox", { name: "Prompt" }).fill("");
}

testHere(
  "a sign-in whose connection breaks can be tried again, and a link that was used meanwhile says so",
  async () => {
    using home = temporaryHome();
    await using model = await startMockModel([]);
    await using relay = await startRelay();
    await using web = await startBehind(relay, `http://127.0.0.1:${relay.port}/k`, { home, url: model.url });
    await using browser = await startBrowser();
    const { page, context, problems } = await openPage(browser);
    await page.goto(web.link);
    // The request does not arrive.
    await context.route("**/v1/auth/code", (route) => route.abort(), { times: 1 });
    await press(page, "Sign in");
    await page.getByRole("alert").getByText("The server cannot be reached").waitFor();
    await press(page, "Sign in");
    await page.getByRole("link", { name: "New", exact: true }).waitFor();

    // The reply does not arrive.
    await page.getByRole("link", { name: "Devices" }).click();
    await press(page, "Link that may do everything");
    const link = (await page.locator("pre.link").textContent())!;
    const other = await openPage(browser);
    await other.page.goto(link);
    await other.context.route(
      "**/v1/auth/code",
      async (route) => {
        await route.fetch();
        await route.abort();
      },
      { times: 1 },
    );
    await press(other.page, "Sign in");
    await other.page.getByRole("alert").getByText("The server cannot be reached").waitFor();
    await press(other.page, "Sign in");
    await other.page.getByRole("alert").getByText("was used before").waitFor();
    await other.page.getByRole("textbox", { name: "Link" }).waitFor();
    expect([...problems, ...other.problems]).toEqual([]);
  },
);

testHere("a page whose connection is swallowed without an end says so, and goes on where it was", async () => {
  using home = temporaryHome();
  const held = Promise.withResolvers<void>();
  const replies = [{ text: "Before." }, { text: "Meanwhile.", hold: held.promise }, { text: "After." }];
  await using model = await startMockModel(replies);
  await using relay = await startRelay();
  await using web = await startBehind(relay, `http://127.0.0.1:${relay.port}/k`, { home, url: model.url });
  await using browser = await startBrowser();
  const { page, problems } = await openPage(browser);
  await page.clock.install();
  await signIn(page, web.link);
  await begin(page);
  await send(page, "First");
  await said(page, "Before.");
  await send(page, "Second");
  await model.waitForRequest(2);
  relay.swallow();
  held.resolve();
  // It is not known yet.
  expect(await page.getByText("Connected").count()).toBe(1);
  await page.clock.runFor(40_000);
  await page.getByText("Connecting").waitFor();
  await send(page, "Third");
  await page.getByText("sending").last().waitFor();
  relay.pass();
  await said(page, "After.");
  expect(await page.locator(".transcript .prompt").allTextContents()).toEqual(["First", "Second", "Third"]);
  expect(await page.locator(".answer").allTextContents()).toEqual(["Before.", "Meanwhile.", "After."]);
  expect(problems).toEqual([]);
});

testHere(
  "a call that was open when its server was killed is shown as interrupted, however often the page is loaded",
  async () => {
    using home = temporaryHome();
    await using model = await startMockModel([bash("touch made"), { text: "Never mind." }]);
    await using browser = await startBrowser();
    await using relay = await startRelay();
    const address = `http://127.0.0.1:${relay.port}/k`;
    const { page } = await openPage(browser);
    {
      await using web = await startBehind(relay, address, { home, url: model.url });
      await signIn(page, web.link);
      await begin(page);
      await send(page, "Make it");
      await page.getByRole("heading", { name: "Allow Bash?" }).waitFor();
      web.program.kill("SIGKILL");
      await web.program.done;
    }
    await using _web = await startBehind(relay, address, { home, url: model.url });
    await page.getByText("Connected").waitFor();
    await send(page, "Leave it");
    await said(page, "Never mind.");
    await page.locator(".working").waitFor({ state: "detached" });
    const states = () => page.locator(".call").evaluateAll((calls) => calls.map((call: any) => call.className));
    expect(await states()).toEqual(["call interrupted"]);
    await page.reload();
    await said(page, "Never mind.");
    expect(await states()).toEqual(["call interrupted"]);
  },
);
