// Guards on a machine that lacks descriptors or memory: what they guard does not happen.

import { expect, test } from "bun:test";
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { runKeelson, startMockModel, temporaryHome, testUnless } from "@keelson/testkit";
import { told } from "../front-door.ts";

const WRITE = { calls: [{ name: "Write", input: { file_path: "made.txt", content: "x" } }] };
const MODES = ["--permission-mode", "acceptEdits"];
const linuxTest = testUnless(process.platform === "linux" ? null : "needs Linux", test);

const NO = JSON.stringify({ decision: "block" });

/** Runs the program with at most so many open files. */
const limited = (files: number) => ["/bin/sh", "-c", `ulimit -n ${files}; exec "$@"`, "limited"];

for (const files of [1_024, 128]) {
  linuxTest(`with ${files} descriptors, all of 301 hooks run, and the last one denies`, async () => {
    using home = temporaryHome();
    home.write("ran/.keep", "");
    const hooks = Array.from({ length: 301 }, (_, at) => ({
      type: "command",
      command: `touch "$CLAUDE_PROJECT_DIR/ran/${at}"; ${at === 300 ? "echo not this file >&2; exit 2" : "sleep 0.05"}`,
    }));
    home.settings({ hooks: { PreToolUse: [{ matcher: "Write", hooks }] } });
    await using model = await startMockModel([WRITE, { text: "done" }]);

    await runKeelson(["-p", "go", ...MODES], { home, url: model.url, through: limited(files) });

    expect(existsSync(join(home.project, "made.txt"))).toBe(false);
    expect(readdirSync(join(home.project, "ran"))).toHaveLength(302);
    expect(told(model.requests[1]!)[0].content).toContain("not this file");
  });
}

test.each([
  ["killed from outside", "kill -9 $$", "killed by SIGKILL"],
  ["asked to end from outside", "kill -TERM $$", "killed by SIGTERM"],
  ["whose program was killed", "sh -c 'kill -9 $$'; exit $?", "killed by SIGKILL"],
  ["that has no disk space", "echo 'log: No space left on device' >&2; exit 1", "free some disk space"],
  ["that cannot fork", "echo 'bash: fork: retry: Resource temporarily unavailable' >&2; exit 254", "ulimit -u"],
  ["that gets an argument of 300 KB", `/bin/true "$(head -c 300000 /dev/zero | tr '\\0' x)"`, "not as arguments"],
  ["whose answer begins after 2 MB", `head -c 2000000 /dev/zero | tr '\\0' ' '; echo '${NO}'`, "more than 1 MiB"],
  [
    "whose reason has 2 MB",
    `printf '{"reason":"'; head -c 2000000 /dev/zero | tr '\\0' x; echo '",${NO.slice(1)}'`,
    "1 MiB",
  ],
])("a hook %s denies, and says why", async (_, command, why) => {
  using home = temporaryHome();
  home.settings({ hooks: { PreToolUse: [{ matcher: "Write", hooks: [{ type: "command", command }] }] } });
  await using model = await startMockModel([WRITE, { text: "done" }]);

  const { stderr } = await runKeelson(["-p", "go", ...MODES], { home, url: model.url });

  expect(existsSync(join(home.project, "made.txt"))).toBe(false);
  expect(told(model.requests[1]!)[0]).toMatchObject({ is_error: true, content: expect.stringContaining(why) });
  expect(stderr).toContain(why);
});

linuxTest(
  "a hook that a command stops with a signal denies, and says why; one that is only slow is a warning",
  async () => {
    using home = temporaryHome();
    home.write("~/.claude/hooks/guard.sh", "echo $$ >pid; sleep 600");
    const command = `sh ${home.configDir}/hooks/guard.sh`;
    const hook = { matcher: "Write", hooks: [{ type: "command", command, timeout: 2 }] };
    home.settings({ hooks: { PreToolUse: [hook] }, permissions: { allow: ["Bash"] } });
    const attack = "until test -s pid; do sleep 0.01; done; kill -STOP $(cat pid)";
    const stop = { calls: [{ name: "Bash", input: { command: attack, run_in_background: true } }] };
    await using model = await startMockModel([stop, WRITE, { text: "done" }, { text: "done" }]);
    await runKeelson(["-p", "go", ...MODES], { home, url: model.url });
    expect(told(model.requests[2]!)[0].content).toContain("Another program stopped it with a signal");
    expect(existsSync(join(home.project, "made.txt"))).toBe(false);

    await using again = await startMockModel([WRITE, { text: "done" }]);
    const { stderr } = await runKeelson(["-p", "go", ...MODES], { home, url: again.url });
    expect(stderr).toContain("It took longer than 2 s");
    expect(existsSync(join(home.project, "made.txt"))).toBe(true);
  },
);

test.each([
  ["that does not exist", "/no/such/guard"],
  ["that fails for a reason of its own", "echo broken >&2; exit 1"],
  ["that crashes", "ulimit -c 0; kill -SEGV $$"],
  ["that prints a lot", "head -c 2000000 /dev/zero | tr '\\0' x"],
  ["that prints a lot after its answer", `echo '{"suppressOutput":true}'; head -c 2000000 /dev/zero | tr '\\0' ' '`],
])("a hook %s is a warning", async (_, command) => {
  using home = temporaryHome();
  home.settings({ hooks: { PreToolUse: [{ matcher: "Write", hooks: [{ type: "command", command }] }] } });
  await using model = await startMockModel([WRITE, { text: "done" }]);

  await runKeelson(["-p", "go", ...MODES], { home, url: model.url });

  expect(existsSync(join(home.project, "made.txt"))).toBe(true);
});
