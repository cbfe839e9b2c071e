import { afterEach, beforeEach, expect, test } from "bun:test";
import {
  chmodSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openSeal } from "./seal.ts";

let root: string;
let folder: string;

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "keelson-seal-"));
  folder = join(root, "keelson-seal");
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

const mode = (path: string) => (statSync(path).mode & 0o777).toString(8);

test("a code holds for its own purpose and text, in every process that has the folder", () => {
  const code = openSeal(root).sealText("mode", "text");
  const seal = openSeal(root);
  expect(code).toMatch(/^[\w-]{43}$/);
  expect([
    seal.isSealed("mode", "text", code),
    seal.isSealed("mode", "text2", code),
    seal.isSealed("mod", "etext", code),
    seal.isSealed('mode"', "text", code),
    seal.isSealed("trust", "text", code),
    seal.isSealed("mode", "text", ""),
    seal.isSealed("mode", "text", undefined),
    seal.isSealed("mode", "text", [code]),
  ]).toEqual([true, false, false, false, false, false, false, false]);
});

test("the secret is created with the first code, not by looking, and is private", () => {
  const seal = openSeal(root);
  expect(seal.isSealed("mode", "text", "x")).toBe(false);
  expect(readdirSync(root)).toEqual([]);
  seal.sealText("mode", "text");
  expect([readdirSync(folder), mode(folder), mode(join(folder, "key"))]).toEqual([["key"], "700", "600"]);
});

test("a secret that cannot be written leaves no file behind", async () => {
  const code = `
    const { openSeal } = await import(${JSON.stringify(join(import.meta.dir, "seal.ts"))});
    console.log(openSeal(${JSON.stringify(root)}).sealText("mode", "text"));`;
  const full = ["sh", "-c", 'trap "" XFSZ; ulimit -f 0; exec "$@"', "sh", process.execPath, "-e", code];
  expect(await Bun.spawn(full).stdout.text()).toBe("undefined\n");
  expect(readdirSync(folder)).toEqual([]);
  expect(openSeal(root).sealText("mode", "text")).toBeString();
});

test("a copy of the folder keeps the codes, another folder does not", () => {
  const code = openSeal(root).sealText("mode", "text");
  const other = mkdtempSync(join(tmpdir(), "keelson-seal-"));
  try {
    openSeal(other).sealText("mode", "text");
    expect(openSeal(other).isSealed("mode", "text", code)).toBe(false);
    rmSync(join(other, "keelson-seal"), { recursive: true });
    cpSync(root, other, { recursive: true });
    chmodSync(join(other, "keelson-seal", "key"), 0o644);
    expect(openSeal(other).isSealed("mode", "text", code)).toBe(true);
    expect(mode(join(other, "keelson-seal", "key"))).toBe("600");
  } finally {
    rmSync(other, { recursive: true, force: true });
  }
});

test("processes that create the secret at once get the same one", async () => {
  const code = `
    const { openSeal } = await import(${JSON.stringify(join(import.meta.dir, "seal.ts"))});
    console.log(openSeal(${JSON.stringify(root)}).sealText("mode", "text"));`;
  const made = Array.from({ length: 6 }, () => Bun.spawn([process.execPath, "-e", code]).stdout.text());
  expect(new Set(await Promise.all(made)).size).toBe(1);
  expect(readdirSync(folder)).toEqual(["key"]);
});

test.each([
  ["a link", () => symlinkSync(join(root, "known"), join(folder, "key"))],
  ["a link to nothing", () => symlinkSync(join(root, "missing"), join(folder, "key"))],
  ["something else", () => writeFileSync(join(folder, "key"), "known\n")],
  ["a folder", () => mkdirSync(join(folder, "key"))],
])("%s in the place of the secret makes and proves nothing, and is reported once", (_, plant) => {
  writeFileSync(join(root, "known"), Buffer.alloc(32));
  mkdirSync(folder);
  plant();
  const failures: string[] = [];
  const seal = openSeal(root, (error) => failures.push(error.message));
  const known = new Bun.CryptoHasher("sha256", Buffer.alloc(32)).update('"mode"').update("text").digest("base64url");
  expect([seal.isSealed("mode", "text", known), seal.sealText("mode", "text"), seal.sealText("mode", "2")]).toEqual([
    false,
    undefined,
    undefined,
  ]);
  expect(failures).toHaveLength(1);
  expect(readFileSync(join(root, "known"))).toEqual(Buffer.alloc(32));
});

test("a secret that a power failure left empty is created anew", () => {
  const code = openSeal(root).sealText("mode", "text");
  writeFileSync(join(folder, "key"), "");
  expect(openSeal(root).isSealed("mode", "text", code)).toBe(false);
  const again = openSeal(root).sealText("mode", "text");
  expect([again === code, openSeal(root).isSealed("mode", "text", again)]).toEqual([false, true]);
});

test("secrets are neither created nor read through a linked folder", () => {
  mkdirSync(join(root, "elsewhere"));
  symlinkSync(join(root, "elsewhere"), folder);
  expect(openSeal(root).sealText("mode", "text")).toBeUndefined();
  expect(readdirSync(join(root, "elsewhere"))).toEqual([]);
  rmSync(folder);
  const code = openSeal(root).sealText("mode", "text");
  cpSync(folder, join(root, "elsewhere"), { recursive: true });
  rmSync(folder, { recursive: true });
  symlinkSync(join(root, "elsewhere"), folder);
  expect(openSeal(root).isSealed("mode", "text", code)).toBe(false);
});

test("a folder that cannot be written gives no codes, and is reported once", () => {
  writeFileSync(folder, "a file where the folder should be");
  const failures: Error[] = [];
  const seal = openSeal(root, (error) => failures.push(error));
  expect([seal.sealText("mode", "a"), seal.sealText("mode", "b")]).toEqual([undefined, undefined]);
  expect(failures).toHaveLength(1);
});
