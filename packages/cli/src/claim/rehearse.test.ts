import { expect, test } from "bun:test";
import { devNull } from "node:os";
import { rehearse } from "./rehearse.ts";
import type { ProcessIO } from "../process/process-io.ts";

const io = {
  cwd: "/real/folder",
  home: "/real/home",
  managedDir: "/real/managed",
  env: { ANTHROPIC_API_KEY: "secret", ANTHROPIC_BASE_URL: "http://127.0.0.1:9" },
  platform: "linux",
  terminal: { stdin: true, stdout: true },
  sessions: () => Promise.reject(new Error("no session")),
  write: () => {
    throw new Error("written");
  },
} as unknown as ProcessIO;

test("a rehearsal uses fake I/O and shares only the sessions of the process", async () => {
  const seen: ProcessIO[] = [];
  await rehearse(io, async (argv, there) => {
    expect(argv).toContain("--no-session-persistence");
    expect(argv).toContain("--setting-sources=");
    seen.push(there);
    return 0;
  });
  expect(seen.length).toBeGreaterThan(0);
  for (const { home, managedDir, env, sessions, write, cwd } of seen) {
    expect({ home, managedDir }).toEqual({ home: devNull, managedDir: devNull });
    expect(cwd).not.toBe(io.cwd);
    expect(env["ANTHROPIC_BASE_URL"]).toStartWith("data:");
    expect(JSON.stringify(env)).not.toContain("secret");
    expect(sessions).toBe(io.sessions);
    expect(write("ignored")).toBeUndefined();
  }
});

test("a failed rehearsal is not reported", async () => {
  await rehearse(io, () => Promise.reject(new Error("broken")));
});
