// The page in a browser: when it shows something, what a long answer costs its thread, and a long conversation.

import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Browser, Page } from "playwright-core";
import { openPage, startBrowser } from "../../../test/sessions/web-page/browser.ts";
import { mainThreadDuring, type MainThread } from "../../../test/sessions/web-page/support/main-thread.ts";
import { SESSION, writeSession } from "../../../test/sessions/web-page/support/written-session.ts";
import type { Reply } from "../../model/script.ts";
import { repeat } from "../../repeat.ts";
import type { Stage } from "../../stage.ts";
import type { Row } from "../../table.ts";
import { startServer, type StartedServer } from "./start-web.ts";

const ANSWER_CHARS = 200_000;
const DELTAS = 2_000;
const SESSIONS = 1_000;
const ENTRIES = 10_000;
/** So long an event takes where the answer comes slowly. */
const SLOW_MS = 5;

export async function pages(stage: Stage): Promise<Row[]> {
  const rounds = stage.quick ? 1 : 5;
  const answers: readonly (readonly [string, string])[] = [
    ["prose and code", mixed()],
    ["one list", many("- an item with `code` and **weight**\n")],
    ["one block of code", `\`\`\`ts\n${many("export const value = compute(1); // a comment\n")}\`\`\``],
  ];
  const rows: Row[] = [];
  for (const [name, said] of answers) {
    const threads = await repeat(rounds, () => answer(stage, { text: said, deltas: DELTAS }));
    rows.push(...rowsOf(`page, 200 KB of ${name}`, threads));
  }
  const slow = await repeat(stage.quick ? 1 : 2, () =>
    answer(stage, { text: answers[0]![1], deltas: DELTAS, eventMs: SLOW_MS }),
  );
  rows.push(...rowsOf("page, 200 KB of prose and code in 10 s", slow));
  return [...rows, ...(await first(stage, rounds)), ...(await long(stage, rounds))];
}

function rowsOf(what: string, threads: readonly MainThread[]): Row[] {
  return [
    { what: `${what}: script and layout`, unit: "ms", samples: threads.map((each) => each.scriptMs + each.layoutMs) },
    { what: `${what}: longest task`, unit: "ms", samples: threads.map(({ tasksMs }) => tasksMs[0] ?? 0) },
  ];
}

async function answer(stage: Stage, reply: Reply & { readonly text: string }): Promise<MainThread> {
  await stage.model.play([{ ...reply, text: `${reply.text}\n\nThat is all.` }]);
  await using server = await startServer(stage);
  await using browser = await startBrowser();
  const page = await signedIn(browser, server);
  await page.goto(`${server.address}/#/s/${await server.begin()}`);
  await page.getByText("Connected").waitFor();
  return await mainThreadDuring(browser, page, async () => {
    await page.getByRole("textbox", { name: "Prompt" }).fill("Tell me all");
    await page.getByRole("button", { name: "Send" }).click();
    await until(
      page,
      `!document.querySelector(".working") && [...document.querySelectorAll(".answer p")].at(-1)?.textContent === "That is all."`,
    );
  });
}

/** A first load with a long list of sessions. */
async function first(stage: Stage, rounds: number): Promise<Row[]> {
  const home = homeOf(stage, "listed");
  for (let at = 0; at < SESSIONS; at++) {
    const id = `22222222-2222-4222-8222-${String(at).padStart(12, "0")}`;
    writeSession(home, { id, title: `Session ${at}`, runs: 1 });
  }
  await using server = await startServer({ ...stage, project: home.project });
  await using browser = await startBrowser();
  const loads = await repeat(rounds, async () => {
    const page = await signedIn(browser, server);
    await page.locator(".session").first().waitFor();
    await page.reload();
    await page.evaluate(LISTED);
    const [painted = 0, listed = 0] = await page.evaluate<number[]>(
      `[performance.getEntriesByName("first-contentful-paint")[0]?.startTime ?? 0, window.listedMs]`,
    );
    await page.context().close();
    return { painted, listed };
  });
  const what = `page with ${SESSIONS.toLocaleString("en")} sessions`;
  return [
    { what: `${what}: painted`, unit: "ms", samples: loads.map(({ painted }) => painted) },
    { what: `${what}: list shown`, unit: "ms", samples: loads.map(({ listed }) => listed) },
  ];
}

/** When a session is in the list, on the clock of the page. */
const LISTED = `new Promise((resolve) => {
  const look = () => {
    if (document.querySelector(".session") === null) return requestAnimationFrame(look);
    window.listedMs = performance.now();
    resolve(undefined);
  };
  look();
})`;

/** A long conversation: its newest screen, and all of it. */
async function long(stage: Stage, rounds: number): Promise<Row[]> {
  const home = homeOf(stage, "long");
  writeSession(home, { id: SESSION, runs: ENTRIES / 4 });
  await using server = await startServer({ ...stage, project: home.project });
  await using browser = await startBrowser();
  const last = `[...document.querySelectorAll(".answer p")].some((p) => p.textContent === "Answer ${ENTRIES / 4 - 1}.")`;
  const looks = await repeat(Math.min(rounds, 3), async () => {
    const page = await signedIn(browser, server);
    await page.locator(".session").first().waitFor();
    const shownMs = await page.evaluate<number>(`new Promise((resolve) => {
      const begun = performance.now();
      document.querySelector(".session").click();
      const look = () => (${last} ? resolve(performance.now() - begun) : requestAnimationFrame(look));
      look();
    })`);
    await page.getByText("Connected").waitFor();
    const { tasksMs } = await mainThreadDuring(browser, page, async () => {
      await page.locator(".scroll").hover();
      while (await page.evaluate("document.querySelector('.older') !== null")) {
        await page.mouse.wheel(0, -20_000);
        await page.waitForTimeout(16);
      }
    });
    const cdp = await page.context().newCDPSession(page);
    await cdp.send("HeapProfiler.collectGarbage");
    const { usedSize } = await cdp.send("Runtime.getHeapUsage");
    await page.context().close();
    return { shownMs, scrollMs: tasksMs[0] ?? 0, heapMb: usedSize / 1e6 };
  });
  const what = `page, ${ENTRIES.toLocaleString("en")} entries`;
  return [
    { what: `${what}: newest screen`, unit: "ms", samples: looks.map(({ shownMs }) => shownMs) },
    { what: `${what}: longest task while scrolling`, unit: "ms", samples: looks.map(({ scrollMs }) => scrollMs) },
    { what: `${what}: heap`, unit: "MB", samples: looks.map(({ heapMb }) => heapMb) },
  ];
}

async function signedIn(browser: Browser, server: StartedServer): Promise<Page> {
  const { page } = await openPage(browser);
  await page.goto(await server.link());
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.getByRole("link", { name: "New", exact: true }).waitFor();
  return page;
}

/** A project of its own, so that its sessions are the only ones in the list. */
function homeOf({ home, folder }: Stage, name: string) {
  const project = join(folder, name);
  mkdirSync(project, { recursive: true });
  return {
    project,
    write(path: string, content: unknown) {
      const whole = path.replace("~", home);
      mkdirSync(dirname(whole), { recursive: true });
      writeFileSync(whole, String(content));
      return whole;
    },
  };
}

const many = (text: string) => text.repeat(Math.ceil(ANSWER_CHARS / text.length));

function mixed(): string {
  const part = [
    "## A part\n\nSome words about `code`, with **weight** and a [link](https://example.org/). And some more of it.",
    "- one\n- two, with `code`\n- three",
    "```ts\nexport const value = compute(1); // a comment\nexport const other = compute(value);\n```",
    "| name | value |\n|---|---|\n| a | 1 |\n| b | 2 |",
  ];
  return many(`${part.join("\n\n")}\n\n`);
}

/** A look that costs the page little. */
async function until(page: Page, holds: string): Promise<void> {
  while (!(await page.evaluate(holds))) await Bun.sleep(50);
}
