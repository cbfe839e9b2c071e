import { expect, test } from "bun:test";
import { joinSandbox } from "./sandbox.ts";

test("joinSandbox() puts the option over the settings and joins deny lists", () => {
  const ofSettings = {
    enabled: false,
    excludedCommands: ["docker"],
    network: { allowedDomains: ["a"], deniedDomains: ["x"], allowLocalBinding: true },
    filesystem: { denyWrite: ["/etc"], denyRead: ["/secret"], allowWrite: ["/a"] },
  };
  const option = {
    enabled: true,
    excludedCommands: ["git"],
    network: { allowedDomains: ["b"], deniedDomains: ["y", "x"] },
    filesystem: { denyWrite: ["/usr"], allowWrite: ["/b"] },
  };
  expect(joinSandbox(ofSettings, option)).toEqual({
    enabled: true,
    failIfUnavailable: true,
    excludedCommands: ["git"],
    network: { allowedDomains: ["b"], deniedDomains: ["x", "y"], allowLocalBinding: true },
    filesystem: { denyWrite: ["/etc", "/usr"], denyRead: ["/secret"], allowWrite: ["/b"] },
  });
});

test("joinSandbox() leaves a disabled sandbox unchanged", () => {
  expect(joinSandbox(undefined, { enabled: false })).toEqual({ enabled: false });
});
