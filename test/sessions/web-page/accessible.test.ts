// Every screen of the page for people who do not see it, or who use no mouse: axe-core, the keyboard alone, and what is announced.

import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { startMockModel, temporaryHome, testUnless, type ScriptedReply } from "@keelson/testkit";
import type { AxeResults } from "axe-core";
import type { Page } from "playwright-core";
import { fakeServer, withServers } from "../servers/fake.ts";
import { noBrowser, openPage, startBrowser, type SIZES } from "./browser.ts";
import { startWeb } from "./web-client.ts";

const testHere = testUnless(noBrowser, test);

const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const SIGHTS = (["desktop", "phone"] as (keyof typeof SIZES)[]).flatMap((size) =>
  [false, true].map((dark) => ({ size, dark, name: `${size}, ${dark ? "dark" : "light"}` })),
);

const call = (name: string, input: Record<string, any>): ScriptedReply => ({ calls: [{ name, input }] });
const QUESTION = {
  question: "Which license?",
  header: "License",
  options: [
    { label: "MIT", description: "short" },
    { label: "Apache-2.0", description: "with patents" },
  ],
  multiSelect: false,
};
const TODOS = ["pending", "in_progress", "completed"].map((status, at) => ({
  content: `Step ${at}`,
  activeForm: "",
  status,
}));
const ANSWER = `# A title

Prose with \`code\`, **weight**, a [link](https://example.org/).

- one
- [x] two

\`\`\`ts
const a = 1;
\`\`\`

| a | b |
|---|--:|
| 1 | 2 |

> quoted

![a picture](https://example.org/x.png)`;

testHere.each(SIGHTS)("$name: axe finds nothing serious on any screen", async ({ size, dark }) => {
  using home = temporaryHome();
  home.write("add.ts", "export const add = (a: number, b: number) => a - b;\n");
  const file_path = `${home.project}/add.ts`;
  await using model = await startMockModel([
    { thinking: "Let me think.", text: ANSWER, calls: [{ name: "Read", input: { file_path } }] },
    call("Bash", {
      command:
        "printf '\\033[31mred\\033[0m \\033[32mgreen\\033[0m \\033[33myellow\\033[0m \\033[1mbold\\033[2mfaint\\n'; false",
    }),
    call("TodoWrite", { todos: TODOS }),
    call("Edit", { file_path, old_string: "a - b", new_string: "a + b" }),
    call("AskUserQuestion", { questions: [QUESTION] }),
    { text: "The end." },
    call("ExitPlanMode", { plan: "# The plan\n\n1. one\n2. two" }),
  ]);
  await using web = await startWeb({ home, url: model.url, args: ["--allowedTools", "Bash(printf:*)", "Bash(false)"] });
  await using browser = await startBrowser();
  const { page, problems } = await openPage(browser, { size, dark });
  const found: string[] = [];
  const look = async (screen: string) => found.push(...(await seriousOn(page)).map((text) => `${screen}: ${text}`));
  await page.goto(web.link);
  await page.getByRole("button", { name: "Sign in" }).waitFor();
  await look("sign in");
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.getByRole("link", { name: "New", exact: true }).waitFor();
  await look("no sessions");
  await page.getByRole("link", { name: "Devices" }).click();
  await page.getByRole("button", { name: "Link that may do everything" }).click();
  await page.locator("pre.link").waitFor();
  await look("devices");
  const device = await web.signIn((await page.locator("pre.link").textContent())!);
  await page.goto(`${web.address}/#/new`);
  await page.getByRole("button", { name: "Begin" }).waitFor();
  await look("new session");
  await page.getByRole("button", { name: "Begin" }).click();
  await page.getByText("Connected").waitFor();
  await look("an empty session");
  await page.getByRole("textbox", { name: "Prompt" }).fill("Fix it");
  await page.getByRole("button", { name: "Send" }).click();
  await page.getByRole("heading", { name: "Allow Edit?" }).waitFor();
  await page.locator("details").evaluateAll((all) => all.forEach((each: any) => (each.open = true)));
  await look("a permission");
  await page.locator(".question button.primary:not(:disabled)").click();
  await page.getByRole("radio").first().waitFor();
  await look("a question");
  await page.getByRole("radio").first().check();
  await page.getByRole("button", { name: "Answer", exact: true }).click();
  await page.getByText("The end.", { exact: true }).waitFor();
  await page.locator("details").evaluateAll((all) => all.forEach((each: any) => (each.open = true)));
  await look("a conversation");
  await page.getByRole("textbox", { name: "Prompt" }).fill("/");
  await page.getByRole("option").first().waitFor();
  await look("suggestions");
  await page.getByRole("textbox", { name: "Prompt" }).fill("");
  await page.getByRole("button", { name: "More" }).click();
  await look("the menu");
  await page.keyboard.press("Escape");
  for (const name of ["Changes", "Rewind", "Rename"]) {
    await page.getByRole("button", { name: "More" }).click();
    await page.getByRole("button", { name, exact: true }).click();
    await page.getByRole("dialog", { name }).waitFor();
    await look(name);
    await page.keyboard.press("Escape");
    await page.getByRole("dialog", { name }).waitFor({ state: "detached" });
  }
  await page.goto(`${web.address}/#/s/${await device.begin({ mode: "plan" })}`);
  await page.getByText("Connected").waitFor();
  await page.getByRole("textbox", { name: "Prompt" }).fill("Plan it");
  await page.getByRole("button", { name: "Send" }).click();
  await page.locator(".question").getByText("The plan").waitFor();
  await look("a plan");
  await page.goto(`${web.address}/#/`);
  await page.locator(".session").first().waitFor();
  await look("the list");
  await page.goto(`${web.address}/#/s/99999999-9999-4999-8999-999999999999`);
  await page.getByRole("alert").waitFor();
  await look("no such session");
  expect(found).toEqual([]);
  expect(problems).toEqual([]);
});

testHere.each(SIGHTS)("$name: axe finds nothing serious in any dialog, or while something is wrong", async (sight) => {
  using home = temporaryHome();
  const rest = Promise.withResolvers<void>();
  const schema = {
    type: "object",
    required: ["name"],
    properties: {
      name: { type: "string", title: "Name", description: "As it is printed" },
      many: { type: "integer", minimum: 1, maximum: 9 },
      sure: { type: "boolean", default: true },
      color: { type: "string", enum: ["red", "green"] },
      mail: { type: "string", format: "email" },
    },
  };
  const server = fakeServer(home, "srv", { tools: ["form"] });
  const questions = [
    { ...QUESTION, multiSelect: true },
    { ...QUESTION, question: "And the year?", header: "Year" },
  ];
  await using model = await startMockModel([
    call("Bash", { command: "touch made && rm -rf old", description: "Clean up" }),
    call("mcp__srv__form", { message: "Who are you?", schema }),
    call("AskUserQuestion", { questions }),
    call("Bash", { command: "sleep 300", description: "Serve", run_in_background: true }),
    { text: "It runs.", hold: rest.promise },
    { text: "Never." },
  ]);
  const args = [...withServers({ srv: server }), "--allowedTools", "mcp__srv", "Bash(sleep:*)"];
  await using web = await startWeb({ home, url: model.url, args });
  await using browser = await startBrowser();
  const { page, context } = await openPage(browser, sight);
  const found: string[] = [];
  const look = async (screen: string) => found.push(...(await seriousOn(page)).map((text) => `${screen}: ${text}`));
  const button = (name: string) => page.getByRole("button", { name, exact: true });
  await page.goto(`${web.address}/#code=${"x".repeat(43)}`);
  await button("Sign in").click();
  await page.getByRole("alert").waitFor();
  await look("a link that does not hold");
  await page.getByRole("textbox", { name: "Link" }).fill(web.link);
  await button("Sign in").click();
  await page.getByRole("link", { name: "New", exact: true }).click();
  await button("Begin").click();
  await page.getByText("Connected").waitFor();
  await page.getByRole("textbox", { name: "Prompt" }).fill("Do it");
  await button("Send").click();
  await page.getByRole("heading", { name: "Allow Bash?" }).waitFor();
  await look("a command");
  await page.locator(".question button.primary:not(:disabled)").click();
  await page.getByRole("heading", { name: "srv asks" }).waitFor();
  await look("a form");
  await page.locator(".question").getByRole("textbox").first().fill("Ada");
  await page.locator(".question button:not(:disabled)").getByText("Decline", { exact: true }).click();
  await page.getByRole("checkbox").first().waitFor();
  await look("questions with several answers");
  await page.getByRole("checkbox").first().check();
  const next = page.locator(".question button.primary:not(:disabled)");
  await page.getByRole("radio").first().check();
  await next.click();
  await page.getByText("1 in the background").click();
  await look("tasks");
  await page.getByRole("textbox", { name: "Prompt" }).fill("For later");
  await button("After this").click();
  await page.locator(".queued").waitFor();
  await look("a prompt that waits");
  for (const [opened, name] of [
    ["Model, context and cost", undefined],
    ["More", "Rewind"],
  ] as const) {
    await page.getByRole("button", { name: opened }).click();
    if (name) await button(name).click();
    await page.getByRole("dialog").waitFor();
    if (name) await page.getByRole("dialog").getByRole("button", { name: "Do it" }).click();
    await page.getByRole("dialog").locator("button, input").first().waitFor();
    await look(name ?? opened);
    await page.keyboard.press("Escape");
    await page.getByRole("dialog").waitFor({ state: "detached" });
  }
  await button("Take back").click();
  await page.locator(".queued").waitFor({ state: "detached" });
  await context.setOffline(true);
  await page.getByText("Offline").waitFor();
  await look("offline");
  await context.setOffline(false);
  await page.getByText("Connected").waitFor();
  rest.resolve();
  await page.goto(`${web.address}/#/`);
  await page.getByText("Archived sessions").click();
  await page.getByText("Back to all sessions").waitFor();
  await look("archived sessions");
  await page
    .getByRole("searchbox")
    .or(page.getByRole("textbox", { name: "Search" }))
    .first()
    .fill("nothing at all");
  await look("a search that finds nothing");
  expect(found).toEqual([]);
});

testHere("everything can be done with the keyboard alone, and nothing moves where that is not wanted", async () => {
  using home = temporaryHome();
  await using model = await startMockModel([
    call("Bash", { command: "touch made" }),
    { text: "Made." },
    call("Bash", { command: "sleep 300" }),
  ]);
  await using web = await startWeb({ home, url: model.url, args: ["--allowedTools", "Bash(sleep:*)"] });
  await using browser = await startBrowser();
  const { page, problems } = await openPage(browser);
  await page.emulateMedia({ reducedMotion: "reduce" });
  await page.goto(web.link);
  await press(page, "Sign in");
  await page.getByRole("link", { name: "New", exact: true }).waitFor();
  await press(page, "New");
  await page.getByRole("button", { name: "Begin" }).waitFor();
  await press(page, "Begin");
  await page.getByText("Connected").waitFor();
  // The prompt has the focus.
  await page.keyboard.type("Make it");
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: "Allow Bash?" }).waitFor();
  await page.locator(".question button.primary:not(:disabled)").waitFor();
  await press(page, "Allow");
  await page.getByText("Made.", { exact: true }).waitFor();
  expect(await Bun.file(`${home.project}/made`).exists()).toBe(true);
  await press(page, "Bash");
  await page.locator(".call[open] .command").waitFor();
  await focus(page, "Prompt");
  await page.keyboard.type("Sleep");
  await page.keyboard.press("Enter");
  await page.locator(".call.running").waitFor();
  expect(await page.evaluate("document.getAnimations().length")).toBe(0);
  await focus(page, "Prompt");
  await page.keyboard.press("Escape");
  await page.getByText("Interrupted", { exact: true }).waitFor();
  expect(await page.getByRole("log", { name: "Conversation" }).count()).toBe(1);
  expect(await page.getByRole("status").allTextContents()).toContain("Connected");
  expect(problems).toEqual([]);
});

async function press(page: Page, name: string): Promise<void> {
  await focus(page, name);
  await page.keyboard.press("Enter");
}

/** Goes there with Tab, past everything that comes before it. */
async function focus(page: Page, name: string): Promise<void> {
  const passed: string[] = [];
  for (let steps = 0; steps < 60; steps++) {
    await page.keyboard.press("Tab");
    const focused = page.locator("*:focus");
    // Behind the last one comes the browser.
    if ((await focused.count()) === 0) continue;
    const named = await focused.getAttribute("aria-label");
    const tool = focused.and(page.locator("summary")).locator(".tool");
    const at = named ?? ((await tool.count()) > 0 ? await tool.textContent() : await focused.textContent());
    if (at === name) return;
    passed.push(at ?? "");
  }
  throw new Error(`"${name}" has no focus after ${passed.join(", ")}`);
}

/** What axe calls serious or worse, and where. */
async function seriousOn(page: Page): Promise<readonly string[]> {
  await page.evaluate(AXE);
  const { violations } = await page.evaluate<AxeResults>("axe.run()");
  return violations
    .filter(({ impact }) => impact === "serious" || impact === "critical")
    .flatMap(({ id, nodes }) =>
      nodes.map(({ target, failureSummary }) => `${id} at ${String(target)}: ${failureSummary}`),
    );
}
