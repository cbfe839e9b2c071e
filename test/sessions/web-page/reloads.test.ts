// What the page shows of a conversation, and what it shows after it was loaded again.

import { expect, test } from "bun:test";
import { startMockModel, temporaryHome, testUnless, type ScriptedReply } from "@keelson/testkit";
import type { Page } from "playwright-core";
import { noBrowser, openPage, startBrowser } from "./browser.ts";
import { bash, begin, send, signIn } from "./person.ts";
import { startWeb } from "./web-client.ts";

const call = (name: string, input: object): ScriptedReply => ({ calls: [{ name, input: input as never }] });

/** What each prompt leads to. */
const TURNS: Readonly<Record<string, readonly ScriptedReply[]>> = {
  "Look around": [
    { thinking: "Where to begin?", text: "I look.", ...call("Glob", { pattern: "*" }) },
    call("Read", { file_path: "notes.txt" }),
    call("Read", { file_path: "missing.txt" }),
    call("Read", { file_path: "secret.txt" }),
    call("Grep", { pattern: "line", output_mode: "content" }),
    { thinking: "Good.", text: "## Found\n\n- one\n- two\n\n```ts\nconst a = 1;\n```" },
  ],
  "Change it": [
    call("Edit", { file_path: "notes.txt", old_string: "line 3\n", new_string: "line three\n" }),
    call("Write", { file_path: "new.txt", content: "one\ntwo\n" }),
    call("Edit", { file_path: 5 }),
    call("NoSuchTool", { x: 1 }),
    { text: "Changed." },
  ],
  "Run it": [
    { text: "I run it.", ...bash("echo out; echo err >&2; exit 3") },
    bash("seq 1 3000"),
    call("Bash", { command: "echo later", run_in_background: true }),
    { text: "It ran." },
  ],
  "Plan it": [
    call("TodoWrite", { todos: [{ content: "Look", activeForm: "Looking", status: "in_progress" }] }),
    call("TodoWrite", { todos: [{ content: "Look", activeForm: "Looking", status: "completed" }] }),
    { text: "Planned." },
  ],
  "Send someone": [
    call("Agent", { description: "Look", prompt: "As an agent", subagent_type: "general-purpose" }),
    { text: "They looked." },
  ],
  "Break off": [{ text: "I begin with this", cutAfter: 5 }, { text: "I say something else." }],
  Fail: [{ status: 400, message: "This request is wrong" } as never],
  "Say too much": [{ text: "Half", stopReason: "max_tokens" } as never, { text: " of it." }],
};

/** With everything open that can be. */
const shownOf = (page: Page): Promise<string> =>
  page.evaluate(`(() => {
    for (const each of document.querySelectorAll(".transcript details")) each.open = true;
    return document.querySelector(".transcript").innerText;
  })()`);

/** Once it is this, or stays something else. */
async function shownAgain(page: Page, before: string): Promise<string> {
  await page.getByText("Connected").waitFor();
  for (let looks = 0; looks < 40; looks++) {
    const now = await shownOf(page);
    if (now === before) return now;
    await page.waitForTimeout(100);
  }
  return shownOf(page);
}

testUnless(noBrowser, test)(
  "a conversation of all kinds looks the same after a reload, and after another one",
  async () => {
    using home = temporaryHome();
    home.write("notes.txt", Array.from({ length: 12 }, (_, at) => `line ${at}\n`).join(""));
    home.settings({ permissions: { deny: ["Read(secret.txt)"] } });
    home.write("secret.txt", "s");
    let script: ScriptedReply[] = [];
    await using model = await startMockModel(({ messages }: any): ScriptedReply => {
      const said = JSON.stringify(messages.at(-1));
      if (said.includes("create a summary") || said.includes("<analysis>"))
        return { text: "<summary>All that was.</summary>" };
      if (JSON.stringify(messages[0]).includes("As an agent"))
        return said.includes("tool_result") ? { text: "Seen." } : call("Glob", { pattern: "*.txt" });
      return script.shift() ?? { text: "Heard." };
    });
    const args = ["--allowedTools", "Bash,Edit,Write"];
    await using web = await startWeb({ home, url: model.url, args, env: { CLAUDE_CODE_ENABLE_TODO_TOOLS: "1" } });
    await using browser = await startBrowser();
    const { page, problems } = await openPage(browser);
    await signIn(page, web.link);
    await begin(page);
    for (const [prompt, replies] of Object.entries(TURNS)) {
      script = [...replies];
      await send(page, prompt);
      await page.locator(".prompt").getByText(prompt, { exact: true }).first().waitFor();
      await page.locator(".working").waitFor({ state: "detached" });
    }
    for (const [command, end] of COMMANDS) {
      await send(page, command);
      await page.locator(".transcript").getByText(end).first().waitFor();
      await page.locator(".working").waitFor({ state: "detached" });
    }
    const before = await shownOf(page);
    for (const visit of ["a reload", "another one"]) {
      await page.reload();
      expect([visit, await shownAgain(page, before)]).toEqual([visit, before]);
    }
    expect(problems).toEqual([]);
  },
);

/** The last of what each shows. */
const COMMANDS = [
  ["/context", "Autocompact buffer"],
  ["/compact", "Compacted"],
  ["/compact", "Not enough messages to compact."],
  ["/nothing-such", "Unknown command"],
  ["/usage", "Total cost"],
] as const;
