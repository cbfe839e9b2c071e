import { expect, test } from "bun:test";
import { actorProblem, actorsProblem } from "./actor.ts";
import { PAYLOADS, type Said } from "./deliveries.test-support.ts";
import { readEvent } from "./event.ts";

type Name = keyof typeof PAYLOADS;

function may(name: Name, said: Said, actors: readonly string[] = [], ownLogins: readonly string[] = []): boolean {
  const payload: unknown = PAYLOADS[name](said);
  return actorProblem(readEvent(name, payload)!, { actors, ownLogins }) === undefined;
}

test("owners, members and collaborators may, and nobody else", () => {
  for (const association of ["OWNER", "MEMBER", "COLLABORATOR"])
    for (const name of ["pull_request", "issues", "issue_comment"] as const)
      expect([name, association, may(name, { association })]).toEqual([name, association, true]);
  for (const association of ["CONTRIBUTOR", "FIRST_TIME_CONTRIBUTOR", "FIRST_TIMER", "MANNEQUIN", "NONE", "owner", ""])
    for (const name of ["pull_request", "issues", "issue_comment"] as const)
      expect([name, association, may(name, { association })]).toEqual([name, association, false]);
});

test("a collaborator may set a label on what anybody wrote", () => {
  expect(may("issues", { action: "labeled", sender: "hubot", association: "NONE" })).toBe(true);
  expect(may("pull_request", { action: "labeled", sender: "hubot", association: "NONE" })).toBe(true);
  // The author of an issue may have a form set it.
  expect(may("issues", { action: "labeled", association: "NONE" })).toBe(false);
});

test("somebody else may push to a fork, so an update by another than the author says nothing", () => {
  expect(may("pull_request", { action: "synchronize", sender: "mallory", association: "MEMBER" })).toBe(false);
  expect(may("pull_request", { action: "synchronize", association: "MEMBER" })).toBe(true);
  expect(may("issue_comment", { sender: "mallory", association: "MEMBER" })).toBe(false);
});

test("who pushes and releases may write to the repository", () => {
  for (const name of ["push", "release", "workflow_run", "check_suite"] as const)
    expect([name, may(name, {})]).toEqual([name, true]);
});

test("checks of forks, and workflows that anybody can start, may have been caused by anybody", () => {
  expect(may("workflow_run", { headRepository: "mallory/spoon" })).toBe(false);
  expect(may("check_suite", { headRepository: "mallory/spoon" })).toBe(false);
  for (const cause of ["issue_comment", "issues", "pull_request_target", "watch", "fork", ""])
    expect([cause, may("workflow_run", { cause })]).toEqual([cause, false]);
});

test("a trigger may admit more", () => {
  const outside = { author: "mallory", association: "NONE" };
  expect(may("issues", outside, ["mallory"])).toBe(true);
  expect(may("issues", outside, ["@Mallory"])).toBe(true);
  expect(may("issues", outside, ["NONE"])).toBe(true);
  expect(may("issues", outside, ["CONTRIBUTOR"])).toBe(false);
  expect(may("issues", outside, ["anyone"])).toBe(true);
  expect(may("issues", outside, ["bots", "mallor"])).toBe(false);
  // A user may have taken such a name.
  expect(may("issues", { author: "bots", association: "NONE" }, ["bots"])).toBe(false);
  expect(may("issues", { author: "anyone", association: "NONE" }, ["@anyone"])).toBe(true);
  expect(may("issues", { author: "mallory", association: "NONE" }, ["@anyone"])).toBe(false);
});

test("bots are off, whatever they are to the repository, unless they are admitted", () => {
  const bot = { author: "dependabot[bot]", association: "MEMBER" };
  expect(may("pull_request", bot)).toBe(false);
  expect(may("pull_request", bot, ["anyone"])).toBe(false);
  expect(may("pull_request", bot, ["bots"])).toBe(true);
  expect(may("pull_request", bot, ["dependabot[bot]"])).toBe(true);
});

test("our own identity never starts anything", () => {
  for (const actors of [[], ["anyone"], ["bots"], ["keelson", "keelson[bot]"]]) {
    expect(may("push", { author: "Keelson" }, actors, ["keelson"])).toBe(false);
    expect(may("issue_comment", { author: "keelson[bot]" }, actors, ["keelson"])).toBe(false);
  }
});

test("what is no login cannot be stored", () => {
  expect(
    actorsProblem(["mona", "@mona", "a_b", "dependabot[bot]", "bots", "anyone", "FIRST_TIME_CONTRIBUTOR"]),
  ).toBeUndefined();
  for (const wrong of ["", "mo na", "-x", "*", "a".repeat(65)]) expect(actorsProblem([wrong])).toStartWith('actors: "');
});
