import { expect, test } from "bun:test";
import type { HookOutcome, PermissionUpdate } from "@keelson/protocol";
import { reasonType, requestApproval } from "./ask.ts";

test("reasonType() maps a decider to its name on the wire", () => {
  expect((["protected", "rule", "mode", "workingDir", "other"] as const).map(reasonType)).toEqual([
    "safetyCheck",
    "rule",
    "mode",
    "workingDir",
    "other",
  ]);
});

test("what a hook says after the client has answered changes nothing", async () => {
  const late = Promise.withResolvers<HookOutcome>();
  const accepted: PermissionUpdate[] = [];
  const updatedPermissions: PermissionUpdate[] = [{ type: "setMode", mode: "acceptEdits", destination: "session" }];
  const request = { tool: { name: "Bash" }, input: { command: "ls" }, call: { id: "1" }, access: { kind: "none" } };
  const question = { behavior: "ask", by: "other", reason: "It asks", suggestions: [] };
  const answer = await requestApproval(request as never, question as never, {
    cwd: "/",
    showsMeta: false,
    person: async () => ({ subtype: "success", request_id: "1", response: { behavior: "deny", message: "No" } }),
    hooks: () => late.promise,
    accept: (updates) => void accepted.push(...updates),
  });
  late.resolve({ permission: { behavior: "allow", updatedPermissions } } as unknown as HookOutcome);
  await late.promise;
  await Promise.resolve();
  expect(answer).toMatchObject({ behavior: "deny", message: "No" });
  expect(accepted).toEqual([]);
});
