// The options of each program that a prefix rule does not cover.

import { basename } from "node:path/posix";
import { ARCHIVES } from "./programs/archives.ts";
import { BUILDERS } from "./programs/builders.ts";
import { CLOUDS } from "./programs/clouds.ts";
import { git } from "./programs/git.ts";
import { INTERPRETERS } from "./programs/interpreters.ts";
import { JAVASCRIPT } from "./programs/javascript.ts";
import { NETWORK } from "./programs/network.ts";
import { PYTHON } from "./programs/python.ts";
import { RUBY_PHP } from "./programs/ruby-php.ts";
import type { ProgramOptionTable } from "./program-options.ts";
import { SERVICES } from "./programs/services.ts";
import { SYSTEM } from "./programs/system.ts";
import { TEXT } from "./programs/text.ts";

const TABLE: Readonly<Record<string, ProgramOptionTable>> = {
  ...ARCHIVES,
  ...BUILDERS,
  ...CLOUDS,
  ...INTERPRETERS,
  ...JAVASCRIPT,
  ...NETWORK,
  ...PYTHON,
  ...RUBY_PHP,
  ...SERVICES,
  ...SYSTEM,
  ...TEXT,
  git,
};

/** Other programs with the same options. */
const SAME: Readonly<Record<string, string>> = Object.fromEntries(
  [
    "7z 7za 7zr 7zz",
    "apt apt-get aptitude apt-cache apt-key",
    "awk gawk mawk nawk original-awk",
    "bash ash dash ksh mksh rbash sh zsh fish",
    "bat batcat",
    "bundle bundler",
    "code code-insiders codium cursor windsurf",
    "dnf yum microdnf",
    "docker podman nerdctl",
    "docker-compose podman-compose",
    "fd fdfind",
    "find gfind bfs",
    "gcc cc c++ g++ clang clang++",
    "gpg gpg2",
    "gradle gradlew",
    "http https xh",
    "jest jest-cli",
    "kubectl oc k3s",
    "less zless",
    "magick convert identify mogrify composite montage",
    "make gmake bmake",
    "mvn mvnw",
    "mysql mariadb mysqldump",
    "nc netcat",
    "node nodejs",
    "pdflatex latex lualatex xelatex tex pdftex",
    "pip pip3",
    "pytest py.test",
    "sed gsed",
    "sort gsort",
    "split gsplit",
    "tar gtar bsdtar",
    "terraform tofu",
    "vim vi ex view gvim nvim rvim rview vimdiff",
    "yarn yarnpkg",
  ].flatMap((line) => {
    const [first, ...others] = line.split(" ");
    return others.map((other) => [other, first!]);
  }),
);

const VERSION = /^(python|pip|node|ruby|perl|php|lua|gcc|g\+\+|clang|clang\+\+|pytest|awk|java)[-.\d]+$/;

export function optionsOf(program: string): ProgramOptionTable | undefined {
  const name = basename(program)
    .toLowerCase()
    .replace(/\.(exe|cmd|bat)$/, "")
    .replace(VERSION, "$1");
  const known = Object.hasOwn(SAME, name) ? SAME[name]! : name;
  return Object.hasOwn(TABLE, known) ? TABLE[known] : undefined;
}
