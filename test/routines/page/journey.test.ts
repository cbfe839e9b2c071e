// Routines in a browser, from the first line of a schedule to the history: with the real server, the real worker and a scripted model.

import { expect, test } from "bun:test";
import { startMockModel, temporaryHome, testUnless } from "@keelson/testkit";
import { picture } from "../../sessions/web-page/support/pictures.ts";
import { serving, tokenFor } from "../serve/serving.ts";
import { noWorker } from "../worker/world.ts";
import { noBrowser, press, show, signedIn, startBrowser } from "./person.ts";

const testHere = testUnless(noBrowser ?? noWorker, test);

const QUESTION = {
  question: "Which branch should it go to?",
  header: "Branch",
  options: [
    { label: "main", description: "at once" },
    { label: "next", description: "with the next release" },
  ],
  multiSelect: false,
};
const SUMMARY = "It goes to **next**, as was decided.";
const REPORT = { done: true, summary: SUMMARY, links: ["https://example.org/pull/7"] };

/** A command, a question, and the report once it is answered. */
const asks = ({ messages }: any) => {
  const said = JSON.stringify(messages);
  if (
    said.includes("Branch") &&
    /with the answer|next/.test(said.slice(said.lastIndexOf("AskUserQuestion"))) &&
    said.includes("answer")
  )
    return { calls: [{ name: "StructuredOutput", input: REPORT }] };
  if (said.includes("looked around")) return { calls: [{ name: "AskUserQuestion", input: { questions: [QUESTION] } }] };
  return {
    text: "I look around first, and then I ask.",
    calls: [{ name: "Bash", input: { command: "echo looked around" } }],
  };
};

testHere(
  "a routine is made, started by a call, watched as it runs, answered by somebody else, and found in the history",
  async () => {
    using home = temporaryHome();
    await using model = await startMockModel(asks);
    await using server = await serving({ home, model });
    const second = await tokenFor(home, "Grace");
    await using browser = await startBrowser();
    const { page, problems } = await signedIn(browser, server.url, server.token);
    await page.getByText("There are no routines yet.").waitFor();
    await page.getByRole("link", { name: "New" }).click();
    await page.getByLabel("Name", { exact: true }).fill("Release notes");
    await page.getByLabel("Prompt", { exact: true }).fill("Write the release notes, and ask where they should go");
    await page.getByText("Again and again").click();
    await page.getByLabel("Time zone").fill("Europe/Berlin");
    await page.getByLabel("Cron line").fill("0 9 * *");
    await page.getByRole("alert").getByText("field").first().waitFor();
    await page.getByLabel("Cron line").fill("0 9 * * 1-5");
    await page.getByText("Every weekday at 09:00").waitFor();
    expect(await page.getByRole("list", { name: "Next starts" }).getByRole("listitem").count()).toBe(5);
    await page.getByLabel("What would need approval").selectOption("ask");
    await page.getByLabel("Permission mode").selectOption("default");
    await picture(page, "routine-form");
    await press(page, "Make it");
    await page.getByRole("heading", { name: "Release notes" }).waitFor();
    await page.getByText("every weekday at 09:00 (Europe/Berlin)").waitFor();
    // As the form calls it.
    await page.getByText("Ask for edits and more, waits for answers").waitFor();

    await press(page, "Let others start it by HTTP");
    await press(page, "Make it");
    const token = await page.locator("[data-value=Token]").innerText();
    await press(page, "I have kept them");
    const id = page.url().split("/").at(-1)!;
    const fired = await fetch(`${server.url}/v1/claude_code/routines/${id}/fire`, {
      method: "POST",
      headers: { Authorization: `Bearer ${token}` },
      body: JSON.stringify({ text: "Version 1.2" }),
    });
    expect(fired.status).toBe(200);
    expect(await page.content()).not.toContain(token);

    await page.locator("a.row").first().click();
    await page.getByText("I look around first").waitFor();
    await page.locator(".question").getByText("Which branch should it go to?").waitFor();
    const other = await signedIn(browser, server.url, second, { size: "phone" });
    await show(other.page, page.url().split("#/")[1]!);
    await other.page.getByRole("radio", { name: "next" }).check();
    await picture(other.page, "routine-question-phone");
    await press(other.page, "Answer");
    await page.getByText("Answered by Grace").waitFor();
    await page.locator(".end").getByText("as was decided").waitFor();
    await other.page.locator(".end").getByText("as was decided").waitFor();
    await press(page, "About");
    await page.getByText("allow by Grace").waitFor();
    await page.keyboard.press("Escape");

    await page.getByRole("link", { name: "The routine" }).click();
    await page.locator("a.row .state.succeeded").waitFor();
    await page.getByRole("link", { name: "Deliveries" }).last().click();
    await page.locator(".row").getByText("started a run").waitFor();
    await page.getByRole("link", { name: "Workers" }).click();
    await page.getByText("0 of 1 at work").waitFor();
    expect([problems, other.problems]).toEqual([[], []]);
  },
);
