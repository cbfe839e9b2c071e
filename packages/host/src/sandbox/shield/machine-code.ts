// Makes a program of Linux system calls, one after the other, that ends by becoming the command in its own arguments.

export type CallName = keyof (typeof CALLS)["x64"];
type Value = number | { readonly valueAt: number };
export type Step =
  /** If it fails, the program continues after `failed`. `result` is where its result is stored. */
  | { readonly call: CallName; readonly values: readonly Value[]; readonly result?: number | undefined }
  /** Keeps only these bits of a number in memory. */
  | { readonly and: number; readonly mask: number }
  /** Executes its own arguments. Without any it ends well. */
  | "become the command"
  | "failed";

const SAME = { open_tree: 428, move_mount: 429, mount_setattr: 442 };
const LANDLOCK = { landlock_create_ruleset: 444, landlock_add_rule: 445, landlock_restrict_self: 446 };
const CALLS = {
  x64: {
    ...SAME,
    ...LANDLOCK,
    write: 1,
    execve: 59,
    capget: 125,
    capset: 126,
    exit_group: 231,
    openat: 257,
    seccomp: 317,
  },
  arm64: {
    ...SAME,
    ...LANDLOCK,
    openat: 56,
    write: 64,
    capget: 90,
    capset: 91,
    exit_group: 94,
    execve: 221,
    seccomp: 277,
  },
};

export const call = (name: CallName, values: readonly Value[], result?: number): Step => ({
  call: name,
  values,
  result,
});
export const storedAt = (address: number): Value => ({ valueAt: address });

/** The whole file is mapped here: headers, data, code. */
const BASE = 0x400000;
const HEADERS = 64 + 56;

/** What the program reads and writes, at fixed addresses. */
export class Data {
  readonly bytes: number[] = [];

  text(text: string): number {
    return this.#put([...new TextEncoder().encode(text), 0]);
  }

  numbers(size: 4 | 8, values: readonly bigint[]): number {
    return this.#put(values.flatMap((value) => little(value, size)));
  }

  #put(bytes: readonly number[]): number {
    while (this.bytes.length % 8 > 0) this.bytes.push(0);
    const address = BASE + HEADERS + this.bytes.length;
    this.bytes.push(...bytes);
    return address;
  }
}

/** An executable file. Null for a processor it is not written for. */
export function executable(steps: readonly Step[], data: Data, arch: string): Uint8Array | null {
  const machine = MACHINES[arch];
  if (!machine) return null;
  while (data.bytes.length % 8 > 0) data.bytes.push(0);
  const lengths = steps.map((step) => machine.encode(step, 0).length);
  const ends = lengths.map((_, at) => lengths.slice(0, at + 1).reduce((sum, length) => sum + length, 0));
  const failed = ends[steps.indexOf("failed")]!;
  const code = steps.flatMap((step, at) => machine.encode(step, failed - ends[at]!));
  const start = HEADERS + data.bytes.length;
  const header = [
    ...[0x7f, 0x45, 0x4c, 0x46, 2, 1, 1, ...little(0, 9), ...little(2, 2), ...little(machine.elf, 2), ...little(1, 4)],
    ...[...little(BASE + start, 8), ...little(64, 8), ...little(0, 8), ...little(0, 4)],
    ...[64, 56, 1, 64, 0, 0].flatMap((value) => little(value, 2)),
  ];
  const [LOAD, READ_WRITE_EXECUTE, ALIGNED] = [1, 7, 0x10000];
  const size = start + code.length;
  const segment = [
    ...[...little(LOAD, 4), ...little(READ_WRITE_EXECUTE, 4)],
    ...[0, BASE, BASE, size, size, ALIGNED].flatMap((value) => little(value, 8)),
  ];
  return Uint8Array.from([...header, ...segment, ...data.bytes, ...code]);
}

interface Machine {
  readonly elf: number;
  /** `failed`: how many bytes behind this step the code for failures begins; negative in that code. */
  encode(step: Step, failed: number): readonly number[];
}

const little = (value: bigint | number, size: number): readonly number[] =>
  Array.from({ length: size }, (_, at) => Number((BigInt(value) >> BigInt(8 * at)) & 0xffn));
const u32 = (value: number) => little(value, 4);

/** Registers of arguments: what sets each to a number, and what reads it from an address. */
const X64_SET = [[0xbf], [0xbe], [0xba], [0x41, 0xba], [0x41, 0xb8]];
const X64_READ = [
  [0x8b, 0x3c],
  [0x8b, 0x34],
  [0x8b, 0x14],
  [0x44, 0x8b, 0x14],
  [0x44, 0x8b, 0x04],
];

const x64: Machine = {
  elf: 62,
  encode(step, failed) {
    const invoke = (name: CallName) => [0xb8, ...u32(CALLS.x64[name]), 0x0f, 0x05]; // mov eax; syscall
    if (step === "failed") return [];
    if (step === "become the command") {
      const end = [0x31, 0xff, ...invoke("exit_group")]; // xor edi, edi
      return [
        ...[0x48, 0x8b, 0x04, 0x24], // mov rax, [rsp]: how many arguments
        ...[0x48, 0x8b, 0x7c, 0x24, 0x10], // mov rdi, [rsp+16]: the second one
        ...[0x48, 0x8d, 0x74, 0x24, 0x10], // lea rsi, [rsp+16]: all from there
        ...[0x48, 0x8d, 0x54, 0xc4, 0x10], // lea rdx, [rsp+rax*8+16]: the environment
        ...[0x48, 0x85, 0xff, 0x75, end.length, ...end], // test rdi, rdi; jnz
        ...[...invoke("execve"), 0xe9, ...u32(failed)], // jmp
      ];
    }
    if ("and" in step) return [0x81, 0x24, 0x25, ...u32(step.and), ...u32(step.mask)]; // and [address], mask
    const values = step.values.flatMap((value, at) =>
      typeof value === "number" ? [...X64_SET[at]!, ...u32(value)] : [...X64_READ[at]!, 0x25, ...u32(value.valueAt)],
    );
    const store = step.result === undefined ? [] : [0x89, 0x04, 0x25, ...u32(step.result)]; // mov [address], eax
    const jump = failed < 0 ? [] : [0x85, 0xc0, 0x0f, 0x88, ...u32(failed + store.length)]; // test eax, eax; js
    return [...values, ...invoke(step.call), ...jump, ...store];
  },
};

const arm64: Machine = {
  elf: 183,
  encode(step, failed) {
    const set = (register: number, value: number) => [
      0xd2800000 | ((value & 0xffff) << 5) | register, // movz
      0xf2a00000 | (((value >>> 16) & 0xffff) << 5) | register, // movk, the upper half
    ];
    const [SVC, LOAD, STORE] = [0xd4000001, 0xb9400000, 0xb9000000];
    const invoke = (name: CallName) => [...set(8, CALLS.arm64[name]), SVC];
    const read = (register: number, address: number) => [...set(9, address), LOAD | (9 << 5) | register];
    const words = (): readonly number[] => {
      if (step === "failed") return [];
      if (step === "become the command") {
        const end = [...set(0, 0), ...invoke("exit_group")];
        return [
          0x910003e9, // mov x9, sp
          0xf940012a, // ldr x10, [x9]: how many arguments
          0xf9400920, // ldr x0, [x9, 16]: the second one
          0x91004121, // add x1, x9, 16: all from there
          0x8b0a0c22, // add x2, x1, x10, lsl 3: the environment
          0xb5000000 | ((end.length + 1) << 5), // cbnz x0
          ...[...end, ...invoke("execve")],
          0x14000000 | (failed / 4 + 1), // b
        ];
      }
      if ("and" in step)
        return [
          ...read(10, step.and),
          ...set(11, step.mask),
          0x0a0b014a, // and w10, w10, w11
          STORE | (9 << 5) | 10,
        ];
      const values = step.values.flatMap((value, at) =>
        typeof value === "number" ? set(at, value) : read(at, value.valueAt),
      );
      const store = step.result === undefined ? [] : [...set(9, step.result), STORE | (9 << 5)];
      const isNegative = 0x37f80000; // tbnz w0, 31
      const jump = failed < 0 ? [] : [isNegative | ((failed / 4 + store.length + 1) << 5)];
      return [...values, ...invoke(step.call), ...jump, ...store];
    };
    return words().flatMap((word) => u32(word >>> 0));
  },
};

const MACHINES: Readonly<Record<string, Machine>> = { x64, arm64 };
