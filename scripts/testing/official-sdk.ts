// Fetches the official SDK, whose declarations ours are compared with; nothing of it runs. Its licence does not allow it to be kept
// here. Where npm cannot fetch it, the tests that need it are skipped and say so.

import { existsSync } from "node:fs";
import { join } from "node:path";
import { root } from "../root.ts";

const NAME = "@anthropic-ai/claude-agent-sdk";
/** The newest that ours were compared with. */
const VERSION = "0.3.327";
const LIMIT_MS = 90_000;

/** Where npm installs it. */
export const officialSdkFolder = process.env["KEELSON_OFFICIAL_SDK"] || join(root, "dist", "official-sdk");

if (import.meta.main) console.log(`   ${await fetchOfficialSdk()}`);

/** What came of it, for people. */
async function fetchOfficialSdk(): Promise<string> {
  const manifest = join(officialSdkFolder, "node_modules", NAME, "package.json");
  if (existsSync(manifest) && (await Bun.file(manifest).json()).version === VERSION)
    return `${NAME} ${VERSION} is there`;
  await Bun.write(join(officialSdkFolder, "package.json"), JSON.stringify({ private: true }));
  const quiet = ["--ignore-scripts", "--omit=optional", "--no-audit", "--no-fund", "--no-save", "--fetch-retries=1"];
  const child = Bun.spawn(["npm", "install", ...quiet, `${NAME}@${VERSION}`], {
    cwd: officialSdkFolder,
    stdin: "ignore",
    stdout: "ignore",
    stderr: "pipe",
    timeout: LIMIT_MS,
  });
  const [errors, code] = await Promise.all([child.stderr.text(), child.exited]);
  if (code === 0) return `${NAME} ${VERSION} was fetched`;
  return `${NAME} could not be fetched, so ours is not compared with it: ${errors.trim().split("\n")[0]}`;
}
