// Draws pages of a PDF with pdftoppm of poppler: in its own process, with limits on time, memory and size, on a private
// copy, so that neither a link nor a later change of the file matters.

import { mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { readOwnFile } from "@keelson/disk/own-files";
import { realPathOf } from "@keelson/disk/real-path";
import { ToolError } from "@keelson/engine";
import type { ConfinedProgram, ProgramToConfine } from "../sandbox/confine-program.ts";
import { findProgram } from "./find-program.ts";
import { helperPath, type FindHelper } from "./registry/helpers.ts";

export interface PdfPage {
  readonly page: number;
  readonly jpeg: Uint8Array;
}

export interface PdfPagesOptions {
  readonly find: FindHelper;
  /** PATH: a pdftoppm that commands could replace is only run behind the shield. */
  readonly path: string | undefined;
  confine(program: ProgramToConfine): Promise<ConfinedProgram>;
  /** Where the private copy is made. */
  readonly temporary: string;
}

const TIMEOUT_MS = 60_000;
/** The longer side: what the model can make out, and no more than the API would keep. */
const LONGEST_EDGE = 1_400;
/** In KB. A damaged or hostile file must not take the machine's memory. */
const MAX_MEMORY = 2 * 1024 * 1024;
/** Base64 adds a third, and the API takes 32 MB in all. */
const MAX_TOTAL_BYTES = 12_000_000;

/** Null if there is no pdftoppm, or if it cannot read the file. */
export async function drawPdfPages(
  bytes: Uint8Array,
  { first, last }: { readonly first: number; readonly last: number },
  signal: AbortSignal,
  { find, path, confine, temporary }: PdfPagesOptions,
): Promise<readonly PdfPage[] | null> {
  const own = find("pdftoppm");
  const program = own ?? findProgram("pdftoppm", path);
  if (program === null) return null;
  signal.throwIfAborted();
  const folder = mkdtempSync(join(realPathOf(temporary), "keelson-pdf-"));
  try {
    writeFileSync(join(folder, "file.pdf"), bytes, { mode: 0o600, flag: "wx" });
    const range = ["-f", `${first}`, "-l", `${last}`, "-scale-to", `${LONGEST_EDGE}`];
    const args = ["-jpeg", "-jpegopt", "quality=80", ...range, "file.pdf", "page"];
    const script = `ulimit -v ${MAX_MEMORY} 2>/dev/null; exec "$0" "$@"`;
    const shell = { command: "/bin/sh", args: ["-c", script, program, ...args], cwd: folder };
    const plain = { argv: [shell.command, ...shell.args], leave() {} };
    // There may be no shield.
    const started = own === null ? await confine(shell).catch(() => null) : plain;
    if (started === null) return null;
    const { argv, leave } = started;
    try {
      const child = Bun.spawn([...argv], {
        cwd: folder,
        env: { PATH: own === null ? (path ?? "") : helperPath(path), HOME: folder, LC_ALL: "C" },
        stdio: ["ignore", "ignore", "ignore"],
        detached: true,
      });
      return (await endOf(child, signal)) === 0 ? pagesIn(folder) : null;
    } finally {
      leave();
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function endOf(child: Bun.Subprocess, signal: AbortSignal): Promise<number> {
  const limit = AbortSignal.timeout(TIMEOUT_MS);
  const either = AbortSignal.any([signal, limit]);
  // With its children: the shield stays as their parent.
  const end = () => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    try {
      process.kill(-child.pid, "SIGKILL");
    } catch {
      // It has just ended.
    }
  };
  either.addEventListener("abort", end, { once: true });
  try {
    const code = await child.exited;
    signal.throwIfAborted();
    if (limit.aborted) throw new ToolError("Drawing the pages took too long. Request fewer pages at once.");
    return child.signalCode === null ? code : 1;
  } finally {
    either.removeEventListener("abort", end);
  }
}

/** pdftoppm pads the number of a page with zeros: `page-03.jpg`. */
function pagesIn(folder: string): PdfPage[] {
  const names = readdirSync(folder).flatMap((name) => {
    const page = /^page-(\d+)\.jpg$/.exec(name)?.[1];
    return page === undefined ? [] : [{ page: Number(page), path: join(folder, name) }];
  });
  const total = names.reduce((sum, { path }) => sum + statSync(path).size, 0);
  if (total > MAX_TOTAL_BYTES) throw new ToolError("The pages are too large to show together. Request fewer at once.");
  return names
    .sort((a, b) => a.page - b.page)
    .flatMap(({ page, path }) => {
      const jpeg = readOwnFile(path, MAX_TOTAL_BYTES);
      return jpeg ? [{ page, jpeg }] : [];
    });
}
