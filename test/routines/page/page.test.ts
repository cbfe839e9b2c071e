// The page of routines without workers: what it does when the server is killed, when two people save, when texts are hostile, and for
// people who only watch or who do not see it.

import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { temporaryHome, testUnless } from "@keelson/testkit";
import type { AxeResults } from "axe-core";
import type { Page } from "playwright-core";
import { HOSTILE, RUN } from "../../sessions/web-page/support/hostile.ts";
import { picture } from "../../sessions/web-page/support/pictures.ts";
import { request, serving, tokenFor } from "../serve/serving.ts";
import { answer, claimRun, openStore, result, words } from "./kept-runs.ts";
import { noBrowser, press, show, signedIn, startBrowser } from "./person.ts";

const testHere = testUnless(noBrowser, test);
const API = ["--role", "api"];

testHere(
  "a run that is watched while the server is killed and the page reloaded shows everything once, in order",
  async () => {
    using home = temporaryHome();
    let server = await serving({ home, args: API });
    const port = new URL(server.url).port;
    const store = await openStore(home);
    const { json: routine } = await server.call("POST", "/v1/code/triggers", {
      name: "Long",
      prompt: "Go",
      questions: "ask",
    });
    await server.call("POST", `/v1/code/triggers/${routine.id}/run`, {});
    const run = await claimRun(store);
    await using browser = await startBrowser();
    const { page, problems } = await signedIn(browser, server.url, server.token);
    await show(page, `run/${run.id}`);
    const expected: string[] = [];
    const say = async (count: number) => {
      const texts = Array.from({ length: count }, (_, at) => `Line ${expected.length + at}.`);
      expected.push(...texts);
      await run.say(...texts.map(words));
    };
    const shown = async () => {
      await page.locator(".answer").getByText(expected.at(-1)!, { exact: true }).waitFor();
      // What is out of sight has no inner text.
      expect(await page.locator(".answer").allTextContents()).toEqual(expected);
    };
    for (let round = 0; round < 3; round++) {
      await say(30);
      if (round === 1) await page.reload();
      // What is not loaded by then cannot be.
      await page.getByRole("heading", { name: "Long" }).waitFor();
      server.program.kill("SIGKILL");
      await server.program.done;
      await say(30);
      server = await serving({ home, args: [...API, "--port", port] });
      await say(30);
      await shown();
      await page.locator(".bar .link.connected").waitFor();
    }
    await run.ask({ subtype: "can_use_tool", tool_name: "Bash", tool_use_id: "c1", input: { command: "make deploy" } });
    await page.getByRole("heading", { name: "Allow Bash?" }).waitFor();
    await page.reload();
    await page.locator(".question button.primary:not(:disabled)").click();
    await page.locator(".question").waitFor({ state: "detached" });
    const [question] = await store.questions({ runId: run.id });
    expect(question).toMatchObject({ answer: { behavior: "allow", updatedInput: { command: "make deploy" } } });
    await shown();
    expect(problems).toEqual([]);
    await store.close();
    await server[Symbol.asyncDispose]();
  },
);

testHere("what two people change at once is told, and nothing that was typed is lost", async () => {
  using home = temporaryHome();
  await using server = await serving({ home, args: API });
  const { json: routine } = await server.call("POST", "/v1/code/triggers", {
    name: "Weekly",
    prompt: "Before",
    cron: "0 9 * * 1",
    color: "green",
  });
  await using browser = await startBrowser();
  const { page, problems } = await signedIn(browser, server.url, server.token);
  await show(page, `edit/${routine.id}`);
  await page.getByLabel("Prompt", { exact: true }).fill("Mine");
  await page.getByLabel("Minutes", { exact: true }).fill("0");
  await press(page, "Save");
  await page.getByText("must be a whole number from 60 to 86400").waitFor();
  expect(await page.evaluate("document.activeElement.id")).toBe("field-timeout_s");
  // What is typed is there after a reload.
  await page.reload();
  expect(await page.getByLabel("Prompt", { exact: true }).inputValue()).toBe("Mine");
  await page.getByLabel("Minutes", { exact: true }).fill("5");
  await server.call("PATCH", `/v1/code/triggers/${routine.id}`, { prompt: "Theirs", name: "Weekly report" });
  await press(page, "Save");
  await page.getByText("Somebody else has saved this routine meanwhile").waitFor();
  expect(await page.locator(".callout dd").allInnerTexts()).toEqual(["Theirs"]);
  expect(await page.getByLabel("Name", { exact: true }).inputValue()).toBe("Weekly report");
  await press(page, "Save");
  await page.getByRole("heading", { name: "Weekly report" }).waitFor();
  const { json } = await server.call("GET", `/v1/code/triggers/${routine.id}`);
  expect(json).toMatchObject({ name: "Weekly report", prompt: "Mine", timeout_s: 300, color: "green", version: 3 });

  await press(page, "Pause");
  await page.getByText("Paused", { exact: true }).waitFor();
  await press(page, "Resume");
  await page.getByRole("button", { name: "Pause" }).waitFor();
  await page.getByRole("link", { name: "Duplicate" }).click();
  await press(page, "Make it");
  await page.getByRole("heading", { name: "Weekly report (copy)" }).waitFor();
  await press(page, "Delete");
  await press(page, "Delete it");
  await page.getByRole("link", { name: "Weekly report" }).waitFor();
  expect((await server.call("GET", "/v1/code/triggers")).json.data).toHaveLength(1);
  expect(problems).toEqual([]);
});

testHere("no text of a routine, a caller, a run or a worker runs as code or loads anything", async () => {
  using home = temporaryHome();
  await using server = await serving({ home, args: API });
  const store = await openStore(home);
  const all = HOSTILE.map((text) => text.replaceAll("\0", ""));
  expect(new Set(all).size).toBeGreaterThan(200);
  const some = all.slice(0, 60);
  const made = await server.call("POST", "/v1/code/triggers", {
    name: some[1],
    prompt: all.join("\n"),
    model: some[3],
    questions: "ask",
    sources: [{ url: `https://example.org/${some[1]}`, ref: some[3] }],
    allowed_tools: some,
    push_branches: some.slice(0, 5),
  });
  expect(made.status).toBe(201);
  const { id } = made.json;
  for (const name of some.slice(0, 20)) await server.call("POST", "/v1/code/triggers", { name, prompt: name });
  const hook = await server.call("POST", `/v1/code/triggers/${id}/webhooks`, {
    kind: "github",
    events: ["push"],
    filters: [{ field: "title", op: "contains", value: some[1] }],
    actors: ["anyone"],
  });
  expect(hook.status).toBe(201);
  await store.enqueue({
    delivery: {
      triggerId: hook.json.id,
      source: some[4]!,
      key: some[5]!,
      bodyHash: "",
      event: some[1]!,
      verdict: "refused",
      reason: all.join(" ").slice(0, 900),
    },
  });
  const admin = await tokenFor(home, "admin", "--scope", "admin");
  await request(server.url, admin, "POST", "/v1/environments", {
    name: some[1],
    setup_script: all.join("\n"),
    variables: { A: some[3] },
  });
  await store.seen({ id: some[1]!, version: some[3]!, slots: 1, draining: false });
  await server.call("POST", `/v1/code/triggers/${id}/run`, { text: all.join("\n") });
  const run = await claimRun(store);
  const call = { type: "tool_use", id: "c1", name: some[1], input: { command: all.join("\n"), [some[3]!]: some[1] } };
  await run.say(
    { type: "system", subtype: "worker", text: all.join("\n") },
    ...some.map(words),
    words(all.join("\n\n")),
    answer(call),
    result("c1", all.join("\n")),
  );
  await run.ask({
    subtype: "can_use_tool",
    tool_name: some[1],
    tool_use_id: "c2",
    input: call.input,
    decision_reason: some[3],
  });

  await using browser = await startBrowser();
  const { page, problems } = await signedIn(browser, server.url, admin);
  const ran: string[] = [];
  await page.exposeFunction("canary", () => void ran.push("ran"));
  for (const at of ["routines", `routine/${id}`, `edit/${id}`, "runs", "deliveries", "environments", "workers"]) {
    await show(page, at);
    await page.locator(":is(.card, .row, .editor)").first().waitFor();
    await onlyText(page);
  }
  await show(page, `run/${run.id}`);
  await page.locator(".question button.primary:not(:disabled)").waitFor();
  expect(await page.locator(".transcript").innerText()).toContain(some[1]!);
  await onlyText(page);
  await page.locator(".question button:not(:disabled)").getByText("Deny", { exact: true }).click();
  await page.locator(".question").waitFor({ state: "detached" });
  const again = await claimRun(store);
  await again.end({ state: "failed", reason: all.join(" ").slice(0, 900), summary: all.join("\n\n").slice(0, 8_000) });
  await page.locator(".end").waitFor();
  await onlyText(page);
  await press(page, "About");
  await onlyText(page);
  expect([ran, problems]).toEqual([[], []]);
  expect(RUN).toContain("canary");
  await store.close();
});

/** No element but ours, no handler, and no link but to pages. */
async function onlyText(page: Page): Promise<void> {
  await page.locator("details").evaluateAll((all) => all.forEach((each: any) => (each.open = true)));
  const foreign =
    "script:not([src='routines.js']), iframe, object, embed, img, video, audio, form[action], base, [style*=url], #x, #hit";
  expect(await page.locator(foreign).count()).toBe(0);
  const targets = await page.locator("a").evaluateAll((links) => links.map((link: any) => link.href));
  expect(targets.filter((target) => !/^(?:https?|mailto):/.test(target))).toEqual([]);
  const handlers = await page
    .locator("*")
    .evaluateAll((all) =>
      all.flatMap((each: any) => each.getAttributeNames().filter((name: string) => name.startsWith("on"))),
    );
  expect(handlers).toEqual([]);
}

const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const SIGHTS = [
  { size: "desktop", dark: false },
  { size: "phone", dark: true },
] as const;

testHere.each(SIGHTS)(
  "on a $size (dark: $dark), axe finds nothing serious on any screen, and nothing is wider than it",
  async (sight) => {
    using home = temporaryHome();
    await using server = await serving({ home, args: API });
    const store = await openStore(home);
    const { call } = server;
    const routines = [
      { name: "Nightly tests", prompt: "Run the tests and fix what fails", cron: "0 3 * * 1-5", zone: "Europe/Berlin" },
      {
        name: "Triage",
        prompt: "Label new issues",
        questions: "ask",
        sources: [{ url: "https://example.org/team/project.git", ref: "next" }],
      },
      { name: "Dependencies", prompt: "Update what is outdated", cron: "30 6 * * 1", zone: "America/New_York" },
    ];
    const ids: string[] = [];
    for (const routine of routines) ids.push((await call("POST", "/v1/code/triggers", routine)).json.id);
    await call("POST", `/v1/code/triggers/${ids[1]}/webhooks`, {
      kind: "github",
      events: ["issues.opened", "pull_request"],
      filters: [{ field: "labels", op: "contains", value: "help" }],
    });
    const { json: hook } = await call("POST", `/v1/code/triggers/${ids[1]}/webhooks`, { kind: "http" });
    await fetch(`${server.url}/v1/hooks/http/${hook.id}`, { method: "POST", body: "x" });
    await call("PATCH", `/v1/code/triggers/${ids[2]}`, { enabled: false });
    const admin = await tokenFor(home, "Ada", "--scope", "admin");
    const asAdmin = (path: string, body: object) => request(server.url, admin, "POST", path, body);
    await asAdmin("/v1/secrets", { name: "DEPLOY_KEY", value: "x" });
    await asAdmin("/v1/environments", {
      name: "Staging",
      network: ["*.example.org"],
      secrets: ["DEPLOY_KEY"],
      variables: { STAGE: "1" },
    });
    await store.seen({ id: "build-1-4711", version: "0.1.0", slots: 4, draining: false });
    const endings = [
      { state: "succeeded", summary: "All 1,204 tests pass. Two of them were slow, see the **report**." },
      { state: "failed", reason: "The run reached its budget" },
    ] as const;
    for (const ending of endings) {
      await call("POST", `/v1/code/triggers/${ids[0]}/run`, {});
      await (await claimRun(store)).end(ending);
    }
    await call("POST", `/v1/code/triggers/${ids[1]}/run`, { text: "Issue 17" });
    const run = await claimRun(store);
    await run.say(
      words("I read the issue first."),
      answer({ type: "tool_use", id: "c1", name: "Bash", input: { command: "gh issue view 17" } }),
      result("c1", "Crash at start\nlabels: none"),
      answer({ type: "tool_use", id: "c2", name: "Bash", input: { command: "gh issue edit 17 --add-label bug" } }),
    );
    const question = {
      subtype: "can_use_tool",
      tool_name: "Bash",
      tool_use_id: "c2",
      input: { command: "gh issue edit 17 --add-label bug" },
    };
    await run.ask(question);
    await call("POST", `/v1/code/triggers/${ids[1]}/run`, {});

    await using browser = await startBrowser();
    const found: string[] = [];
    const { page, problems } = await signedIn(browser, server.url, admin, sight);
    const look = async (screen: string) => {
      found.push(...(await seriousOn(page)).map((text) => `${screen}: ${text}`));
      const isWide = await page.evaluate("document.documentElement.scrollWidth > innerWidth");
      if (isWide) found.push(`${screen}: wider than the window`);
      if (screen === "routines" && sight.size === "desktop") await picture(page, screen);
    };
    const screens = [
      ["routines", "routines", "Nightly tests"],
      ["routine", `routine/${ids[1]}`, "2 filters|1 filter"],
      ["edit", `edit/${ids[0]}`, "Every weekday at 03:00"],
      ["runs", "runs", "All 1,204 tests pass"],
      ["deliveries", "deliveries", "refused"],
      ["environments", "environments", "Staging"],
      ["workers", "workers", "build-1-4711"],
      ["run", `run/${run.id}`, "Allow Bash?"],
    ] as const;
    for (const [screen, at, text] of screens) {
      await show(page, at);
      await page
        .getByText(new RegExp(text.replace("?", "\\?")))
        .first()
        .waitFor();
      await look(screen);
    }
    await press(page, "About");
    await page.getByRole("heading", { name: "Starts" }).waitFor();
    await look("about");
    await page.keyboard.press("Escape");
    await show(page, `routine/${ids[1]}`);
    for (const name of [
      "Run now",
      "Delete",
      "Start it by events on GitHub",
      "Let others start it by HTTP",
      "Replace the secret",
    ]) {
      await page.getByRole("button", { name, exact: true }).first().click();
      await page.getByRole("dialog").waitFor();
      await look(`dialog ${name}`);
      await page.keyboard.press("Escape");
      await page.getByRole("dialog").waitFor({ state: "detached" });
    }
    expect([found, problems]).toEqual([[], []]);
    await store.close();
  },
);

async function seriousOn(page: Page): Promise<readonly string[]> {
  await page.evaluate(AXE);
  const { violations } = await page.evaluate<AxeResults>("axe.run()");
  return violations
    .filter(({ impact }) => impact === "serious" || impact === "critical")
    .flatMap(({ id, nodes }) =>
      nodes.map(({ target, failureSummary }) => `${id} at ${String(target)}: ${failureSummary}`),
    );
}

testHere("whoever only watches sees runs and their questions, and has nothing to change them with", async () => {
  using home = temporaryHome();
  await using server = await serving({ home, args: API });
  const store = await openStore(home);
  const { json: routine } = await server.call("POST", "/v1/code/triggers", {
    name: "One",
    prompt: "Go",
    questions: "ask",
  });
  await server.call("POST", `/v1/code/triggers/${routine.id}/run`, {});
  const run = await claimRun(store);
  await run.ask({ subtype: "can_use_tool", tool_name: "Bash", tool_use_id: "c1", input: { command: "make" } });
  const reader = await tokenFor(home, "Reader", "--scope", "read");
  await using browser = await startBrowser();
  const { page, problems } = await signedIn(browser, server.url, reader);
  await page.getByText("only watches").waitFor();
  expect(await page.getByRole("link", { name: "New" }).count()).toBe(0);
  await show(page, `routine/${routine.id}`);
  await page.locator("a.row").waitFor();
  const buttons = () => page.locator(".main button:visible").allInnerTexts();
  expect(await buttons()).toEqual([]);
  await show(page, `run/${run.id}`);
  await page.getByRole("heading", { name: "Allow Bash?" }).waitFor();
  expect(await buttons()).toEqual(["About"]);
  // A token that ends is no longer shown anything.
  const id = (await store.tokens.list({ name: "Reader" })).rows[0]!.id;
  await store.tokens.remove(id);
  await page.getByText("Use a token").waitFor();
  expect(problems).toEqual([]);
  await store.close();
});
