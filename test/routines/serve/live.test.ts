// A run that is watched: text arrives while it is written, and what a command prints while it runs. None of it is kept.

import { expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { startKeelson, startMockModel, temporaryHome, testUnless } from "@keelson/testkit";
import { openStore } from "../page/kept-runs.ts";
import { noWorker, outcome, resultsIn } from "../worker/world.ts";
import { request, serving, tokenFor } from "./serving.ts";

const BEGUN = ["I look around, and key-to-", "the-door", " is all I saw. "];
const COMMAND = "echo printed so far; while [ ! -e go ]; do sleep 0.05; done; echo and the rest";

testUnless(noWorker, test).each([["in the same process"], ["over HTTP"]])(
  "what is written and printed is shown as it comes by a worker %s, without secrets, and nothing of it is kept",
  async (where) => {
    using home = temporaryHome();
    const written = Promise.withResolvers<void>();
    await using model = await startMockModel(((body: any) => {
      if (resultsIn(body).length > 0) return outcome("Looked");
      // The message begins, its block, and two pieces of three; the second has the rest of a secret.
      const call = { id: "call_1", name: "Bash", input: { command: COMMAND, description: "Wait" } };
      return { text: BEGUN, holdAfter: 3, hold: written.promise, calls: [call] };
    }) as any);
    const isApart = where === "over HTTP";
    await using server = await serving({ home, model, args: isApart ? ["--role", "api"] : [] });
    const admin = await tokenFor(home, "Ada", "--scope", "admin");
    const asAdmin = (path: string, body: object) => request(server.url, admin, "POST", path, body);
    await asAdmin("/v1/secrets", { name: "DOOR", value: "key-to-the-door" });
    const { json: environment } = await asAdmin("/v1/environments", { name: "E", secrets: ["DOOR"] });
    await using worker = isApart
      ? startKeelson(
          ["serve", "--role", "worker", "--server", server.url, "--workers", "1", "--folder", join(home.root, "v")],
          { home, url: model.url, env: { KEELSON_WORKER_TOKEN: await tokenFor(home, "w", "--scope", "worker") } },
        )
      : undefined;
    const { json: routine } = await server.call("POST", "/v1/code/triggers", {
      name: "One",
      prompt: "Look",
      environment_id: environment.id,
      permission_mode: "acceptEdits",
    });
    const { json: run } = await server.call("POST", `/v1/code/triggers/${routine.id}/run`, {});
    const frames: any[] = [];
    const socket = new WebSocket(`${server.url.replace("http", "ws")}/v1/runs/${run.id}/stream`, {
      protocols: ["keelson.v1"],
      headers: { Authorization: `Bearer ${server.token}` },
    } as unknown as string[]);
    socket.addEventListener("message", ({ data }) => frames.push(JSON.parse(String(data))));
    const seen = async (is: (frame: any) => boolean) => {
      for (;;) {
        const found = frames.find(is);
        if (found !== undefined) return found;
        await Bun.sleep(20);
      }
    };
    const textOf = ({ m }: any) => (m.type === "stream" ? m.events.at(-1).delta.text : undefined);
    const first = await seen((frame) => textOf(frame)?.startsWith("I look around"));
    // The beginning of a secret is not shown before it is known whether it is one.
    expect([first.c, textOf(first)]).toEqual([null, "I look around, and "]);
    expect(JSON.stringify((await server.call("GET", `/v1/runs/${run.id}`)).json)).not.toContain("look around");
    written.resolve();
    const kept = await seen(({ c, m }) => c !== null && m.type === "assistant");
    expect(kept.m.message.content[0].text).toBe("I look around, and [secret DOOR] is all I saw. ");

    const printed = await seen(({ m }) => m.type === "tool_running" && m.output !== undefined);
    expect(printed).toMatchObject({ c: null, m: { tool_use_id: "call_1", output: "printed so far\n" } });
    const { m: init } = await seen(({ m }) => m.subtype === "init");
    writeFileSync(join(init.cwd, "go"), "");
    await seen(({ m }) => m.type === "run" && m.run.state === "succeeded");
    // In order: nothing about what is kept already.
    const at = (is: (frame: any) => boolean) => frames.findIndex(is);
    const lastWritten = frames.findLastIndex((frame) => textOf(frame)?.startsWith("I look around"));
    expect(lastWritten).toBeLessThan(at(({ c, m }) => c !== null && m.type === "assistant"));
    const lastPrinted = frames.findLastIndex(({ m }) => m.type === "tool_running" && m.tool_use_id === "call_1");
    expect(lastPrinted).toBeLessThan(at(({ m }) => m.type === "user" && JSON.stringify(m).includes("and the rest")));
    socket.close();

    const store = await openStore(home);
    const types = (await store.entries(run.id, 0, 10_000)).map(({ line }) => JSON.parse(line).type);
    await store.close();
    expect(types).toContain("assistant");
    for (const type of ["stream", "stream_event", "tool_running"]) expect(types).not.toContain(type);
    worker?.kill("SIGTERM");
    await worker?.done;
  },
);
