// Archivers and compressors.

import { wordMatching, type ProgramOptionTable } from "../program-options.ts";

/** Compressors with at most a level or a number of threads. */
const COMPRESSOR = /^(zstd|zstdmt|pigz|lz4|lzip|plzip|xz|pixz|gzip|bzip2|pbzip2|lbzip2)( -\d+| -T\d+| --long)*$/;

/** `-T` reads options from a file, `-P` lets members leave the folder, `host:file` starts a remote shell. */
const tar: ProgramOptionTable = {
  bundle: true,
  short: "IFTPg",
  // `f` is left out on purpose: `-xfI` and `xfI` differ, which is easy to overlook.
  valued: "bHKLNVX",
  long: "to-command checkpoint-action use-compress-program info-script new-volume-script rsh-command rmt-command index-file volno-file files-from absolute-names listed-incremental",
  plain: "checkpoint list",
  files: "C directory file one-top-level",
  opens: true,
  values: { I: COMPRESSOR, "use-compress-program": COMPRESSOR },
  operand: /^[^/]+:/,
  // An archive on another machine, or outside.
  inspect: wordMatching(/^(-[a-zA-Z0-9]*f=?|--f[a-z-]*=)[^/]+:|^-[a-zA-Z0-9]*f=?([/~]|.*\.\.(\/|$))/),
};

export const ARCHIVES: Readonly<Record<string, ProgramOptionTable>> = {
  tar,
  cpio: { short: "FIOGH", long: "rsh-command file absolute-filenames", files: "D directory", valued: "CERM" },
  unzip: { short: ":", files: "d", valued: "xP" },
  zip: {
    short: "m",
    long: "unzip-command move",
    valued: "tnixs",
    files: "b temp-path O output-file logfile-path",
    opens: true,
    // Two-letter options, which may follow others: a test command, a log file.
    inspect: wordMatching(/^-[^-]*(TT|lf)/),
  },
  zstd: { files: "o output-dir-flat output-dir-mirror", valued: "BDM" },
  "7z": { files: "o w", short: "s", values: { s: /^(i|o|l|lt|sc|ni|pe)$/ } },
  ar: { long: "plugin output" },
};
