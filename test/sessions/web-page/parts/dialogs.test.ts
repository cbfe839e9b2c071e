// What a session asks beside permissions, and what it shows of its work, in a real browser.

import { expect, test } from "bun:test";
import { startMockModel, temporaryHome, testUnless, type ScriptedReply } from "@keelson/testkit";
import type { Page } from "playwright-core";
import { fakeServer, withServers } from "../../servers/fake.ts";
import { noBrowser, openPage, startBrowser, type SIZES } from "../browser.ts";
import { begin, press, said, send, signIn } from "../person.ts";
import { picture } from "../support/pictures.ts";
import { startWeb } from "../web-client.ts";

const testHere = testUnless(noBrowser, test);

const call = (name: string, input: object = {}): ScriptedReply => ({ calls: [{ name, input: input as never }] });

testHere("a plan is sent back with words, changed, and approved with the mode that was chosen", async () => {
  using home = temporaryHome();
  const file_path = `${home.project}/plan.txt`;
  const plan = "# Split the parser\n\n1. Move the **lexer** to `lexer.ts`\n2. Keep one entry point\n3. Test both alone";
  await using model = await startMockModel([
    call("ExitPlanMode", { plan: "# Rewrite everything" }),
    call("ExitPlanMode", { plan }),
    call("Write", { file_path, content: "started\n" }),
    { text: "Started." },
  ]);
  await using web = await startWeb({ home, url: model.url });
  await using browser = await startBrowser();
  const { page, problems } = await openPage(browser, { size: "phone" });
  await signIn(page, web.link);
  await begin(page);
  await page.getByRole("combobox", { name: "Permission mode" }).selectOption("plan");
  await send(page, "Plan it");
  await page.getByRole("heading", { name: "Rewrite everything" }).waitFor();
  await page.getByRole("textbox", { name: "What to change in the plan" }).fill("Smaller steps");
  await press(page, "Keep planning");
  await page.getByRole("heading", { name: "Split the parser" }).waitFor();
  expect(JSON.stringify(model.requests.at(-1)!.body)).toContain("Smaller steps");
  await page.getByRole("button", { name: "Keep planning", disabled: false }).waitFor();
  await picture(page, "plan-phone");
  await press(page, "Yes, and accept edits");
  await said(page, "Started.");
  expect(await Bun.file(file_path).text()).toBe("started\n");
  expect(await page.getByRole("combobox", { name: "Permission mode" }).inputValue()).toBe("acceptEdits");
  expect(problems).toEqual([]);
});

testHere("a form of an MCP server is filled in, or declined", async () => {
  using home = temporaryHome();
  const server = fakeServer(home, "srv", { tools: ["ask"] });
  await using model = await startMockModel([
    call("mcp__srv__ask"),
    { text: "Thanks." },
    call("mcp__srv__ask"),
    { text: "A pity." },
  ]);
  const args = [...withServers({ srv: server }), "--allowedTools", "mcp__srv"];
  await using web = await startWeb({ home, url: model.url, args });
  await using browser = await startBrowser();
  const { page, problems } = await openPage(browser);
  await signIn(page, web.link);
  await begin(page);
  await send(page, "Ask me");
  const accept = page.getByRole("button", { name: "Accept", exact: true });
  await page.getByRole("heading", { name: "srv asks" }).waitFor();
  await page.getByText("Your name?").waitFor();
  await accept.click();
  await page.getByRole("alert").getByText("Required").waitFor();
  await page.getByRole("textbox", { name: "name" }).fill("Ada");
  await accept.click();
  await said(page, "Thanks.");
  expect(JSON.stringify(model.requests[1]!.body)).toContain("Ada");
  await send(page, "Ask me again");
  await press(page, "Decline");
  await said(page, "A pity.");
  expect(JSON.stringify(model.requests.at(-1)!.body)).toContain("decline");
  expect(problems).toEqual([]);
});

/** Every kind of field that servers may ask for. */
const SCHEMA = {
  type: "object",
  properties: {
    mail: { type: "string", title: "Mail", description: "Where to write", format: "email" },
    day: { type: "string", title: "Day", format: "date" },
    code: { type: "string", minLength: 3, maxLength: 5, default: "abc" },
    age: { type: "integer", minimum: 18 },
    share: { type: "number", maximum: 1 },
    sure: { type: "boolean", title: "I am sure" },
    color: { type: "string", enum: ["r", "g"], enumNames: ["Red", "Green"] },
    size: {
      type: "string",
      oneOf: [
        { const: "s", title: "Small" },
        { const: "l", title: "Large" },
      ],
    },
    toppings: { type: "array", items: { type: "string", enum: ["cheese", "olives", "ham"] }, minItems: 1, maxItems: 2 },
    other: { type: "object" },
    nothing: { type: "string" },
  },
  required: ["mail", "day", "age", "sure", "color", "toppings"],
};

testHere.each(["desktop", "phone"] as (keyof typeof SIZES)[])(
  "%s: a form with every kind of field says what is wrong, and sends what its schema wants",
  async (size) => {
    using home = temporaryHome();
    const server = fakeServer(home, "srv", { tools: ["form"] });
    await using model = await startMockModel([
      call("mcp__srv__form", { message: "A pizza?", schema: SCHEMA }),
      { text: "It comes." },
    ]);
    const args = [...withServers({ srv: server }), "--allowedTools", "mcp__srv"];
    await using web = await startWeb({ home, url: model.url, args });
    await using browser = await startBrowser();
    const { page, problems } = await openPage(browser, { size });
    await signIn(page, web.link);
    await begin(page);
    await send(page, "Order");
    await page.getByText("A pizza?", { exact: true }).waitFor();
    const accept = page.getByRole("button", { name: "Accept", exact: true, disabled: false });
    await accept.click();
    const errors = page.locator(".question [role=alert]");
    expect(await errors.allTextContents()).toEqual([
      "Required",
      "Required",
      "Required",
      "Choose one",
      "Choose at least 1",
    ]);
    const mail = page.getByRole("textbox", { name: "Mail", description: "Where to write" });
    await mail.fill("nowhere");
    expect(await mail.getAttribute("aria-invalid")).toBe("true");
    await page.getByText("Enter an email address, like name@example.com").waitFor();
    await mail.fill("a@example.org");
    await page.getByLabel("Day").fill("2026-11-19");
    await page.getByRole("textbox", { name: "code" }).fill("abcdef");
    await page.getByText("Enter at most 5 characters").waitFor();
    await page.getByRole("textbox", { name: "code" }).fill("abcd");
    await page.getByRole("textbox", { name: "age" }).fill("17");
    await page.getByText("Enter 18 or more").waitFor();
    await page.getByRole("textbox", { name: "age" }).fill("18");
    await page.getByRole("textbox", { name: "share" }).fill("0.5");
    await page.getByRole("checkbox", { name: "I am sure" }).check();
    await page.getByRole("combobox", { name: "color" }).selectOption("Green");
    await page.getByRole("combobox", { name: "size" }).selectOption("Large");
    const toppings = page.getByRole("group", { name: "toppings" });
    for (const name of ["cheese", "olives", "ham"]) await toppings.getByRole("checkbox", { name }).check();
    await toppings.getByText("Choose at most 2").waitFor();
    await toppings.getByRole("checkbox", { name: "olives" }).uncheck();
    await page.getByRole("textbox", { name: "other" }).fill('{"a": [1]}');
    expect(await errors.count()).toBe(0);
    await accept.click();
    await said(page, "It comes.");
    const [{ content }] = model.requests[1]!.body.messages.at(-1)!.content as never as [
      { content: { text: string }[] },
    ];
    expect(JSON.parse(content[0]!.text)).toEqual({
      action: "accept",
      content: {
        ...{ mail: "a@example.org", day: "2026-11-19", code: "abcd", age: 18, share: 0.5, sure: true },
        ...{ color: "g", size: "l", toppings: ["cheese", "ham"], other: { a: [1] } },
      },
    });
    expect(problems).toEqual([]);
  },
);

const PROSE = [
  ...["maybe use a branch\n", "yes\n\n", "y \n", "Allow it 1\n", "no, a a \n\n", "2\n", "はい \n", "'ok' \n \n"],
  ...["<b>auto</b> \n", "bypass everything \n", "Accept edits\n", "plan first\n", "ä \n"],
];

testHere(
  "whatever is typed answers no question and chooses no mode, also with a button or the list in focus",
  async () => {
    using home = temporaryHome();
    const server = fakeServer(home, "srv", { tools: ["ask"] });
    await using model = await startMockModel([
      { text: "I listen." },
      { text: "I heard." },
      call("Bash", { command: "touch made" }),
      call("ExitPlanMode", { plan: "# Rewrite everything" }),
      call("mcp__srv__ask"),
      { text: "Well then." },
    ]);
    const args = [...withServers({ srv: server }), "--allowedTools", "mcp__srv"];
    await using web = await startWeb({ home, url: model.url, args });
    await using browser = await startBrowser();
    const { page, problems } = await openPage(browser);
    await signIn(page, web.link);
    await begin(page);
    await send(page, "Listen");
    await said(page, "I listen.");
    const modes = page.getByRole("combobox", { name: "Permission mode" });
    const prompt = page.getByRole("textbox", { name: "Prompt" });
    for (const text of PROSE.map((each) => each.trim())) {
      await modes.focus();
      await page.keyboard.type(text);
      expect([await modes.inputValue(), await prompt.inputValue()]).toEqual(["default", text]);
      await prompt.fill("");
    }
    await modes.focus();
    await page.keyboard.type("bypass everything\n");
    await said(page, "I heard.");

    const typeAt = async (button: string) => {
      for (const text of PROSE) {
        await page.getByRole("button", { name: button, exact: true, disabled: false }).focus();
        await page.keyboard.type(text);
      }
    };
    await send(page, "Go");
    await page.getByRole("heading", { name: "Allow Bash?" }).waitFor();
    await typeAt("Allow");
    const words = page.getByRole("textbox", { name: "What to do instead" });
    expect(await words.inputValue()).toContain("maybe use a branch");
    await words.fill("use a branch");
    await modes.selectOption("plan");
    // The keys lead from the words to what sends them.
    await words.focus();
    await page.keyboard.press("Tab");
    await page.keyboard.press("Enter");

    await page.getByRole("heading", { name: "Rewrite everything" }).waitFor();
    expect(JSON.stringify(model.requests.at(-1)!.body)).toContain("use a branch");
    await typeAt("Yes, and accept edits");
    await page.getByRole("textbox", { name: "What to change in the plan" }).focus();
    await page.keyboard.press("Tab");
    await page.keyboard.press("Enter");

    await page.getByRole("heading", { name: "srv asks" }).waitFor();
    await typeAt("Accept");
    await page.getByRole("textbox", { name: "name" }).focus();
    for (const text of PROSE) await page.keyboard.type(text);
    await press(page, "Decline");
    await said(page, "Well then.");
    expect(JSON.stringify(model.requests.at(-1)!.body)).toContain("decline");
    expect(await modes.inputValue()).toBe("plan");
    expect(problems).toEqual([]);
  },
);

testHere("model and effort are chosen, and context and cost are told", async () => {
  using home = temporaryHome();
  await using model = await startMockModel([{ text: "One." }, { text: "Two." }]);
  await using web = await startWeb({ home, url: model.url, args: ["--model", "sonnet"] });
  await using browser = await startBrowser();
  const { page, problems } = await openPage(browser);
  await signIn(page, web.link);
  await begin(page);
  await send(page, "First");
  await said(page, "One.");
  const open = page.getByRole("button", { name: "Model, context and cost" });
  await open.getByText("%").waitFor();
  await open.click();
  await page.getByRole("radio", { name: "Opus" }).check();
  await page.getByRole("combobox", { name: "Effort" }).selectOption("low");
  await open.getByText("low").waitFor();
  await page.getByRole("row", { name: "System prompt" }).waitFor();
  await page.keyboard.press("Escape");
  await send(page, "Second");
  await said(page, "Two.");
  const [before, after] = model.requests.map(
    ({ body }) => body as { model: string; output_config?: { effort?: string } },
  );
  expect(before!.model).toContain("sonnet");
  expect([after!.model, after!.output_config?.effort]).toEqual([expect.stringContaining("opus"), "low"]);
  expect(problems).toEqual([]);
});

testHere(
  "the todo list says what is done and being done, and what runs in the background is stopped there",
  async () => {
    using home = temporaryHome();
    const todos = [
      { content: "Read the parser", activeForm: "Reading the parser", status: "completed" },
      { content: "Write the lexer", activeForm: "Writing the lexer", status: "in_progress" },
      { content: "Test both", activeForm: "Testing both", status: "pending" },
    ];
    const rest = Promise.withResolvers<void>();
    const command = { command: "echo listening; sleep 300", description: "Serve the docs", run_in_background: true };
    await using model = await startMockModel([
      call("TodoWrite", { todos }),
      { calls: [{ name: "Bash", input: command }] },
      { text: "It runs.", hold: rest.promise },
      { text: "It was stopped." },
    ]);
    await using web = await startWeb({ home, url: model.url, args: ["--allowedTools", "Bash"] });
    await using browser = await startBrowser();
    const { page, problems } = await openPage(browser);
    await signIn(page, web.link);
    await begin(page);
    await send(page, "Work");
    await page.getByText("1 of 3 done · Writing the lexer · 1 in the background").click();
    const list = page.getByRole("list", { name: "To do" }).getByRole("listitem");
    expect(await list.allInnerTexts()).toEqual(["☑ Read the parser", "◧ Writing the lexer", "☐ Test both"]);
    const tasks = page.getByRole("list", { name: "In the background" });
    await tasks.getByText("Serve the docs").waitFor();
    await tasks.getByRole("button", { name: "Output" }).click();
    await tasks.getByText("listening").waitFor();
    await picture(page, "working");
    await press(page, "Stop it");
    await tasks.waitFor({ state: "detached" });
    rest.resolve();
    await said(page, "It runs.");
    expect(problems).toEqual([]);
  },
);

testHere("background tasks are a tree of who started whom", async () => {
  using home = temporaryHome();
  const agent = {
    description: "Look around",
    prompt: "Look",
    subagent_type: "general-purpose",
    run_in_background: true,
  };
  const command = { command: "sleep 300", description: "Wait long", run_in_background: true };
  const rest = Promise.withResolvers<void>();
  await using model = await startMockModel((request) => {
    const [first, ...others] = request["messages"] as readonly object[];
    const isMain = JSON.stringify(first).includes("Begin with all of it");
    if (others.length > 0) return isMain ? { text: "It looks." } : { text: "Still looking.", hold: rest.promise };
    return isMain ? call("Agent", agent) : { calls: [{ name: "Bash", input: command }] };
  });
  await using web = await startWeb({ home, url: model.url, args: ["--allowedTools", "Bash", "Agent"] });
  await using browser = await startBrowser();
  const { page, problems } = await openPage(browser, { size: "phone" });
  await signIn(page, web.link);
  await begin(page);
  await send(page, "Begin with all of it");
  await page.getByText("2 in the background").click();
  const tree = page.getByRole("list", { name: "In the background" });
  const top = tree.locator(":scope > li");
  await top.locator("ul").getByText("Wait long").waitFor();
  expect(await top.count()).toBe(1);
  expect(await top.locator(":scope > .task").innerText()).toContain("Look around");
  await top.locator("ul").getByRole("button", { name: "Stop it" }).click();
  await top.locator("ul").waitFor({ state: "detached" });
  rest.resolve();
  expect(problems).toEqual([]);
});

testHere(
  "on a small phone the answers are in sight, however long a question is, and paths show the name of the file",
  async () => {
    using home = temporaryHome();
    const name = "packages/a-part-with-a-long-name/src/internal/of-the-inside/calculation/Reconciliation.ts";
    const file_path = `${home.project}/${name}`;
    const options = ["One", "Two", "Three", "Four"].map((label) => ({ label, description: "words of it ".repeat(12) }));
    const questions = ["First", "Second", "Third"].map((question) => ({
      question: `${question}, with many words about what it is for?`,
      header: question,
      options,
      multiSelect: false,
    }));
    await using model = await startMockModel([
      call("Write", { file_path, content: "export const rate = 2;\n".repeat(60) }),
      call("AskUserQuestion", { questions }),
      { text: "The end." },
    ]);
    await using web = await startWeb({ home, url: model.url });
    await using browser = await startBrowser();
    const { page, problems } = await openPage(browser, { size: "phone" });
    await page.setViewportSize({ width: 360, height: 640 });
    await signIn(page, web.link);
    await begin(page);
    await send(page, "Ask me");
    await page.getByRole("heading", { name: "Allow Write?" }).waitFor();
    for (const answer of ["Allow", "Deny"]) expect(await isInSight(page, answer)).toBe(true);
    // The end of the path, which says which file it is.
    const end = page.locator(".call .path .end");
    expect(await end.textContent()).toBe("Reconciliation.ts");
    expect(await end.evaluate((span: any) => span.scrollWidth > span.clientWidth)).toBe(false);
    await page.locator(".question button.primary:not(:disabled)").click();
    await page.getByRole("radio").first().waitFor();
    for (const answer of ["Answer", "Do not answer"]) expect(await isInSight(page, answer)).toBe(true);
    for (const at of [0, 4, 8]) await page.getByRole("radio").nth(at).check();
    await page.locator(".question button.primary:not(:disabled)").click();
    await said(page, "The end.");
    expect(problems).toEqual([]);
  },
);

testHere("while the page is not connected, an answer cannot be given, and what was typed is kept", async () => {
  using home = temporaryHome();
  await using model = await startMockModel([call("Bash", { command: "touch made" }), { text: "The end." }]);
  await using web = await startWeb({ home, url: model.url });
  await using browser = await startBrowser();
  const { page, context } = await openPage(browser);
  await signIn(page, web.link);
  await begin(page);
  await send(page, "Make it");
  const ready = page.locator(".question button.primary:not(:disabled)");
  await ready.waitFor();
  await context.setOffline(true);
  await page.getByText("Offline").waitFor();
  await page.getByRole("button", { name: "Allow", exact: true, disabled: true }).waitFor();
  await page.getByRole("textbox", { name: "What to do instead" }).fill("Use a folder");
  await page.getByRole("button", { name: "Deny and say this", disabled: true }).waitFor();
  await context.setOffline(false);
  await page.getByRole("button", { name: "Deny and say this", disabled: false }).click();
  await said(page, "The end.");
  expect(JSON.stringify(model.requests.at(-1)!.body)).toContain("Use a folder");
  expect(await Bun.file(`${home.project}/made`).exists()).toBe(false);
});

/** Whether a click on its middle reaches it, without scrolling. */
const isInSight = (page: Page, name: string) =>
  page.getByRole("button", { name, exact: true }).evaluate((button: any) => {
    const { left, top, width, height } = button.getBoundingClientRect();
    return button.ownerDocument.elementFromPoint(left + width / 2, top + height / 2) === button;
  });
