// Mentions in text that the user did not type. test/sessions/run/mentions.test.ts has everything else.

import { expect, test } from "bun:test";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { findTool } from "@keelson/engine";
import { createFiles, createLedger, createWorkspace } from "@keelson/host";
import { scriptedModel, testEngine } from "@keelson/testkit";
import { builtInTools } from "../machine/pool.ts";
import { mentionedFiles, type MentionPorts } from "./mentioned-files.ts";

test("with insideOnly, rules that allow more do not open files outside the working directories", async () => {
  const place = realpathSync(mkdtempSync(join(tmpdir(), "keelson-mentions-")));
  try {
    const [project, outside] = [join(place, "project"), join(place, "project-2")];
    for (const folder of [project, outside]) mkdirSync(folder);
    writeFileSync(join(project, "in.txt"), "inside");
    writeFileSync(join(outside, "out.txt"), "SECRET");
    symlinkSync(join(outside, "out.txt"), join(project, "link.txt"));
    const text = `@in.txt @link.txt @../project-2/out.txt @../project-2/ @${outside}/out.txt`;
    const ports = portsFor(project);
    const paths = async (options?: { insideOnly: boolean }) =>
      (await mentionedFiles(text, ports(), options)).map(
        (entry: any) => entry.attachment.filename ?? entry.attachment.path,
      );
    expect(await paths({ insideOnly: true })).toEqual([join(project, "in.txt")]);
    expect(await paths()).toEqual([join(project, "in.txt"), join(project, "link.txt"), outside]);
  } finally {
    rmSync(place, { recursive: true });
  }
});

/** A gate that allows everything. */
function portsFor(project: string): () => MentionPorts {
  return () => {
    let ids = 0;
    const context = {
      files: createFiles(),
      workspace: createWorkspace(project),
      seen: createLedger(),
      env: {},
      mayRead: () => true,
      signal: new AbortController().signal,
    };
    return {
      ...testEngine(scriptedModel()).ports,
      gate: {
        decide: async () => ({ behavior: "allow", by: "rule", reason: "test" }) as const,
        ruleBook: { setUnguarded: () => undefined } as never,
      },
      read: findTool(builtInTools(undefined as never), "Read")!,
      context: (call) => ({ ...context, toolUseId: call.id }) as never,
      instructionsFor: () => [],
      newId: () => `id-${++ids}`,
      signal: context.signal,
    };
  };
}
