// Hostile texts in the places where nobody looks for them: names of files, branches, folders, devices and agents, questions and
// their options, plans, forms of MCP servers, changes, errors, and addresses. All of them, in each place that takes so much.

import { expect, test } from "bun:test";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { JsonObject } from "@keelson/protocol";
import { startMockModel, temporaryHome, testUnless, type ScriptedReply } from "@keelson/testkit";
import type { Page } from "playwright-core";
import { fakeServer, withServers } from "../servers/fake.ts";
import { noBrowser, openPage, startBrowser } from "./browser.ts";
import { ask, begin, press, send } from "./person.ts";
import { expectOnlyText, HOSTILE, MARKUP } from "./support/hostile.ts";
import { startWeb } from "./web-client.ts";

const testHere = testUnless(noBrowser, test);

const call = (name: string, input: JsonObject): ScriptedReply => ({ calls: [{ name, input }] });
const ALL = HOSTILE.join("\n");
/** As a file may be called. */
const NAMES = HOSTILE.map((text, at) => `${at}${text.replaceAll(/[/\0\n\r]/g, "")}`.slice(0, 80));
const slices = (size: number) =>
  Array.from({ length: Math.ceil(HOSTILE.length / size) }, (_, at) => HOSTILE.slice(at * size, (at + 1) * size));

/** A browser that tells when a text has run, or has tried to. */
async function watched(page: Page): Promise<readonly string[]> {
  const ran: string[] = [];
  await page.exposeFunction("canary", () => void ran.push("ran"));
  await page.exposeFunction("violated", (what: string) => void ran.push(what));
  await page.addInitScript(`addEventListener("securitypolicyviolation", (event) =>
    window.violated(event.violatedDirective + " " + event.blockedURI + " " + event.sample))`);
  return ran;
}

testHere("names in the list, in addresses, of devices and of images are only texts", async () => {
  using home = temporaryHome();
  const folder = `~/.claude/projects/${home.project.replaceAll(/[^A-Za-z0-9]/g, "-")}`;
  for (const [at, text] of HOSTILE.entries()) {
    const sessionId = `22222222-2222-4222-8222-${String(at).padStart(12, "0")}`;
    const entry = {
      isSidechain: false,
      sessionId,
      cwd: join(home.project, NAMES[at]!),
      gitBranch: text,
      version: "1.0.0",
    };
    const lines = [
      { type: "user", parentUuid: null, uuid: crypto.randomUUID(), message: { role: "user", content: text } },
      { type: "custom-title", customTitle: text },
    ].map((line, n) => JSON.stringify({ ...entry, timestamp: new Date(1_780_000_000_000 + at * 10 + n), ...line }));
    home.write(`${folder}/${sessionId}.jsonl`, `${lines.join("\n")}\n`);
  }
  await using model = await startMockModel([{ text: "Seen." }]);
  await using web = await startWeb({ home, url: model.url });
  await using browser = await startBrowser();
  const { page, problems } = await openPage(browser);
  const ran = await watched(page);
  // Addresses first: none of them leads anywhere.
  for (const text of MARKUP.slice(0, 12)) {
    await page.goto("about:blank");
    await page.goto(`${web.address}/#code=${encodeURIComponent(text)}`);
    await page.getByRole("textbox", { name: "Link" }).fill(text);
    await press(page, "Sign in");
    await page.getByRole("alert").waitFor();
  }
  await page.goto("about:blank");
  await page.goto(web.link);
  await press(page, "Sign in");
  await page.locator(".session").first().waitFor();
  while ((await page.locator(".session").count()) < HOSTILE.length) {
    const before = await page.locator(".session").count();
    await page.locator(".session").last().scrollIntoViewIfNeeded();
    await page.locator(".session").nth(before).waitFor({ state: "attached" });
  }
  expect(await page.locator(".session").count()).toBe(HOSTILE.length);
  expect(await page.locator(".side").textContent()).toContain(MARKUP[1]!);
  await expectOnlyText(page);
  for (const text of MARKUP.slice(0, 12)) {
    await page.goto(`${web.address}/#/s/${encodeURIComponent(text)}`);
    await page.goto(`${web.address}/#/${text}`);
  }
  // Its folder is not there, which is found when someone begins to type.
  await page.locator(".session").first().click();
  await ask(page, "Go on");
  await page.getByRole("alert").waitFor();
  await expectOnlyText(page);

  await page.goto(`${web.address}/#/devices`);
  await press(page, "Link that may do everything");
  const device = await web.signIn((await page.locator("pre.link").textContent())!);
  for (const name of MARKUP.slice(0, 20)) {
    const { json } = await device.request("POST", "/v1/devices", {});
    const code = json.code as string;
    const reply = await fetch(`${web.address}/v1/auth/code`, {
      method: "POST",
      headers: { Origin: web.address, "Content-Type": "application/json" },
      body: JSON.stringify({ code, name: name.slice(0, 60) }),
    });
    expect(reply.status).toBe(200);
  }
  await page.goto(`${web.address}/#/`);
  await page.goto(`${web.address}/#/devices`);
  await page.getByText(MARKUP[0]!, { exact: true }).waitFor();
  await expectOnlyText(page);

  await begin(page);
  for (const [at, name] of NAMES.slice(0, 20).entries()) {
    await page
      .getByLabel("Attach images")
      .setInputFiles({ name, mimeType: "image/png", buffer: Buffer.from("no image") });
    await page.getByRole("alert").getByText(`"${at}`, { exact: false }).waitFor();
  }
  const buffer = Buffer.from(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
    "base64",
  );
  await page.getByLabel("Attach images").setInputFiles({ name: MARKUP[1]!, mimeType: "image/png", buffer });
  await page.locator(".prompt-box img").waitFor();
  await send(page, "Look");
  await page.getByText("Seen.", { exact: true }).waitFor();
  await expectOnlyText(page);
  expect([ran, problems]).toEqual([[], []]);
});

testHere("what is asked, planned, changed and refused is only text, in all of its parts", async () => {
  using home = temporaryHome({ git: true });
  home.write("kept.txt", "kept\n");
  const git = (...words: string[]) =>
    expect(Bun.spawnSync(["git", ...words], { cwd: home.project, env: home.env }).success).toBe(true);
  git("add", ".");
  git("commit", "-qm", MARKUP[0]!);
  git("checkout", "-qb", "<svg/onload=window.canary()>");
  mkdirSync(join(home.project, "names"));
  for (const name of NAMES) writeFileSync(join(home.project, "names", name), `${ALL}\n`);
  for (const [at, text] of MARKUP.slice(0, 20).entries()) {
    const quoted = JSON.stringify(text.replaceAll("\u0000", ""));
    home.write(`.claude/commands/c${at}.md`, `---\ndescription: ${quoted}\nargument-hint: ${quoted}\n---\nDo it\n`);
    home.write(`.claude/agents/a${at}.md`, `---\nname: agent${at}\ndescription: ${quoted}\n---\nHelp\n`);
  }
  const server = fakeServer(home, "srv", { tools: ["form"] });
  const fields = Object.fromEntries(
    HOSTILE.map((text, at) => [
      at % 2 === 0 ? `field${at}` : text.slice(0, 60),
      at % 3 === 0
        ? { type: "string", enum: [text, `${text} `], enumNames: [text, text] }
        : { type: at % 3 === 1 ? "string" : "boolean", title: text, description: text },
    ]),
  );
  const file_path = join(home.project, "kept.txt");
  const batches = slices(32);
  await using model = await startMockModel([
    call("Read", { file_path }),
    call("Edit", { file_path, old_string: "kept", new_string: ALL }),
    call("Write", { file_path: join(home.project, "names", `new${NAMES[1]}`), content: ALL }),
    call("Bash", { command: `true '${ALL.replaceAll("'", "")}'`, description: ALL }),
    ...batches.map((texts) =>
      call("AskUserQuestion", {
        questions: [0, 1, 2, 3].map((at) => ({
          question: `${texts[at] ?? at}?${at}`,
          header: (texts[at] ?? "x").slice(0, 12),
          multiSelect: at % 2 === 0,
          options: [0, 1, 2, 3].map((n) => ({
            label: `${n}${texts[at * 8 + n * 2] ?? ""}`.slice(0, 60),
            description: texts[at * 8 + n * 2 + 1] ?? "none",
          })),
        })),
      }),
    ),
    call("mcp__srv__form", { message: ALL, schema: { type: "object", properties: fields } }),
    call("ExitPlanMode", { plan: HOSTILE.join("\n\n") }),
    call("TodoWrite", { todos: HOSTILE.map((content) => ({ content, activeForm: content, status: "in_progress" })) }),
    call("Agent", { description: MARKUP[1]!, prompt: ALL, subagent_type: MARKUP[2]! }),
    call("Bash", { command: "sleep 300", description: MARKUP[3]!, run_in_background: true }),
    { status: 400, type: "invalid_request_error", message: ALL },
  ]);
  const args = [...withServers({ srv: server }), "--allowedTools", "mcp__srv", "Bash(sleep:*)"];
  await using web = await startWeb({ home, url: model.url, args });
  await using browser = await startBrowser();
  const { page, problems } = await openPage(browser);
  const ran = await watched(page);
  await page.goto(web.link);
  await press(page, "Sign in");
  await begin(page);
  await send(page, MARKUP[1]!);
  const end = page.locator(".note.error");
  const asked: string[] = [];
  for (;;) {
    const question = page.locator(".question");
    await question.or(end).first().waitFor();
    if ((await end.count()) > 0) break;
    const ready = question.locator("button.primary");
    asked.push((await question.textContent()) ?? "");
    await expectOnlyText(page);
    for (const group of await question.locator("fieldset").all()) await group.locator("input").first().check();
    await ready.and(page.locator(":not(:disabled)")).first().click();
  }
  expect(asked.length).toBeGreaterThanOrEqual(4 + batches.length);
  for (const text of HOSTILE.filter((text) => /^<\w+ on\w+=/.test(text)).slice(0, 50))
    expect(asked.some((each) => each.includes(text))).toBe(true);
  await expectOnlyText(page);

  for (const name of ["Changes", "Rewind", "Rename"]) {
    await press(page, "More");
    await press(page, name);
    await page.getByRole("dialog", { name }).waitFor();
    if (name === "Changes") await page.getByRole("dialog").getByText("names/", { exact: false }).first().waitFor();
    await expectOnlyText(page);
    await page.keyboard.press("Escape");
    await page.getByRole("dialog", { name }).waitFor({ state: "detached" });
  }
  for (const typed of ["/c", "@names/"]) {
    await page.getByRole("textbox", { name: "Prompt" }).fill("");
    await page.getByRole("textbox", { name: "Prompt" }).pressSequentially(typed);
    await page.getByRole("option").first().waitFor();
    await expectOnlyText(page);
  }
  await page.reload();
  await page.getByText("Connected").waitFor();
  await expectOnlyText(page);
  expect([ran, problems]).toEqual([[], []]);
});
