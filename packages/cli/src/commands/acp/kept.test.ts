import { expect, test } from "bun:test";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import type { KeptShowsFile } from "@keelson/acp";
import { projectDir, transcriptPath } from "@keelson/store";
import { temporaryHome } from "@keelson/testkit";
import { keptShows } from "./kept.ts";

const show = (text: string): Parameters<KeptShowsFile["add"]>[0] => ({
  message: "m",
  place: "after",
  update: { sessionUpdate: "agent_message_chunk", content: { type: "text", text } },
});
const ids = ["11111111-1111-4111-8111-111111111111", "22222222-2222-4222-8222-222222222222"] as const;

test("what cannot be kept is reported once for a session, and what is kept comes again in order", () => {
  using home = temporaryHome();
  const place = { configDir: home.configDir, cwd: home.project };
  const dir = projectDir(place);
  mkdirSync(dir, { recursive: true });
  const warnings: string[] = [];
  let sessionId: string = ids[0];
  const kept = keptShows({ place, sessionId: () => sessionId, warn: (text) => void warnings.push(text) });
  // It has no transcript yet.
  kept.add(show("lost"));
  for (const id of ids) writeFileSync(transcriptPath(dir, id), '{"type":"user"}\n');
  for (const text of ["one", "two"]) kept.add(show(text));
  expect([...kept.read()]).toEqual([show("one"), show("two")]);
  // The conversation is cleared, and the folder of the next one cannot be made.
  sessionId = ids[1];
  writeFileSync(`${dir}/${sessionId}`, "");
  for (const text of ["three", "four"]) kept.add(show(text));
  expect(warnings).toEqual([expect.stringContaining("What the editor is shown cannot be kept: ")]);
  rmSync(`${dir}/${sessionId}`);
  expect([...kept.read()]).toEqual([]);
});
