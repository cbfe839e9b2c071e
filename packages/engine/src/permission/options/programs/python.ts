// Tools for Python projects.

import { wordMatching, type ProgramOptionTable } from "../program-options.ts";

const pip: ProgramOptionTable = {
  long: "python log-file",
  plain: "pre python-version",
  files: "t target prefix root src log cache-dir report d dest download-cache w wheel-dir",
};

/** Settings that only change output or strictness. */
const PYTEST_SETTING = /^(log_cli|log_level|addopts=$|asyncio_mode|xfail_strict|console_output_style)/;

/** `-p no:NAME` only turns a plugin off. Tests from elsewhere are code from elsewhere. */
const pytest: ProgramOptionTable = {
  short: "op",
  long: "override-ini pdbcls import-mode pyargs",
  plain: "co cov pdb",
  values: {
    o: PYTEST_SETTING,
    "override-ini": PYTEST_SETTING,
    p: /^ ?no:/,
    "import-mode": /^(prepend|append|importlib)$/,
  },
  valued: "krmnW",
  files: "c config-file rootdir confcutdir basetemp junitxml junit-xml log-file report-log html cov-config",
  // A file with further arguments.
  operand: /^@/,
  opens: true,
};

const checker: ProgramOptionTable = { files: "c config config-file rcfile cache-dir cache-file output-file o output" };

export const PYTHON: Readonly<Record<string, ProgramOptionTable>> = {
  black: checker,
  coverage: { files: "rcfile data-file o d directory" },
  flake8: { files: "config append-config output-file", inspect: wordMatching(/^--(format|require-plugins)=.*[/\\]/) },
  mypy: {
    long: "python-executable install-types",
    files:
      "config-file cache-dir junit-xml html-report txt-report xml-report any-exprs-report linecount-report cobertura-xml-report custom-typeshed-dir shadow-file",
  },
  nox: { files: "f noxfile" },
  pip,
  pylint: {
    long: "init-hook load-plugins import-graph ext-import-graph int-import-graph",
    files: "rcfile output",
  },
  pyright: { long: "pythonpath", files: "p project v venvpath typeshedpath" },
  pytest,
  ruff: checker,
  tox: { short: "x", long: "override", files: "c conf workdir root", valued: "ekfl" },
  uv: { files: "python p directory project config-file cache-dir" },
};
