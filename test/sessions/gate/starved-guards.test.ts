// Guards on a machine that lacks descriptors or memory: what they guard does not happen.

import { afterAll, expect, test } from "bun:test";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { runKeelson, startMockModel, temporaryHome, testUnless, type TemporaryHome } from "@keelson/testkit";
import { ordinaryUserMissing, owned, program, removeCopy, through } from "../as-nobody.ts";
import { told } from "../front-door.ts";
import { confinementMissing } from "../needs-bubblewrap.ts";

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
  ["that crashes, or seems to", "ulimit -c 0; kill -SEGV $$", "killed by SIGSEGV"],
  ["whose program got an alarm", "sh -c 'kill -ALRM $$'; exit $?", "killed by SIGALRM"],
  ["that has no disk space", "echo 'log: No space left on device' >&2; exit 1", "free some disk space"],
  ["that cannot fork", "echo 'bash: fork: retry: Resource temporarily unavailable' >&2; exit 254", "ulimit -u"],
  ["that goes on where its disk is full", "cat >/dev/full; exit 0", "No space left on device"],
  [
    "that goes on where a library could not be loaded",
    "(ulimit -v 2500; grep x /dev/null); exit 0",
    "failed to map segment",
  ],
  ["that goes on where Python had no memory", "echo MemoryError >&2; exit 0", "free some memory"],
  ["that goes on where it could not fork", "echo 'guard.sh: 3: Cannot fork' >&2; exit 0", "ulimit -u"],
  ["that goes on where a part of it was killed", "sh -c 'kill -9 $$'; exit 0", "Killed"],
  ["that goes on where a part of it crashed", "(ulimit -c 0; sh -c 'kill -SEGV $$'); exit 0", "Segmentation fault"],
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

async function limitTheGuard(as: object, prepared: (home: TemporaryHome) => TemporaryHome): Promise<void> {
  using home = temporaryHome();
  home.write(
    "~/.claude/hooks/guard.sh",
    "echo $$ >pid; until test -s tried; do sleep 0.01; done; if [ $(cat | grep -c made.txt) -gt 0 ]; then exit 2; fi",
  );
  const hook = { matcher: "Write", hooks: [{ type: "command", command: `bash ${home.configDir}/hooks/guard.sh` }] };
  home.settings({ hooks: { PreToolUse: [hook] }, permissions: { allow: ["Bash"] } });
  const limits = "--nofile=4:4 --data=200000:200000";
  const attack = `until test -s pid; do sleep 0.01; done; prlimit --pid $(cat pid) ${limits}; echo $? >tried`;
  const limit = { calls: [{ name: "Bash", input: { command: attack, run_in_background: true } }] };
  // What commands do for themselves still works.
  const own =
    "ulimit -n 100; prlimit --nofile=50 sh -c 'ulimit -n'; prlimit --pid $PPID --nofile >/dev/null && echo looked";
  const benign = { calls: [{ name: "Bash", input: { command: own } }] };
  await using model = await startMockModel([limit, WRITE, benign, { text: "done" }, { text: "done" }]);
  await runKeelson(["-p", "go", ...MODES], { home: prepared(home), url: model.url, ...as });
  expect(readFileSync(join(home.project, "tried"), "utf8")).toBe("1\n");
  expect(existsSync(join(home.project, "made.txt"))).toBe(false);
  expect(told(model.requests[3]!)[0].content).toBe("50\nlooked");
}

testUnless(confinementMissing(), test)("a command cannot take files and memory from a hook, which then decides", () =>
  limitTheGuard({}, (home) => home),
);

testUnless(ordinaryUserMissing() ?? confinementMissing(), test)("nor can it as an ordinary user", () =>
  limitTheGuard({ through, program }, owned),
);

afterAll(removeCopy);

test.each([
  ["that does not exist", "/no/such/guard"],
  ["that fails for a reason of its own", "echo broken >&2; exit 1"],
  ["that ends well and writes about a shortage", "echo 'notes: No space left on device is rare here' >&2"],
  ["that answers although it complains", `echo 'log: No space left on device' >&2; echo '{"suppressOutput":true}'`],
  ["that ends a helper of its own", "sleep 600 & kill $!; wait $! 2>/dev/null; exit 0"],
  ["that names what others lacked", "echo 'a MemoryError in job 7, and memory exhausted: see log' >&2"],
  ["that prints a lot", "head -c 2000000 /dev/zero | tr '\\0' x"],
  ["that prints a lot after its answer", `echo '{"suppressOutput":true}'; head -c 2000000 /dev/zero | tr '\\0' ' '`],
])("a hook %s is a warning", async (_, command) => {
  using home = temporaryHome();
  home.settings({ hooks: { PreToolUse: [{ matcher: "Write", hooks: [{ type: "command", command }] }] } });
  await using model = await startMockModel([WRITE, { text: "done" }]);

  await runKeelson(["-p", "go", ...MODES], { home, url: model.url });

  expect(existsSync(join(home.project, "made.txt"))).toBe(true);
});
