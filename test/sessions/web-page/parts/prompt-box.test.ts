// The prompt box, in a real browser: what it completes, what it carries, and when a prompt runs.

import { expect, test } from "bun:test";
import { startKeelson, startMockModel, temporaryHome, testUnless } from "@keelson/testkit";
import type { Page } from "playwright-core";
import { noBrowser, openPage, startBrowser } from "../browser.ts";
import { bash, begin, press, said, send, signIn } from "../person.ts";
import { startWeb } from "../web-client.ts";

const testHere = testUnless(noBrowser, test);

const box = (page: Page) => page.getByRole("textbox", { name: "Prompt" });
const option = (page: Page, name: string | RegExp) => page.getByRole("option", { name });

/** As the clipboard has it. */
const pasteImage = (page: Page, width: number, height: number) =>
  page.evaluate(`(async () => {
    const canvas = Object.assign(document.createElement("canvas"), { width: ${width}, height: ${height} });
    const context = canvas.getContext("2d");
    for (let at = 0; at < 4000; at++) {
      context.fillStyle = "hsl(" + ((at * 47) % 360) + " 80% 50%)";
      context.fillRect((at * 7919) % ${width}, (at * 104729) % ${height}, 40, 40);
    }
    const blob = await new Promise((resolve) => canvas.toBlob(resolve, "image/png"));
    const clipboardData = new DataTransfer();
    clipboardData.items.add(new File([blob], "shot.png", { type: "image/png" }));
    document.querySelector("textarea").dispatchEvent(new ClipboardEvent("paste", { clipboardData, bubbles: true }));
  })()`);

testHere(
  "commands and files are completed by keys alone, and Escape closes the list before it stops anything",
  async () => {
    using home = temporaryHome();
    home.write("src/parser.ts", "");
    home.write("src/printer.ts", "");
    await using model = await startMockModel([{ text: "Read it." }]);
    await using web = await startWeb({ home, url: model.url });
    await using browser = await startBrowser();
    const { page, problems } = await openPage(browser);
    await signIn(page, web.link);
    await begin(page);
    await box(page).pressSequentially("Look at @pars");
    await option(page, "src/parser.ts").waitFor();
    await page.keyboard.press("Escape");
    await page.getByRole("listbox").waitFor({ state: "detached" });
    await page.keyboard.type("e");
    await option(page, "src/parser.ts").waitFor();
    await page.keyboard.press("Enter");
    expect(await box(page).inputValue()).toBe("Look at @src/parser.ts ");
    await page.keyboard.press("Enter");
    await said(page, "Read it.");

    await page.keyboard.type("/stat");
    await option(page, /^\/status/).waitFor();
    await page.keyboard.press("Tab");
    expect(await box(page).inputValue()).toBe("/status ");
    await page.keyboard.press("Enter");
    await page.locator(".transcript").getByText(`${home.project}`, { exact: false }).first().waitFor();
    expect(model.requests).toHaveLength(1);
    expect(problems).toEqual([]);
  },
);

testHere("a pasted image goes with the prompt, made smaller if it is large, and can be removed", async () => {
  using home = temporaryHome();
  await using model = await startMockModel([{ text: "I see it." }]);
  await using web = await startWeb({ home, url: model.url });
  await using browser = await startBrowser();
  const { page, problems } = await openPage(browser);
  await signIn(page, web.link);
  await begin(page);
  await pasteImage(page, 300, 200);
  await page.getByAltText("Image 1").waitFor();
  await pasteImage(page, 4_000, 3_000);
  await page.getByAltText("Image 2").waitFor();
  await press(page, "Remove image 1");
  await page.getByAltText("Image 2").waitFor({ state: "detached" });
  await send(page, "What is this?");
  await said(page, "I see it.");
  await page.locator(".prompt .picture").waitFor();
  const content = model.requests[0]!.body.messages.at(-1)!.content as unknown as { type: string; source: any }[];
  const [image, ...others] = content.filter(({ type }) => type === "image");
  expect(others).toEqual([]);
  const { media_type, data } = image!.source;
  const size = Buffer.from(data, "base64").length;
  const longest = await page.evaluate(`(async () => {
    const bytes = Uint8Array.from(atob("${data}"), (character) => character.charCodeAt(0));
    const { width, height } = await createImageBitmap(new Blob([bytes], { type: "${media_type}" }));
    return Math.max(width, height);
  })()`);
  expect(longest).toBe(1_568);
  expect(size).toBeLessThanOrEqual(350_000);
  expect(problems).toEqual([]);
});

testHere(
  "on a narrow phone all buttons of the prompt are in one row, whatever the mode and the model are called",
  async () => {
    using home = temporaryHome();
    await using model = await startMockModel([bash("sleep 300")]);
    await using web = await startWeb({
      home,
      url: model.url,
      args: ["--allowedTools", "Bash", "--permission-mode", "acceptEdits"],
    });
    await using browser = await startBrowser();
    const { page, problems } = await openPage(browser, { size: "phone" });
    await page.setViewportSize({ width: 360, height: 740 });
    await signIn(page, web.link);
    await begin(page);
    await send(page, "Begin");
    await page.locator(".call.running").waitFor();
    await box(page).fill("And then");
    const middle = async (name: string) => {
      const { x, y, width, height } = (await page.getByRole("button", { name, exact: true }).boundingBox())!;
      expect(height).toBeGreaterThanOrEqual(44);
      return { right: x + width, middle: y + height / 2 };
    };
    const places = [await middle("Stop"), await middle("After this"), await middle("Send")];
    expect(new Set(places.map((place) => place.middle)).size).toBe(1);
    expect(places.at(-1)!.right).toBeLessThan(360);
    expect(await page.evaluate("document.documentElement.scrollWidth")).toBe(360);
    // What there is no room for is reached all the same.
    const inForce = page.getByRole("button", { name: "Model, context and cost" });
    await inForce.focus();
    await page.keyboard.press("Enter");
    await page.getByRole("dialog", { name: "Model" }).waitFor();
    expect(problems).toEqual([]);
  },
);

testHere("a prompt for later comes behind the run, another one joins it, and Escape stops it", async () => {
  using home = temporaryHome();
  const first = Promise.withResolvers<void>();
  await using model = await startMockModel([
    bash("true"),
    { text: "Done with both.", hold: first.promise },
    bash("sleep 300"),
  ]);
  await using web = await startWeb({ home, url: model.url, args: ["--allowedTools", "Bash"] });
  await using browser = await startBrowser();
  const { page, problems } = await openPage(browser);
  await signIn(page, web.link);
  await begin(page);
  await send(page, "Begin");
  await page.getByText("Working", { exact: true }).waitFor();
  await box(page).fill("And when that is done");
  await press(page, "After this");
  await page.getByText("comes after").waitFor();
  first.resolve();
  await said(page, "Done with both.");
  await page.locator(".call.running").waitFor();
  expect(await page.locator(".prompt").allInnerTexts()).toEqual(["Begin", "And when that is done"]);
  await box(page).focus();
  await page.keyboard.press("Escape");
  await page.getByText("Interrupted", { exact: true }).waitFor();
  expect(problems).toEqual([]);
});

testHere("a prompt that is too large for a message is kept and refused in words, and the session goes on", async () => {
  using home = temporaryHome();
  await using model = await startMockModel([{ text: "Read." }]);
  await using web = await startWeb({ home, url: model.url });
  await using browser = await startBrowser();
  const { page, problems } = await openPage(browser);
  await signIn(page, web.link);
  await begin(page);
  const log = "a line of a log\n".repeat(70_000);
  const field = page.getByRole("textbox", { name: "Prompt" });
  await field.evaluate((each: any, text) => {
    each.value = text;
    each.dispatchEvent(new Event("input", { bubbles: true }));
  }, log);
  await page.getByRole("button", { name: "Send" }).click();
  await page.getByRole("alert").getByText("Too long; name a file").waitFor();
  expect((await field.inputValue()).length).toBe(log.length);
  expect(await page.getByText("Connected").count()).toBe(1);
  await send(page, "Read the log");
  await said(page, "Read.");
  expect(model.requests).toHaveLength(1);
  expect(problems).toEqual([]);
});

testHere(
  "images that are dropped anywhere, or chosen as files, go with the prompt; what is no image is named",
  async () => {
    using home = temporaryHome();
    const pixel = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
    const path = home.write("dot.png", Buffer.from(pixel, "base64"));
    const other = home.write("words.txt", "words");
    await using model = await startMockModel([{ text: "I see both." }]);
    await using web = await startWeb({ home, url: model.url });
    await using browser = await startBrowser();
    const { page, problems } = await openPage(browser);
    await signIn(page, web.link);
    await begin(page);
    const isTaken = await page.evaluate(`(() => {
    const bytes = Uint8Array.from(atob("${pixel}"), (character) => character.charCodeAt(0));
    const dataTransfer = new DataTransfer();
    dataTransfer.items.add(new File([bytes], "dot.png", { type: "image/png" }));
    const init = { dataTransfer, bubbles: true, cancelable: true };
    const log = document.querySelector(".scroll");
    // A browser would show the file instead of the page.
    return [new DragEvent("dragover", init), new DragEvent("drop", init)].map((event) => !log.dispatchEvent(event));
  })()`);
    expect(isTaken).toEqual([true, true]);
    await page.getByAltText("Image 1").waitFor();
    const chooser = page.waitForEvent("filechooser");
    await page.locator(".attach").click();
    await (await chooser).setFiles([path]);
    await page.getByAltText("Image 2").waitFor();
    await page.getByLabel("Attach images").setInputFiles(other);
    await page.getByRole("alert").getByText("words.txt").waitFor();
    expect(await page.getByAltText(/^Image/).count()).toBe(2);
    await send(page, "What are these?");
    await said(page, "I see both.");
    const content = model.requests[0]!.body.messages.at(-1)!.content as unknown as { type: string }[];
    expect(content.filter(({ type }) => type === "image")).toHaveLength(2);
    expect(problems).toEqual([]);
  },
);

testHere(
  "a session that is open nowhere opens with the first letter, also one that was typed before it is shown",
  async () => {
    using home = temporaryHome();
    await using model = await startMockModel([{ text: "One." }, { text: "Two." }]);
    await using first = startKeelson(["-p", "First"], { home, url: model.url });
    await first.done;
    await using web = await startWeb({ home, url: model.url });
    await using browser = await startBrowser();
    const { page, problems } = await openPage(browser);
    await signIn(page, web.link);
    const shown = Promise.withResolvers<void>();
    const held = Promise.withResolvers<void>();
    await page.routeWebSocket(/sessions\/[\da-f-]{36}\/stream/, (socket) => {
      const server = socket.connectToServer();
      server.onMessage(async (message) => {
        held.resolve();
        await shown.promise;
        socket.send(message);
      });
    });
    await page.getByRole("link", { name: "First" }).click();
    await held.promise;
    await box(page).fill("Second");
    shown.resolve();
    // Only an open session knows its models.
    await page.getByRole("button", { name: "Model, context and cost" }).getByText("sonnet").waitFor();
    await press(page, "Send");
    await said(page, "Two.");
    expect(problems).toEqual([]);
  },
);

testHere("a prompt that is sent while its image is read waits for it, and is kept if there is no image", async () => {
  using home = temporaryHome();
  const other = home.write("words.txt", "words");
  await using model = await startMockModel([{ text: "I see it." }]);
  await using web = await startWeb({ home, url: model.url });
  await using browser = await startBrowser();
  const { page, problems } = await openPage(browser);
  await signIn(page, web.link);
  await begin(page);
  await page.evaluate(`(() => {
    const read = window.createImageBitmap;
    const held = new Promise((resolve) => (window.letGo = resolve));
    window.createImageBitmap = async (...all) => (await held, read.apply(window, all));
  })()`);
  await page.getByLabel("Attach images").setInputFiles(other);
  await box(page).fill("Not yet");
  await page.keyboard.press("Enter");
  await page.getByText("Sent when the images are read").waitFor();
  await page.evaluate("window.letGo()");
  await page.getByRole("alert").getByText("words.txt").waitFor();
  expect(await box(page).inputValue()).toBe("Not yet");
  await pasteImage(page, 300, 200);
  await box(page).fill("What is this?");
  await page.keyboard.press("Enter");
  await said(page, "I see it.");
  const content = model.requests[0]!.body.messages.at(-1)!.content as unknown as { type: string }[];
  expect(content.filter(({ type }) => type === "image")).toHaveLength(1);
  expect(problems).toEqual([]);
});

testHere(
  "a prompt that waits is shown to every client, also to one that comes later, until it runs or is taken back",
  async () => {
    using home = temporaryHome();
    const first = Promise.withResolvers<void>();
    await using model = await startMockModel([{ text: "One.", hold: first.promise }, { text: "Two." }]);
    await using web = await startWeb({ home, url: model.url });
    await using browser = await startBrowser();
    const { page, problems } = await openPage(browser);
    await signIn(page, web.link);
    const paired = async () => {
      await page.getByRole("link", { name: "Devices" }).click();
      await press(page, "Link that may do everything");
      const { page: other } = await openPage(browser);
      await signIn(other, (await page.locator("pre.link").textContent())!);
      await page.goBack();
      return other;
    };
    const [early, late] = [await paired(), await paired()];
    await begin(page);
    await send(page, "Begin");
    await page.getByText("Working", { exact: true }).waitFor();
    await early.goto(page.url());
    await early.getByText("Connected").waitFor();
    for (const text of ["And then this", "And never this"]) {
      await box(page).fill(text);
      await press(page, "After this");
    }
    const waiting = (of: Page) => of.getByRole("list", { name: "Prompts that wait" }).getByRole("listitem");
    await waiting(early).nth(1).waitFor();
    await late.goto(page.url());
    await waiting(late).nth(1).waitFor();
    for (const other of [early, late]) {
      expect(await waiting(other).allInnerTexts()).toEqual([
        expect.stringMatching(/^And then this\s+comes after · from /),
        expect.stringMatching(/^And never this\s+comes after · from /),
      ]);
      // Whoever wrote it takes it back.
      expect(await other.getByRole("button", { name: "Take back" }).count()).toBe(0);
    }
    await page.getByRole("button", { name: "Take back" }).last().click();
    await waiting(late).nth(1).waitFor({ state: "detached" });
    first.resolve();
    for (const each of [page, early, late]) {
      await said(each, "Two.");
      await waiting(each).first().waitFor({ state: "detached" });
    }
    expect(problems).toEqual([]);
  },
);
