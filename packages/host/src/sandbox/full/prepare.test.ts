import { expect, test } from "bun:test";
import { tmpdir } from "node:os";
import { prepareSandbox } from "../sandbox.lazy.ts";
import type { SandboxOptions } from "./prepare.ts";
import type { SandboxedCommand, SandboxLibrary } from "./runtime-adapter.ts";

function library(missing: readonly string[] = [], trial = ["true"]) {
  const wrapped: SandboxedCommand[] = [];
  const value: SandboxLibrary = {
    missing: async () => missing,
    start: async () => {},
    wrap: async (command) => {
      if (command.script === "exit 0") return trial;
      wrapped.push(command);
      return ["in", command.script];
    },
    finish: () => ["denied one"],
    stop: async () => {},
  };
  return { value, wrapped };
}

const options = (value: SandboxLibrary): SandboxOptions => ({
  directories: () => ["/p", "/added"],
  home: "/home/me",
  ripgrep: "/bin/rg",
  isExcluded: (command) => command.startsWith("docker"),
  load: async () => value,
});

const command = {
  script: "s",
  shell: "/bin/bash",
  command: "make",
  outside: false,
  forbidden: { denyRead: ["/p/.env"], denyWrite: ["/p/.claude"] },
};

test("nothing is loaded if the sandbox is not enabled", async () => {
  const load = () => Promise.reject(new Error("loaded"));
  expect(await prepareSandbox({}, { ...options(library().value), load })).toEqual({ active: false });
  expect(await prepareSandbox(undefined, { ...options(library().value), load })).toEqual({ active: false });
});

test("missing programs are reported; if the sandbox is required, that is an error", async () => {
  const { value } = library(["socat not installed"]);
  const reason = "The sandbox is enabled (sandbox.enabled) but unavailable: socat not installed";
  expect(await prepareSandbox({ enabled: true }, options(value))).toEqual({ active: false, reason });
  const required = await prepareSandbox({ enabled: true, failIfUnavailable: true }, options(value));
  expect(required).toEqual({ active: false, error: expect.stringContaining("socat not installed") });
});

test("a sandbox that fails its trial is unavailable", async () => {
  const { value } = library([], ["sh", "-c", "echo no namespaces >&2; exit 1"]);
  const required = await prepareSandbox({ enabled: true, failIfUnavailable: true }, options(value));
  expect(required).toEqual({ active: false, error: expect.stringContaining("a trial run failed: no namespaces") });
  const wanted = await prepareSandbox({ enabled: true }, options(value));
  expect(wanted).toEqual({ active: false, reason: expect.stringContaining("check that bwrap works here") });
});

test("settings become the library's configuration, with the paths this command may not touch", async () => {
  const { value, wrapped } = library();
  const ready = await prepareSandbox(
    {
      enabled: true,
      filesystem: { allowWrite: ["~/cache", "out", "//srv/x"], denyRead: ["~/.ssh"], denyWrite: ["/p/locked"] },
      network: { allowedDomains: ["a.example"], deniedDomains: ["b.example"], allowLocalBinding: true },
      ignoreViolations: { "*": ["x"] },
      bwrapPath: "/opt/bwrap",
      socatPath: "/opt/socat",
    },
    options(value),
  );
  if (!ready.active) throw new Error("not ready");
  const inside = await ready.sandbox.wrap(command);
  expect(inside!.argv).toEqual(["in", `export TMPDIR='${tmpdir()}'; s`]);
  expect(inside!.finish()).toEqual(["denied one"]);
  expect(wrapped[0]!.config).toEqual({
    network: { allowedDomains: ["a.example"], deniedDomains: ["b.example"], allowLocalBinding: true },
    filesystem: {
      denyRead: ["/home/me/.ssh", "/p/.env"],
      allowWrite: ["/p", "/added", tmpdir(), "/home/me/cache", "/p/out", "/srv/x"],
      denyWrite: ["/p/locked", "/p/.claude"],
    },
    ignoreViolations: { "*": ["x"] },
    bwrapPath: "/opt/bwrap",
    socatPath: "/opt/socat",
    ripgrep: { command: "/bin/rg", args: [] },
  });
});

test("what the settings deny stays so where the session worked before, and what they allow does not", async () => {
  const { value, wrapped } = library();
  const filesystem = { allowWrite: ["out"], denyRead: ["secrets", "~/.ssh"], denyWrite: ["locked"] };
  const credentials = { files: [{ path: "token", mode: "deny" as const }] };
  const where = { ...options(value), former: () => ["/main", "/main/sub"] };
  const ready = await prepareSandbox({ enabled: true, filesystem, credentials }, where);
  if (!ready.active) throw new Error("not ready");
  await ready.sandbox.wrap(command);
  expect(wrapped[0]!.config).toMatchObject({
    filesystem: {
      denyRead: ["/p/secrets", "/main/secrets", "/main/sub/secrets", "/home/me/.ssh", "/p/.env"],
      allowWrite: ["/p", "/added", tmpdir(), "/p/out"],
      denyWrite: ["/p/locked", "/main/locked", "/main/sub/locked", "/p/.claude"],
    },
    credentials: { files: ["/p/token", "/main/token", "/main/sub/token"].map((path) => ({ path, mode: "deny" })) },
  });
});

test("excluded commands and approved ones run outside, unless the settings forbid that", async () => {
  const { value } = library();
  const inside = async (settings: object, more: object) => {
    const ready = await prepareSandbox({ enabled: true, ...settings }, options(value));
    return ready.active && (await ready.sandbox.wrap({ ...command, ...more })) !== null;
  };
  expect(await inside({}, {})).toBe(true);
  expect(await inside({}, { command: "docker ps" })).toBe(false);
  expect(await inside({}, { outside: true })).toBe(false);
  expect(await inside({ allowUnsandboxedCommands: false }, { outside: true })).toBe(true);
});
