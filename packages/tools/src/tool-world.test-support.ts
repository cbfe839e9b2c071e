// For tests: a ToolContext with a real temporary directory and the real ripgrep. Dispose it to delete the directory.

import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { readdir } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import {
  ToolError,
  type Files,
  type ReadLedger,
  type Search,
  type Sighting,
  type Tool,
  type ToolContext,
} from "@keelson/engine";

export interface World extends Disposable {
  readonly cwd: string;
  readonly context: ToolContext;
  path(name: string): string;
  /** Writes a file without the tools knowing; `ageSeconds` sets its modification time in the past. */
  put(name: string, content: string | Uint8Array, options?: { ageSeconds?: number }): string;
  bytes(name: string): Uint8Array;
  text(name: string): string;
}

export function toolWorld(env: Record<string, string> = {}): World {
  const cwd = realpathSync(mkdtempSync(join(tmpdir(), "keelson-tools-")));
  const path = (name: string) => join(cwd, name);
  return {
    cwd,
    path,
    context: {
      toolUseId: "toolu_1",
      signal: new AbortController().signal,
      workspace: { root: cwd, directories: [cwd], former: [], cwd, move: () => false },
      files,
      search: { run: searchWith(ripgrepPath()) },
      shell: {
        run: () => Promise.reject(new Error("no shell here")),
        background: () => Promise.reject(new Error("no shell here")),
      },
      seen: ledger(),
      mayRead: () => true,
      env,
    },
    put(name, content, { ageSeconds = 0 } = {}) {
      mkdirSync(dirname(path(name)), { recursive: true });
      writeFileSync(path(name), content);
      const time = Date.now() / 1000 - ageSeconds;
      if (ageSeconds > 0) utimesSync(path(name), time, time);
      return path(name);
    },
    bytes: (name) => new Uint8Array(readFileSync(path(name))),
    text: (name) => readFileSync(path(name), "utf8"),
    [Symbol.dispose]: () => rmSync(cwd, { recursive: true, force: true }),
  };
}

/** Calls a tool the way the engine does, as if permission was granted. */
export async function call<I, O>(tool: Tool<I, O>, input: I, context: ToolContext): Promise<O> {
  const repaired = (tool.repair?.({ ...input } as Record<string, unknown>) ?? input) as I;
  const completed = tool.complete?.(repaired) ?? repaired;
  await tool.check?.(completed, context);
  await tool.access(completed, context);
  return tool.run(completed, context);
}

/** What the model reads. Errors from `check` start with "refused", errors from `run` with "failed". */
export async function answer<I, O>(tool: Tool<I, O>, input: I, context: ToolContext): Promise<unknown> {
  const repaired = (tool.repair?.({ ...input } as Record<string, unknown>) ?? input) as I;
  try {
    await tool.check?.(repaired, context);
  } catch (error) {
    if (error instanceof ToolError) return `refused: ${error.message}`;
    throw error;
  }
  try {
    return tool.show(await tool.run(repaired, context));
  } catch (error) {
    if (error instanceof ToolError) return `failed: ${error.message}`;
    throw error;
  }
}

const files: Files = {
  async stat(path) {
    const stat = statSync(path, { throwIfNoEntry: false });
    if (!stat) return null;
    const kind = stat.isFile() ? "file" : stat.isDirectory() ? "directory" : "other";
    return { kind, size: stat.size, mtimeMs: stat.mtimeMs, realPath: realpathSync(path) };
  },
  async read(path, { maxBytes } = {}) {
    const bytes = new Uint8Array(readFileSync(path));
    return maxBytes === undefined ? bytes : bytes.subarray(0, maxBytes);
  },
  async write(path, bytes) {
    mkdirSync(dirname(path), { recursive: true });
    const target = existsSync(path) ? realpathSync(path) : path;
    const temporary = `${target}.${crypto.randomUUID()}.tmp`;
    writeFileSync(temporary, bytes);
    renameSync(temporary, target);
  },
  names: (directory) => readdir(directory).catch(() => []),
};

function ledger(): ReadLedger {
  const sightings = new Map<string, Sighting>();
  const commands: { startMs: number; endMs: number }[] = [];
  return {
    get: (path) => sightings.get(path),
    set: (path, sighting) => void sightings.set(path, sighting),
    recent: () => [...sightings.keys()].reverse(),
    forgetContents: () => sightings.clear(),
    commandRan: (startMs, endMs) => void commands.push({ startMs, endMs }),
    wasOwnCommand: (mtimeMs) => commands.some(({ startMs, endMs }) => startMs <= mtimeMs && mtimeMs <= endMs),
  };
}

function searchWith(program: string): Search["run"] {
  return async (args, { cwd, signal, timeoutMs, maxBytes = Infinity }) => {
    const process = Bun.spawn([program, ...args], { cwd, signal, stdin: "ignore", stdout: "pipe", stderr: "pipe" });
    let timedOut = false;
    const timer = setTimeout(() => {
      timedOut = true;
      process.kill();
    }, timeoutMs ?? 20_000);
    const [stdout, stderr] = await Promise.all([process.stdout.text(), process.stderr.text()]);
    const code = await process.exited;
    clearTimeout(timer);
    return { code, stdout: stdout.slice(0, maxBytes), stderr, cut: stdout.length > maxBytes, timedOut };
  };
}

function ripgrepPath(): string {
  const home = dirname(Bun.resolveSync("@vscode/ripgrep/package.json", import.meta.dir));
  return join(home, "..", `ripgrep-${process.platform}-${process.arch}`, "bin", "rg");
}
