// However a session ends, it takes with it what it started, and nothing else: not what looks like it, and not other sessions.

import { afterAll, expect, test } from "bun:test";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import {
  startKeelson,
  startMockModel,
  temporaryHome,
  testUnless,
  type ScriptedCall,
  type TemporaryHome,
} from "@keelson/testkit";
import { ordinaryUserMissing, owned, program, removeCopy, through } from "../as-nobody.ts";
import { CHAT, messagesOf, prompt, toolUseResults } from "../front-door.ts";
import { confinementMissing } from "../needs-bubblewrap.ts";
import { isRunning, until } from "../processes.ts";

afterAll(removeCopy);

const onLinux = testUnless(process.platform === "linux" ? null : "needs Linux", test);
const ordinary = testUnless(process.platform === "linux" ? ordinaryUserMissing() : "needs Linux", test);

const shielded = testUnless(confinementMissing(), test);
const rooted = testUnless(canRecycle() ? null : "needs root and ns_last_pid", test);

/** Whether a process can be given a number of our choice. */
function canRecycle(): boolean {
  if (process.getuid?.() !== 0 || !existsSync("/proc/sys/kernel/ns_last_pid")) return false;
  return Bun.which("unshare") !== null && Bun.spawnSync(["unshare", "--pid", "--fork", "--mount-proc", "true"]).success;
}

const bash = (command: string, more: object = {}): ScriptedCall => ({ name: "Bash", input: { command, ...more } });

/** What commands leave behind. Each writes its process id to a file of its own. */
const LEFT: Readonly<Record<string, (begin: string) => string>> = {
  group: (begin) => `sh -c '${begin}; exec sleep 300' >/dev/null 2>&1 &`,
  session: (begin) => `(setsid sh -c '${begin}; exec sleep 300' >/dev/null 2>&1 &)`,
  hidden: (begin) => `(env -i /usr/bin/setsid /bin/sh -c '${begin}; exec /bin/sleep 300' >/dev/null 2>&1 &)`,
  lowered: (begin) =>
    `(ulimit -Sx 7; env -i /usr/bin/setsid /bin/sh -c '${begin}; exec /bin/sleep 300' >/dev/null 2>&1 &)`,
  deaf: (begin) => `(setsid sh -c 'trap "" TERM INT HUP; ${begin}; while :; do sleep 300; done' >/dev/null 2>&1 &)`,
  stopped: (begin) => `(setsid sh -c '${begin}; kill -STOP $$; sleep 300' >/dev/null 2>&1 &)`,
};
/** Has no mark any more. If we are killed, nobody knows where it came from. */
const UNMARKED = (begin: string) =>
  `(ulimit -x 7; env -i /usr/bin/setsid /bin/sh -c '${begin}; exec /bin/sleep 300' >/dev/null 2>&1 &)`;
const LEAVE = Object.entries(LEFT)
  .map(([name, way]) => way(`echo $$ >pid.${name}`))
  .join("\n");

interface Seen {
  readonly mark: string;
  readonly token: string;
  readonly limit: string;
}

/** What a command of a session looks like from outside. */
function look(pid: number): Seen {
  const mark = /(?:^|\0)(KEELSON_SHELL=(\w+)[^\0]*)/.exec(readFileSync(`/proc/${pid}/environ`, "latin1"))!;
  const [, limit] = /^Max file locks +(\d+)/m.exec(readFileSync(`/proc/${pid}/limits`, "latin1"))!;
  return { mark: mark[1]!, token: mark[2]!, limit: limit! };
}

/** Programs of the same user that look like something of ours. They run until they are ended. */
const BYSTANDERS: Readonly<Record<string, (seen: Seen) => string>> = {
  "a daemon": () => "(setsid sleep 400 & echo $! >&3); exec sleep 400",
  "one with a limit": () => "ulimit -x 7; exec sleep 400",
  "one with a soft limit": () => "ulimit -Sx 100000000000000000; exec sleep 400",
  "one with a large limit": () => "ulimit -x 123456789012345678; exec sleep 400",
  "one with our folder in a variable": ({ token }) => `OLDPWD=/tmp/keelson-${token} A=${token}.1. exec sleep 400`,
  // Its parent must not be what adopts our orphans, as this process may: then it would look like one of them.
  "one with our limit": ({ limit }) => `(ulimit -x ${limit}; exec sleep 400) & exec sleep 400`,
  "one with our mark, and a neighbour without it": ({ mark }) => `env ${mark} sleep 400 & exec sleep 400`,
  "one that says it is a reaper": () => `exec bash -c 'sleep 400; :' sh sh keelson-reaper x`,
};

interface Bystander {
  readonly pids: () => readonly number[];
  /** Every process of it has become what it stays. */
  hasBegun(): boolean;
  end(): void;
}

/** Each with everything it started. */
function startBystander(script: string): Bystander {
  const child = Bun.spawn([...through, "bash", "-c", script], {
    detached: true,
    stdio: ["ignore", "ignore", "ignore", "ignore"],
  });
  return {
    pids: () => [child.pid, ...childrenOf(child.pid)],
    hasBegun: () => ![child.pid, ...childrenOf(child.pid)].some((pid) => commandLine(pid).includes(script)),
    end() {
      for (const pid of [...childrenOf(child.pid), child.pid]) {
        try {
          process.kill(pid, "SIGKILL");
        } catch {
          // already gone
        }
      }
    },
  };
}

function childrenOf(pid: number): readonly number[] {
  try {
    return readFileSync(`/proc/${pid}/task/${pid}/children`, "latin1")
      .split(" ")
      .flatMap((each) => Number(each) || []);
  } catch {
    return [];
  }
}

type RunningProgram = ReturnType<typeof startKeelson>;
const ENDS = {
  SIGTERM: (session) => session.kill("SIGTERM"),
  SIGINT: (session) => session.kill("SIGINT"),
  SIGHUP: (session) => session.kill("SIGHUP"),
  "the end of its input": (session) => session.closeStdin(),
  SIGKILL: (session) => session.kill("SIGKILL"),
  "a crash": (session) => session.kill("SIGSEGV"),
} as const satisfies Readonly<Record<string, (session: RunningProgram) => void>>;
type End = keyof typeof ENDS;
const isSudden = (end: End) => end === "SIGKILL" || end === "a crash";

function pidOf({ project }: TemporaryHome, name: string): number {
  const path = join(project, `pid.${name}`);
  return existsSync(path) ? Number(readFileSync(path, "utf8")) : 0;
}

type User = "self" | "nobody";
const startAs = (user: User, home: TemporaryHome, url: string, env: Readonly<Record<string, string>> = {}) =>
  startKeelson([...CHAT, "--allowedTools", "Bash"], {
    home: user === "nobody" ? owned(home) : home,
    url,
    stdin: "open",
    env,
    ...(user === "nobody" ? { through, program } : {}),
  });

/** A session that runs commands until it is told to stop, and says what they printed. */
async function neighbour(user: User, isOver: () => boolean): Promise<readonly string[]> {
  const printed: string[] = [];
  while (!isOver()) {
    using home = temporaryHome();
    const command = "(setsid sleep 0.2 &); sleep 0.15; echo whole";
    await using model = await startMockModel([
      { calls: [bash(command)] },
      { calls: [bash(command)] },
      { text: "done" },
    ]);
    await using session = startAs(user, home, model.url);
    session.send(prompt("Begin"));
    session.closeStdin();
    const ended = await session.done;
    printed.push(...toolUseResults(ended).map((result) => result.stdout ?? String(result)));
    if (messagesOf(ended, "result").length !== 1) printed.push(`code ${ended.code} ${ended.signal} ${ended.stderr}`);
  }
  return printed;
}

async function ended(end: End, user: User): Promise<void> {
  // When its input ends, a session still finishes what it does.
  const awaited = end === "the end of its input" ? [] : ["awaited"];
  const ours = [...Object.keys(LEFT), ...(isSudden(end) ? [] : ["unmarked"]), ...awaited];
  const leave = isSudden(end) ? LEAVE : `${LEAVE}\n${UNMARKED("echo $$ >pid.unmarked")}`;
  using home = temporaryHome();
  using elsewhere = temporaryHome();
  await using model = await startMockModel([
    { calls: [bash(leave)] },
    ...awaited.map(() => ({ calls: [bash("echo $$ >pid.awaited; exec sleep 300")] })),
    { text: "done" },
  ]);
  const staying = bash("(setsid sh -c 'echo $$ >pid.left; exec sleep 300' >/dev/null 2>&1 &)");
  await using quiet = await startMockModel([
    { calls: [staying] },
    { calls: [bash("echo $$ >pid.awaited; sleep 300; :")] },
    { text: "done" },
  ]);
  await using other = startAs(user, elsewhere, quiet.url);
  other.send(prompt("Begin"));
  await using session = startAs(user, home, model.url);
  session.send(prompt("Begin"));
  await until(() => ours.every((name) => pidOf(home, name) > 0), "not everything began");
  await until(() => ["left", "awaited"].every((name) => pidOf(elsewhere, name) > 0), "the other session did not begin");
  const seen = look(pidOf(home, "session"));
  const bystanders = Object.entries(BYSTANDERS).map(([name, script]) => ({ name, ...startBystander(script(seen)) }));
  let isOver = false;
  const neighbours = [neighbour(user, () => isOver), neighbour(user, () => isOver)];
  try {
    await until(() => bystanders.every(({ hasBegun }) => hasBegun()), "not everything else began");
    const began = bystanders.map(({ name, pids }) => ({ name, pids: pids() }));
    const reapers = childrenOf(session.pid).filter(isReaper);
    expect(reapers.length).toBeGreaterThan(0);
    ENDS[end](session);
    await session.done;
    await until(() => !ours.some((name) => isRunning(pidOf(home, name))), "something still runs").catch(
      () => undefined,
    );
    expect(ours.filter((name) => isRunning(pidOf(home, name)))).toEqual([]);
    // The reaper may be at it for a moment.
    await until(() => !reapers.some(isRunning), "a reaper still runs");
    expect(began.filter(({ pids }) => !pids.every(isRunning))).toEqual([]);
    expect(["left", "awaited"].filter((name) => !isRunning(pidOf(elsewhere, name)))).toEqual([]);
    expect(other.lines.filter(({ text }) => text.includes("tool_result")).length).toBe(1);
  } finally {
    isOver = true;
    for (const { end: stop } of bystanders) stop();
  }
  for (const printed of await Promise.all(neighbours)) expect(printed).toEqual(printed.map(() => "whole"));
  other.kill();
  await other.done;
  expect(["left", "awaited"].filter((name) => isRunning(pidOf(elsewhere, name)))).toEqual([]);
}

const isReaper = (pid: number) => commandLine(pid).split("\0")[3] === "keelson-reaper";

function commandLine(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "latin1");
  } catch {
    return "";
  }
}

const EACH = Object.keys(ENDS) as End[];
onLinux.each(EACH)("%s ends what the session started, and nothing of anyone else", async (end) => ended(end, "self"));
ordinary.each(EACH)("for an ordinary user %s ends what the session started, and nothing of anyone else", async (end) =>
  ended(end, "nobody"),
);

onLinux("what commands leave behind is let go of when it ends by itself, while the session goes on", async () => {
  using home = temporaryHome();
  const command = "for i in $(seq 100); do (setsid true &); (true &); done; echo $$ >pid.ran";
  await using model = await startMockModel([{ calls: [bash(command)] }, { hang: true }]);
  await using session = startAs("self", home, model.url);
  session.send(prompt("Begin"));
  await model.waitForRequest(2);
  // Those that are left are reapers, which run.
  await until(() => childrenOf(session.pid).every(isReaper), "something that ended still has its number");
  expect(childrenOf(session.pid).filter(isReaper).every(isRunning)).toBe(true);
});

shielded.each(["SIGTERM", "SIGKILL"] as const)(
  "%s of a session with a socket in its folder ends no command of another, which has something mounted over it",
  async (signal) => {
    using home = temporaryHome();
    using elsewhere = temporaryHome();
    const path = join(home.root, "bus");
    const bus = Bun.listen({ unix: path, socket: { data() {} } });
    try {
      await using model = await startMockModel([{ calls: [bash("echo $$ >pid.ran")] }, { hang: true }]);
      const command = "echo $$ >pid.ran; until [ -e go ]; do sleep 0.05; done; echo whole";
      await using quiet = await startMockModel([{ calls: [bash(command)] }, { text: "done" }]);
      // Commands get a socket of ours in place of the bus.
      const env = { DBUS_SESSION_BUS_ADDRESS: `unix:path=${path}` };
      await using session = startAs("self", home, model.url, env);
      session.send(prompt("Begin"));
      await until(() => pidOf(home, "ran") > 0, "no command began");
      await using other = startAs("self", elsewhere, quiet.url);
      other.send(prompt("Begin"));
      await until(() => pidOf(elsewhere, "ran") > 0, "no other command began");
      const reapers = childrenOf(session.pid).filter(isReaper);
      session.kill(signal);
      await session.done;
      await until(() => !reapers.some(isRunning), "a reaper still runs");
      elsewhere.write("go", "");
      other.closeStdin();
      expect(toolUseResults(await other.done).map(({ stdout }) => stdout)).toEqual(["whole"]);
    } finally {
      bus.stop();
    }
  },
);

/** Starts the program, gives a number to another group whose leader ends, and says at the end whether that group still runs. */
const RECYCLE = `
exec 3<&0
"$@" <&3 3<&- &
program=$!
while [ ! -s recycle ]; do sleep 0.05; done
number=$(cat recycle)
tries=0
until [ "$got" = "$number" ]; do
  tries=$((tries + 1))
  [ $tries -lt 500 ] || { echo "the number was not free" >outcome; exit 1; }
  echo $((number - 1)) >/proc/sys/kernel/ns_last_pid
  setsid sh -c 'sleep 400 & echo $! >member.$$' &
  got=$!
  wait $got
done
[ "$(cut -d' ' -f5 /proc/$(cat member.$number)/stat)" = $number ] || echo "not in that group" >outcome
echo >recycled
while [ ! -e end ]; do sleep 0.05; done
[ "$(cat end)" = wait ] || kill -s "$(cat end)" $program
wait $program
sleep 1.5
kill -0 "$(cat member.$number)" && echo "still there" >>outcome || echo "killed" >>outcome
`;

rooted.each(["wait", "TERM", "KILL"])("the number of a group that is gone is not ours any more: %s", async (end) => {
  using home = temporaryHome();
  const file = (name: string) => join(home.project, name);
  const command = "sleep 0.2 >/dev/null 2>&1 & cut -d' ' -f5 /proc/self/stat >group";
  await using model = await startMockModel([
    { calls: [bash(command)] },
    async () => {
      await until(() => existsSync(file("recycled")) || existsSync(file("outcome")), "nothing was recycled");
      return end === "wait" ? { text: "done" } : { hang: true };
    },
  ]);
  await using running = startKeelson([...CHAT, "--allowedTools", "Bash"], {
    home,
    url: model.url,
    stdin: "open",
    through: ["unshare", "--pid", "--fork", "--mount-proc", "--kill-child", "sh", "-c", RECYCLE, "sh"],
  });
  running.send(prompt("Begin"));
  await until(() => existsSync(file("group")) && readFileSync(file("group"), "utf8").endsWith("\n"), "no command ran");
  // What the command left has ended by then.
  await Bun.sleep(600);
  writeFileSync(file("recycle"), readFileSync(file("group")));
  await until(() => existsSync(file("recycled")) || existsSync(file("outcome")), "nothing was recycled");
  writeFileSync(file("end"), end);
  if (end === "wait") running.closeStdin();
  await running.done;
  expect(readFileSync(file("outcome"), "utf8")).toBe("still there\n");
});
