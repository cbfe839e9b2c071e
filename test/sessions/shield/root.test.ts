// A shielded command of root cannot look through processes outside the shield, and cannot have the kernel act for it; what root
// does every day works. Only where the kernel has Landlock.

import { afterAll, expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { runKeelson, startMockModel, temporaryHome, testUnless, type TemporaryHome } from "@keelson/testkit";
import { ordinaryUserMissing, removeCopy, through } from "../as-nobody.ts";
import { told } from "../front-door.ts";
import { confinementMissing } from "../needs-bubblewrap.ts";

const notRoot = process.getuid?.() === 0 ? null : "only root can run this";
const asRoot = testUnless(notRoot ?? confinementMissing() ?? ordinaryUserMissing(), test);
afterAll(removeCopy);

/** Bubblewrap's own process. */
const OUTER = `OUTER=$(awk '/^PPid/ {print $2}' /proc/$PPID/status)`;
/** Each prints its name if it got through. Those that change something write what is there already. */
const ATTACKS = {
  "another process's view of the disk":
    'for p in /proc/[0-9]*; do grep -s SECRET $p/root/$PWD/denied.txt && echo "$p"; done; grep -s SECRET /proc/$OUTER/root/$PWD/denied.txt',
  "its folder": "for p in /proc/[0-9]*; do (cd -P $p/cwd && grep -s SECRET ./denied.txt $PWD/denied.txt); done",
  "writing through bubblewrap": "echo hi > /proc/$OUTER/root/$PWD/.claude/planted && echo wrote",
  "its open files": "for p in /proc/$OUTER /proc/1 /proc/$OUTSIDE; do readlink $p/fd/0 $p/exe; done",
  "its memory":
    "head -c 1 /proc/$OUTER/mem /proc/$OUTER/maps /proc/$OUTER/environ; timeout 1 strace -qp $OUTER -o trace.txt 2>&1 | grep -v permitted",
  "its namespaces": "nsenter -t $OUTER -m cat $PWD/denied.txt; nsenter -t 1 -m cat $PWD/denied.txt",
  "another user's process":
    "setpriv --reuid=65534 --regid=65534 --clear-groups cat /proc/$OUTSIDE/root/$PWD/denied.txt; setpriv --reuid=65534 --regid=65534 --clear-groups --inh-caps=+dac_override,+setuid --ambient-caps=+dac_override,+setuid cat /proc/$OUTSIDE/root/$PWD/denied.txt",
  "taking away what hides a file":
    "umount denied.txt && cat denied.txt; unshare -Urm sh -c 'umount denied.txt; cat denied.txt'",
  "mounting the disk again":
    "mkdir m && mount --bind / m && cat m$PWD/denied.txt; unshare -Urm sh -c 'mount --bind / m && cat m$PWD/denied.txt'",
  "a program for crashes":
    "cp /proc/sys/kernel/core_pattern c && cat c > /proc/sys/kernel/core_pattern && echo wrote; unshare -Urm sh -c 'mount -o remount,rw /proc/sys && cat c > /proc/sys/kernel/core_pattern && echo wrote'",
  "a program for modules": "cp /proc/sys/kernel/modprobe m && cat m > /proc/sys/kernel/modprobe && echo wrote",
  "formats of programs": "echo > /proc/sys/fs/binfmt_misc/status && echo wrote",
  "control groups":
    "mkdir /sys/fs/cgroup/planted /sys/fs/cgroup/*/planted && echo made; rmdir /sys/fs/cgroup/planted /sys/fs/cgroup/*/planted",
  "keys of the console": "echo h > /proc/sysrq-trigger && echo wrote",
  capabilities:
    "held=0x$(awk '/^CapEff/ {print $2}' /proc/self/status); for bit in 2 9 16 17 19 21 22 27 38 39; do [ $((held >> bit & 1)) = 0 ] || echo $bit; done",
  "a device": "mknod d b 254 0 && head -c 1 d",
} as const;

const script = Object.entries(ATTACKS).map(
  ([name, attack]) => `got=$( (${attack}) 2>/dev/null </dev/null); [ -z "$got" ] || echo "${name}: $got"`,
);

asRoot.each(["default", "bypassPermissions"])(
  "in mode %s, no way out that a hostile program knows works",
  async (mode) => {
    using home = temporaryHome();
    home.settings({ permissions: { deny: ["Read(denied.txt)"], allow: ["Bash(sh attack.sh)"] } });
    home.write("denied.txt", "SECRET\n");
    home.write(".claude/agents/helper.md", "---\nname: helper\ndescription: Helps.\n---\nHelp.\n");
    home.write("attack.sh", `${OUTER}\n${script.join("\n")}\necho attacked\n`);
    const outside = Bun.spawn([...through, "sleep", "600"], {
      cwd: home.project,
      stdio: ["ignore", "ignore", "ignore"],
    });
    try {
      const [{ content }] = await runCommand(home, "sh attack.sh", ["--permission-mode", mode], {
        OUTSIDE: `${outside.pid}`,
        // Root may use that mode in a container only.
        IS_SANDBOX: "1",
      });
      // Where nobody asks, commands may do what an approved one may: change the kernel's settings.
      const mayChange =
        /^(?:a program for (?:crashes|modules)|formats of programs|control groups|keys of the console|capabilities|writing through):/;
      const lines = content.split("\n").filter((line: string) => mode === "default" || /^[^0-9]/.test(line));
      expect(lines.filter((line: string) => mode === "default" || !mayChange.test(line))).toEqual(["attacked"]);
      expect(existsSync(join(home.project, ".claude/planted"))).toBe(false);
    } finally {
      outside.kill();
      await outside.exited;
    }
  },
);

const EVERYDAY = `
set -e
mkdir one two; echo a > one/file; mv one/file two/file; ln two/file one/alias; mv one two/three; cat two/three/alias
chown nobody two/file; stat -c %U two/file; su -s /bin/sh nobody -c 'id -un'
strace -o /dev/null true; sleep 30 & readlink -f /proc/$!/cwd | sed "s|$PWD|here|"; kill $!
ps -p $PPID -o comm=; cat /proc/sys/kernel/ostype; ls -d /sys/kernel
git init -q repository; echo done
`;

asRoot("what root does every day works", async () => {
  using home = temporaryHome();
  home.write("everyday.sh", EVERYDAY);
  const [{ content }] = await runCommand(home, "bash everyday.sh 2>&1", ["--allowedTools", "Bash"]);
  const expected = ["a", "nobody", "nobody", "here", "bash", "Linux", "/sys/kernel", "done"];
  expect(content.split("\n")).toEqual(expected);
});

asRoot("it holds where temporary files are in the machine's /dev, too", async () => {
  using home = temporaryHome();
  const env = { TMPDIR: "/dev/shm" };
  const command = `${ATTACKS.capabilities}; echo checked`;
  const [{ content }] = await runCommand(home, command, ["--allowedTools", "Bash"], env);
  expect(content).toBe("checked");
});

asRoot("doctor says whether the machine can do that", async () => {
  using home = temporaryHome();
  const { stdout } = await runKeelson(["doctor"], { home, url: "http://127.0.0.1:9" });
  expect(stdout).toContain("keeps root's commands from looking through other processes");
});

async function runCommand(
  home: TemporaryHome,
  command: string,
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
) {
  await using model = await startMockModel([{ calls: [{ name: "Bash", input: { command } }] }, { text: "done" }]);
  const ended = await runKeelson(["-p", "go", ...args], { home, url: model.url, env });
  expect(ended.code).toBe(0);
  return told(model.requests[1]!);
}
