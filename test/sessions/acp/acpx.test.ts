// A client that has nothing to do with ours or the official one: acpx, which speaks to agents from a command line.

import { expect, test as anyTest } from "bun:test";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { runKeelson, startMockModel, temporaryHome, testUnless, type TemporaryHome } from "@keelson/testkit";
import { executable, noAdapter } from "./adapter.ts";

const test = testUnless(noAdapter, anyTest);

const acpx = join(process.env["KEELSON_EDITOR_PACKAGES"] ?? "", "node_modules/acpx/dist/cli.js");

/** One prompt, in a session of its own. */
function ask(home: TemporaryHome, url: string, ...options: readonly string[]) {
  const agent = `${executable({ home })} acp`;
  const args = ["--agent", agent, "--format", "json", "--json-strict", ...options, "exec", "Change the story"];
  return runKeelson(args, { home, url, program: [process.execPath, acpx] });
}

const STORY = "Once upon a time.\n";

function script(file: string) {
  return [
    { calls: [{ name: "Read", input: { file_path: file } }] },
    { calls: [{ name: "Edit", input: { file_path: file, old_string: "Once", new_string: "Twice" } }] },
    { text: ["That is ", "all."] },
  ];
}

test.each([
  ["--approve-all", "Twice upon a time.\n", "completed"],
  ["--deny-all", STORY, "failed"],
])("acpx %s: a prompt with an edit that takes permission", async (policy, after, status) => {
  using home = temporaryHome();
  const file = home.write("story.txt", STORY);
  await using model = await startMockModel(script(file));
  const { messages, stdout, stderr } = await ask(home, model.url, policy);
  expect(readFileSync(file, "utf8")).toBe(after);
  expect(model.requests).toHaveLength(3);
  const updates = messages.flatMap(({ method, params }) => (method === "session/update" ? [params.update] : []));
  const { toolCallId } = updates.find(({ name }) => name === "Edit");
  expect(updates.findLast((update) => update.toolCallId === toolCallId).status).toBe(status);
  expect(messages.filter(({ method }) => method === "session/request_permission")).toHaveLength(1);
  const said = updates.filter(({ sessionUpdate }) => sessionUpdate === "agent_message_chunk");
  expect(said.map(({ content }) => content.text).join("")).toBe("That is all.");
  expect(messages.some(({ result }) => result?.stopReason === "end_turn")).toBe(true);
  expect(stdout + stderr).not.toMatch(/invalid|schema|unknown/i);
  expect(existsSync(join(home.project, ".acpx"))).toBe(false);
});
