import { expect, test } from "bun:test";
import { createServer, type AddressInfo } from "node:net";
import { temporaryHome, type TemporaryHome } from "./home.ts";
import { runKeelson, startKeelson } from "./run-program.ts";

/** A program in one file, run as Keelson would be. */
const programIn = (home: TemporaryHome, source: string) => [process.execPath, home.write("program.ts", source)];

test("lines, stderr and exit code are reported, and lines that are not JSON stay text", async () => {
  using home = temporaryHome();
  const program = programIn(
    home,
    `console.log(JSON.stringify({ args: process.argv.slice(2), cwd: process.cwd() }));
     process.stdout.write("plain\\n{half");
     console.error("oh");
     process.exitCode = 3;`,
  );

  const ended = await runKeelson(["-p", "hi"], { home, program });

  expect({ code: ended.code, signal: ended.signal, stderr: ended.stderr }).toEqual({
    code: 3,
    signal: null,
    stderr: "oh\n",
  });
  const first = { args: ["-p", "hi"], cwd: home.project };
  expect(ended.lines.map(({ index, text, json }) => ({ index, text, json }))).toEqual([
    { index: 0, text: JSON.stringify(first), json: first },
    { index: 1, text: "plain", json: undefined },
    { index: 2, text: "{half", json: undefined },
  ]);
  expect(ended.messages).toEqual([first]);
  const times = [ended.startedAt, ...ended.lines.map(({ at }) => at), ended.endedAt];
  expect(times).toEqual(times.toSorted((a, b) => a - b));
});

test("the program gets the home's environment and the mock model's address, and nothing of ours", async () => {
  using home = temporaryHome();
  const program = programIn(home, "console.log(JSON.stringify(process.env))");

  const { messages } = await runKeelson([], {
    home,
    program,
    url: "http://127.0.0.1:1",
    env: { EXTRA: "1", LANG: undefined },
  });

  const { LANG: _, ...rest } = home.env;
  expect(messages).toEqual([
    { ...rest, ANTHROPIC_BASE_URL: "http://127.0.0.1:1", ANTHROPIC_API_KEY: "test-key", EXTRA: "1" },
  ]);
});

test("the program can be started through another command", async () => {
  using home = temporaryHome();
  const program = programIn(home, "console.log(process.env.THROUGH)");
  expect((await runKeelson([], { home, program, through: ["env", "THROUGH=yes"] })).stdout).toBe("yes\n");
});

test("a test may talk to the program while it runs", async () => {
  using home = temporaryHome();
  const program = programIn(
    home,
    `for await (const line of console) if (line) console.log(JSON.stringify({ heard: JSON.parse(line) }));`,
  );
  await using running = startKeelson([], { home, program, stdin: "open" });

  running.send({ say: 1 });
  const first = await running.waitForLine((json) => json.heard);
  running.send({ say: 2 });
  const second = await running.waitForLine((json) => json.heard, { after: first });
  running.closeStdin();

  expect([first.json, second.json]).toEqual([{ heard: { say: 1 } }, { heard: { say: 2 } }]);
  expect((await running.done).code).toBe(0);
});

test("a signal that ends the program is reported", async () => {
  using home = temporaryHome();
  const program = programIn(home, `console.log("{}"); setInterval(() => {}, 1000);`);
  await using running = startKeelson([], { home, program });
  await running.waitForLine(() => true);
  running.kill("SIGTERM");
  const { code, signal } = await running.done;
  expect({ code, signal }).toEqual({ code: null, signal: "SIGTERM" });
});

test("a program that takes too long fails with its last output", async () => {
  using home = temporaryHome();
  const program = ["/bin/sh", "-c", "echo stuck here >&2; exec sleep 60"];
  const error = await runKeelson([], { home, program, timeoutMs: 400 }).catch((thrown) => thrown);
  expect(error.message).toContain("Program did not end within 400 ms");
  expect(error.message).toContain("stuck here");
});

test("waiting for a line that never comes fails when the program ends", async () => {
  using home = temporaryHome();
  const program = programIn(home, `console.log("other"); console.error("why");`);
  await using running = startKeelson([], { home, program });
  const error = await running.waitForLine((json) => json.type === "result").catch((thrown) => thrown);
  expect(error.message).toContain("Program ended (0) first");
  expect(error.message).toContain("why");
});

test("a missing program is an error that names it", async () => {
  using home = temporaryHome();
  const error = await runKeelson([], { home, program: "/nowhere/keelson" }).catch((thrown) => thrown);
  expect(error.message).toContain("Program could not be started");
  expect(error.message).toContain("/nowhere/keelson");
});

test("the program's children are killed with it", async () => {
  using home = temporaryHome();
  const { promise: childIsThere, resolve: there } = Promise.withResolvers<void>();
  const { promise: childIsGone, resolve: gone } = Promise.withResolvers<void>();
  // The child holds a connection; when that closes, the child is gone.
  const server = createServer((socket) => {
    there();
    socket.on("error", () => {});
    socket.on("close", () => gone());
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  const child = home.write(
    "child.ts",
    `await Bun.connect({ hostname: "127.0.0.1", port: ${port}, socket: { data() {} } });`,
  );
  const program = programIn(
    home,
    `Bun.spawn([process.execPath, ${JSON.stringify(child)}], { stdio: ["ignore", "ignore", "ignore"] }).unref();
     process.exitCode = 0;`,
  );

  {
    await using running = startKeelson([], { home, program });
    await childIsThere;
    expect((await running.done).code).toBe(0);
  }

  await childIsGone;
  server.close();
});

test("without a program, Keelson itself runs, unaffected by the project's bunfig.toml", async () => {
  using home = temporaryHome();
  home.write("bunfig.toml", 'preload = ["./preload.ts"]\n');
  home.write("preload.ts", 'console.log("loaded from the project");');

  const { code, stdout } = await runKeelson(["--version"], { home });

  expect({ code, stdout }).toEqual({ code: 0, stdout: expect.stringMatching(/^\d+\.\d+\.\d+.*\n$/) });
});
