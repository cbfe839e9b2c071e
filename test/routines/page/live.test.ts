// A run on the page while it goes on: text as it is written, and what a command has printed so far.

import { expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { startMockModel, temporaryHome, testUnless } from "@keelson/testkit";
import { serving } from "../serve/serving.ts";
import { noWorker, outcome, resultsIn } from "../worker/world.ts";
import { openStore } from "./kept-runs.ts";
import { noBrowser, show, signedIn, startBrowser } from "./person.ts";

testUnless(noBrowser ?? noWorker, test)(
  "text is there while it is written, output while a command runs, and each once when it is done, also after a reload",
  async () => {
    using home = temporaryHome();
    const written = Promise.withResolvers<void>();
    const command = "echo printed so far; while [ ! -e go ]; do sleep 0.05; done; echo and the rest";
    await using model = await startMockModel(((body: any) => {
      if (resultsIn(body).length > 0) return outcome("Looked");
      const call = { id: "call_1", name: "Bash", input: { command, description: "Wait for a file" } };
      return { text: ["I look ", "around ", "first."], holdAfter: 4, hold: written.promise, calls: [call] };
    }) as any);
    await using server = await serving({ home, model });
    const { json: routine } = await server.call("POST", "/v1/code/triggers", {
      name: "One",
      prompt: "Look",
      permission_mode: "acceptEdits",
    });
    const { json: run } = await server.call("POST", `/v1/code/triggers/${routine.id}/run`, {});
    await using browser = await startBrowser();
    const { page, problems } = await signedIn(browser, server.url, server.token);
    await show(page, `run/${run.id}`);
    const answers = page.locator(".answer");
    await answers.getByText("I look around", { exact: true }).waitFor();
    await page.reload();
    await answers.getByText("I look around", { exact: true }).waitFor();
    written.resolve();
    await answers.getByText("I look around first.", { exact: true }).waitFor();
    await page.locator(".output.tail").getByText("printed so far").waitFor();
    expect(await answers.allTextContents()).toEqual(["I look around first."]);
    const store = await openStore(home);
    const lines = (await store.entries(run.id, 0, 1_000)).map(({ line }) => JSON.parse(line));
    await store.close();
    writeFileSync(join(lines.find(({ subtype }) => subtype === "init").cwd, "go"), "");
    await page.locator(".end").getByText("Looked").waitFor();
    expect(await page.locator(".output.tail").count()).toBe(0);
    expect([await answers.allTextContents(), problems]).toEqual([["I look around first."], []]);
  },
);
