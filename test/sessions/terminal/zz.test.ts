import { test } from "bun:test";
import { openAtTerminal } from "./at-terminal.ts";
test("x", async () => {
  await using at = await openAtTerminal(
    [
      {
        text: "I will make it.",
        calls: [{ name: "Bash", input: { command: "make alpha beta", description: "Build it" } }],
      } as any,
      { calls: [{ name: "Write", input: { file_path: "new.txt", content: "one\ntwo\n" } }] } as any,
      {
        calls: [
          {
            name: "AskUserQuestion",
            input: {
              questions: [
                {
                  question: "Which color?",
                  header: "Color",
                  multiSelect: false,
                  options: [
                    { label: "Red", description: "warm" },
                    { label: "Blue", description: "cold" },
                  ],
                },
              ],
            },
          },
        ],
      } as any,
      { text: "**All done.**" },
    ],
    { columns: 90, rows: 30 },
  );
  const { terminal: t, model } = at;
  const show = (w: string) => console.log("=====", w, "\n" + t.screen().join("\n"));
  t.type("go on");
  t.press("enter");
  await t.until("make alpha");
  await Bun.sleep(500);
  show("bash dialog");
  t.press("2");
  await Bun.sleep(800);
  show("write dialog");
  t.press("1");
  await Bun.sleep(800);
  show("question");
  t.press("2");
  await Bun.sleep(800);
  show("done");
  console.log(JSON.stringify(model.requests.at(-1)?.body.messages.slice(-6)).slice(0, 3000));
  console.log(at.home.read(".claude/settings.local.json"));
});
