// Tools for Ruby and PHP projects.

import { wordMatching, type ProgramOptionTable } from "../program-options.ts";

const WHOLE: ProgramOptionTable = { whole: true };

/** `build.NAME` sets the options of a compiler. */
const bundle: ProgramOptionTable = {
  long: "shebang",
  files: "gemfile path binstubs standalone",
  commands: {
    config: { opens: true, operand: /^build\./ },
    gem: { opens: true },
    open: WHOLE,
    plugin: WHOLE,
  },
};

/** Code and templates from elsewhere; `runner` is for code. */
const rails: ProgramOptionTable = {
  files: "c config",
  commands: {
    "app:template": WHOLE,
    new: { short: "m", long: "template", files: "r rc", opens: true },
    r: WHOLE,
    runner: WHOLE,
  },
};

const composer: ProgramOptionTable = {
  long: "editor",
  files: "d working-dir dir",
  commands: { config: { short: "e", files: "f file", operand: /^(scripts?|repositories)\./ } },
};

const phpunit: ProgramOptionTable = {
  short: "d",
  long: "extension extensions printer loader",
  files:
    "c configuration bootstrap prepend include-path cache-directory cache-result-file coverage-clover coverage-cobertura coverage-crap4j coverage-html coverage-php coverage-text coverage-xml log-junit log-teamcity testdox-html testdox-text testdox-xml generate-baseline use-baseline",
  opens: true,
  takes: "filter exclude-filter group exclude-group testsuite exclude-testsuite order-by",
};

export const RUBY_PHP: Readonly<Record<string, ProgramOptionTable>> = {
  bundle,
  composer,
  phpstan: { files: "c configuration a autoload-file generate-baseline" },
  phpunit,
  rails,
  rspec: {
    files: "r require I O options f format o out default-path",
    valued: "ePt",
    opens: true,
    inspect: wordMatching(/^(-P|--pattern)=?.*(^|[^\w])(\/|\.\.\/)/),
  },
  rubocop: { files: "c config r require o out f format plugin cache-root", opens: true, takes: "only except" },
};
