import { describe, expect, test } from "bun:test";
import { PromptDriver } from "../prompt.test-support.ts";

async function vim(): Promise<PromptDriver> {
  const driver = new PromptDriver({ vim: true, history: ["before"] });
  await driver.prompt.setVim(true);
  return driver;
}

/** A draft with `|` before the character under the cursor. */
async function after(text: string, keys: string): Promise<string> {
  const driver = await vim();
  const at = text.indexOf("|");
  driver.prompt.setText(text.replace("|", ""));
  driver.send("\x1b");
  driver.send("gg0");
  const before = text.slice(0, at);
  const line = before.split("\n").length - 1;
  driver.send("j".repeat(line) + "0" + "l".repeat(before.length - before.lastIndexOf("\n") - 1));
  for (const key of keys) driver.send(key);
  return driver
    .draft(80, 60)
    .split("\n")
    .map((row) => row.slice(2))
    .join("\n");
}

test("starts in INSERT, Esc leaves it, and Enter sends", async () => {
  const driver = await vim();
  expect(driver.prompt.vimMode).toBe("INSERT");
  driver.send("hi");
  driver.send("\x1b");
  expect(driver.prompt.vimMode).toBe("NORMAL");
  expect(driver.draft()).toBe("❯ h|i");
  expect(driver.send("\r")).toMatchObject([{ kind: "submit", text: "hi" }]);
  expect(driver.prompt.vimMode).toBe("INSERT");
});

test("Esc also reaches the prompt in NORMAL, and stops what runs", async () => {
  const driver = await vim();
  driver.send("x");
  driver.send("\x1b");
  driver.send("\x1b");
  expect(driver.prompt.hint(driver.now)).toBe("Esc again to clear");
  expect(driver.send("\x1b")).toMatchObject([{ kind: "discard" }]);
  driver.send("i");
  driver.prompt.working = true;
  expect(driver.send("\x1b")).toEqual([{ kind: "interrupt" }]);
});

test("Esc and a letter in one chunk are two keys, unless Alt and the letter are bound", async () => {
  const driver = await vim();
  driver.send("one two");
  driver.send("\x1bdd");
  expect(driver.draft()).toBe("❯ |");
  driver.send("ione\x1bIx");
  expect(driver.draft()).toBe("❯ x|one");
  expect(driver.send("\x1bp")).toEqual([{ kind: "model-picker" }]);
});

test("without vim there is no mode", () => {
  expect(new PromptDriver().prompt.vimMode).toBeUndefined();
});

describe("motions", () => {
  test.each([
    ["|one two", "w", "one |two"],
    ["|one.two", "w", "one|.two"],
    ["|one.two three", "W", "one.two |three"],
    ["|one two", "e", "on|e two"],
    ["on|e two", "e", "one tw|o"],
    ["one tw|o", "b", "one |two"],
    ["one |two", "b", "|one two"],
    ["a.b c|d", "B", "a.b |cd"],
    ["  on|e", "0", "|  one"],
    ["  on|e", "^", "  |one"],
    ["|one", "$", "on|e"],
    ["|one two six", "2w", "one two |six"],
    ["one\n|two\nsix", "gg", "|one\ntwo\nsix"],
    ["|one\ntwo\nsix", "G", "one\ntwo\n|six"],
    ["|one\ntwo\nsix", "2G", "one\n|two\nsix"],
    ["|a,b,c", "f,", "a|,b,c"],
    ["|a,b,c", "2f,", "a,b|,c"],
    ["|a,b,c", "f,;", "a,b|,c"],
    ["|a,b,c", "f,;,", "a|,b,c"],
    ["|ab,c", "t,", "a|b,c"],
    ["|ab,cd,e", "t,;", "ab,c|d,e"],
    ["a,b,|c", "F,", "a,b|,c"],
    ["a,bc|d", "T,", "a,|bcd"],
    ["|one\ntwo", "w", "one\n|two"],
    ["ab|c\nd\nefg", "jj", "abc\nd\nef|g"],
    ["|abc", "lll", "ab|c"],
    ["a|bc", "hhh", "|abc"],
    ["|f(a[1])", "%", "f(a[1]|)"],
    ["a\n\n|b", "{", "a\n|\nb"],
  ])("%j %s", async (text, keys, expected) => {
    expect(await after(text, keys)).toBe(expected);
  });
});

describe("changes", () => {
  test.each([
    ["|abc", "x", "|bc"],
    ["|abc", "2x", "|c"],
    ["ab|c", "X", "a|c"],
    ["|one two", "dw", "|two"],
    ["one |two", "dw", "one| "],
    ["|one two", "de", "| two"],
    ["one two|", "db", "one |o"],
    ["|one two six", "d2w", "|six"],
    ["|one two six", "2dw", "|six"],
    ["one |two\nsix", "dw", "one| \nsix"],
    ["one t|wo", "D", "one |t"],
    ["one\n|two\nsix", "dd", "one\n|six"],
    ["one\n|two", "dd", "|one"],
    ["|one", "dd", "|"],
    ["|one\ntwo\nsix", "2dd", "|six"],
    ["|one\ntwo\nsix", "dj", "|six"],
    ["one\n|two\nsix", "dG", "|one"],
    ["one\ntw|o", "dgg", "|"],
    ["|one two", "cwnew\x1b", "ne|w two"],
    ["|one two", "cenew\x1b", "ne|w two"],
    ["one tw|o", "cbx\x1b", "one |xo"],
    ["one\n|two\nsix", "ccx\x1b", "one\n|x\nsix"],
    ["one |two", "Cx\x1b", "one |x"],
    ["|abc", "sx\x1b", "|xbc"],
    ["a|bc", "Sx\x1b", "|x"],
    ["|a,b", "dt,", "|,b"],
    ["|a,b", "df,", "|b"],
    ["|one two", "ywP", "one| one two"],
    ["|one\ntwo", "yyp", "one\n|one\ntwo"],
    ["|one\ntwo", "yyjP", "one\n|one\ntwo"],
    ["|one\ntwo", "Yjp", "one\ntwo\n|one"],
    ["|one", "xp", "n|oe"],
    ["|one\ntwo", ">>", "  |one\ntwo"],
    ["    |one", "<<", "  |one"],
    ["|one\n  two", "J", "one| two"],
    ["|abc", "rx", "|xbc"],
    ["|abc", "~", "A|bc"],
    ["|abc", "xu", "|abc"],
    ["|abc", "xu\x12", "|bc"],
    ["|one two six", "dw.", "|six"],
    ["|one two", "cwx\x1bw.", "x |x"],
    ["|one", "ia\x1b.", "|aaone"],
    ["|one", "Ax\x1b.", "onex|x"],
    ["|one", "ox\x1b", "one\n|x"],
    ["|one", "Ox\x1b", "|x\none"],
    ["  o|ne", "Ix\x1b", "  |xone"],
    ["o|ne", "ax\x1b", "on|xe"],
    ["|a👨‍👩‍👧b", "lx", "a|b"],
  ])("%j %s", async (text, keys, expected) => {
    expect(await after(text, keys)).toBe(expected);
  });
});

describe("text objects", () => {
  test.each([
    ["one t|wo six", "diw", "one | six"],
    ["one t|wo six", "daw", "one |six"],
    ["one t|wo", "daw", "on|e"],
    ["a b.|c d", "diW", "a | d"],
    ['say "he|llo" now', 'di"', 'say "|" now'],
    ['say "he|llo" now', 'da"', "say |now"],
    ["say 'h|i'", "ci'x\x1b", "say '|x'"],
    ["f(a, |b)", "di(", "f(|)"],
    ["f(a, |b)", "dab", "|f"],
    ["f(g(|x), y)", "ci(z\x1b", "f(g(|z), y)"],
    ["a[|1]", "di[", "a[|]"],
    ["{\n  a|\n}", "di{", "{|}"],
    ["f(|x)", "yi(P", "f(|xx)"],
  ])("%j %s", async (text, keys, expected) => {
    expect(await after(text, keys)).toBe(expected);
  });
});

describe("VISUAL", () => {
  test.each([
    ["|one two", "vd", "|ne two"],
    ["|one two", "vwd", "|wo"],
    ["|one two", "vey$p", "one twoon|e"],
    ["one t|wo", "viwcx\x1b", "one |x"],
    ["|one\ntwo\nsix", "Vjd", "|six"],
    ["one\n|two", "Vky", "|one\ntwo"],
    ["|one\ntwo", "Vj>", "  |one\n  two"],
    ["|one two", "vlo\x1b", "|one two"],
    ["|one two", "vll~", "|ONE two"],
    ["|one\ntwo", "VjJ", "one| two"],
  ])("%j %s", async (text, keys, expected) => {
    expect(await after(text, keys)).toBe(expected);
  });

  test("shows its mode", async () => {
    const driver = await vim();
    driver.send("ab");
    driver.send("\x1b");
    driver.send("v");
    expect(driver.prompt.vimMode).toBe("VISUAL");
    driver.send("V");
    expect(driver.prompt.vimMode).toBe("VISUAL LINE");
    driver.send("\x1b");
    expect(driver.prompt.vimMode).toBe("NORMAL");
  });
});

test("`/` searches the history, `?` shows the shortcuts, k and j walk", async () => {
  const driver = await vim();
  driver.send("\x1b");
  await driver.historyRead;
  expect(driver.send("/?")).toEqual([{ kind: "history-search" }, { kind: "shortcuts" }]);
  driver.send("k");
  expect(driver.draft()).toBe("❯ befor|e");
  driver.send("j");
  expect(driver.draft()).toBe("❯ |");
});

test("random keys never throw", async () => {
  const driver = await vim();
  let seed = 3;
  const random = (below: number): number => {
    seed = (seed * 1_103_515_245 + 12_345) & 0x7f_ff_ff_ff;
    return (seed >> 8) % below;
  };
  const keys = [
    ..."iIaAoOvVhjklwebWEB0$^gGfFtT;,xXdDcCsSyYpP><J.ur~%{}123\"'()[]",
    "日",
    "\x1b",
    "\x1b",
    "\n",
    "\x7f",
    "\x1b[A",
    "\x1b[B",
    "\x12",
  ];
  for (let step = 0; step < 20_000; step += 1) {
    driver.send(keys[random(keys.length)]!);
    if (step % 50 === 0) driver.prompt.setText('some (text) here\n  "and" 日本 more\n\nend');
    if (step % 9 === 0) driver.draft(30, 12);
  }
  expect(driver.prompt.vimMode).toBeDefined();
});
