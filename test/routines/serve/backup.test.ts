// Backup and restore as docs/routines.md has them, line for line: the database is lost while runs are under way, and comes back.

import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { createHmac } from "node:crypto";
import { chmodSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import {
  runKeelson,
  programCommand,
  startKeelson,
  startMockModel,
  temporaryHome,
  testUnless,
  type TemporaryHome,
} from "@keelson/testkit";
import { postgresBin } from "../../../packages/store/src/remote/kinds/servers.test-support.ts";
import { startCluster, type Cluster } from "../store/cluster.ts";
import { noWorker } from "../worker/world.ts";
import { databaseIn, request } from "./serving.ts";

let cluster: Cluster | undefined;
beforeAll(async () => {
  cluster = await startCluster();
});
afterAll(async () => cluster?.[Symbol.asyncDispose]());

const DOCS = readFileSync(join(import.meta.dir, "../../../docs/routines.md"), "utf8");
const BLOCKS = [...DOCS.slice(DOCS.indexOf("## Backup, restore")).matchAll(/```sh\n([^`]+)```/g)].map(
  ([, text]) => text!,
);
const [SQLITE_BACKUP, POSTGRES_BACKUP, SQLITE_RESTORE, POSTGRES_RESTORE] = BLOCKS as [string, string, string, string];

/** A shell of somebody who follows the page, with a backup folder of their own. */
function shell(home: TemporaryHome, backup: string, env: Readonly<Record<string, string>>) {
  const bin = join(home.root, "bin");
  mkdirSync(bin, { recursive: true });
  const program = join(bin, "keelson");
  writeFileSync(
    program,
    `#!/bin/sh\nexec ${programCommand({ home })
      .map((word) => `'${word}'`)
      .join(" ")} "$@"\n`,
  );
  chmodSync(program, 0o755);
  return (block: string) => {
    const { exitCode, stderr } = Bun.spawnSync(["/bin/sh", "-ec", block.replaceAll("/backup", backup)], {
      env: { ...home.env, ...env, HOME: home.home, PATH: `${bin}:${postgresBin() ?? ""}:${process.env["PATH"]}` },
    });
    expect([exitCode, stderr.toString()]).toEqual([0, ""]);
  };
}

const REPORT = { done: true, summary: "Looked", links: [] };

describe.each(["SQLite", "PostgreSQL"] as const)("on %s", (kind) => {
  testUnless(noWorker, test)(
    "what was there at the time of the backup is there again, and the run that was under way comes to its end",
    async () => {
      if (kind === "PostgreSQL" && cluster === undefined) return;
      let isHeld = true;
      await using model = await startMockModel((({ messages }: any) => {
        if (!JSON.stringify(messages).includes("tool_result"))
          return { calls: [{ id: "call_1", name: "Bash", input: { command: "echo begun", description: "Begin" } }] };
        return isHeld ? { hang: true } : { calls: [{ name: "StructuredOutput", input: REPORT }] };
      }) as any);
      using home = temporaryHome();
      const backup = join(home.root, "backup");
      mkdirSync(backup);
      const database = kind === "PostgreSQL" ? await cluster!.database() : undefined;
      const env: Record<string, string> = database === undefined ? {} : { KEELSON_SERVE_DB: database };
      const follow = shell(home, backup, env);
      const token = (await runKeelson(["serve", "token", "me"], { home, env })).stdout.trim();
      const start = async () => {
        const args = ["serve", "--port", "0", "--workers", "1", "--folder", join(home.root, "w")];
        const program = startKeelson(args, { home, env, url: model.url });
        const { text } = await program.waitForLine((_, line) => line.text.startsWith("Routines are at"));
        const url = /http:\S+/.exec(text)![0];
        const call = (method: string, path: string, body?: object) => request(url, token, method, path, body);
        return { program, url, call };
      };
      const first = await start();
      const routine = { name: "Nightly", prompt: "Look", permission_mode: "acceptEdits", cron: "0 3 * * *" };
      const { json: made } = await first.call("POST", "/v1/code/triggers", routine);
      const { json: hook } = await first.call("POST", `/v1/code/triggers/${made.id}/webhooks`, { kind: "http" });
      const { json: started } = await first.call("POST", `/v1/code/triggers/${made.id}/run`, {});
      const log = async () => (await first.call("GET", `/v1/code/sessions/${started.session_id}/log`)).json.data;
      while (!JSON.stringify((await log()) ?? []).includes("begun")) await Bun.sleep(50);

      follow(kind === "SQLite" ? SQLITE_BACKUP : POSTGRES_BACKUP);
      if (kind === "SQLite") expect(statSync(join(backup, "routines.db")).mode & 0o777).toBe(0o600);

      // What comes after the backup is lost with the machine.
      const { json: later } = await first.call("POST", "/v1/code/triggers", { ...routine, name: "Later" });
      first.program.kill("SIGKILL");
      await first.program.done;
      if (kind === "SQLite") {
        for (const end of ["", "-wal", "-shm"]) rmSync(databaseIn(home) + end, { force: true });
        writeFileSync(`${databaseIn(home)}-wal`, "of another file");
        rmSync(join(home.home, ".claude/keelson-serve/key"));
      }
      follow(kind === "SQLite" ? SQLITE_RESTORE : POSTGRES_RESTORE);
      isHeld = false;
      const second = await start();
      expect((await second.call("GET", `/v1/code/triggers/${later.id}`)).status).toBe(404);
      expect((await second.call("GET", `/v1/code/triggers/${made.id}`)).json).toMatchObject({
        name: "Nightly",
        next_run_at: made.next_run_at,
      });
      // The secret of the webhook can be opened.
      const time = String(Math.floor(Date.now() / 1_000));
      const signature = createHmac("sha256", hook.secret).update(`${time}.{}`).digest("hex");
      const fired = await fetch(`${second.url}/v1/hooks/http/${hook.id}`, {
        method: "POST",
        body: "{}",
        headers: { "X-Keelson-Timestamp": time, "X-Keelson-Signature-256": `sha256=${signature}` },
      });
      expect([fired.status, await fired.json()]).toMatchObject([200, { type: "routine_fire", state: "skipped" }]);
      let run: any = {};
      while (run.state !== "succeeded" && run.state !== "failed")
        run = (await second.call("GET", `/v1/runs/${started.id}`)).json;
      expect([run.state, run.outcome]).toEqual(["succeeded", REPORT]);
      const begun = model.requests
        .map(({ body }) => JSON.stringify(body))
        .filter((text) => !text.includes("tool_result"));
      // The conversation was resumed: the first request of it was made once, and the one of the webhook's run is skipped.
      expect(begun).toHaveLength(1);
      second.program.kill("SIGTERM");
      await second.program.done;
    },
  );
});

test("a backup replaces no file, and is not made of a database elsewhere", async () => {
  using home = temporaryHome();
  await runKeelson(["serve", "token", "me"], { home });
  const copy = join(home.root, "copy.db");
  expect(await runKeelson(["serve", "backup", copy], { home })).toMatchObject({
    code: 0,
    stdout: `Copied the database to ${copy}\n`,
  });
  for (const [args, message] of [
    [["backup", copy], `"${copy}" exists already; choose another file for the copy`],
    [["backup", join(home.root, "no/copy.db")], `there is no folder "${join(home.root, "no")}"; make it first`],
    [
      ["backup", join(home.root, "b.db"), "--db", join(home.root, "none.db")],
      `there is no database "${join(home.root, "none.db")}"`,
    ],
    [["backup", copy, "--db", "postgres://nobody@localhost/x"], "a copy of PostgreSQL is made by pg_dump"],
  ] as const)
    expect([args, await runKeelson(["serve", ...args], { home })]).toEqual([
      args,
      expect.objectContaining({ code: 1, stderr: expect.stringContaining(message) }),
    ]);
});
