// The servers, for the trace: the page in the browser, and routines with a worker in the server and one that is apart.

import { mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { runKeelson, startKeelson, startMockModel, type Running } from "@keelson/testkit";
import { request } from "../routines/serve/serving.ts";
import { startWeb } from "../sessions/web-page/web-client.ts";
import { commit, environmentOf, type World } from "./world.ts";

/** A device that works in a session, one in a worktree of its own, and what a page shows of sessions. */
export async function useWeb(world: World, through: readonly string[]): Promise<void> {
  const { home, program } = world;
  await using model = await startMockModel([
    { calls: [{ name: "Read", input: { file_path: "a.txt" } }] },
    { calls: [{ name: "Bash", input: { command: "ls" } }] },
    { text: "done" },
    { text: "done" },
    { text: "done" },
    { text: "done" },
    { text: "done" },
  ]);
  const flags = ["--allowedTools", "Bash"];
  await using web = await startWeb({
    ...{ home, url: model.url, program, through, env: environmentOf(world), args: flags },
  });
  const device = await web.signIn();
  using list = device.list();
  const ask = async (method: string, path: string, body?: object) => {
    const { status, json } = await device.request(method, path, body);
    if (status >= 300) throw new Error(`${method} ${path}: ${status} ${JSON.stringify(json)}`);
    return json;
  };
  const work = async (body: object) => {
    const id = await device.begin(body);
    using stream = device.stream(id);
    stream.prompt("Look at @a.txt");
    await stream.until(({ type }) => type === "result");
    return id;
  };
  const id = await work({});
  await work({ worktree: true });
  await list.until(({ type }) => type !== undefined);
  await ask("GET", "/v1/sessions");
  await ask("GET", "/v1/sessions?q=done");
  for (const part of ["entries", "diff", "files?q=a", "export?format=json"])
    await ask("GET", `/v1/sessions/${id}/${part}`);
  await ask("PATCH", `/v1/sessions/${id}`, { title: "Renamed" });
  await ask("PATCH", `/v1/sessions/${id}`, { archived: true });
  await ask("POST", `/v1/sessions/${id}/fork`, {});
  await endTraced(web.program);
}

const REPORT = { done: true, summary: "Looked", links: [] };

/** A server that has everything a team uses, with a worker in it; then one that is apart, and the commands beside the server. */
export async function useRoutines(world: World, traced: () => readonly string[]): Promise<void> {
  const { home, program } = world;
  await using model = await startMockModel(({ messages }: any) =>
    JSON.stringify(messages).includes("tool_result")
      ? { calls: [{ name: "StructuredOutput", input: REPORT }] }
      : { calls: [{ name: "Bash", input: { command: "cat readme.txt" } }] },
  );
  const env = { ...environmentOf(world), ANTHROPIC_API_KEY: "test-key" };
  const serve = async (...args: readonly string[]) => {
    const { code, stdout, stderr } = await runKeelson(["serve", ...args], { home, program, through: traced(), env });
    if (code !== 0) throw new Error(`serve ${args.join(" ")}: ${code}\n${stderr}`);
    return stdout.trim();
  };
  const repository = repositoryOf(world);
  const token = await serve("token", "tests", "--scope", "admin");
  const workerToken = await serve("token", "rack", "--scope", "worker");
  const start = async (
    through: readonly string[],
    more: Readonly<Record<string, string>>,
    ...args: readonly string[]
  ) => startKeelson(["serve", ...args], { home, program, through, url: model.url, env: { ...env, ...more } });
  const notify = `told=${join(home.home, ".local/bin/named-notify")}`;
  const folder = (name: string) => ["--folder", join(home.root, name), "--workers", "1"];
  const database = ["--db", join(home.root, "kept/routines.db")];
  mkdirSync(join(home.root, "kept"));
  world.own(home);

  /** Starts a server, does something with its address, and ends it. */
  const during = async (args: readonly string[], act: (url: string) => Promise<void>) => {
    await using server = await start(traced(), {}, "--port", "0", ...args);
    const { text } = await server.waitForLine((_, line) => line.text.startsWith("Routines are at"));
    await act(/https?:\S+/.exec(text)![0]);
    await endTraced(server);
  };
  const runOnce = async (url: string, by: string) => {
    const ask = async (path: string, body?: object) => {
      const { status, json } = await request(url, by, body ? "POST" : "GET", path, body);
      if (status >= 300) throw new Error(`${path}: ${status} ${JSON.stringify(json)}`);
      return json;
    };
    const environment = await ask("/v1/environments", {
      name: "All",
      setup_script: "true",
      network: [],
      variables: {},
    });
    const routine = await ask("/v1/code/triggers", {
      ...{ name: "Nightly", prompt: "Look", permission_mode: "acceptEdits", environment_id: environment.id },
      ...{ sources: [{ url: `file://${repository}` }], notify: [{ kind: "command", target: "told", on: "ended" }] },
    });
    const { id } = await ask(`/v1/code/triggers/${routine.id}/run`, {});
    for (;;) {
      const run = await ask(`/v1/runs/${id}`);
      if (run.state === "succeeded") return;
      if (run.ended_at !== null) throw new Error(`The run: ${JSON.stringify(run)}`);
      await Bun.sleep(50);
    }
  };

  await during([...folder("w"), "--notify-command", notify], (url) => runOnce(url, token));
  const elsewhere = await serve("token", "tests", "--scope", "admin", ...database);
  await during([...folder("w"), "--notify-command", notify, ...database], (url) => runOnce(url, elsewhere));
  await during(["--role", "api"], async (url) => {
    const args = ["--role", "worker", "--server", url, ...folder("v"), "--notify-command", notify];
    await using worker = await start(traced(), { KEELSON_WORKER_TOKEN: workerToken }, ...args);
    await runOnce(url, token);
    await endTraced(worker);
  });
  await serve("tokens");
  await serve("users");
  await serve("link");
  await serve("backup", join(home.root, "backup.db"));
}

function repositoryOf({ home, ...world }: World): string {
  home.write("../origin/readme.txt", "A project\n");
  const folder = join(home.root, "origin");
  commit(folder, home.env);
  world.own(home);
  return folder;
}

/** The tracer keeps signals to itself: they go to what it traces. */
async function endTraced({ pid, done }: Running): Promise<void> {
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, "latin1").trim().split(" ");
  for (const each of children) process.kill(Number(each), "SIGTERM");
  const { code, stderr } = await done;
  if (code !== 0 && code !== 143) throw new Error(`A server ended with ${code}\n${stderr}`);
}
