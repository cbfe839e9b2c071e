// Fetches packages that tests compare ours with or drive ours by: too large, or under a licence that does not allow it, to be kept
// here or installed for everyone. Their install scripts never run. Where npm cannot fetch them, the tests that need them are
// skipped and say so.

import { existsSync } from "node:fs";
import { join } from "node:path";
import { root } from "../root.ts";

interface FetchedPackages {
  /** Names the folder with them, for tests; it may be set to another one. */
  readonly variable: string;
  /** In `dist`. */
  readonly folder: string;
  /** Name to version. */
  readonly packages: Readonly<Record<string, string>>;
}

const FETCHED: readonly FetchedPackages[] = [
  // The newest declarations that ours were compared with. Nothing of it runs.
  {
    variable: "KEELSON_OFFICIAL_SDK",
    folder: "official-sdk",
    packages: { "@anthropic-ai/claude-agent-sdk": "0.3.327" },
  },
  // An adapter that starts our program, and a client that speaks to it.
  {
    variable: "KEELSON_EDITOR_PACKAGES",
    folder: "editor-packages",
    packages: { "@agentclientprotocol/claude-agent-acp": "0.99.1", acpx: "0.19.1" },
  },
];

const LIMIT_MS = 90_000;

const folderOf = ({ variable, folder }: FetchedPackages) => process.env[variable] || join(root, "dist", folder);

/** The variables that tell tests where the packages are. */
export const fetchedFolders: Readonly<Record<string, string>> = Object.fromEntries(
  FETCHED.map((wanted) => [wanted.variable, folderOf(wanted)]),
);

if (import.meta.main) for (const line of await Promise.all(FETCHED.map(fetchPackages))) console.log(`   ${line}`);

/** What came of it, for people. */
async function fetchPackages(wanted: FetchedPackages): Promise<string> {
  const folder = folderOf(wanted);
  const packages = Object.entries(wanted.packages);
  const names = packages.map((each) => each.join(" ")).join(" and ");
  const isThere = async ([name, version]: readonly [string, string]) => {
    const manifest = join(folder, "node_modules", name, "package.json");
    return existsSync(manifest) && (await Bun.file(manifest).json()).version === version;
  };
  if ((await Promise.all(packages.map(isThere))).every(Boolean)) return `There: ${names}`;
  await Bun.write(join(folder, "package.json"), JSON.stringify({ private: true }));
  const quiet = ["--ignore-scripts", "--omit=optional", "--no-audit", "--no-fund", "--no-save", "--fetch-retries=1"];
  const child = Bun.spawn(["npm", "install", ...quiet, ...packages.map((each) => each.join("@"))], {
    cwd: folder,
    stdin: "ignore",
    stdout: "ignore",
    stderr: "pipe",
    timeout: LIMIT_MS,
  });
  const [errors, code] = await Promise.all([child.stderr.text(), child.exited]);
  if (code === 0) return `Fetched: ${names}`;
  return `Not fetched, so the tests that need it are skipped: ${names}: ${errors.trim().split("\n")[0]}`;
}
