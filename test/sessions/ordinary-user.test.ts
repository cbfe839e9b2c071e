// What only an ordinary user can be promised: our own process is closed to what it starts. Run by root, the program is
// started as `nobody`; and what closing it might have broken is tried as well.

import { afterAll, expect, test } from "bun:test";
import { chownSync, existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { runKeelson, startKeelson, startMockModel, temporaryHome, type Call, type TemporaryHome } from "@keelson/testkit";
import { CHAT, prompt, STREAM, told } from "./front-door.ts";

const NOBODY = 65534;
const isRoot = process.getuid?.() === 0;
const AS_NOBODY = ["setpriv", `--reuid=${NOBODY}`, `--regid=${NOBODY}`, "--clear-groups", "--"];
const through = isRoot ? AS_NOBODY : [];
const ordinary = test.skipIf(missing() !== null);

const KEY = "sk-ant-hush-0123456789";
const bash = (command: string): Call => ({ name: "Bash", input: { command } });
/** Every process whose start environment can be read, and holds the word. */
const LOOK = `for p in /proc/[0-9]*; do tr '\\0' '\\n' <$p/environ 2>/dev/null | grep hush; done; echo looked`;

// Shows that the search finds what there is to find.
const control = Bun.spawn([...through, "sleep", "60"], {
  env: { PATH: process.env["PATH"], CONTROL: "hush-control" },
  stdio: ["ignore", "ignore", "ignore"],
});
afterAll(() => control.kill());

ordinary("neither a command nor a hook can read the key from our process", async () => {
  using home = temporaryHome();
  const command = `(${LOOK}) >"$CLAUDE_PROJECT_DIR/from-hook.txt"`;
  home.settings({ hooks: { SessionStart: [{ hooks: [{ type: "command", command }] }] } });
  await using model = await startMockModel((_, number) =>
    number > 1 ? { text: "done" } : { calls: [bash(LOOK), bash(`for f in environ mem root cwd exe; do ${FIND_US}; done`)] },
  );
  await using program = startKeelson([...CHAT, "--allowedTools", "Bash"], {
    home: owned(home),
    url: model.url,
    stdin: "open",
    through,
    env: { ANTHROPIC_API_KEY: KEY },
  });
  program.send(prompt(`our process is ${program.pid}`));
  await program.waitForLine(({ type }) => type === "result");
  program.closeStdin();
  expect((await program.done).code).toBe(0);

  expect(model.requests[0]!.headers["x-api-key"]).toBe(KEY);
  const [looked] = told(model.requests[1]!);
  expect(looked.content).toBe("CONTROL=hush-control\nlooked");
  expect(home.read("from-hook.txt")).toBe("CONTROL=hush-control\nlooked\n");
});
