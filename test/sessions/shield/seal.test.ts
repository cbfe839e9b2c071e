// The secret that proves what Keelson recorded: no tool reads it, and behind the shield no command does, from the first
// command of the first session on.

import { expect, test } from "bun:test";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { runKeelson, startMockModel, temporaryHome, testUnless, type ScriptedCall } from "@keelson/testkit";
import { CHAT, STREAM, told } from "../front-door.ts";
import { confinementMissing } from "../needs-bubblewrap.ts";

const shielded = testUnless(confinementMissing(), test);
const bash = (command: string): ScriptedCall => ({ name: "Bash", input: { command } });

async function tell(home: ReturnType<typeof temporaryHome>, calls: readonly ScriptedCall[]): Promise<readonly any[]> {
  await using model = await startMockModel([{ calls: [...calls] }, { text: "done" }]);
  await runKeelson(["-p", "go", ...STREAM, "--permission-mode", "acceptEdits"], { home, url: model.url });
  return told(model.requests[1]!);
}

test("tools and commands that name the secret are denied, also in the session that creates it", async () => {
  using home = temporaryHome();
  home.settings({ permissions: { allow: ["Bash", "Read", "Grep"] } });
  const key = join(home.configDir, "keelson-seal/key");
  for (const _ of ["the first session", "the second"]) {
    const results = await tell(home, [
      { name: "Read", input: { file_path: key } },
      { name: "Grep", input: { pattern: ".", path: join(home.configDir, "keelson-seal") } },
      { name: "Write", input: { file_path: key, content: "0".repeat(32) } },
      bash(`cat ${key}`),
    ]);
    expect(results.map(({ is_error }: any) => is_error)).toEqual([true, true, true, true]);
    for (const at of [0, 3]) expect(results[at].content).toContain("denied");
    // The first one may come before there is a file to deny.
    expect(results[1].content).toMatch(/denied|does not exist/);
    expect(readFileSync(key).length).toBe(32);
  }
});

shielded("behind the shield, a command that does not name the secret cannot read it either", async () => {
  using home = temporaryHome();
  home.settings({ permissions: { allow: ["Bash"] } });
  home.write("look.sh", `cat "$HOME"/.cl*/kee*/k* > found.bin 2> error.txt; ls "$HOME"/.cl*/kee*/\n`);
  for (const _ of ["the first session", "the second"]) {
    const [result] = await tell(home, [bash("sh look.sh")]);
    expect(result.content).not.toContain("key");
    expect(readFileSync(join(home.project, "found.bin")).length).toBe(0);
    expect(existsSync(join(home.configDir, "keelson-seal/key"))).toBe(true);
  }
});

shielded("behind the shield, a command puts no secret of its own in the place of ours", async () => {
  using home = temporaryHome();
  home.settings({ permissions: { allow: ["Bash"] } });
  const key = join(home.configDir, "keelson-seal/key");
  home.write(
    "plant.sh",
    `cd "$HOME"/.cl*
mv kee* moved
rm -f kee*/k* moved/k*
mkdir -p keelson-seal
head -c 32 /dev/zero > keelson-seal/key
ln -sf "$HOME/known" keelson-seal/key
true
`,
  );
  await tell(home, [bash("true")]);
  const before = readFileSync(key);
  await tell(home, [bash("sh plant.sh")]);
  expect(readFileSync(key)).toEqual(before);
});

test("with a configuration folder that cannot hold a secret, the session goes on and says once what will not work", async () => {
  using home = temporaryHome();
  home.write("~/.claude/keelson-seal", "a file where the folder should be");
  await using model = await startMockModel([{ text: "one" }, { text: "two" }]);
  const prompts = ["first", "second"].map((content) =>
    JSON.stringify({ type: "user", message: { role: "user", content } }),
  );
  const ended = await runKeelson([...CHAT], { home, url: model.url, stdin: `${prompts.join("\n")}\n` });
  expect(ended.stderr.match(/A resume of this session will restore neither its mode nor files/gi)).toHaveLength(1);
  expect(ended.stdout).toContain('"result":"two"');
});
