// The real program continues a session that only a store has.

import { expect, test } from "bun:test";
import { existsSync, rmSync } from "node:fs";
import { join } from "node:path";
import { readEntries } from "../../past.ts";
import { runKeelson, startMockModel, temporaryHome } from "@keelson/testkit";
import { projectKeyOf } from "../key.ts";
import { InMemorySessionStore } from "../kinds/memory.ts";
import { openStoreSession } from "../open-store-session.ts";
import type { SessionStoreEntry } from "../session-store.ts";

test("a session resumed from a store continues where it was, with the user's own settings", async () => {
  using home = temporaryHome();
  await using model = await startMockModel([{ text: "one" }, { text: "two" }]);
  home.settings({ env: { ANTHROPIC_CUSTOM_HEADERS: "x-from-settings: yes" } });
  const sessionId = "11111111-1111-4111-8111-111111111111";
  const key = { projectKey: projectKeyOf(home.project), sessionId };
  const local = join(home.configDir, "projects", key.projectKey, `${sessionId}.jsonl`);
  await runKeelson(["-p", "first question", "--session-id", sessionId], { home, url: model.url });
  const store = new InMemorySessionStore();
  await store.append(key, [...readEntries(local)] as unknown as SessionStoreEntry[]);
  rmSync(local);

  const joined = await openStoreSession({
    store,
    cwd: home.project,
    env: home.env,
    continue: true,
    onMirrorError: (error) => expect(error).toBeUndefined(),
  });
  const args = ["-p", "second question", `--resume=${joined.resume}`];
  const { code, stdout } = await runKeelson(args, { home, url: model.url, env: joined.env });
  await joined.close();

  expect([code, stdout.trim(), existsSync(local)]).toEqual([0, "two", false]);
  const { body, headers } = model.requests[1]!;
  const said = JSON.stringify(body.messages);
  expect(["first question", "one", "second question"].map((text) => said.includes(text))).toEqual([true, true, true]);
  expect(new Headers(headers as Record<string, string>).get("x-from-settings")).toBe("yes");
});
