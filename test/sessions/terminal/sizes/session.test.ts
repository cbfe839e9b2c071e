// Every dialog, picker, panel and viewer of a session, in every size of window, in one start.

import { test } from "bun:test";
import { join } from "node:path";
import { runKeelson, startMockModel, temporaryHome, type ScriptedReply } from "@keelson/testkit";
import { protect, startAuthServer } from "../../../../packages/mcp/src/sign-in/auth-server.test-support.ts";
import { openAtTerminal, writeState } from "../at-terminal.ts";
import { fakeServer } from "../../servers/fake.ts";
import { AT_PROMPT, walk, type Step } from "./walk.ts";

const call = (name: string, input: object): ScriptedReply => ({ calls: [{ name, input }] }) as ScriptedReply;
const bash = (command: string) => call("Bash", { command, description: "Build everything" });

const question = (more: object) => ({ header: "Color", multiSelect: false, ...more });
const COLORS = question({
  question: "Which of the two colors should the button have when it is pressed?",
  options: [
    {
      label: "Red",
      description: "as the warnings in the rest of the program",
      preview: "```\n[ RED ]\n```\nA red button",
    },
    { label: "Blue", description: "as the links", preview: "```\n[ BLUE ]\n```\nA blue button" },
  ],
});
const PARTS = {
  question: "Which parts of the program should be changed first?",
  header: "Parts",
  multiSelect: true,
  options: ["Engine", "Model", "Tools", "Screen"].map((label) => ({ label, description: `All of ${label}` })),
};

const FORM = {
  type: "object",
  required: ["name", "color"],
  properties: {
    name: { type: "string", title: "Name", description: "How the package is called in the registry" },
    color: { type: "string", title: "Color", enum: ["red", "green", "blue"] },
    count: { type: "integer", title: "Count", minimum: 1, maximum: 9 },
    wanted: { type: "boolean", title: "Wanted" },
    places: { type: "array", title: "Places", items: { type: "string", enum: ["north", "south", "east", "west"] } },
  },
};

const SCRIPT: readonly ScriptedReply[] = [
  bash(`make ${"alpha ".repeat(20)}`),
  call("Write", { file_path: "new.txt", content: Array.from({ length: 30 }, (_, at) => `line ${at + 1}`).join("\n") }),
  call("Read", { file_path: "a.txt" }),
  call("Edit", { file_path: "a.txt", old_string: "two", new_string: "TWO" }),
  call("Read", { file_path: "/etc/hostname" }),
  call("WebFetch", { url: "https://example.test/a/page", prompt: "What does it say?" }),
  call("mcp__srv__echo", { text: "hello" }),
  call("AskUserQuestion", { questions: [COLORS] }),
  call("AskUserQuestion", { questions: [COLORS, PARTS] }),
  call("mcp__srv__form", { message: "Details of the package", schema: FORM }),
  call("mcp__srv__visit", {}),
  call("Bash", { command: "sleep 600", description: "Wait for the tide", run_in_background: true }),
  call("EnterPlanMode", {}),
  call("ExitPlanMode", {
    plan: `# Steps\n\n${Array.from({ length: 30 }, (_, at) => `${at + 1}. Step ${at + 1}`).join("\n")}`,
  }),
  { text: Array.from({ length: 50 }, (_, at) => `- line ${at + 1}`).join("\n") },
];

const prompt = (words: string, ...shows: Step["shows"]): Step => ({ state: words, keys: [`${words}\r`], shows });
const back: Step = { state: "back at the prompt", keys: ["<esc>"], shows: [AT_PROMPT], hides: ["to interrupt"] };
const panel = (command: string, ...shows: Step["shows"]): Step[] => [
  { state: command, keys: [`${command}\r`], shows },
  { ...back, state: `${command} left` },
];

test("each dialog, panel, picker and viewer can be read, used and left in every size", async () => {
  const home = temporaryHome({ git: true });
  const editor = home.write(
    "~/editor.sh",
    'printf "# Edited by hand\\n\\n%s\\n" "$(cat "$1")" >"$1.new" && mv "$1.new" "$1"\n',
  );
  home.write("plugin/.claude-plugin/plugin.json", {
    name: "harbour",
    version: "1.0.0",
    description: "Ships and tides",
  });
  const plugin = join(home.project, "plugin");
  writeState(home);
  await using other = await startMockModel([{ text: "About apples." }]);
  await runKeelson(["-p", "about apples"], { home, url: other.url });
  await using auth = await startAuthServer();
  await using far = protect(auth, () => new Response("signed in", { status: 500 }));
  await using at = await openAtTerminal(SCRIPT, {
    home,
    args: ["--plugin-dir", plugin],
    env: { EDITOR: `sh ${editor}`, CLAUDE_CODE_ENABLE_TASKS: "0", BROWSER: "true" },
    settings: { permissions: { allow: ["mcp__srv__form", "mcp__srv__visit", "Bash(sleep *)"] } },
    prepare() {
      home.write("a.txt", "one\ntwo\nthree\n");
      const server = fakeServer(home, "srv", { tools: ["echo", "form", "visit"] });
      home.write("~/.claude.json", {
        ...JSON.parse(home.read("~/.claude.json")),
        mcpServers: { srv: server.entry, far: { type: "http", url: far.url } },
      });
    },
  });
  const { terminal } = at;
  await walk(terminal, [
    { state: "draft", keys: ["a draft\\\r", "of two lines"], shows: ["❯ a draft", "of two lines"] },
    { state: "cleared", keys: ["<esc>", "<esc>"], shows: [AT_PROMPT] },
    { state: "shortcuts", keys: ["?"], shows: [/Ctrl\+O/, /Shift\+Tab/] },
    back,
    { state: "commands", keys: ["/co"], shows: ["/co", "/config"] },
    { state: "commands closed", keys: ["<ctrl+u>"], shows: [AT_PROMPT] },
    { state: "files", keys: ["see @a"], shows: ["a.txt"] },
    { state: "files closed", keys: ["<ctrl+u>"], shows: [AT_PROMPT] },
    { state: "shell", keys: ["!"], shows: [/^!\s*$/m] },
    { state: "shell closed", keys: ["<backspace>"], shows: [AT_PROMPT] },
    prompt("build", "Run this command?", "make alpha", "1. Yes", "2. Yes, and allow", "3. No"),
    { state: "explanation", keys: ["<ctrl+e>"], shows: ["Run this command?", "1. Yes", "3. No"] },
    { state: "text", keys: ["<ctrl+e>", "<tab>", "then 1 more"], shows: ["then 1 more", "3. No"] },
    { state: "refused", keys: ["<esc>", "<esc>"], shows: [AT_PROMPT], hides: ["Run this"] },
    prompt("write", "Create new.txt?", "1 + line 1", "1. Yes", "3. No"),
    back,
    prompt("edit", "a.txt", "TWO", "1. Yes", "3. No"),
    back,
    prompt("read", "hostname", "1. Yes", "3. No"),
    back,
    prompt("fetch", "example.test", "1. Yes", "3. No"),
    back,
    prompt("echo", "echo", "1. Yes", "3. No"),
    back,
    prompt("ask", "Which of the two colors", "1. Red", "2. Blue", "RED"),
    { state: "the other preview", keys: ["<down>"], shows: ["1. Red", "2. Blue", "BLUE"] },
    { state: "own words", keys: ["<down>", "neither"], shows: ["neither", "1. Red"] },
    { ...back, keys: ["<esc>", "<esc>"] },
    prompt("ask more", "Color", "Parts", "1. Red"),
    { state: "second question", keys: ["<enter>"], shows: ["Which parts", "1. ", "4. "] },
    { state: "ticked", keys: ["1", "<down>", "<space>"], shows: ["Which parts"] },
    { state: "review", keys: ["<right>"], shows: ["Submit"] },
    { ...back, keys: ["<esc>", "<esc>"] },
    prompt("form", "Details of the package", "Name"),
    { state: "name typed", keys: ["keel"], shows: ["keel"] },
    { state: "second field", keys: ["<tab>"], shows: ["Color"] },
    { state: "third field", keys: ["<tab>"], shows: ["Count"] },
    { state: "fourth field", keys: ["<tab>"], shows: ["Wanted"] },
    { state: "fifth field", keys: ["<tab>"], shows: ["Places"] },
    { state: "end of form", keys: ["<tab>"], shows: [/Submit|Send|Accept/] },
    { state: "address of a server", keys: ["<esc>"], shows: ["https://example.test/sign-in", "1. Open", "3. Decline"] },
    {
      state: "plan",
      keys: ["<esc>"],
      shows: ["Start with this plan?", "1. Yes, and accept edits", "3. No, keep planning"],
    },
    {
      state: "plan edited",
      keys: ["<ctrl+g>"],
      shows: ["Edited by hand", "1. Yes, and accept edits", "3. No, keep planning"],
    },
    { state: "revise", keys: ["3", "fewer steps"], shows: ["fewer steps"] },
    { ...back, keys: ["<esc>", "<esc>"] },
    prompt("list", "line 50", AT_PROMPT),
    { state: "transcript", keys: ["<ctrl+o>"], shows: ["Transcript"] },
    { state: "found", keys: ["/line 7\r"], shows: ["line 7"] },
    back,
    { state: "history", keys: ["<ctrl+r>"], shows: ["list"] },
    { state: "found in the history", keys: ["ask"], shows: ["ask more"] },
    back,
    { state: "rewind", keys: ["<esc>", "<esc>"], shows: ["(now)"] },
    { state: "what to restore", keys: ["<up>", "<enter>"], shows: ["Restore conversation", "Never mind"] },
    back,
    { state: "models", keys: ["<alt+p>"], shows: ["odel"] },
    back,
    ...panel("/model", "odel"),
    ...panel("/effort", "ffort"),
    ...panel("/theme", "color-blind friendly", "Light, 16 colors"),
    ...panel("/output-style", "Explanatory"),
    ...panel("/agents", "gents"),
    ...panel("/config", "Auto-compact"),
    ...panel("/context", /tokens/i),
    ...panel("/doctor", "ersion"),
    ...panel("/help", /commands/i),
    ...panel("/hooks", "ooks"),
    { state: "/mcp", keys: ["/mcp\r"], shows: ["srv", "far", "needs-auth"] },
    { state: "a server", keys: ["<enter>"], shows: ["Reconnect", "Disable", "Sign in", "Enter the address or code"] },
    { state: "sign-in", keys: ["<down>", "<down>", "<enter>"], shows: ["❯ Sign in", /resource=http[\s\S]*Esc close/] },
    { state: "code of the sign-in", keys: ["<down>", "<enter>"], shows: ["Sign in to far", "paste the address"] },
    { state: "server again", keys: ["<esc>"], shows: ["Enter the address or code"] },
    { state: "servers again", keys: ["<esc>"], shows: ["❯ far", "srv  connected", "Esc close"] },
    back,
    ...panel("/memory", "CLAUDE.md", "CLAUDE.local.md"),
    ...panel("/permissions", "Allow", "Add a rule"),
    ...panel("/plugin", "harbour"),
    { state: "/resume", keys: ["/resume\r"], shows: ["2 sessions", "about apples"] },
    { state: "searched", keys: ["apples"], shows: ["1 of 2", "about apples"] },
    { state: "preview", keys: ["<enter>", "<space>"], shows: ["About apples."] },
    { state: "preview closed", keys: ["<esc>"], shows: ["about apples"] },
    { state: "rename", keys: ["<ctrl+r>"], shows: ["ename"] },
    { state: "renamed", keys: ["Fruit\r"], shows: ["Fruit"] },
    { ...back },
    ...panel("/skills", "kills"),
    ...panel("/status", "Version"),
    ...panel("/statusline", "statusLine"),
    ...panel("/tasks", "Wait for the tide"),
    ...panel("/terminal-setup", "Enter"),
    ...panel("/usage", "ost"),
    ...panel("/export", "lipboard"),
    ...panel("/diff", "a.txt (added)", "Esc close"),
    { state: "another session", keys: ["/resume fruit\r"], shows: ["❯ about applesFruit", "1 of 2"] },
    { state: "switched", keys: ["<enter>"], shows: [AT_PROMPT], writes: "About apples.", hides: ["Resume a session"] },
  ]);
});
