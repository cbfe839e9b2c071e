import { expect, test } from "bun:test";
import { NOTHING_SAID, type HookEvent, type HookOutcome } from "@keelson/protocol";
import { ChangeReporter } from "./change-reporter.ts";

/** A reporter whose hooks end when the test resolves them. */
function opened() {
  const open = new Map<HookEvent, PromiseWithResolvers<HookOutcome>>();
  const reporter = new ChangeReporter({
    configDir: "/nowhere",
    sessionId: () => "s",
    root: "/project",
    hasHooksFor: () => true,
    registered: () => [],
    fire(event) {
      const waiting = Promise.withResolvers<HookOutcome>();
      open.set(event, waiting);
      return waiting.promise;
    },
  });
  return { reporter, open };
}

test("a command waits for CwdChanged hooks and for no others", async () => {
  const { reporter, open } = opened();
  reporter.report("InstructionsLoaded", {});
  reporter.directoriesAdded(["/other"], "register_repo_root");
  await reporter.settled();

  reporter.cwdChanged("/project", "/project/src");
  let settled = false;
  const waiting = reporter.settled().then(() => (settled = true));
  await Promise.resolve();
  expect({ told: [...open.keys()], settled }).toEqual({
    told: ["InstructionsLoaded", "DirectoryAdded", "CwdChanged"],
    settled: false,
  });
  open.get("CwdChanged")!.resolve(NOTHING_SAID);
  await waiting;
  expect(settled).toBe(true);
});

test("an interrupted run does not wait for a hook that hangs", async () => {
  const { reporter } = opened();
  reporter.cwdChanged("/project", "/project/src");
  const stopping = new AbortController();
  const waiting = reporter.settled(stopping.signal);
  stopping.abort();
  await waiting;
  await reporter.settled(stopping.signal);
});
