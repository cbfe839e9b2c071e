import { expect, test } from "bun:test";
import { limitsOfOthersFilter } from "./limits-of-others.ts";

interface Asked {
  readonly number: number;
  readonly arch: number;
  readonly pid?: number;
  readonly limit?: bigint;
}

const REFUSED = 0x00050001;

/** What the kernel would do with a filter. */
function decide(filter: readonly bigint[], { number, arch, pid = 0, limit = 0n }: Asked): number {
  const data = new DataView(new ArrayBuffer(64));
  data.setUint32(0, number, true);
  data.setUint32(4, arch, true);
  data.setUint32(16, pid, true);
  data.setBigUint64(32, limit, true);
  let value = 0;
  for (let at = 0; at < filter.length; at++) {
    const part = (from: number, bits: number) => Number((filter[at]! >> BigInt(from)) & ((1n << BigInt(bits)) - 1n));
    const [code, operand] = [part(0, 16), part(32, 32)];
    if (code === 0x06) return operand;
    if (code === 0x20) value = data.getUint32(operand, true);
    else if (code === 0x54) value = (value & operand) >>> 0;
    else if (code === 0x15) at += value === operand ? part(16, 8) : part(24, 8);
    else throw new Error(`No such instruction: ${code}`);
  }
  throw new Error("The filter has no end");
}

test.each([
  ["x64", 0xc000003e, 302],
  ["x64", 0xc000003e, 0x40000000 + 302],
  ["x64", 0x40000003, 340],
  ["arm64", 0xc00000b7, 261],
  ["arm64", 0x40000028, 369],
])("on %s, architecture %i, call %i is refused for a new limit of another process only", (name, arch, number) => {
  const filter = limitsOfOthersFilter(name)!;
  const isRefused = (asked: Partial<Asked>) => decide(filter, { number, arch, ...asked }) === REFUSED;
  expect(isRefused({ pid: 7, limit: 0x1000n })).toBe(true);
  expect(isRefused({ pid: 7, limit: 0x7fff_0000_0000n })).toBe(true);
  expect(isRefused({ pid: 0, limit: 0x1000n })).toBe(false);
  expect(isRefused({ pid: 7 })).toBe(false);
  expect(isRefused({ pid: 7, limit: 0x1000n, number: number - 1 })).toBe(false);
  expect(isRefused({ pid: 7, limit: 0x1000n, arch: 1 })).toBe(false);
});
