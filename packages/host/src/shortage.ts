// Recognizes failures for lack of resources: descriptors, processes, memory, disk space, room for arguments. What guards something must not
// be skipped then, because such a failure can be brought about.

const FIXES: Readonly<Record<string, string>> = {
  EMFILE: "raise the limit on open files (ulimit -n)",
  ENFILE: "close programs that have many files open",
  EAGAIN: "end some processes, or raise the limit on them (ulimit -u)",
  ENOMEM: "free some memory",
  ENOBUFS: "free some memory",
  ENOSPC: "free some disk space",
  EDQUOT: "free some disk space",
  E2BIG: "pass long inputs by a pipe or a file, not as arguments",
};

/** As C libraries and runtimes word them in English. */
const TEXTS: readonly (readonly [RegExp, string])[] = [
  [/too many open files in system/i, "ENFILE"],
  [
    /too many open files|ran out of file descriptors|pipe call failed|cannot open shared object file: error 24\b/i,
    "EMFILE",
  ],
  [
    /resource temporarily unavailable|cannot fork|can't start new thread|failed to create new os thread|unable to create native thread/i,
    "EAGAIN",
  ],
  [
    /cannot allocate memory|out of memory|memory exhausted|memory allocation of \d+ bytes failed|no buffer space available|memoryerror|failed to map segment/i,
    "ENOMEM",
  ],
  [/no space left on device|disk quota exceeded/i, "ENOSPC"],
  [/argument list too long/i, "E2BIG"],
];

/** How to fix the shortage that an error or one of its causes reports. Undefined if it reports none. */
export function shortageFix(error: unknown): string | undefined {
  for (let each = error, depth = 0; each instanceof Error && depth < 8; each = each.cause, depth++) {
    const { code } = each as NodeJS.ErrnoException;
    const fix = (code === undefined ? undefined : FIXES[code]) ?? shortageFixIn(each.message);
    if (fix !== undefined) return fix;
  }
  return undefined;
}

/** How to fix the shortage that a program's error text reports. */
export function shortageFixIn(text: string): string | undefined {
  const code = /\b(EMFILE|ENFILE|EAGAIN|ENOMEM|ENOBUFS|ENOSPC|EDQUOT|E2BIG)\b/.exec(text)?.[1];
  const named = code ?? TEXTS.find(([pattern]) => pattern.test(text))?.[1];
  return named === undefined ? undefined : FIXES[named];
}
