// What is done with a session beside talking to it, in a real browser.

import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { startMockModel, temporaryHome, testUnless, transcriptFiles } from "@keelson/testkit";
import type { Page } from "playwright-core";
import { noBrowser, openPage, startBrowser, type SIZES } from "../browser.ts";
import { begin, press, said, send, signIn } from "../person.ts";
import { picture } from "../support/pictures.ts";
import { SESSION, writeSession } from "../support/written-session.ts";
import { startWeb } from "../web-client.ts";

const testHere = testUnless(noBrowser, test);

const choose = async (page: Page, name: string) => {
  await press(page, "More");
  await press(page, name);
};

testHere.each(["desktop", "phone"] as (keyof typeof SIZES)[])(
  "%s: a session is renamed, its changes are read, it is forked, exported, taken back to before a prompt, and archived",
  async (size) => {
    using home = temporaryHome({ git: true });
    home.write("notes.txt", "one\n");
    for (const args of [
      ["add", "."],
      ["commit", "-qm", "first"],
    ])
      expect(Bun.spawnSync(["git", ...args], { cwd: home.project, env: home.env }).success).toBe(true);
    const write = (content: string) => ({
      calls: [{ name: "Write", input: { file_path: `${home.project}/notes.txt`, content } }],
    });
    await using model = await startMockModel([
      { text: "Hello." },
      { calls: [{ name: "Read", input: { file_path: `${home.project}/notes.txt` } }] },
      write("one\ntwo\n"),
      { text: "Written." },
      { text: "In the copy." },
    ]);
    await using web = await startWeb({ home, url: model.url, args: ["--permission-mode", "acceptEdits"] });
    await using browser = await startBrowser();
    const { page, problems } = await openPage(browser, { size });
    await signIn(page, web.link);
    await begin(page);
    await send(page, "Say hello");
    await said(page, "Hello.");
    await send(page, "Add a line");
    await said(page, "Written.");

    await choose(page, "Rename");
    await page.getByRole("textbox", { name: "Title" }).fill("Two lines");
    await press(page, "Rename");
    await page.getByRole("heading", { name: "Two lines", level: 1 }).waitFor();

    await choose(page, "Changes");
    await page.getByText(/^1 file \+1 −0 compared with commit [0-9a-f]{8}, at which the session began$/).waitFor();
    expect(await page.locator(".sheet .added .text").allTextContents()).toEqual(["two"]);
    if (size === "desktop") await picture(page, "changes");
    await page.keyboard.press("Escape");
    await page.locator(".sheet").waitFor({ state: "detached" });

    const downloaded = page.waitForEvent("download");
    await choose(page, "Export as Markdown");
    const file = await downloaded;
    expect(file.suggestedFilename()).toEndWith(".md");
    expect(readFileSync(await file.path(), "utf8")).toContain("Written.");

    const before = page.url();
    await choose(page, "Fork");
    await page.waitForURL((url) => url.href !== before);
    await said(page, "Written.");
    await send(page, "Go on");
    await said(page, "In the copy.");
    await page.goto(before);
    await said(page, "Written.");
    expect(await page.getByText("In the copy.").count()).toBe(0);

    await choose(page, "Rewind");
    await press(page, "Add a line");
    await page.getByText("1 file would change").waitFor();
    expect(await page.locator(".sheet .files").allInnerTexts()).toEqual(["notes.txt"]);
    if (size === "phone") await picture(page, "rewind-phone");
    await press(page, "Restore conversation and files");
    await page.locator(".transcript").getByText("Written.").waitFor({ state: "detached" });
    await said(page, "Hello.");
    await said(page, "Went back to before “Add a line”; what followed is no longer part of the conversation");
    expect(await Bun.file(`${home.project}/notes.txt`).text()).toBe("one\n");
    expect(await page.getByRole("textbox", { name: "Prompt" }).inputValue()).toBe("Add a line");

    const row = page.locator(`.session[href="${new URL(before).hash}"]`);
    await choose(page, "Archive");
    await page.waitForURL((url) => url.hash === "#/");
    await row.waitFor({ state: "detached" });
    await press(page, "Archived sessions");
    await row.click();
    await choose(page, "Take out of the archive");
    await page.goto(`${web.address}/#/`);
    await press(page, "Back to all sessions");
    await row.waitFor();
    expect(problems).toEqual([]);
  },
);

testHere(
  "changes say what they are compared with, name what is no text, fold what is long, and hide what is denied",
  async () => {
    using home = temporaryHome({ git: true });
    const git = (...args: string[]) =>
      expect(Bun.spawnSync(["git", ...args], { cwd: home.project, env: home.env }).success).toBe(true);
    home.write("notes.txt", "one\n");
    home.write("secret.txt", "x\n");
    git("add", ".");
    git("commit", "-qm", "first");
    home.settings({ permissions: { allow: ["Bash"], deny: ["Read(secret.txt)"] } });
    const command =
      "printf 'a\\0b' > data.bin; printf 'a\\0b' > shot.png; seq 500 > long.ts; rm notes.txt;" +
      " echo mine > mine.txt; git add mine.txt; git -c user.name=a -c user.email=a@b commit -qm mine";
    await using model = await startMockModel([{ calls: [{ name: "Bash", input: { command } }] }, { text: "Written." }]);
    await using web = await startWeb({ home, url: model.url });
    await using browser = await startBrowser();
    const { page, problems } = await openPage(browser);
    await signIn(page, web.link);
    await begin(page);
    await send(page, "Write");
    await said(page, "Written.");
    home.write("secret.txt", "y\n");
    await choose(page, "Changes");
    const rows = page.locator(".sheet .file");
    const row = (name: string) => rows.filter({ hasText: name });
    await row("mine.txt").waitFor();
    await page.getByText("at which the session began").waitFor();
    expect(await row("data.bin").innerText()).toContain("It is not text.");
    expect(await row("shot.png").innerText()).toContain("It is an image.");
    expect(await row("notes.txt").locator("summary").innerText()).toContain("deleted +0 −1");
    expect(await row("long.ts").locator("summary").innerText()).toContain("new +500 −0");
    expect(await row("long.ts").locator(".text").count()).toBe(200);
    await press(page, "Show 300 more lines");
    expect(await row("long.ts").locator(".text").last().innerText()).toBe("500");
    expect(await row("secret.txt").count()).toBe(0);
    await page.getByText("1 more file may have changed").waitFor();

    await page.getByRole("radio", { name: "Since the last commit" }).check();
    await row("mine.txt").waitFor({ state: "detached" });
    await page.getByText(/compared with commit [0-9a-f]{8}$/).waitFor();
    await row("long.ts").waitFor();
    expect(problems).toEqual([]);
  },
);

testHere("a session begins in a worktree of its own, and a folder that is not there is named", async () => {
  using home = temporaryHome({ git: true });
  home.write("a.txt", "a\n");
  for (const args of [
    ["add", "."],
    ["commit", "-qm", "first"],
  ])
    expect(Bun.spawnSync(["git", ...args], { cwd: home.project, env: home.env }).success).toBe(true);
  await using model = await startMockModel([{ text: "Here." }]);
  await using web = await startWeb({ home, url: model.url });
  await using browser = await startBrowser();
  const { page, problems } = await openPage(browser, { size: "phone" });
  await signIn(page, web.link);
  await page.getByRole("link", { name: "New", exact: true }).click();
  const folder = page.getByRole("combobox", { name: "Folder" });
  await folder.fill(`${home.project}/nowhere`);
  await press(page, "Begin");
  await page.getByRole("alert").getByText("nowhere").waitFor();
  await folder.fill(home.project);
  await page.getByRole("checkbox", { name: "Work in a new worktree" }).check();
  await press(page, "Begin");
  await page.getByText("Connected").waitFor();
  await send(page, "Where are you?");
  await said(page, "Here.");
  const branches = Bun.spawnSync(["git", "worktree", "list"], { cwd: home.project, env: home.env }).stdout.toString();
  expect(branches.trim().split("\n")).toHaveLength(2);
  const branch = /\[(worktree-[^\]]+)\]/.exec(branches)![1]!;
  await page.locator(".heading .facts").getByText(branch, { exact: true }).waitFor();
  expect(problems).toEqual([]);
});

testHere("a session is deleted once it is confirmed, and its transcript is gone", async () => {
  using home = temporaryHome();
  writeSession(home, { id: SESSION, title: "Old words", runs: 2 });
  await using model = await startMockModel([]);
  await using web = await startWeb({ home, url: model.url });
  await using browser = await startBrowser();
  const { page, problems } = await openPage(browser);
  await signIn(page, web.link);
  const row = page.locator(".session", { hasText: "Old words" });
  await row.click();
  await page.getByText("Answer 1.").waitFor();
  await choose(page, "Delete");
  const sheet = page.getByRole("dialog", { name: "Delete" });
  await sheet.getByText("deleted for good").waitFor();
  // What keeps it has the focus.
  await page.keyboard.press("Enter");
  await sheet.waitFor({ state: "detached" });
  expect(transcriptFiles(home)).toHaveLength(1);
  await choose(page, "Delete");
  await press(page, "Delete it");
  await page.waitForURL((url) => url.hash === "#/");
  await row.waitFor({ state: "detached" });
  expect(transcriptFiles(home)).toEqual([]);
  expect(problems).toEqual([]);
});
