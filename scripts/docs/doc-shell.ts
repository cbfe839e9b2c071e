// A shell in a temporary project, with `keelson` on its PATH and nothing from the caller's environment. Used to record
// and check the examples in the documentation.

import { chmodSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { root } from "../root.ts";

export interface DocShell extends Disposable {
  readonly project: string;
  readonly home: string;
  /** Runs a script with `sh -e`. */
  run(
    script: string,
    env?: Readonly<Record<string, string>>,
  ): Promise<{ readonly code: number; readonly stdout: string; readonly stderr: string }>;
}

const LIMIT_MS = 25_000;

/** `keelson` is $KEELSON_BIN, or the source tree if that is not set. */
export function openDocShell(files: Readonly<Record<string, string>> = SAMPLE): DocShell {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "keelson-docs-")));
  const at = (name: string) => join(folder, name);
  for (const name of ["home", "tmp", "bin", "project"]) mkdirSync(at(name), { mode: 0o700 });
  for (const [name, text] of Object.entries(files)) {
    const path = join(at("project"), name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
  }
  writeFileSync(at("bin/keelson"), `#!/bin/sh\nexec ${program().map(quote).join(" ")} "$@"\n`);
  chmodSync(at("bin/keelson"), 0o755);

  const env = {
    PATH: `${at("bin")}:${process.env["PATH"] ?? "/usr/bin:/bin"}`,
    HOME: at("home"),
    TMPDIR: at("tmp"),
    SHELL: "/bin/bash",
    LANG: "C.UTF-8",
  };
  return {
    project: at("project"),
    home: at("home"),
    async run(script, more = {}) {
      const child = Bun.spawn(["sh", "-e", "-c", script], {
        cwd: at("project"),
        env: { ...env, ...more },
        stdin: "ignore",
        stdout: "pipe",
        stderr: "pipe",
        timeout: LIMIT_MS,
        killSignal: "SIGKILL",
      });
      const [stdout, stderr] = await Promise.all([child.stdout.text(), child.stderr.text()]);
      return { code: await child.exited, stdout, stderr };
    },
    [Symbol.dispose]: () => rmSync(folder, { recursive: true, force: true }),
  };
}

function program(): readonly string[] {
  const built = process.env["KEELSON_BIN"];
  if (built) return [built];
  const empty = join(root, "scripts", "empty.toml");
  return [process.execPath, "--no-env-file", `--config=${empty}`, join(root, "packages", "cli", "src", "bin.ts")];
}

const quote = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`;

/** A small project to ask about. */
const SAMPLE: Readonly<Record<string, string>> = {
  "package.json": `{
  "name": "orrery",
  "description": "Positions of the planets for a given date",
  "type": "module",
  "scripts": { "test": "node --test" }
}
`,
  "README.md": `# orrery

Positions of the planets for a given date, good to about an arc minute.
`,
  "src/kepler.js": `// Solves Kepler's equation by Newton's method.
export function eccentricAnomaly(mean, eccentricity) {
  let anomaly = mean;
  for (let step = 0; step < 10; step++) {
    // TODO: stop when the change is small enough
    anomaly -= (anomaly - eccentricity * Math.sin(anomaly) - mean) / (1 - eccentricity * Math.cos(anomaly));
  }
  return anomaly;
}
`,
  "src/kepler.test.js": `import assert from "node:assert/strict";
import { test } from "node:test";
import { eccentricAnomaly } from "./kepler.js";

test("a circle needs no correction", () => assert.equal(eccentricAnomaly(1, 0), 1));
`,
};
