import { afterAll, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { isClaim, readClaim } from "./claim.ts";

const folder = mkdtempSync(join(tmpdir(), "keelson-claim-"));
afterAll(() => rmSync(folder, { recursive: true }));

const started = {
  argv: ["--output-format", "stream-json", "--verbose", "--await-claim", "--input-format", "stream-json"],
  env: { KEPT: "kept", CHANGED: "old", GONE: undefined },
};
const read = (request: object) => readClaim("r1", { cwd: folder, ...request }, started);

test("a claim replaces the arguments and the environment of the process", () => {
  expect(read({ subtype: "claim", argv: ["--verbose"], env: { A: "1" } })).toEqual({
    id: "r1",
    cwd: folder,
    argv: ["--verbose"],
    env: { A: "1" },
    wantsFacts: false,
  });
});

test("a claim_session adds to the arguments and the environment of the process", () => {
  const request = {
    subtype: "claim_session",
    permission_mode: "plan",
    additional_directories: ["/a", "/b"],
    env: { CHANGED: "new" },
    include_initialize: true,
  };
  expect(read(request)).toEqual({
    id: "r1",
    cwd: folder,
    argv: [
      ...["--output-format", "stream-json", "--verbose", "--input-format", "stream-json"],
      ...["--permission-mode=plan", "--add-dir=/a", "--add-dir=/b"],
    ],
    env: { KEPT: "kept", CHANGED: "new" },
    wantsFacts: true,
  });
});

test("readClaim() returns the problem with a claim and the ID of the request", () => {
  const wrong: [object, string][] = [
    [{ subtype: "claim", cwd: "relative" }, "absolute cwd"],
    [{ subtype: "claim", cwd: 5 }, "absolute cwd"],
    [{ subtype: "claim", cwd: join(folder, "nowhere") }, `Folder not found: ${join(folder, "nowhere")}`],
    [{ subtype: "claim", argv: "--verbose" }, "list of arguments"],
    [{ subtype: "claim", argv: ["--no-such-flag"] }, "--no-such-flag"],
    [{ subtype: "claim", argv: ["--await-claim"] }, "cannot contain --await-claim"],
    [{ subtype: "claim", env: { A: 1 } }, "environment of strings"],
    [{ subtype: "claim_session", cwd: "relative" }, "absolute cwd"],
    [{ subtype: "claim_session", permission_mode: 5 }, "permission mode"],
    [{ subtype: "claim_session", permission_mode: "nonsense" }, "nonsense"],
    [{ subtype: "claim_session", additional_directories: [5] }, "additional directories"],
  ];
  for (const [request, text] of wrong) {
    expect(read(request)).toEqual({ id: "r1", problem: expect.stringContaining(text) });
  }
});

test("isClaim() knows both kinds", () => {
  expect(["claim", "claim_session", "initialize", undefined].map((subtype) => isClaim({ subtype }))).toEqual([
    true,
    true,
    false,
    false,
  ]);
});
