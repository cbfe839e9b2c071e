// What people do with the page, in a real browser: at a desk and on a phone.

import { expect, test } from "bun:test";
import { startMockModel, temporaryHome, testUnless } from "@keelson/testkit";
import { noBrowser, openPage, startBrowser, type SIZES } from "./browser.ts";
import { ask, bash, begin, press, said, send, signIn } from "./person.ts";
import { picture } from "./support/pictures.ts";
import { startRelay } from "./support/relay.ts";
import { startWeb } from "./web-client.ts";

const testHere = testUnless(noBrowser, test);

testHere.each(["desktop", "phone"] as (keyof typeof SIZES)[])(
  "%s: sign in, prompt, allow an edit, deny with words, answer a question, and find all of it again",
  async (size) => {
    using home = temporaryHome();
    home.write("add.ts", "export const add = (a: number, b: number) => a - b;\n");
    const file_path = `${home.project}/add.ts`;
    const options = [
      { label: "MIT", description: "short" },
      { label: "Apache-2.0", description: "with patents" },
    ];
    await using model = await startMockModel([
      { text: "The sign is wrong.", calls: [{ name: "Read", input: { file_path } }] },
      { calls: [{ name: "Edit", input: { file_path, old_string: "a - b", new_string: "a + b" } }] },
      bash("touch denied"),
      { text: "Then not." },
      {
        calls: [
          {
            name: "AskUserQuestion",
            input: { questions: [{ question: "Which license?", header: "License", options, multiSelect: false }] },
          },
        ],
      },
      { text: "Apache it is." },
    ]);
    await using web = await startWeb({ home, url: model.url });
    await using browser = await startBrowser();
    const { page, problems } = await openPage(browser, { size });
    await signIn(page, web.link);
    expect(page.url()).toBe(`${web.address}/#/`);
    await begin(page);
    await send(page, "Fix add()");
    await page.getByRole("heading", { name: "Allow Edit?" }).waitFor();
    expect(await page.locator(".question .removed .text").textContent()).toContain("a - b");
    expect(await page.locator(".question .added .text").textContent()).toContain("a + b");
    await page.getByRole("button", { name: "Allow", exact: true, disabled: false }).waitFor();
    if (size === "desktop") await picture(page, "permission");
    await press(page, "Allow");
    await page.getByRole("heading", { name: "Allow Bash?" }).waitFor();
    expect(await Bun.file(file_path).text()).toContain("a + b");
    await page.getByRole("textbox", { name: "What to do instead" }).fill("Use a folder");
    await press(page, "Deny and say this");
    await said(page, "Then not.");
    expect(await Bun.file(`${home.project}/denied`).exists()).toBe(false);
    expect(JSON.stringify(model.requests.at(-1)!.body)).toContain("Use a folder");
    await send(page, "Choose a license");
    await page.getByRole("radio", { name: "Apache-2.0" }).check();
    await page.getByRole("button", { name: "Answer", exact: true, disabled: false }).waitFor();
    if (size === "phone") await picture(page, "question-phone");
    await press(page, "Answer");
    await said(page, "Apache it is.");
    expect(JSON.stringify(model.requests.at(-1)!.body)).toContain("Apache-2.0");

    await ask(page, "Half a thou");
    const shown = await page.locator(".transcript").innerText();
    await page.reload();
    await said(page, "Apache it is.");
    expect(await page.locator(".transcript").innerText()).toBe(shown);
    expect(await page.getByRole("textbox", { name: "Prompt" }).inputValue()).toBe("Half a thou");
    await page.getByRole("heading", { name: "Fix add()" }).waitFor();
    expect(problems).toEqual([]);
  },
);

testHere("interrupt, and prompts that wait, which can be taken back", async () => {
  using home = temporaryHome();
  await using model = await startMockModel([bash("sleep 300"), { text: "Stopped and went on." }]);
  await using web = await startWeb({ home, url: model.url, args: ["--allowedTools", "Bash"] });
  await using browser = await startBrowser();
  const { page, problems } = await openPage(browser);
  await signIn(page, web.link);
  await begin(page);
  await send(page, "Sleep");
  await page.locator(".call.running").waitFor();
  await send(page, "And then this");
  await press(page, "Take back");
  await page.locator(".queued").waitFor({ state: "detached" });
  expect(await page.getByRole("textbox", { name: "Prompt" }).inputValue()).toBe("And then this");
  await press(page, "Stop");
  await page.getByText("Interrupted", { exact: true }).waitFor();
  await send(page, "Go on");
  await said(page, "Stopped and went on.");
  expect(problems).toEqual([]);
});

testHere(
  "two devices see the same; what one answers leaves the other, and one that is signed out sees nothing more",
  async () => {
    using home = temporaryHome();
    await using model = await startMockModel([bash("touch made"), { text: "Made." }]);
    await using web = await startWeb({ home, url: model.url });
    await using browser = await startBrowser();
    const [desk, phone] = [await openPage(browser), await openPage(browser, { size: "phone", dark: true })];
    await signIn(desk.page, web.link);
    await desk.page.getByRole("link", { name: "Devices" }).click();
    await press(desk.page, "Link that may do everything");
    const link = (await desk.page.locator("pre.link").textContent())!;
    await signIn(phone.page, link);
    await begin(desk.page);
    await send(desk.page, "Make it");
    await desk.page.getByRole("heading", { name: "Allow Bash?" }).waitFor();
    await phone.page.getByText("needs you").click();
    await phone.page.getByRole("heading", { name: "Allow Bash?" }).waitFor();
    await press(phone.page, "Allow");
    await said(desk.page, "Made.");
    await said(phone.page, "Made.");
    expect(await desk.page.getByRole("heading", { name: "Allow Bash?" }).count()).toBe(0);

    await desk.page.getByRole("link", { name: "Devices" }).click();
    await desk.page.getByRole("listitem").filter({ hasText: "seen" }).getByRole("button", { name: "Sign out" }).click();
    await phone.page.getByText("Paste the link that the server printed", { exact: false }).waitFor();
    expect(await phone.page.locator(".transcript").count()).toBe(0);
    // The link was used.
    await phone.page.goto("about:blank");
    await phone.page.goto(link);
    await press(phone.page, "Sign in");
    await phone.page.getByRole("alert").getByText("was used before").waitFor();
    await press(desk.page, "Link that may do everything");
    const another = (await desk.page.locator("pre.link").textContent())!;
    // As a terminal breaks it.
    await phone.page.getByRole("textbox", { name: "Link" }).fill(`${another.slice(0, 50)} ${another.slice(50)}`);
    await press(phone.page, "Sign in");
    await phone.page.getByRole("link", { name: "New", exact: true }).waitFor();
    expect([...desk.problems, ...phone.problems]).toEqual([]);
  },
);

testHere("a page whose server was killed says so, and goes on with the next server where it was", async () => {
  using home = temporaryHome();
  await using model = await startMockModel([{ text: "Before." }, { text: "After." }]);
  await using browser = await startBrowser();
  const { page } = await openPage(browser);
  let port: string;
  {
    await using web = await startWeb({ home, url: model.url });
    port = new URL(web.address).port;
    await signIn(page, web.link);
    await begin(page);
    await send(page, "First");
    await said(page, "Before.");
    web.program.kill("SIGKILL");
    await page.getByText("Connecting").waitFor();
  }
  // It is kept until there is a server.
  await send(page, "Second");
  await page.getByText("sending").waitFor();
  await using _web = await startWeb({ home, url: model.url, args: ["--port", port] });
  await said(page, "After.");
  expect(await page.locator(".prompt").allInnerTexts()).toEqual(["First", "Second"]);
  expect(await page.locator(".answer").allInnerTexts()).toEqual(["Before.", "After."]);
  expect(model.requests).toHaveLength(2);
});

testHere("a device that only watches sees questions and answers, and is offered no prompt and no button", async () => {
  using home = temporaryHome();
  await using model = await startMockModel([bash("touch made"), { text: "Made." }]);
  await using web = await startWeb({ home, url: model.url });
  await using browser = await startBrowser();
  const [desk, watcher] = [await openPage(browser), await openPage(browser, { size: "phone" })];
  await signIn(desk.page, web.link);
  await desk.page.getByRole("link", { name: "Devices" }).click();
  await press(desk.page, "Link that only watches");
  await signIn(watcher.page, (await desk.page.locator("pre.link").textContent())!);
  await begin(desk.page);
  await send(desk.page, "Make it");
  await desk.page.getByRole("heading", { name: "Allow Bash?" }).waitFor();
  await watcher.page.getByText("needs you").click();
  await watcher.page.getByText("This device only watches").waitFor();
  await watcher.page.getByText("Waiting for an answer").waitFor();
  // Whether it came before the question, or comes after it.
  for (const again of [false, true]) {
    if (again) await watcher.page.reload();
    await watcher.page
      .getByRole("region", { name: "asks someone else" })
      .getByText("touch made", { exact: true })
      .waitFor();
  }
  expect(await watcher.page.getByRole("textbox").count()).toBe(0);
  expect(await watcher.page.getByRole("button", { name: "Allow", exact: true }).count()).toBe(0);
  await press(desk.page, "Allow");
  await said(watcher.page, "Made.");
  expect(await watcher.page.getByRole("region", { name: "asks someone else" }).count()).toBe(0);
  expect([...desk.problems, ...watcher.problems]).toEqual([]);
});

testHere("of a long conversation the newest part comes first, and the rest when it is scrolled to", async () => {
  using home = temporaryHome();
  await using model = await startMockModel((_, number) => ({ text: `Answer ${number}.` }));
  await using web = await startWeb({ home, url: model.url });
  await using browser = await startBrowser();
  const { page, problems } = await openPage(browser);
  const device = await web.signIn();
  const id = await device.begin();
  using stream = device.stream(id);
  const RUNS = 260;
  for (let run = 1, from = 0; run <= RUNS; run++) {
    stream.prompt(`Prompt ${run}`);
    await stream.until(({ type }) => type === "result", from);
    from = stream.messages.length;
  }
  const { json } = await device.request("POST", "/v1/devices", {});
  await signIn(page, `${web.address}/#code=${json.code}`);
  await page.locator(".session").click();
  await said(page, `Answer ${RUNS}.`);
  expect(await page.locator(".answer").count()).toBeLessThan(RUNS);
  expect(await page.getByText(`Answer ${RUNS}.`, { exact: true }).isVisible()).toBe(true);
  while ((await page.getByRole("button", { name: "Earlier messages" }).count()) > 0) {
    const before = await page.locator(".answer").count();
    await page.locator(".scroll").hover();
    await page.mouse.wheel(0, -100_000);
    await page.locator(".answer").nth(before).waitFor({ state: "attached" });
  }
  expect(await page.locator(".answer").allTextContents()).toEqual(
    Array.from({ length: RUNS }, (_, run) => `Answer ${run + 1}.`),
  );
  await press(page, "To the end");
  await page.getByText(`Answer ${RUNS}.`, { exact: true }).waitFor();
  expect(problems).toEqual([]);
});

testHere(
  "behind a proxy, under a path, a page whose connections are cut in the middle of an answer shows all of it",
  async () => {
    using home = temporaryHome();
    const rest = Promise.withResolvers<void>();
    const words = Array.from({ length: 40 }, (_, at) => `word${at}`).join(" ");
    await using model = await startMockModel([{ text: words, deltas: 40, hold: rest.promise, holdAfter: 20 }]);
    await using relay = await startRelay();
    const args = ["--behind-proxy", `http://127.0.0.1:${relay.port}/keelson`];
    await using web = await startWeb({ home, url: model.url, args });
    relay.lead(Number(/for a proxy at 127\.0\.0\.1:(\d+)/.exec(web.program.lines[0]!.text)![1]));
    await using browser = await startBrowser();
    const { page, problems } = await openPage(browser);
    await signIn(page, web.link);
    expect(page.url()).toBe(`http://127.0.0.1:${relay.port}/keelson/#/`);
    await begin(page);
    await send(page, "Say them");
    await page.getByText("word10").waitFor();
    relay.cut();
    await page.getByText("Connecting").waitFor();
    rest.resolve();
    await page.getByText("Connected").waitFor();
    await said(page, words);
    expect(await page.locator(".answer").allInnerTexts()).toEqual([words]);
    expect(problems).toEqual([]);
  },
);
