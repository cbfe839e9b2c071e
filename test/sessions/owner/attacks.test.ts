// Attacks on the lease and the socket of an open session, and what goes on working beside them.

import { afterAll, expect, test } from "bun:test";
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { openSeal } from "@keelson/disk/seal";
import { thisMachine } from "@keelson/disk/lease";
import { processStart } from "@keelson/disk/process-identity";
import {
  programCommand,
  readTranscript,
  runKeelson,
  startKeelson,
  startMockModel,
  temporaryHome,
  testUnless,
  transcriptFiles,
  type Running,
  type TemporaryHome,
} from "@keelson/testkit";
import { ordinaryUserMissing, owned, program, removeCopy, through } from "../as-nobody.ts";
import { confinementMissing } from "../needs-bubblewrap.ts";
import { until } from "../processes.ts";

const ID = "11111111-2222-4333-8444-555555555555";
const LIVE = ["-p", "--output-format", "stream-json", "--verbose", "--input-format", "stream-json"];
const prompt = (content: string) => ({ type: "user", message: { role: "user", content } });
const isResult = (json: { type?: string }) => json.type === "result";
const leaseOf = (home: TemporaryHome) => transcriptFiles(home)[0]!.replace(/\.jsonl$/, ".owner");
afterAll(removeCopy);
const shielded = testUnless(confinementMissing(), test);

/** Starts a session with one turn. Resolves when it listens. */
async function listening(home: TemporaryHome, owner: Running): Promise<string> {
  owner.send(prompt("First"));
  await owner.waitForLine(isResult);
  await until(() => readFileSync(leaseOf(home), "utf8").includes('"socket"'));
  const lines = readFileSync(leaseOf(home), "utf8").trim().split("\n");
  return lines.map((line) => JSON.parse(line)).find(({ socket }) => socket !== undefined).socket;
}

const outputsOf = ({ lines }: Running): readonly string[] =>
  lines.flatMap(({ json }) =>
    json.type === "user" && Array.isArray(json.message.content) ? [String(json.message.content[0].content)] : [],
  );

const holder = (more: object) =>
  `${JSON.stringify({ pid: process.pid, procStart: "", machine: thisMachine(), since: 0, name: "a terminal", listens: true, ...more })}\n`;

const planted: Record<string, (path: string, outside: string) => void> = {
  "a FIFO": (path) => void Bun.spawnSync(["mkfifo", path]),
  "a folder": (path) => void mkdirSync(path),
  "a link": (path, outside) => symlinkSync(outside, path),
  "a link that leads nowhere": (path, outside) => symlinkSync(`${outside}.none`, path),
  "nothing, long ago": (path) => {
    writeFileSync(path, "");
    utimesSync(path, new Date(0), new Date(0));
  },
  "nothing, in the future": (path) => {
    writeFileSync(path, "");
    utimesSync(path, new Date("2099-01-01"), new Date("2099-01-01"));
  },
  "a gigabyte": (path) => {
    writeFileSync(path, "");
    truncateSync(path, 2 ** 30);
    utimesSync(path, new Date(0), new Date(0));
  },
  "every process": (path) => writeFileSync(path, holder({ pid: -1 })),
  "another process with the same id": (path) => writeFileSync(path, holder({ procStart: "1" })),
  "a living process of another start of the machine": (path) => {
    writeFileSync(path, holder({ machine: "elsewhere", procStart: processStart(process.pid) }));
    utimesSync(path, new Date(0), new Date(0));
  },
};

for (const [what, plant] of Object.entries(planted)) {
  test(`a lease that is or names ${what} keeps no one out, and nothing is written behind it`, async () => {
    using home = temporaryHome();
    await using model = await startMockModel([{ text: "One" }, { text: "Two" }]);
    await runKeelson(["-p", "--session-id", ID, "First"], { home, url: model.url });
    const outside = join(home.root, "outside");
    writeFileSync(outside, "untouched");
    plant(leaseOf(home), outside);
    const next = await runKeelson(["-p", "--resume", ID, "Second"], { home, url: model.url });
    expect([next.code, next.stdout]).toEqual([0, "Two\n"]);
    expect([readFileSync(outside, "utf8"), existsSync(`${outside}.none`)]).toEqual(["untouched", false]);
    expect(readTranscript(home).filter(({ type }) => type === "assistant")).toHaveLength(2);
  });
}

test("on a full disk, the lease of a dead owner keeps no one out, and nothing stays behind", async () => {
  using home = temporaryHome();
  await using model = await startMockModel([{ text: "One" }, { text: "Two" }, { text: "Three" }]);
  await runKeelson(["-p", "--session-id", ID, "First"], { home, url: model.url });
  writeFileSync(leaseOf(home), holder({ procStart: "1" }));
  const folder = dirname(leaseOf(home));
  const full = ["bash", "-c", `trap "" XFSZ; ulimit -f 0; exec "$@"`, "bash"];
  const next = await runKeelson(["-p", "--resume", ID, "Second"], { home, url: model.url, through: full });
  expect([next.code, next.stdout]).toEqual([0, "Two\n"]);
  expect(next.stderr.match(/^warning: the transcript cannot be written/gm)).toHaveLength(1);
  const later = await runKeelson(["-p", "--resume", ID, "Third"], { home, url: model.url });
  expect(later).toMatchObject({ code: 0, stdout: "Three\n", stderr: "" });
  expect(readdirSync(folder)).toEqual([`${ID}.jsonl`]);
});

test("a lease that names a living process is believed: the second one is told which, and a copy goes on", async () => {
  using home = temporaryHome();
  await using model = await startMockModel([{ text: "One" }, { text: "Copied" }]);
  await runKeelson(["-p", "--session-id", ID, "First"], { home, url: model.url });
  writeFileSync(leaseOf(home), holder({ procStart: processStart(process.pid), socket: join(home.root, "none.sock") }));
  const refused = await runKeelson(["-p", "--resume", ID, "Second"], { home, url: model.url });
  expect(refused).toMatchObject({ code: 1, stdout: "" });
  expect(refused.stderr).toContain(`(process ${process.pid}, since `);
  expect(refused.stderr).toContain("It does not answer; end it there, or add --fork-session to continue a copy");
  const copy = await runKeelson(["-p", "--resume", ID, "--fork-session", "Second"], { home, url: model.url });
  expect(copy).toMatchObject({ code: 0, stdout: "Copied\n" });
});

const users = {
  "the user of the tests": confinementMissing(),
  "an ordinary user": confinementMissing() ?? ordinaryUserMissing(),
};

for (const [user, missing] of Object.entries(users))
  testUnless(missing, test)(
    `as ${user}, a shielded command can neither change the lease nor use it against the session`,
    async () => {
      const isOrdinary = user === "an ordinary user";
      using home = temporaryHome();
      home.settings({ permissions: { allow: ["Bash"] } });
      const attack = [
        'echo \'{"socket":"/tmp/x"}\' >> $LEASE',
        "rm -f $LEASE",
        "mv $LEASE $LEASE.old",
        "ln -sf /etc/passwd $LEASE",
        "touch -d 1970-01-01 $LEASE",
        "touch $LEASE.taking ${LEASE%/*}/new.owner",
        "(flock -n $LEASE sleep 600 || flock -n -s $LEASE sleep 600 || echo locked) 2>&1 &",
        "cat ${LEASE%/*/*/*}/keelson-seal/key | wc -c",
      ].join("\n");
      await using model = await startMockModel([
        { text: "One" },
        () => ({ calls: [{ name: "Bash", input: { command: `LEASE=${leaseOf(home)}\n${attack}` } }] }),
        { text: "Two" },
        { text: "Three" },
      ]);
      const as = isOrdinary ? { program, through } : {};
      if (isOrdinary) owned(home);
      await using owner = startKeelson([...LIVE, "--session-id", ID], { home, url: model.url, stdin: "open", ...as });
      await listening(home, owner);
      const before = readFileSync(leaseOf(home), "utf8");
      owner.send(prompt("Second"));
      await owner.waitForLine((json) => isResult(json) && json.result === "Two");
      expect(readFileSync(leaseOf(home), "utf8")).toBe(before);
      expect(existsSync(`${leaseOf(home)}.taking`)).toBe(false);
      const [output] = outputsOf(owner);
      expect(output?.match(/Read-only file system|Device or resource busy|Permission denied/g)?.length).toBeGreaterThan(
        3,
      );
      expect(output).toMatch(/^0$/m);
      const second = await runKeelson(["-p", "--resume", ID, "Third"], { home, ...as });
      expect(second).toMatchObject({ code: 0, stdout: "Three\n" });
    },
  );

const nested = {
  shielded: { args: [], env: {}, says: /No conversation found with session ID/ },
  "run without the shield": {
    args: ["--permission-mode", "bypassPermissions"],
    env: { IS_SANDBOX: "1" },
    says: /takes no clients that it started itself; end it there, or add --fork-session/,
  },
};

for (const [how, { args, env, says }] of Object.entries(nested)) {
  shielded(`a Keelson that a command ${how} starts does not become a client of the session above it`, async () => {
    using home = temporaryHome();
    home.settings({ permissions: { allow: ["Bash"] } });
    const keelson = programCommand({ home }).join(" ");
    const command = `${keelson} -p --resume ${ID} "From below" 2>&1; echo "code $?"`;
    await using model = await startMockModel([
      { text: "One" },
      { calls: [{ name: "Bash", input: { command } }] },
      { text: "Two" },
    ]);
    const url = model.url;
    await using owner = startKeelson([...LIVE, "--session-id", ID, ...args], { home, url, stdin: "open", env });
    await listening(home, owner);
    owner.send(prompt("Second"));
    await owner.waitForLine((json) => isResult(json) && json.result === "Two");
    const [output] = outputsOf(owner);
    expect(output).toMatch(says);
    expect(output).toContain("code 1");
    expect(JSON.stringify(readTranscript(home).filter(({ type }) => type === "queue-operation"))).not.toContain(
      "From below",
    );
  });
}

shielded("nor does one that outlives what started it, without the shield", async () => {
  using home = temporaryHome();
  const keelson = programCommand({ home }).join(" ");
  const run = `${keelson} -p --resume ${ID} "From below" > out.txt 2>&1; mv out.txt over.txt`;
  await using model = await startMockModel([
    { text: "One" },
    { calls: [{ name: "Bash", input: { command: `setsid -f sh -c '${run}'` } }] },
    { text: "Two" },
  ]);
  const args = [...LIVE, "--session-id", ID, "--permission-mode", "bypassPermissions"];
  const env = { IS_SANDBOX: "1" };
  await using owner = startKeelson(args, { home, url: model.url, stdin: "open", env });
  await listening(home, owner);
  owner.send(prompt("Second"));
  await owner.waitForLine((json) => isResult(json) && json.result === "Two");
  await until(() => existsSync(join(home.project, "over.txt")));
  expect(home.read("over.txt")).toMatch(/takes no clients that it started itself/);
  expect(model.requests).toHaveLength(3);
});

test("nor does one that a hook starts", async () => {
  using home = temporaryHome();
  const keelson = programCommand({ home }).join(" ");
  const command = `cat > /dev/null; ${keelson} -p --resume ${ID} "From below" > hook.txt 2>&1; true`;
  home.settings({ hooks: { Stop: [{ hooks: [{ type: "command", command }] }] } });
  await using model = await startMockModel([{ text: "One" }, { text: "Two" }]);
  await using owner = startKeelson([...LIVE, "--session-id", ID], { home, url: model.url, stdin: "open" });
  await listening(home, owner);
  owner.send(prompt("Second"));
  await owner.waitForLine((json) => isResult(json) && json.result === "Two");
  expect(home.read("hook.txt")).toMatch(/takes no clients that it started itself/);
  expect(model.requests).toHaveLength(2);
});

test("a client that is stopped delays neither the run nor the end, whatever it asked for", async () => {
  using home = temporaryHome();
  const long = Array.from({ length: 4_000 }, (_, at) => `${at} ${"x".repeat(500)}\n`);
  await using model = await startMockModel([{ text: "One" }, { text: long }]);
  await using owner = startKeelson([...LIVE, "--include-partial-messages"], { home, url: model.url, stdin: "open" });
  const path = await listening(home, owner);
  const socket = await Bun.connect({ unix: path, socket: { data: () => undefined } });
  const code = openSeal(home.configDir).sealText("session-socket", path);
  const attached = owner.lines.length;
  const view = { partial: true, mirror: true, streamEvents: true };
  socket.write(`${JSON.stringify({ type: "attach", code, role: "watcher", whenSlow: "hold", view })}\n`);
  socket.pause();
  owner.send(prompt("Second"));
  await owner.waitForLine((json) => isResult(json) && String(json.result).startsWith("0 xx"));
  expect(owner.lines.length).toBeGreaterThan(attached);
  owner.closeStdin();
  expect((await owner.done).code).toBe(0);
  socket.terminate();
});

test("a second program gets titles of calls and the patch of an edit as the first one does", async () => {
  using home = temporaryHome();
  await using model = await startMockModel([
    { text: "One" },
    { calls: [{ name: "Write", input: { file_path: "a.txt", content: "x" } }] },
    { text: "Two" },
  ]);
  await using owner = startKeelson(LIVE, { home, url: model.url, stdin: "open" });
  const path = await listening(home, owner);
  const lines: string[] = [];
  const done = Promise.withResolvers<void>();
  const socket = await Bun.connect({
    unix: path,
    socket: {
      data(_socket, bytes) {
        lines.push(bytes.toString("utf8"));
        if (lines.join("").includes('"type":"result"')) done.resolve();
      },
    },
  });
  const code = openSeal(home.configDir).sealText("session-socket", path);
  const answers = { permissions: false, requests: false };
  socket.write(`${JSON.stringify({ type: "attach", code, view: { toolMeta: true }, answers })}\n`);
  socket.write(`${JSON.stringify(prompt("Second"))}\n`);
  await done.promise;
  expect(lines.join("")).toContain('"tool_use_meta"');
  socket.end();
});

test("a session that is open in another program is renamed there, and keeps the name", async () => {
  using home = temporaryHome();
  await using model = await startMockModel([{ text: "One" }]);
  await using owner = startKeelson([...LIVE, "--session-id", ID, "--name", "Old"], {
    home,
    url: model.url,
    stdin: "open",
  });
  await listening(home, owner);
  await using other = startKeelson(LIVE, { home, url: model.url, stdin: "open" });
  other.send({
    type: "control_request",
    request_id: "r",
    request: { subtype: "rename_session", session_id: ID, title: "New" },
  });
  const { json } = await other.waitForLine(({ type }) => type === "control_response");
  expect(json.response).toMatchObject({ subtype: "success" });
  owner.closeStdin();
  expect((await owner.done).code).toBe(0);
  const titles = readTranscript(home).flatMap((entry) => (entry.type === "custom-title" ? [entry.customTitle] : []));
  expect(titles.at(-1)).toBe("New");
});
