// Editors, package managers and operating system tools.

import type { ProgramOptionTable } from "../program-options.ts";

/** An editor runs commands from options, scripts and startup files. */
const vim: ProgramOptionTable = {
  plus: true,
  short: "cSuUsWwiT",
  long: "cmd startuptime remote-expr remote-send listen",
  valued: "tpr",
};

/** `-o Dpkg::Pre-Invoke::=…` runs a command. */
const APT_OPTION =
  /^(Acquire::(http|https|ftp)::Timeout|Acquire::Retries|DPkg::Lock::Timeout|Dpkg::Options::=--force-conf(old|new|def)|APT::Install-(Recommends|Suggests))/i;
const apt: ProgramOptionTable = {
  short: "oc",
  long: "option config-file",
  valued: "t",
  values: { o: APT_OPTION, option: APT_OPTION },
};

const dnf: ProgramOptionTable = { short: "c", long: "setopt config installroot repofrompath", valued: "dex" };

export const SYSTEM: Readonly<Record<string, ProgramOptionTable>> = {
  apt,
  at: { narrowed: { short: "f", long: "file" } },
  brew: { commands: { sh: { whole: true }, ruby: { whole: true }, irb: { whole: true } } },
  composer: { files: "d working-dir" },
  crontab: { narrowed: { short: "eru", opens: true } },
  dnf,
  dpkg: { long: "pre-invoke post-invoke status-logger root admindir instdir", plain: "status", files: "log" },
  ed: { operand: /^!/ },
  emacs: { single: true, long: "l f u q L eval load funcall script batch directory init-directory user" },
  gdb: {
    narrowed: {
      single: true,
      long: "ex eval-command x command iex init-eval-command ix init-command args data-directory python P",
    },
  },
  hg: { long: "config config-file debugger cwd repository", short: "R" },
  install: { long: "strip-program", files: "t target-directory" },
  ip: { single: true, long: "b batch", commands: { exec: { whole: true } } },
  journalctl: {
    long: "root image file directory vacuum-size vacuum-time vacuum-files rotate flush sync relinquish-var setup-keys",
    short: "D",
    valued: "unptgoSU",
  },
  magick: {
    single: true,
    long: "write script",
    operand:
      /^(\||@|[a-z]*:?\||(msl|mvg|ephemeral|text|label|caption|url|https?|ftp|show|win|x|plasma|vid|pango|clipboard|print|scan):)/i,
  },
  nano: { short: "Cos", long: "backupdir operatingdir speller rcfile", valued: "QrTY", files: "f" },
  pacman: { long: "hookdir config root dbpath gpgdir cachedir sysroot", short: "rb" },
  patch: { short: "e", long: "ed", files: "o output r reject-file d directory i input B prefix", valued: "pFDgVYz" },
  rpm: { short: "ED", long: "eval pipe rcfile macros define load root dbpath" },
  screen: { narrowed: { short: "cX" } },
  strace: { files: "o output", operands: 1, valued: "abeEIOpPsSuUX" },
  svn: { long: "diff-cmd diff3-cmd editor-cmd config-dir config-option", plain: "diff" },
  systemctl: {
    short: "HM",
    long: "host machine root image",
    valued: "tpnos",
    commands: {
      edit: { whole: true },
      link: { whole: true },
      "set-environment": { whole: true },
      "import-environment": { whole: true },
    },
  },
  time: { files: "o output", valued: "f", operands: 1 },
  tmux: { narrowed: { short: "cfSL" } },
  vim,
};
