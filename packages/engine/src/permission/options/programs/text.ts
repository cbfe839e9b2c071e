// Programs that search, sort and show text.

import { inspectAwk } from "../awk-program.ts";
import { wordMatching, type ProgramOptionTable } from "../program-options.ts";
import { inspectSed } from "../sed-script.ts";

const awk: ProgramOptionTable = {
  short: "fiEloDdpW",
  long: "file include load exec pretty-print profile dump-variables debug",
  valued: "Fve",
  // Options end at the program text, or with `-e` and `-f` at the first file.
  operands: 1,
  inspect: inspectAwk,
};

const grepLike: ProgramOptionTable = { long: "pager ackrc" };

export const TEXT: Readonly<Record<string, ProgramOptionTable>> = {
  ack: grepLike,
  ag: grepLike,
  awk,
  bat: { long: "pager config-file map-syntax diff" },
  csplit: { files: "f prefix", valued: "bn" },
  ctags: { long: "options options-maybe optlib-dir", files: "f o" },
  dc: { short: "f", long: "file", inspect: wordMatching(/!/) },
  delta: { long: "pager" },
  diff3: { long: "diff-program" },
  exiftool: { single: true, long: "config if p @ api execute stay_open userParam tagsFromFile w o" },
  fd: { short: "xX", long: "exec exec-batch", valued: "dteEScjo" },
  find: {
    single: true,
    long: "exec execdir ok okdir delete fls fprint fprint0 fprintf files0-from",
  },
  jq: { short: "Lf", long: "library-path from-file" },
  less: {
    plus: true,
    short: "koO",
    long: "lesskey-file lesskey-src lesskey-content log-file LOG-FILE",
    valued: "bhjpPtTxyz",
  },
  locate: { long: "database", short: "d" },
  man: {
    short: "PHCrXtTZ",
    long: "pager html config-file prompt gxditview troff troff-device ditroff preprocessor local-file",
    valued: "eEmMpRsSL",
  },
  more: { plus: true },
  most: { plus: true },
  pandoc: {
    short: "FLd",
    long: "filter lua-filter pdf-engine pdf-engine-opt defaults data-dir extract-media syntax-definition template",
    files:
      "o output log resource-path f r from read t w to write H include-in-header B include-before-body A include-after-body",
    valued: "TVMcD",
    opens: true,
  },
  pg: { plus: true },
  rg: { long: "pre hostname-bin" },
  sdiff: { long: "diff-program", files: "o output" },
  sed: { short: "f", long: "file", valued: "eli", inspect: inspectSed },
  sort: {
    short: "oT",
    long: "output compress-program temporary-directory files0-from",
    valued: "kSt",
  },
  split: { long: "filter" },
  tree: { files: "o" },
  xmllint: { files: "output", long: "load-trace shell" },
  xsltproc: { files: "o output", long: "profile writesubtree" },
  yq: {
    short: "s",
    long: "from-file security-enable-system-operator split-exp split-exp-file",
    valued: "op",
    opens: true,
    inspect: wordMatching(/\bload(_\w+)?\s*\(|\bsystem\s*\(/),
  },
};
