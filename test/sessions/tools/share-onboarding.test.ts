// ShareOnboardingGuide through the whole program: what it writes, what it asks, and where it uploads.

import { expect, test } from "bun:test";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { runKeelson, startMockModel, temporaryHome, type TemporaryHome } from "@keelson/testkit";
import { messagesOf, STREAM, told, toolUseResults } from "../front-door.ts";

async function share(home: TemporaryHome, input: object, ...flags: string[]) {
  const calls = [{ name: "ShareOnboardingGuide", input: input as any }];
  await using model = await startMockModel([{ calls }, { text: "done" }]);
  const ended = await runKeelson(["-p", "go", ...STREAM, ...flags], { home, url: model.url, env: { UP: "tk_up" } });
  const offered = messagesOf(ended, "system/init")[0].tools.includes("ShareOnboardingGuide");
  return { offered, shown: told(model.requests[1]!)[0].content as string, output: toolUseResults(ended)[0], ended };
}

const NAMED = ["--tools", "ShareOnboardingGuide"];
const EDITS = ["--permission-mode", "acceptEdits"];

test("it writes a bundle after approval, without what the rules deny", async () => {
  using home = temporaryHome();
  home.write("ONBOARDING.md", "# Hello\n[a](a.md) [private](private.md)\n");
  home.write("a.md", "A");
  home.write("private.md", "P");
  const asked = await share(home, {}, ...NAMED);
  expect(asked.shown).toStartWith(`Permission to write to ${home.project}/onboarding-guide.zip was not granted.`);
  expect(existsSync(join(home.project, "onboarding-guide.zip"))).toBe(false);

  const { shown, output } = await share(
    home,
    { format: "file" },
    ...NAMED,
    ...EDITS,
    "--disallowedTools",
    "Read(private.md)",
  );
  expect(shown).toContain(`Onboarding guide written to ${home.project}/onboarding-guide.md`);
  expect(output).toMatchObject({
    files: ["ONBOARDING.md", "a.md"],
    leftOut: [{ file: "private.md", reason: "your permission settings deny it" }],
  });
  expect(readFileSync(join(home.project, "onboarding-guide.md"), "utf8")).toContain("# a.md\n\nA");
});

test("it uploads to the user's address only, and asks first", async () => {
  using home = temporaryHome();
  home.write("ONBOARDING.md", "# Hello\n");
  const got: unknown[] = [];
  using server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    async fetch(request) {
      const { headers, method } = request;
      got.push([
        method,
        headers.get("authorization"),
        headers.get("content-type"),
        (await request.bytes()).length > 100,
      ]);
      return Response.json({ url: "https://share.local/g/1" }, { status: 201 });
    },
  });
  const url = `http://127.0.0.1:${server.port}/guides`;
  home.write(".claude/settings.json", { onboarding: { url } });
  expect((await share(home, { upload: true })).offered).toBe(false);

  home.settings({ onboarding: { url, tokenVariable: "UP" } });
  const asked = await share(home, { upload: true });
  expect([asked.offered, asked.shown.split(". No one")[0]]).toEqual([
    true,
    "Permission to use ShareOnboardingGuide was not granted",
  ]);
  expect(got).toEqual([]);
  const { shown, ended } = await share(home, { upload: true }, "--allowedTools", "ShareOnboardingGuide");
  expect(shown).toContain("Onboarding guide uploaded: https://share.local/g/1");
  expect(got).toEqual([["POST", "Bearer tk_up", "application/zip", true]]);
  expect(ended.stdout).not.toContain("tk_up");
});
