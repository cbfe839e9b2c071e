// An exported page in a real browser: it reads like the conversation, nothing in a session runs, and a long one opens soon.

import { expect, test } from "bun:test";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { runKeelson, startMockModel, temporaryHome, testUnless, type TemporaryHome } from "@keelson/testkit";
import type { Page } from "playwright-core";
import { noBrowser, openPage, startBrowser, type OpenedPage } from "../web-page/browser.ts";
import { HOSTILE } from "../web-page/support/hostile.ts";
import { slowness } from "../web-page/support/main-thread.ts";
import { SESSION, writeSession } from "../web-page/support/written-session.ts";

const testHere = testUnless(noBrowser, test);

async function exported(home: TemporaryHome, session: string, ...args: string[]): Promise<string> {
  const { code, stderr } = await runKeelson(["export", session, "-o", "out.html", ...args], { home });
  expect([code, stderr]).toEqual([0, `Wrote session ${session} to out.html\n`]);
  return pathToFileURL(join(home.project, "out.html")).href;
}

const whole = (page: Page) => page.locator("html[data-drawn=whole]").waitFor({ state: "attached" });

/** What went wrong, besides that the page itself was read from its file. */
const wrong = ({ problems }: OpenedPage) => problems.filter((problem) => !problem.startsWith("A request to file:///"));

testHere(
  "an exported page shows Markdown, calls with their results, changes, and finds what is looked for",
  async () => {
    using home = temporaryHome();
    home.write("greet.ts", "export const greeting = 'hello';\n");
    const file = `${home.project}/greet.ts`;
    await using model = await startMockModel([
      { calls: [{ name: "Read", input: { file_path: file } }] },
      { calls: [{ name: "Edit", input: { file_path: file, old_string: "'hello'", new_string: "'good day'" } }] },
      { calls: [{ name: "Bash", input: { command: "echo checked" } }] },
      { text: "# Done\n\nIt is **polite** now:\n\n```ts\nconst a = 1;\n```\n\n| a | b |\n|---|---|\n| 1 | 2 |" },
    ]);
    const allow = ["--allowedTools=Bash(*),Edit"];
    await runKeelson(["-p", "Make the greeting polite", "--session-id", SESSION, ...allow], { home, url: model.url });
    const url = await exported(home, SESSION);
    await using browser = await startBrowser();
    for (const dark of [false, true]) {
      const opened = await openPage(browser, { dark });
      const { page } = opened;
      await page.goto(url);
      await whole(page);
      expect(await page.title()).toBe("Make the greeting polite");
      expect(await page.locator("h1").first().innerText()).toBe("Make the greeting polite");
      expect(await page.locator("main .answer h1, main .answer h2, main .answer h3").first().innerText()).toBe("Done");
      expect(await page.locator(".answer strong").innerText()).toBe("polite");
      expect(await page.locator(".answer table td").allInnerTexts()).toEqual(["1", "2"]);
      // Call and result are one row; its body comes with the first look.
      expect(await page.locator(".call").count()).toBe(3);
      expect(await page.locator(".call-body").count()).toBe(0);
      await page.getByRole("button", { name: "Open all" }).click();
      await page.locator(".call-body").nth(2).waitFor();
      expect(await page.locator(".diff .removed .text").innerText()).toContain("'hello'");
      expect(await page.locator(".diff .added .text").innerText()).toContain("'good day'");
      expect(await page.locator(".call-body .output").last().innerText()).toBe("checked");
      // Text for the model is there on request.
      expect(await page.locator(".entry.context:visible").count()).toBe(0);
      await page.getByRole("checkbox").click();
      expect(await page.locator(".entry.context:visible").count()).toBeGreaterThan(0);
      await page.getByRole("checkbox").click();

      await page.getByRole("searchbox").fill("checked");
      await page.getByText(/^1 of \d+$/).waitFor();
      expect(await page.locator(".entry:visible").count()).toBe(1);
      await page.getByRole("searchbox").fill("");
      const link = page.locator(".entry:has(.answer) > .at");
      const target = await link.getAttribute("href");
      await page.goto(`${url}${target}`);
      expect(await page.locator(".entry:target .answer").count()).toBe(1);
      // As the clock on the wall shows it.
      expect(await link.innerText()).toMatch(/\d{4}.*\d:\d\d/);
      const ground = await page.evaluate("getComputedStyle(document.body).backgroundColor");
      expect(ground).toBe(dark ? "rgb(20, 23, 28)" : "rgb(251, 251, 249)");
      await page.emulateMedia({ media: "print" });
      expect(await page.locator(".tools:visible").count()).toBe(0);
      expect(wrong(opened)).toEqual([]);
    }
  },
);

testHere(
  `nothing runs of ${HOSTILE.length} hostile texts in prompts, answers, calls, results, names and titles`,
  async () => {
    using home = temporaryHome();
    expect(HOSTILE.length).toBeGreaterThanOrEqual(200);
    writeHostile(home);
    const url = await exported(home, SESSION, "--full");
    await using browser = await startBrowser();
    const opened = await openPage(browser);
    const { page, context } = opened;
    const ran: string[] = [];
    await context.exposeFunction("canary", () => ran.push("ran"));
    await page.goto(url);
    await whole(page);
    await page.getByRole("checkbox", { name: "Text for the model" }).check();
    await page.getByRole("button", { name: "Open all" }).click();
    await page
      .locator(".call-body")
      .nth(HOSTILE.length - 1)
      .waitFor();
    const foreign =
      "script, iframe, object, embed, img:not([src^='data:image/']), video, audio, form, base, [style*=url], link";
    expect(await page.locator(`#page :is(${foreign})`).count()).toBe(0);
    // The data, and what draws it.
    expect(await page.locator("script").count()).toBe(2);
    const targets = await page.locator("a").evaluateAll((links) => links.map((link: any) => link.getAttribute("href")));
    expect(targets.filter((target) => !/^(?:https?:|mailto:|#m\d+$)/.test(target))).toEqual([]);
    const handlers = await page
      .locator("*")
      .evaluateAll((all) =>
        all.flatMap((each: any) => each.getAttributeNames().filter((name: string) => name.startsWith("on"))),
      );
    expect(handlers).toEqual([]);
    // A press on everything that looks like a link.
    await page.getByRole("searchbox").fill(HOSTILE[0]!);
    await page.getByRole("searchbox").fill("");
    expect([ran, wrong(opened)]).toEqual([[], []]);
    // In a browser without the script, it is data.
    const bare = await browser.newContext({ javaScriptEnabled: false });
    const still = await bare.newPage();
    await still.goto(url);
    expect(await still.locator("img, iframe, object, form, base, svg, video").count()).toBe(0);
  },
);

testHere("a session of 10,000 entries can be read within two seconds, and each further one costs as much", async () => {
  using home = temporaryHome();
  await using browser = await startBrowser();
  const timed = async (runs: number) => {
    writeSession(home, { id: SESSION, runs });
    const url = await exported(home, SESSION, "--force");
    const opened = await openPage(browser);
    const { page } = opened;
    const before = await slowness(browser, page);
    const started = performance.now();
    await page.goto(url);
    await whole(page);
    const all = performance.now() - started;
    // By the clock of the page: questions to it wait for what it does.
    const readable = Number(await page.evaluate('performance.getEntriesByName("first-contentful-paint")[0].startTime'));
    expect(await page.locator(".prompt").first().innerText()).toBe("A long one: 0");
    const slower = Math.max(1, before, await slowness(browser, page));
    // A call and its result are one.
    expect(await page.locator(".entry").count()).toBe(3 * runs);
    expect(wrong(opened)).toEqual([]);
    await opened.context.close();
    return { readable, all, slower };
  };
  const few = await timed(625);
  const many = await timed(2_500);
  expect(many.readable).toBeLessThan(2_000 * many.slower);
  // Four times as many.
  expect(many.all).toBeLessThan(10 * few.all);
});

/** Each text in every place that takes one. */
function writeHostile(home: TemporaryHome): void {
  let parentUuid: string | null = null;
  let count = 0;
  const entry = (subject: object) => {
    const uuid = `44444444-4444-4444-8444-${String(count++).padStart(12, "0")}`;
    const timestamp = new Date(1_780_000_000_000 + count).toISOString();
    const about = {
      parentUuid,
      isSidechain: false,
      sessionId: SESSION,
      uuid,
      timestamp,
      cwd: HOSTILE[count % HOSTILE.length],
    };
    parentUuid = uuid;
    return { ...about, version: "1.0.0", ...subject };
  };
  const says = (block: object, stop_reason: string) => ({
    type: "assistant",
    message: {
      id: `a${count}`,
      type: "message",
      role: "assistant",
      model: HOSTILE[count % HOSTILE.length],
      content: [block],
      stop_reason,
      usage: { input_tokens: 1, output_tokens: 1 },
    },
  });
  const lines = HOSTILE.flatMap((text, at) => {
    const id = `call${at}`;
    const patch = { oldStart: 1, oldLines: 1, newStart: 1, newLines: 1, lines: [`-${text}`, `+${text}!`] };
    const isEdit = at % 2 === 0;
    const call = isEdit
      ? { name: "Edit", input: { file_path: `/p/${text}.html`, old_string: text, new_string: text } }
      : { name: at % 3 === 0 ? text : "Bash", input: { command: text, [text]: text, description: text } };
    return [
      entry({
        type: "user",
        message: { role: "user", content: text },
        ...(at % 5 === 0 ? { origin: { kind: text } } : {}),
      }),
      entry(says({ type: "thinking", thinking: text, signature: "" }, "tool_use")),
      entry(says({ type: "tool_use", id, ...call }, "tool_use")),
      entry({
        type: "user",
        message: {
          role: "user",
          content: [{ type: "tool_result", tool_use_id: id, content: text, is_error: at % 7 === 0 }],
        },
        ...(isEdit ? { toolUseResult: { filePath: `/p/${text}.html`, structuredPatch: [patch] } } : {}),
      }),
      entry({ type: "user", isMeta: true, message: { role: "user", content: text } }),
      entry({ type: "system", subtype: "informational", level: text, content: text }),
      entry({ type: "user", isCompactSummary: true, message: { role: "user", content: text } }),
      entry(says({ type: "text", text }, "end_turn")),
      { type: "custom-title", customTitle: text, sessionId: SESSION },
    ];
  });
  const folder = home.project.replaceAll(/[^A-Za-z0-9]/g, "-");
  home.write(
    `~/.claude/projects/${folder}/${SESSION}.jsonl`,
    lines.map((line) => `${JSON.stringify(line)}\n`).join(""),
  );
}
