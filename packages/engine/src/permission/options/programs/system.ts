// Editors, package managers and operating system tools.

import { wordMatching, type ProgramOptionTable } from "../program-options.ts";

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
  commands: { install: { opens: true } },
  short: "oc",
  long: "option config-file",
  valued: "t",
  values: { o: APT_OPTION, option: APT_OPTION },
};

const dnf: ProgramOptionTable = { short: "c", long: "setopt config installroot repofrompath", valued: "dex" };

export const SYSTEM: Readonly<Record<string, ProgramOptionTable>> = {
  apt,
  at: { narrowed: { short: "f", long: "file" } },
  "ansible-playbook": {
    long: "vault-password-file vault-id ssh-common-args ssh-extra-args scp-extra-args sftp-extra-args become-method playbook-dir",
    files: "i inventory inventory-file M module-path private-key",
    valued: "Cceflotu",
    opens: true,
  },
  brew: {
    commands: {
      bundle: { files: "file" },
      edit: { whole: true },
      install: { opens: true },
      irb: { whole: true },
      ruby: { whole: true },
      sh: { whole: true },
    },
  },
  code: { long: "install-extension extensions-dir user-data-dir command" },
  crontab: { narrowed: { short: "eru", opens: true } },
  dnf,
  dpkg: { long: "pre-invoke post-invoke status-logger root admindir instdir", plain: "status", files: "log" },
  direnv: { commands: { allow: { whole: true }, grant: { whole: true }, permit: { whole: true } } },
  dot: { files: "o", valued: "TKGNE" },
  ed: { operand: /^!/ },
  emacs: { single: true, long: "l f u q L eval load funcall script batch directory init-directory user" },
  ffmpeg: { single: true, opens: true },
  gdb: {
    narrowed: {
      single: true,
      long: "ex eval-command x command iex init-eval-command ix init-command args data-directory python P",
    },
  },
  gs: { single: true, inspect: wordMatching(/%pipe%|^-d(NO|DELAY)SAFER|^-s\w+=(\/|~|.*\.\.)/) },
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
  rustup: { commands: { link: { opens: true } } },
  rpm: { short: "ED", long: "eval pipe rcfile macros define load root dbpath" },
  screen: { narrowed: { short: "cX" } },
  sops: { files: "config output", commands: { "exec-env": { whole: true }, "exec-file": { whole: true } } },
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
