// Collects the guide and the files it links to, and packs them. Every file is inside the project, is no link, may be
// read, is not ignored by git and does not look like a secret.

import { dirname, relative, resolve, sep } from "node:path";
import { kilobytes, ToolError, type ToolContext } from "@keelson/engine";
import { linksIn } from "./links.ts";
import { containsSecret, isSecretName } from "./secrets.ts";
import { zip, type ZipEntry } from "./zip.ts";

const GUIDE = "ONBOARDING.md";
const MAX_FILES = 200;
const MAX_FILE_BYTES = 2 * 1024 * 1024;
const MAX_TOTAL_BYTES = 20 * 1024 * 1024;
/** In the comment of an archive, or in the first line of a file: what may be overwritten. */
const MARK = "Keelson onboarding guide";

export interface Bundle {
  readonly bytes: Uint8Array;
  readonly files: readonly string[];
  readonly leftOut: readonly LeftOut[];
}

interface LeftOut {
  readonly file: string;
  readonly reason: string;
}

export function isBundle(bytes: Uint8Array): boolean {
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  return (
    text.subarray(0, 200).includes(MARK) ||
    (text.subarray(0, 2).toString() === "PK" && text.subarray(-200).includes(MARK))
  );
}

export async function makeBundle(guide: string, format: "zip" | "file", context: ToolContext): Promise<Bundle> {
  const { root } = context.workspace;
  const name = nameOf(guide, root);
  const problem = name === undefined ? "it is outside the project" : await problemWith(guide, context);
  if (name === undefined || problem !== undefined) {
    throw new ToolError(`The guide '${guide}' cannot be shared: ${problem}`);
  }
  const ignored = await ignoredFiles(context);
  // The usual guide may be a file that no one commits; any other one is named by the model.
  if (name !== GUIDE && ignored(name)) throw new ToolError(`The guide '${guide}' cannot be shared: git ignores it`);
  const text = await context.files.read(guide);
  if (containsSecret(text))
    throw new ToolError(`The guide '${guide}' contains what looks like a secret. Remove it first.`);

  const entries: ZipEntry[] = [{ name, bytes: text }];
  const leftOut: LeftOut[] = [];
  let total = text.length;
  for (const path of linkedPaths(guide, text, root)) {
    const file = nameOf(path, root) ?? path;
    const bytes = await readLinked(path, context, ignored);
    const isFull = entries.length >= MAX_FILES || total + bytes.length > MAX_TOTAL_BYTES;
    const reason = typeof bytes === "string" ? bytes : isFull ? "the bundle is full" : contentProblem(bytes, format);
    if (typeof bytes !== "string" && reason === undefined) {
      entries.push({ name: file, bytes });
      total += bytes.length;
    } else if (reason !== undefined && reason !== FOLDER) leftOut.push({ file, reason });
  }
  const bytes = format === "zip" ? zip(entries, MARK) : asOneFile(entries);
  return { bytes, files: entries.map((entry) => entry.name), leftOut };
}

/** A leading slash means the project's root, as on the pages of a repository. */
function linkedPaths(guide: string, text: Uint8Array, root: string): string[] {
  const links = linksIn(new TextDecoder().decode(text));
  const paths = links.map((link) => resolve(link.startsWith("/") ? root : dirname(guide), `./${link}`));
  return [...new Set(paths)].filter((path) => path !== guide);
}

/** The bytes, or why they are left out. */
async function readLinked(
  path: string,
  context: ToolContext,
  ignored: (file: string) => boolean,
): Promise<Uint8Array | string> {
  const file = nameOf(path, context.workspace.root);
  if (file === undefined) return "it is outside the project";
  const problem = await problemWith(path, context);
  if (problem !== undefined) return problem;
  return ignored(file) ? "git ignores it" : context.files.read(path);
}

function contentProblem(bytes: Uint8Array, format: "zip" | "file"): string | undefined {
  if (containsSecret(bytes)) return "it contains what looks like a secret";
  return format === "file" && isBinary(bytes) ? "it is not text" : undefined;
}

/** The path in the project, with slashes; undefined outside of it. */
function nameOf(path: string, root: string): string | undefined {
  const name = relative(root, path).split(sep).join("/");
  return name === "" || name === ".." || name.startsWith("../") ? undefined : name;
}

const FOLDER = "it is a folder";

async function problemWith(path: string, { files, workspace, mayRead }: ToolContext): Promise<string | undefined> {
  const { root } = workspace;
  if (isSecretName(relative(root, path))) return "it is named like a secret";
  if (!mayRead(path)) return "your permission settings deny it";
  const stat = await files.stat(path);
  if (stat === null) return "it does not exist";
  if (stat.kind === "directory") return FOLDER;
  const home = await files.stat(root);
  if (stat.realPath !== resolve(home?.realPath ?? root, relative(root, path)))
    return "it is a link, or in a linked folder";
  if (stat.kind !== "file") return "it is not a regular file";
  return stat.size > MAX_FILE_BYTES ? `it is ${kilobytes(stat.size)}; the limit is 2MB` : undefined;
}

/** By what ripgrep would search: it knows the rules of git. Its own ignore files could take them back. */
async function ignoredFiles({ search, workspace, signal }: ToolContext): Promise<(file: string) => boolean> {
  const args = ["--files", "--hidden", "--no-require-git", "--no-ignore-dot", "--null"];
  const { code, stdout, cut, timedOut } = await search.run(args, { cwd: workspace.root, signal });
  if (code === 2 || cut || timedOut)
    throw new ToolError("The project has too many files to tell which ones git ignores");
  const known = new Set(stdout.split("\0").map((file) => file.replace(/^\.\//, "")));
  return (file) => !known.has(file);
}

const isBinary = (bytes: Uint8Array) => bytes.subarray(0, 8_000).includes(0);

function asOneFile(entries: readonly ZipEntry[]): Uint8Array {
  const [guide, ...rest] = entries.map(({ name, bytes }) => ({
    name,
    text: new TextDecoder().decode(bytes).trimEnd(),
  }));
  const parts = rest.map(({ name, text }) => {
    let longest = 2;
    for (const [run] of text.matchAll(/`+/g)) longest = Math.max(longest, run.length);
    const fence = "`".repeat(longest + 1);
    return name.endsWith(".md") ? `# ${name}\n\n${text}` : `# ${name}\n\n${fence}\n${text}\n${fence}`;
  });
  return new TextEncoder().encode(`${[`<!-- ${MARK} -->\n${guide!.text}`, ...parts].join("\n\n---\n\n")}\n`);
}
