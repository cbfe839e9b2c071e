// Texts that would run as code in a page that made HTML of them, from everywhere that a text can come from. Each carries a canary.

import { expect, test } from "bun:test";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { startMockModel, temporaryHome, testUnless } from "@keelson/testkit";
import { noBrowser, openPage, startBrowser } from "./browser.ts";
import { expectOnlyText, HOSTILE, MARKDOWN, MARKUP, RUN } from "./support/hostile.ts";
import { startWeb } from "./web-client.ts";

const testHere = testUnless(noBrowser, test);

const TEXTS = [...MARKUP, ...MARKDOWN];
const PLACES = 4;

testHere("no text runs as code, loads anything or leads anywhere but to a page", async () => {
  expect(TEXTS.length * PLACES).toBeGreaterThan(200);
  using home = temporaryHome();
  const all = TEXTS.join("\n\n");
  home.write("hostile.txt", all);
  const file_path = join(home.project, "hostile.txt");
  const names = MARKUP.slice(0, 20).map((text, at) => `${at}${text.replaceAll(/[/\0]/g, "")}`.slice(0, 200));
  mkdirSync(join(home.project, "names"));
  for (const name of names) writeFileSync(join(home.project, "names", name), "");
  const title = `<img src=x onerror=${RUN}>`;
  const options = [
    { label: MARKUP[1]!, description: MARKUP[3]! },
    { label: MARKDOWN[0]!, description: MARKUP[0]! },
  ];
  await using model = await startMockModel([
    { thinking: all, text: all },
    ...TEXTS.map((text) => ({ text })),
    { calls: [{ name: "Read", input: { file_path } }] },
    { calls: [{ name: "Bash", input: { command: "cat hostile.txt; ls names" } }] },
    { calls: [{ name: "Edit", input: { file_path, old_string: MARKUP[0], new_string: MARKUP[1] } }] },
    { calls: [{ name: "Bash", input: { command: `echo '${MARKUP[1]}'`, description: MARKUP[3] } }] },
    {
      calls: [
        {
          name: "TodoWrite",
          input: { todos: TEXTS.slice(0, 20).map((content) => ({ content, activeForm: content, status: "pending" })) },
        },
      ],
    },
    { calls: [{ name: MARKUP[1]!, input: { [MARKUP[0]!]: MARKUP[1]! } }] },
    {
      calls: [
        {
          name: "AskUserQuestion",
          input: { questions: [{ question: `${MARKUP[1]}?`, header: "<b>", options, multiSelect: false }] },
        },
      ],
    },
    { text: "The end." },
  ]);
  await using web = await startWeb({ home, url: model.url, args: ["--allowedTools", "Bash(cat:*)", "Bash(ls:*)"] });
  await using browser = await startBrowser();
  const { page, problems } = await openPage(browser);
  const ran: string[] = [];
  await page.exposeFunction("canary", () => void ran.push("ran"));
  await page.goto(web.link);
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.getByRole("link", { name: "New", exact: true }).click();
  await page.getByRole("button", { name: "Begin" }).click();
  const send = async (text: string) => {
    await page.getByRole("textbox", { name: "Prompt" }).fill(text);
    await page.getByRole("button", { name: "Send" }).click();
  };
  await send(title);
  for (const [at] of TEXTS.entries()) {
    await page.locator(".working").waitFor({ state: "detached" });
    await page.locator(".answer").nth(at).waitFor();
    await send(TEXTS[at]!);
  }
  await page.locator(".answer").nth(TEXTS.length).waitFor();
  await page.locator(".working").waitFor({ state: "detached" });
  await send("Go on");
  for (;;) {
    const ask = page.locator(".question");
    const end = page.getByText("The end.", { exact: true });
    await ask.or(end).first().waitFor();
    if ((await end.count()) > 0) break;
    const radio = page.getByRole("radio").first();
    if ((await radio.count()) > 0) await radio.check();
    await ask.locator("button.primary:not(:disabled)").click();
  }
  // It is all there, as text.
  expect(await page.locator(".transcript").innerText()).toContain(MARKUP[0]!);
  await expectOnlyText(page);
  await page.reload();
  await page.getByText("The end.", { exact: true }).waitFor();
  expect([ran, problems]).toEqual([[], []]);
});

const WAYS = [
  (text: string) => text,
  (text: string) => `- ${text}`,
  (text: string) => `# ${text}`,
  (text: string) => `> ${text}`,
  (text: string) => `| ${text} |\n|---|\n| ${text} |`,
  (text: string) => `\`\`\`html\n${text}\n\`\`\``,
  (text: string) => `[${text}](https://example.org/ "${text}")`,
  (text: string) => `**${text}** \`${text}\``,
];

testHere("no event of any element runs, in an answer, in what tools print, or in what MCP servers say", async () => {
  const texts = HOSTILE;
  expect(new Set(texts).size).toBeGreaterThan(200);
  using home = temporaryHome();
  const printed = texts.map((text) => `\u001b[31m${text}\u001b[0m \u001b]8;;javascript:${RUN}\u0007x\u001b]8;;\u0007`);
  home.write("printed.txt", printed.join("\n"));
  const server = "hostile";
  const script = home.write("server.cjs", mcpServer(texts));
  home.write("mcp.json", { mcpServers: { [server]: { command: process.execPath, args: [script] } } });
  const tool = `mcp__${server}__say`;
  const answer = texts.map((text, at) => WAYS[at % WAYS.length]!(text)).join("\n\n");
  await using model = await startMockModel([
    {
      thinking: texts.join("\n"),
      text: answer,
      deltas: 300,
      calls: [{ name: "Bash", input: { command: "cat printed.txt" } }],
    },
    { calls: [{ name: tool, input: { text: MARKUP[0]! } }] },
    { text: "The end." },
  ]);
  const args = ["--mcp-config", `${home.project}/mcp.json`, "--allowedTools", "Bash(cat:*)", tool];
  await using web = await startWeb({ home, url: model.url, args });
  await using browser = await startBrowser();
  const { page, problems } = await openPage(browser);
  const ran: string[] = [];
  await page.exposeFunction("canary", () => void ran.push("ran"));
  await page.goto(web.link);
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.getByRole("link", { name: "New", exact: true }).click();
  await page.getByRole("button", { name: "Begin" }).click();
  await page.getByRole("textbox", { name: "Prompt" }).fill(texts.slice(-50).join("\n"));
  await page.getByRole("button", { name: "Send" }).click();
  await page.getByText("The end.", { exact: true }).waitFor();
  await page.locator(".working").waitFor({ state: "detached" });
  expect(await page.locator(".call.done").count()).toBe(2);
  await expectOnlyText(page);
  for (const text of texts.filter((text) => text.startsWith("<img")).slice(0, 3))
    expect(await page.locator(".call-body").allTextContents()).toContainEqual(expect.stringContaining(text));
  await page.reload();
  await page.getByText("The end.", { exact: true }).waitFor();
  await expectOnlyText(page);
  expect([ran, problems]).toEqual([[], []]);
  // Nothing can make elements of a text here, not even the page itself.
  expect(await page.evaluate("try { document.body.innerHTML = '<b>' } catch (error) { error.name }")).toBe("TypeError");
});

/** A server whose names, descriptions and results are all hostile. */
const mcpServer = (texts: readonly string[]) => `
const texts = ${JSON.stringify(texts)};
const answers = {
  initialize: ({ protocolVersion }) => ({
    protocolVersion,
    capabilities: { tools: {} },
    serverInfo: { name: texts[0], title: texts[1], version: texts[2] },
    instructions: texts.join(" "),
  }),
  "tools/list": () => ({
    tools: [{ name: "say", title: texts[1], description: texts.join(" "), inputSchema: { type: "object" }, annotations: { title: texts[3] } }],
  }),
  "tools/call": () => ({ content: [{ type: "text", text: texts.join("\\n") }] }),
};
require("node:readline").createInterface({ input: process.stdin }).on("line", (line) => {
  const { id, method, params } = JSON.parse(line);
  if (id === undefined) return;
  const result = answers[method]?.(params ?? {}) ?? {};
  process.stdout.write(JSON.stringify({ jsonrpc: "2.0", id, result }) + "\\n");
});
`;
