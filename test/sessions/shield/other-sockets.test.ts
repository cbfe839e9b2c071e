// Sockets of the user's other programs: who connects to one has that program act outside the shield. Commands do not get
// them; what commands are meant to use, and what they started themselves, they do. The real program.

import { afterAll, expect, test } from "bun:test";
import { chmodSync, existsSync, lchownSync, mkdirSync, readdirSync } from "node:fs";
import { dirname, join } from "node:path";
import {
  runKeelson,
  startMockModel,
  temporaryHome,
  testUnless,
  type ScriptedCall,
  type TemporaryHome,
} from "@keelson/testkit";
import { ordinaryUserMissing, owned, program, removeCopy, through } from "../as-nobody.ts";
import { STREAM, told } from "../front-door.ts";
import { confinementMissing } from "../needs-bubblewrap.ts";

const shielded = testUnless(confinementMissing(), test);
const ordinary = testUnless(confinementMissing() ?? ordinaryUserMissing(), test);
const needs = (it: typeof test, name: string) => testUnless(Bun.which(name) ? null : `${name} is not installed`, it);
afterAll(removeCopy);

const bash = (command: string, more: object = {}): ScriptedCall => ({ name: "Bash", input: { command, ...more } });
const NOTE = "Commands cannot connect to the user's other programs";

const USERS = [
  ["the one who runs this", shielded, { through: [], program: undefined }],
  ["an ordinary user", ordinary, { through, program }],
] as const;

for (const [user, it, how] of USERS) {
  const own = (home: TemporaryHome) => (how.through.length > 0 ? owned(home) : home);
  const start = (home: TemporaryHome, argv: readonly string[], env: object) =>
    Bun.spawn([...how.through, ...argv], {
      cwd: home.project,
      env: { ...home.env, ...env },
      stdio: ["ignore", "pipe", "pipe"],
    });

  /** What each command said. */
  async function session(home: TemporaryHome, commands: readonly string[], env: Record<string, string>) {
    home.settings({ permissions: { allow: ["Bash"] }, ...home_settings.get(home) });
    own(home);
    const script = commands.map((command) => ({ calls: [bash(command)] }));
    await using model = await startMockModel([...script, { text: "done" }]);
    const ended = await runKeelson(["-p", "go", ...STREAM], { home, url: model.url, env, ...how });
    expect(ended.code).toBe(0);
    return model.requests.slice(1).map((request) => String(told(request).at(-1)!.content));
  }

  needs(it, "tmux")(
    `as ${user}: the user's tmux takes no keys and runs no command; one of the command's own works`,
    async () => {
      using home = temporaryHome();
      const folder = join(home.root, "tmux");
      mkdirSync(folder);
      own(home);
      const env = { TMUX_TMPDIR: folder, TERM: "xterm" };
      const tmux = (...args: string[]) => start(home, ["tmux", "-f", "/dev/null", ...args], env);
      expect(await tmux("new-session", "-d", "-s", "mine", "sh").exited).toBe(0);
      const [name = ""] = readdirSync(folder);
      const pid = Number(await new Response(tmux("display-message", "-p", "#{pid}").stdout).text());
      try {
        const socket = join(folder, name, "default");
        const said = await session(
          home,
          [
            "tmux run-shell 'touch planted'",
            `tmux -S ${socket} send-keys -t mine 'touch planted' Enter`,
            `mv ${socket} ${folder}/away; ln ${socket} ${home.project}/second; for n in ${folder}/away second; do tmux -S $n ls; done; tmux ls`,
            `touch planted-too; tmux -L own -f /dev/null new-session -d -s theirs 'sleep 60' && tmux -L own ls`,
            "tmux -L own ls && tmux -L own kill-server",
          ],
          { ...env, TMUX: `${socket},1,0` },
        );
        for (const text of said.slice(0, 3)) expect(text).toContain(NOTE);
        for (const text of said.slice(3)) expect(text).toStartWith("theirs: 1 windows");
        expect(existsSync(join(home.project, "planted"))).toBe(false);
      } finally {
        process.kill(pid);
      }
    },
  );

  it(`as ${user}: only sockets that commands are meant to use can be reached`, async () => {
    using home = temporaryHome();
    const reached: string[] = [];
    await using open = new AsyncDisposableStack();
    const names = ["~/.emacs.d/server", "~/run/nvim.1.0", "~/code/ipc.sock", "~/chosen.sock"];
    const meant = ["./dev.sock", "~/.ssh/cm-host", "~/run/S.gpg-agent", "~/run/.s.PGSQL.5432", "~/key"];
    const places = [...names, ...meant].map((name) => ({
      name,
      path: name.replace(/^~/, home.home).replace(/^\./, home.project),
    }));
    for (const { name, path } of places) {
      mkdirSync(dirname(path), { recursive: true });
      const socket = {
        open: (client: { write(text: string): number; end(): void }) => {
          reached.push(name);
          client.write("hello\n");
          client.end();
        },
        data() {},
      };
      const server = Bun.listen({ unix: path, socket });
      open.defer(() => server.stop(true));
      chmodSync(path, 0o700);
      if (how.through.length > 0) lchownSync(path, 65534, 65534);
    }
    home_settings.set(home, { sandbox: { network: { allowUnixSockets: ["~/chosen.sock"] } } });
    const ask = (path: string) => `socat -u UNIX-CONNECT:${path} - 2>/dev/null`;
    await session(home, [places.map(({ path }) => ask(path)).join("; ")], {
      SSH_AUTH_SOCK: join(home.home, "key"),
    });
    expect(reached).toEqual(["~/chosen.sock", ...meant]);
  });

  needs(it, "dbus-daemon")(
    `as ${user}: the session bus starts nothing for a command, and the keyring answers`,
    async () => {
      using home = temporaryHome();
      const path = join(home.root, "bus");
      const service = (name: string) => {
        const script = home.write(
          `~/services/${name}.sh`,
          `#!/bin/sh\necho "$PLANTED" >"${home.root}/started-${name}"\n`,
        );
        chmodSync(script, 0o755);
        home.write(`~/services/${name}.service`, `[D-BUS Service]\nName=${name}\nExec=${script}\n`);
      };
      for (const name of ["org.freedesktop.systemd1", "org.freedesktop.secrets", "org.example.Editor"]) service(name);
      const allowed = '<allow send_destination="*"/><allow own="*"/><allow user="*"/><allow receive_sender="*"/>';
      const config = home.write(
        "~/bus.conf",
        `<!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-Bus Bus Configuration 1.0//EN" "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
       <busconfig><type>session</type><listen>unix:path=${path}</listen><servicedir>${home.home}/services</servicedir>
       <policy context="default">${allowed}</policy></busconfig>`,
      );
      own(home);
      const daemon = start(home, ["dbus-daemon", `--config-file=${config}`, "--print-address", "--nofork"], {});
      try {
        const { value } = await daemon.stdout.getReader().read();
        expect(new TextDecoder().decode(value)).toStartWith("unix:path=");
        const call = (to: string, what: string, more = "") =>
          `dbus-send --session --print-reply --reply-timeout=3000 --dest=${to} / ${what} ${more}`;
        const said = await session(
          home,
          [
            call("org.freedesktop.systemd1", "org.freedesktop.systemd1.Manager.StartTransientUnit"),
            call("org.example.Editor", "org.example.Editor.Open"),
            call(
              "org.freedesktop.DBus",
              "org.freedesktop.DBus.StartServiceByName",
              "string:org.example.Editor uint32:0",
            ),
            call(
              "org.freedesktop.DBus",
              "org.freedesktop.DBus.UpdateActivationEnvironment",
              "dict:string:string:PLANTED,yes",
            ),
            call("org.freedesktop.DBus", "org.freedesktop.DBus.ListNames"),
            call("org.freedesktop.secrets", "org.freedesktop.Secret.Service.OpenSession"),
          ],
          { DBUS_SESSION_BUS_ADDRESS: `unix:path=${path}` },
        );
        for (const text of said.slice(0, 4)) {
          expect(text).toContain("Commands reach only the keyring and notifications on this bus");
          expect(text).toContain(NOTE);
        }
        expect(said[4]).toContain('string "org.freedesktop.DBus"');
        const started = readdirSync(home.root).filter((name) => name.startsWith("started-"));
        expect(started).toEqual(["started-org.freedesktop.secrets"]);
        expect(await Bun.file(join(home.root, started[0]!)).text()).toBe("\n");
      } finally {
        daemon.kill();
        await daemon.exited;
      }
    },
  );
}

const home_settings = new WeakMap<TemporaryHome, object>();
