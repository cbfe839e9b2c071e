// Pictures for a prompt, from the clipboard of this machine.

import { existsSync } from "node:fs";
import { findHelper, helperEnvironment } from "@keelson/host/programs";
import { imageType } from "@keelson/protocol/image-type";
import type { PastedImage } from "@keelson/tui";

/** Larger ones are refused by every model, whatever is done to them. */
const MOST_BYTES = 32 * 1024 * 1024;
const TIME_LIMIT_MS = 5_000;

export interface ImagePlace {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
}

export async function clipboardImage(place: ImagePlace): Promise<PastedImage | undefined> {
  for (const argv of readersOf(place)) {
    const bytes = await outputOf(argv, place);
    const image = bytes && imageOf(bytes);
    if (image !== undefined) return image;
  }
  return undefined;
}

function imageOf(bytes: Buffer): PastedImage | undefined {
  const base64 = bytes.toString("base64");
  const mediaType = imageType(base64);
  return mediaType && { mediaType, base64 };
}

const OSASCRIPT = "get the clipboard as «class PNGf»";
const POWERSHELL =
  "Add-Type -AssemblyName System.Windows.Forms; $i = [Windows.Forms.Clipboard]::GetImage(); if ($i) { " +
  "$m = New-Object IO.MemoryStream; $i.Save($m, [Drawing.Imaging.ImageFormat]::Png); " +
  "[Convert]::ToBase64String($m.ToArray()) }";

/** Windows protects it, although Linux shows it as writable. */
const WINDOWS_POWERSHELL = "/mnt/c/Windows/System32/WindowsPowerShell/v1.0/powershell.exe";

type Reader = { readonly argv: readonly string[]; readonly decode: (text: Buffer) => Buffer };

/** The programs of this machine that can read pictures from a clipboard. */
function readersOf({ env }: ImagePlace): readonly Reader[] {
  const asIs = (bytes: Buffer) => bytes;
  const all: readonly (readonly [string, readonly string[], Reader["decode"], boolean])[] = [
    ["wl-paste", ["--no-newline", "--type", "image/png"], asIs, !!env["WAYLAND_DISPLAY"]],
    ["xclip", ["-selection", "clipboard", "-t", "image/png", "-o"], asIs, !!env["DISPLAY"]],
    ["pngpaste", ["-"], asIs, true],
    ["osascript", ["-e", OSASCRIPT], fromAppleScript, true],
    [WINDOWS_POWERSHELL, ["-NoProfile", "-NonInteractive", "-Sta", "-Command", POWERSHELL], fromBase64, true],
  ];
  return all.flatMap(([name, args, decode, applies]) => {
    if (!applies) return [];
    const program = name !== WINDOWS_POWERSHELL ? findHelper(name, env["PATH"]) : existsSync(name) ? name : null;
    return program === null ? [] : [{ argv: [program, ...args], decode }];
  });
}

/** `«data PNGf89504E47…»` */
const fromAppleScript = (text: Buffer) =>
  Buffer.from(/«data \w{4}([0-9A-F]+)»/i.exec(text.toString("utf8"))?.[1] ?? "", "hex");
const fromBase64 = (text: Buffer) => Buffer.from(text.toString("latin1").trim(), "base64");

async function outputOf({ argv, decode }: Reader, { env, cwd }: ImagePlace): Promise<Buffer | undefined> {
  try {
    const program = Bun.spawn([...argv], {
      cwd,
      env: helperEnvironment(env),
      stdin: "ignore",
      stdout: "pipe",
      stderr: "ignore",
      timeout: TIME_LIMIT_MS,
      maxBuffer: 2 * MOST_BYTES,
    });
    const bytes = Buffer.from(await new Response(program.stdout).arrayBuffer());
    if ((await program.exited) !== 0) return undefined;
    const decoded = decode(bytes);
    return decoded.length > MOST_BYTES ? undefined : decoded;
  } catch {
    return undefined;
  }
}
