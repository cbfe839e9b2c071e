import { expect, test } from "bun:test";
import { cellProgram } from "./cell.ts";

const LANDLOCK = [444, 445, 446];

/** Code begins at the entry point, which the header gives as an address. */
function codeOf(program: Uint8Array): DataView {
  const file = new DataView(program.buffer);
  const entry = Number(file.getBigUint64(24, true)) - 0x400000;
  return new DataView(program.buffer, entry);
}

test("on arm64 the same calls are made, and all that may fail go to the same place", () => {
  const code = codeOf(cellProgram({ approved: true, isRoot: true }, "arm64")!);
  const words = Array.from({ length: code.byteLength / 4 }, (_, at) => code.getUint32(4 * at, true));
  const isCall = (word: number) => word === 0xd4000001;
  // movz x8, number; movk x8, 0, lsl 16; svc 0
  const calls = words.flatMap((word, at) => (isCall(word) ? [(words[at - 2]! >>> 5) & 0xffff] : []));
  const [create, add, restrict] = LANDLOCK;
  expect(calls).toEqual([90, 91, create!, 56, add!, restrict!, 94, 221, 64, 94]);
  // tbnz w0, 31, place
  const places = words.flatMap((word, at) => (word >>> 19 === 0x37f80000 >>> 19 ? [at + ((word >>> 5) & 0x3fff)] : []));
  const write = words.findLastIndex((word) => isCall(word)) - 8;
  expect(places).toHaveLength(6);
  expect(new Set(places).size).toBe(1);
  expect(words[places[0]!]).toBe(0xd2800040); // movz x0, 2: standard error
  expect(places[0]!).toBeLessThan(write);
});

test("a processor that it is not written for gets none", () => {
  expect(cellProgram({ approved: false }, "riscv64")).toBeNull();
});
