// Opens text and files in the user's editor, which gets the terminal meanwhile.

import { closeSync, existsSync, mkdirSync, rmSync, writeFileSync, writeSync } from "node:fs";
import { dirname } from "node:path";
import { readOwnFile } from "@keelson/disk/own-files";
import { createPrivateFile, findProgram, makeTemporary, pathOutside } from "@keelson/host";
import { findHelper } from "@keelson/host/programs";
import type { TerminalPort } from "../terminal/port.ts";

export interface EditorPlace {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  readonly port: Pick<TerminalPort, "lend">;
}

const MOST_BYTES = 64 * 1024 * 1024;

/** Undefined if there is no editor, or it failed. */
export async function editText(text: string, extension: string, place: EditorPlace): Promise<string | undefined> {
  const folder = makeTemporary(place.env, "edit-");
  const { fd, path } = createPrivateFile(folder, `prompt${/^\.\w+$/.test(extension) ? extension : ".md"}`);
  try {
    try {
      writeSync(fd, text);
    } finally {
      closeSync(fd);
    }
    if (!(await editFile(path, place))) return undefined;
    const edited = readOwnFile(path, MOST_BYTES + 1);
    if (edited === undefined || edited.length > MOST_BYTES) return undefined;
    // Editors end a file with a newline that no one typed.
    return edited.toString().replace(/\r?\n$/, "");
  } catch {
    return undefined;
  } finally {
    rmSync(dirname(path), { recursive: true, force: true });
  }
}

/** False if there is no editor, or it failed. */
export async function editFile(path: string, { env, cwd, port }: EditorPlace, start?: string): Promise<boolean> {
  const command = editorCommand(env, cwd);
  if (command === undefined) return false;
  try {
    if (start !== undefined && !existsSync(path)) {
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(path, start, { flag: "wx", mode: 0o600 });
    }
    return await port.lend(async (stdin) => {
      const editor = Bun.spawn([...command, path], { cwd, env, stdin, stdout: "inherit", stderr: "inherit" });
      return (await editor.exited) === 0;
    });
  } catch {
    return false;
  }
}

/** `$VISUAL`, `$EDITOR`, or what this machine has. Undefined if it has none. */
export function editorCommand(
  env: EditorPlace["env"],
  cwd: string,
  find = {
    chosen: (name: string) => findProgram(name, pathOutside(env["PATH"], cwd)),
    system: (name: string) => findHelper(name, env["PATH"]),
  },
): readonly string[] | undefined {
  const chosen = [env["VISUAL"], env["EDITOR"]].find((value) => value?.trim());
  const words = chosen === undefined ? [] : shellWords(chosen);
  const [name, ...rest] = words;
  if (name !== undefined) {
    const program = name.includes("/") ? name : find.chosen(name);
    return program === null ? undefined : [program, ...rest, ...waitFlag(words)];
  }
  const found = ["vi", "vim", "nano"].map(find.system).find((path) => path !== null);
  return found ? [found] : undefined;
}

/** These return at once unless they are told to wait. */
function waitFlag([program = "", ...args]: readonly string[]): readonly string[] {
  const name = program.slice(program.lastIndexOf("/") + 1);
  const waits = args.some((arg) => arg === "-w" || arg === "--wait");
  return ["code", "code-insiders", "codium", "cursor", "windsurf", "subl", "zed"].includes(name) && !waits
    ? ["--wait"]
    : [];
}

/** Words with quotes, as in a shell; nothing is expanded. */
function shellWords(text: string): readonly string[] {
  const words = text.match(/(?:[^\s"'\\]|\\.|"(?:[^"\\]|\\.)*"|'[^']*')+/g) ?? [];
  return words.map((word) =>
    word.replaceAll(/"((?:[^"\\]|\\.)*)"|'([^']*)'|\\(.)/g, (_, double?: string, single?: string, one?: string) =>
      double === undefined ? (single ?? one ?? "") : double.replaceAll(/\\(["\\])/g, "$1"),
    ),
  );
}
