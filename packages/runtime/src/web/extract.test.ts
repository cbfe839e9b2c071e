import { expect, test } from "bun:test";
import { ModelError, type ModelProfile, type ToolContext } from "@keelson/engine";
import { scriptedModel, testEngine, type Charge } from "@keelson/testkit";
import type { Storage } from "../session/storage.ts";
import { askAboutPage } from "./extract.ts";

function ask(
  text: string,
  profile: Partial<ModelProfile>,
  {
    offset = 0,
    answer = "yes",
    ...payer
  }: { offset?: number; answer?: string } & Pick<ToolContext, "charge" | "guard"> = {},
) {
  const model = scriptedModel({ text: answer });
  const { ports, charges } = testEngine(model, { profile });
  const storage = {
    state: { model: { profile: { id: "claude-opus-5" } } },
    chooseModel: async () => ports.model,
    cost: { charge: (...charge: [never, never, never]) => ports.charge(...charge) },
    newId: () => "ID",
    now: () => 0,
  };
  const page = { url: "https://e.com/", cut: false, title: "T", text, offset };
  const asked = askAboutPage(page, "What?", storage as unknown as Storage, { signal: ports.signal, ...payer });
  const sent = () => (model.requests[0]!.messages[0]!.content as readonly { text: string }[])[0]!.text;
  return { asked, sent, model, charges: charges as readonly Charge[] };
}

test("a page that fits is read whole; the answer costs what it costs", async () => {
  const { asked, sent, charges, model } = ask("text of the page", { contextWindow: 200_000 });
  expect(await asked).toEqual({ answer: "yes", end: 100_000 });
  expect(sent()).toBe(
    "----- web page ID -----\naddress: https://e.com/\ntitle: T\n\ntext of the page\n----- end of web page ID -----\n\nAnswer from this page only:\n\nWhat?",
  );
  expect(model.requests[0]).toMatchObject({ tools: [], max_tokens: 8_192 });
  expect(charges).toHaveLength(1);
});

test("an answer for a subagent is charged to it", async () => {
  const own: string[] = [];
  const { asked, charges } = ask("text", {}, { charge: (_, model) => void own.push(model) });
  await asked;
  expect([own.length, charges]).toEqual([1, []]);
});

test("the budget of a subagent applies to it", async () => {
  const refused = new ModelError("budget_exhausted", "The budget of $1 does not allow another request");
  const guard: ToolContext["guard"] = (provider) => ({
    ...provider,
    stream: () => {
      throw refused;
    },
  });
  const { asked, model } = ask("text", {}, { guard });
  await expect(asked).rejects.toThrow("failed: The budget of $1 does not allow another request");
  expect(model.requests).toEqual([]);
});

test.each([
  [200_000, 100_000],
  [32_768, 32_768],
  [8_192, 8_192],
  [1_000, 2_000],
])("a model with a window of %i tokens reads %i characters at once", async (contextWindow, length) => {
  const { asked, sent } = ask("x".repeat(150_000), { contextWindow, maxTokens: 64_000 }, { offset: 10 });
  expect(await asked).toEqual({ answer: "yes", end: 10 + length });
  expect(sent().match(/x+/)?.[0]).toHaveLength(length);
});

test("a model that says nothing is an error", async () => {
  await expect(ask("text", {}, { answer: " " }).asked).rejects.toThrow("gave no answer about the page");
});
