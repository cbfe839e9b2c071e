import { expect, test } from "bun:test";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { load } from "../load/load.ts";
import { whyTextHeld } from "./belief.ts";
import { writeTrustRecord } from "./record.ts";

test("whyTextHeld() believes what is written during a session in its own folder only: commands can write in others", () => {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "keelson-belief-")));
  const [project, sub] = [join(root, "p"), join(root, "p/sub")];
  mkdirSync(sub, { recursive: true });
  mkdirSync(join(root, ".claude"));
  const projects = Object.fromEntries([project, sub].map((folder) => [folder, { hasTrustDialogAccepted: true }]));
  writeFileSync(join(root, ".claude.json"), JSON.stringify({ projects }));
  for (const folder of [project, sub]) writeTrustRecord(join(root, ".claude"), folder, {});
  const loaded = load({ cwd: project, home: root, env: {}, flags: {}, platform: "linux" });
  const snapshot = { ...loaded, trustBasis: { ...loaded.trustBasis!, since: 0 } };

  const held = (folder: string) => {
    const file = join(folder, ".claude/skills/new/SKILL.md");
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, "---\nallowed-tools: Bash\n---\nGo\n");
    return whyTextHeld(file, folder, snapshot);
  };
  expect(held(project)).toBeUndefined();
  expect(held(sub)).toContain("allowed-tools ignored");
  rmSync(root, { recursive: true });
});
