// Inside tmux, each member has a pane that shows what it says. The member itself stays a process of ours, so a pane that is
// closed ends nothing.

import { closeSync, writeSync } from "node:fs";
import { join } from "node:path";
import { helperMissing, type Programs } from "@keelson/host/programs";
import { createOwnFile } from "@keelson/disk/own-files";
import { isObject, printableLines } from "@keelson/protocol";
import type { OpenView, TeammateView } from "./processes.ts";

const MOST_BYTES = 8 * 1024 * 1024;
const LONGEST_PART = 4_000;
/** A tmux that hangs must not hold up the members. */
const LONGEST_MS = 5_000;

export interface TmuxOptions {
  /** Where the texts to show are written. */
  readonly folder: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly find: Programs["helper"];
  warn(text: string): void;
}

export function tmuxViews({ folder, env, find, warn }: TmuxOptions): OpenView {
  const tmux = (args: readonly string[]) => runTmux(find("tmux"), env, args);
  let isBroken = false;
  let opening: Promise<unknown> = Promise.resolve();
  /** One after the other: each pane is split off when the layout has made room for it. */
  const openPane = (shown: readonly string[]): Promise<TmuxAnswer> => {
    const opened = opening.then(async () => {
      if (isBroken) return { ok: false, text: "" };
      const pane = await tmux(["split-window", ...PRINT_ID, ...shown]);
      if (pane.ok) await tmux(["select-layout", "tiled"]);
      // The window is too small for one more.
      return pane.ok ? pane : tmux(["new-window", ...PRINT_ID, ...shown]);
    });
    opening = opened;
    return opened;
  };
  return async (name, pid) => {
    if (isBroken) return undefined;
    const path = join(folder, `${name}-${pid}.txt`);
    const fd = createOwnFile(path);
    const pane = await openPane(["/bin/sh", "-c", SHOW, name, path, `${pid}`]);
    if (pane.ok) return paneView(fd, () => tmux(["kill-pane", "-t", pane.text]));
    closeSync(fd);
    if (!isBroken) warn(`No panes for teammates: ${pane.text || "tmux failed"}`);
    isBroken = true;
    return undefined;
  };
}

const TMUX_FIX = "install it with the system's packages";
const PRINT_ID = ["-d", "-P", "-F", "#{pane_id}"];

interface TmuxAnswer {
  readonly ok: boolean;
  readonly text: string;
}

/** Shows the text until the member is gone, even if no one is left to close the pane. */
const SHOW = `
printf '\\033]2;%s\\033\\\\' "$0"
tail -n +1 -f -- "$1" & shown=$!
while kill -0 "$2" 2>/dev/null; do sleep 1; done
kill "$shown"
`;

function paneView(fd: number, closePane: () => Promise<unknown>): TeammateView {
  let written = 0;
  let closing: Promise<void> | undefined;
  return {
    write(line) {
      const text = shownLine(line);
      if (closing || text === "" || written > MOST_BYTES) return;
      written += writeSync(fd, text);
    },
    close: () =>
      (closing ??= (async () => {
        closeSync(fd);
        await closePane();
      })()),
  };
}

/** What people read of one message of the stream. */
export function shownLine(line: string): string {
  const message = parse(line);
  if (!isObject(message)) return "";
  if (message.type === "result") return "\n";
  const content = isObject(message.message) ? message.message["content"] : undefined;
  if (message.type !== "assistant" || !Array.isArray(content)) return "";
  const parts = content.flatMap((block: unknown) => {
    if (!isObject(block)) return [];
    if (block.type === "text" && typeof block.text === "string") return [block.text];
    if (block.type === "tool_use") return [`* ${String(block.name)} ${JSON.stringify(block.input)}`];
    return [];
  });
  return parts.map((part) => `${printable(part)}\n`).join("");
}

/** What a model writes must not control the terminal. */
function printable(text: string): string {
  const cut = text.length <= LONGEST_PART ? text : `${text.slice(0, LONGEST_PART)}…`;
  return printableLines(cut);
}

function parse(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}

async function runTmux(program: string | null, env: TmuxOptions["env"], args: readonly string[]): Promise<TmuxAnswer> {
  if (program === null) return { ok: false, text: helperMissing("tmux", env["PATH"], TMUX_FIX) };
  try {
    const names = ["PATH", "HOME", "TMUX", "TMUX_PANE", "TMUX_TMPDIR", "TERM", "LANG", "LC_ALL"];
    const own = Object.fromEntries(names.flatMap((name) => (env[name] === undefined ? [] : [[name, env[name]]])));
    const child = Bun.spawn([program, ...args], {
      env: own,
      stdin: "ignore",
      stdout: "pipe",
      stderr: "pipe",
      timeout: LONGEST_MS,
    });
    const [code, out, errors] = await Promise.all([child.exited, child.stdout.text(), child.stderr.text()]);
    return { ok: code === 0, text: (code === 0 ? out : errors).trim() };
  } catch (error) {
    return { ok: false, text: (error as Error).message };
  }
}
