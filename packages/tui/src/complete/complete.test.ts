import { describe, expect, test } from "bun:test";
import type { CommandItem } from "@keelson/client/commands";
import type { MentionItem } from "@keelson/client/mention";
import { PromptDriver } from "../editor/prompt.test-support.ts";

const COMMANDS: CommandItem[] = [
  { name: "add-dir", description: "Add a working directory", argumentHint: "<path>" },
  { name: "clear", description: "Start a new session" },
  { name: "compact", description: "Summarize the conversation" },
  { name: "config", description: "Change settings" },
  { name: "context", description: "Show what fills the context" },
  { name: "resume", aliases: ["continue"], description: "Open an earlier session" },
  { name: "usage", aliases: ["cost", "stats"], description: "Show tokens and cost" },
];

describe("the list under the prompt", () => {
  test("shows common commands first, narrows, and scrolls", () => {
    const driver = new PromptDriver({ commands: COMMANDS });
    driver.send("/");
    expect(driver.screen(60).slice(3)).toEqual([
      "❯ /config               Change settings",
      "  /clear                Start a new session",
      "  /compact              Summarize the conversation",
      "  /resume (continue)    Open an earlier session",
      "  /context              Show what fills the context",
      "  /usage (cost, stats)  Show tokens and cost",
      "  /add-dir              Add a working directory",
    ]);
    driver.send("\x1b[A");
    expect(driver.screen(60).at(-1)).toBe("❯ /add-dir              Add a working directory");
    driver.send("con");
    expect(driver.screen(60).slice(3)).toEqual([
      "❯ /config             Change settings",
      "  /context            Show what fills the context",
      "  /resume (continue)  Open an earlier session",
      "  /compact            Summarize the conversation",
    ]);
  });

  test("has ten rows, and says how many there are", () => {
    const commands = Array.from({ length: 52 }, (_, at) => ({ name: `c${at}`, description: "" }));
    const driver = new PromptDriver({ commands });
    driver.send("/");
    expect(driver.screen(60).slice(3)).toEqual([
      "❯ /c0",
      ...Array.from({ length: 9 }, (_, at) => `  /c${at + 1}`),
      "  1 of 52",
    ]);
    driver.send("\x1b[A");
    expect(driver.screen(60).slice(-2)).toEqual(["❯ /c51", "  52 of 52"]);
  });

  test("Tab completes and leaves room for arguments", () => {
    const driver = new PromptDriver({ commands: COMMANDS });
    driver.send("/add\t");
    expect(driver.draft()).toBe("❯ /add-dir |<path>");
    expect(driver.send("x\r")).toMatchObject([{ kind: "submit", text: "/add-dir x" }]);
  });

  test("Enter runs the marked entry", () => {
    const driver = new PromptDriver({ commands: COMMANDS });
    expect(driver.send("/comp\r")).toMatchObject([{ kind: "submit", text: "/compact" }]);
    expect(driver.send("/co\x1b[B\r")).toMatchObject([{ kind: "submit", text: "/compact" }]);
    expect(driver.send("/cost\r")).toMatchObject([{ kind: "submit", text: "/cost" }]);
    expect(driver.send("/unknown\r")).toMatchObject([{ kind: "submit", text: "/unknown" }]);
  });

  test("Enter sends what was typed if an entry merely has the same letters, unless the user moves to one", () => {
    const commands = [
      { name: "reload-plugins", description: "Reload plugins" },
      { name: "debug", description: "Find the cause of a login that fails" },
      { name: "long-login", description: "Another" },
    ];
    const letters = new PromptDriver({ commands: commands.slice(0, 2) });
    expect(letters.send("/login\r")).toMatchObject([{ kind: "submit", text: "/login" }]);
    expect(letters.send("/bug\r")).toMatchObject([{ kind: "submit", text: "/bug" }]);
    expect(letters.send("/login\x1b[B\r")).toMatchObject([{ kind: "submit", text: "/debug" }]);
    const word = new PromptDriver({ commands: commands.slice(2) });
    expect(word.send("/log\r")).toMatchObject([{ kind: "submit", text: "/long-login" }]);
  });

  test("Esc closes it and leaves the text", () => {
    const driver = new PromptDriver({ commands: COMMANDS });
    driver.send("/c\x1b");
    expect(driver.prompt.isCompleting).toBe(false);
    driver.send("o");
    expect(driver.prompt.isCompleting).toBe(false);
    expect(driver.send("\r")).toMatchObject([{ kind: "submit", text: "/co" }]);
  });

  test("a path or a later slash opens nothing", () => {
    const driver = new PromptDriver({ commands: COMMANDS });
    driver.send("/usr/lib");
    expect(driver.prompt.isCompleting).toBe(false);
    driver.send("\x15a /c");
    expect(driver.prompt.isCompleting).toBe(false);
  });

  test("completes files with Tab or Enter, and goes on in folders", async () => {
    const files = async (query: string): Promise<string[]> =>
      query.startsWith("src/") ? ["src/a b.ts"] : ["src/", "README.md"];
    const driver = new PromptDriver({ files });
    driver.send("see @s");
    await Bun.sleep(0);
    expect(driver.screen().slice(3)).toEqual(["❯ src/", "  README.md"]);
    driver.send("\t");
    await Bun.sleep(0);
    expect(driver.draft()).toBe("❯ see @src/|");
    expect(driver.screen().slice(3)).toEqual(["❯ src/a b.ts"]);
    expect(driver.send("\r")).toEqual([]);
    expect(driver.send("now\r")).toMatchObject([{ kind: "submit", text: 'see @"src/a b.ts" now' }]);
  });

  test("a folder that is named already is sent by Enter, and Tab goes on to what is in it", async () => {
    const driver = new PromptDriver({
      files: async (query) => ["src/", "src/a.ts"].filter((path) => path.startsWith(query)),
    });
    driver.send("see @sr");
    await Bun.sleep(0);
    driver.send("\t");
    await Bun.sleep(0);
    expect(driver.screen().slice(1)).toContain("❯ src/");
    driver.send("\t");
    expect(driver.screen().slice(3)).toEqual(["  src/", "❯ src/a.ts"]);
    driver.send("\x1b[A");
    expect(driver.send("\r")).toMatchObject([{ kind: "submit", text: "see @src/" }]);
    driver.send("@src/");
    await Bun.sleep(0);
    driver.send("\t\t");
    expect(driver.draft()).toBe("❯ @src/a.ts |");
  });

  test("agents and resources come behind files, also those that are known later", async () => {
    const mentions: MentionItem[] = [{ value: "agent-Explore", description: "Finds things" }];
    const driver = new PromptDriver({ files: async () => ["extra.ts"], mentions });
    driver.send("@ex");
    await Bun.sleep(0);
    expect(driver.screen().slice(3)).toEqual(["❯ extra.ts", "  agent-Explore  Finds things"]);
    mentions.push({ value: "docs:/ex" });
    expect(driver.screen().slice(3).join("\n")).toContain("docs:/ex");
    driver.send("\x1b[B\t");
    expect(driver.draft()).toStartWith("❯ @docs:/ex");
  });

  test("an emoji is found by its name; Tab inserts it, and Enter sends unless the user moved to one", async () => {
    const driver = new PromptDriver();
    const found = driver.changed();
    driver.send("ship it :rock");
    await found;
    expect(driver.screen().slice(3)).toEqual(["❯ :rocket:  🚀"]);
    driver.send("\t!");
    expect(driver.draft()).toBe("❯ ship it 🚀!|");
    driver.send("\u0015");
    const several = driver.changed();
    driver.send(":point");
    await several;
    expect(driver.prompt.isCompleting).toBe(true);
    expect(driver.send("\r")).toMatchObject([{ kind: "submit", text: ":point" }]);
    const again = driver.changed();
    driver.send(":point");
    await again;
    expect(driver.send("\u001b[B\r")).toEqual([]);
    expect(driver.draft()).toBe("❯ 👇|");
  });

  test.each(["http://ro", "std::ro", ":r", ":)", "a:rocket", ": ro"])("%p opens no list of emoji", async (text) => {
    const driver = new PromptDriver();
    driver.send(text);
    await import("./emoji.ts");
    await Bun.sleep(0);
    expect(driver.prompt.isCompleting).toBe(false);
  });

  test("a long name keeps its end", async () => {
    const driver = new PromptDriver({ files: async () => ["packages/some/long/folder/日本/name.ts"] });
    driver.send("@n");
    await Bun.sleep(0);
    expect(driver.screen(20).slice(3)).toEqual(["❯ …lder/日本/name.ts"]);
  });

  test("a path has the whole row, also next to agents with descriptions", async () => {
    const mentions = [{ value: "agent-names", description: "Checks names of all kinds" }];
    const driver = new PromptDriver({ files: async () => ["a/folder/with/names.ts"], mentions });
    const listed = driver.changed();
    driver.send("@names");
    await listed;
    const rows = driver.screen(30).slice(3);
    expect(rows).toEqual(["❯ a/folder/with/names.ts", "  agent-names   Checks names …"]);
  });

  test("commands that are known later appear", () => {
    const commands: CommandItem[] = [];
    const driver = new PromptDriver({ commands });
    driver.send("/cl");
    expect(driver.prompt.isCompleting).toBe(false);
    commands.push(...COMMANDS);
    expect(driver.screen().slice(3)[0]).toStartWith("❯ /clear");
    driver.send("\x1b");
    expect(driver.screen().length).toBe(3);
  });

  test("an answer that comes late is dropped", async () => {
    const answers: ((paths: string[]) => void)[] = [];
    const driver = new PromptDriver({ files: () => new Promise((resolve) => answers.push(resolve)) });
    driver.send("@a");
    driver.send("b");
    answers[2]?.(["ab.ts"]);
    await Bun.sleep(0);
    answers[1]?.(["a.ts"]);
    await Bun.sleep(0);
    expect(driver.screen().slice(3)).toEqual(["❯ ab.ts"]);
    driver.send("\x7f\x7f\x7f");
    answers[3]?.(["late.ts"]);
    await Bun.sleep(0);
    expect(driver.prompt.isCompleting).toBe(false);
  });
});
