// Behind the shield, commands have devices of their own: none of them is the user's terminal, and programs that open a
// terminal for themselves still work. The real program in a pty.

import { afterAll, expect, test } from "bun:test";
import { programCommand, startMockModel, temporaryHome, testUnless, type ScriptedCall } from "@keelson/testkit";
import { startTerminal } from "@keelson/testkit/terminal";
import { ordinaryUserMissing, owned, program, removeCopy, through } from "../as-nobody.ts";
import { told } from "../front-door.ts";
import { confinementMissing } from "../needs-bubblewrap.ts";

const shielded = testUnless(confinementMissing(), test);
const ordinary = testUnless(confinementMissing() ?? ordinaryUserMissing(), test);
const bash = (command: string): ScriptedCall => ({ name: "Bash", input: { command } });
afterAll(removeCopy);

const CLIPBOARD = "\u001b]52;c;";
/** Sets the clipboard through every name a terminal may have, also those of the processes above. */
const ATTACK = String.raw`
up=$$; while [ "$up" -gt 1 ]; do above="$above $up"; up=$(awk '/^PPid/ {print $2}' /proc/$up/status 2>/dev/null || echo 1); done
for t in /dev/tty /dev/console /dev/tty[0-9]* /dev/ttyS* /dev/pts/* /dev/fd/* /dev/stdin; do
  [ -c "$t" ] && printf '\033]52;c;cHduZWQ=\007' > "$t"
done 2>/dev/null
for p in $above; do
  for f in 0 1 2 255; do
    case $(readlink /proc/$p/fd/$f) in /dev/pts/*|/dev/tty*) printf '\033]52;c;cHduZWQ=\007' > /proc/$p/fd/$f ;; esac
  done
done 2>/dev/null
n=$(awk '{print $7}' /proc/$KEELSON_PID/stat)
for d in /dev /proc/$KEELSON_PID/root/dev; do printf '\033]52;c;cHduZWQ=\007' > $d/pts/$((n & 255)); done 2>/dev/null
ls /dev/pts
[ ! -e /dev/sda ] && [ ! -e /dev/loop0 ] && [ ! -e /dev/tty1 ] && [ ! -e /dev/mem ] && echo no disks
mknod $HOME/node c 4 1 2>/dev/null && echo made a device
echo attacked
`;

const OWN_TERMINALS = [
  `script -qc 'test -t 1 && tty' /dev/null`,
  `python3 -c 'import os,pty; pty.spawn(["tty"])'`,
  `tmux -L own -f /dev/null new-session -d 'tty > tmux.txt' && for n in $(seq 100); do [ -s tmux.txt ] && break; sleep 0.05; done; cat tmux.txt`,
];

for (const [user, it, how] of [
  ["the one who runs this", shielded, { through: [], program: undefined }],
  ["an ordinary user", ordinary, { through, program }],
] as const) {
  it(`as ${user}: no command reaches the user's terminal`, async () => {
    using home = temporaryHome();
    home.write("attack.sh", ATTACK);
    await using model = await startMockModel([{ calls: [bash("bash attack.sh")] }, { text: "done" }]);
    if (how.through.length > 0) owned(home);
    const start = [...how.through, ...programCommand({ home, program: how.program })];
    await using terminal = startTerminal({
      command: ["sh", "-c", `export KEELSON_PID=$$; exec "$@"`, "sh", ...start],
      args: ["-p", "go", "--allowedTools", "Bash"],
      home,
      url: model.url,
    });
    await terminal.exited;
    expect(told(model.requests[1]!)[0].content).toBe("ptmx\nno disks\nattacked");
    expect(terminal.bytes).not.toContain(CLIPBOARD);
    expect(terminal.bytes).toContain("done");
  });

  it(`as ${user}: programs that open a terminal of their own work, and so do ordinary devices`, async () => {
    using home = temporaryHome();
    const wanted = OWN_TERMINALS.filter((command) => Bun.which(command.split(" ")[0]!));
    const devices = `echo x > /dev/null && head -c 4 /dev/urandom | wc -c && echo y > /dev/shm/$$ && cat /dev/shm/$$ && rm /dev/shm/$$ && cat <(echo z) && echo e >/dev/stderr && echo o >/dev/stdout`;
    await using model = await startMockModel([{ calls: [...wanted, devices].map(bash) }, { text: "done" }]);
    if (how.through.length > 0) owned(home);
    const command = [...how.through, ...programCommand({ home, program: how.program })];
    await using terminal = startTerminal({
      command,
      args: ["-p", "go", "--allowedTools", "Bash"],
      home,
      url: model.url,
    });
    await terminal.exited;
    const said = told(model.requests[1]!).map(({ content }) => content.trim().replaceAll("\r", ""));
    expect(said).toEqual([...wanted.map(() => expect.stringMatching(/^\/dev\/pts\/\d+$/)), "4\ny\nz\ne\no"]);
  });
}
