// Tools for Python projects.

import { wordMatching, type ProgramOptionTable } from "../program-options.ts";

/** A package from a folder runs its own build script. */
const installing: ProgramOptionTable = {
  opens: true,
  valued: "i",
  files: "e editable r requirement requirements c constraint constraints f find-links",
};

const pip: ProgramOptionTable = {
  long: "python log-file editor",
  plain: "pre python-version",
  files: "t target prefix root src log cache-dir report d dest download-cache w wheel-dir",
  commands: {
    config: { commands: { edit: { whole: true } } },
    download: installing,
    install: installing,
    wheel: installing,
  },
};

/** Settings that only change output or strictness. */
const PYTEST_SETTING = /^(log_cli|log_level|addopts=$|asyncio_mode|xfail_strict|console_output_style)/;

/** `-p no:NAME` only turns a plugin off. Tests from elsewhere are code from elsewhere. */
const pytest: ProgramOptionTable = {
  short: "op",
  long: "override-ini pdbcls import-mode pyargs tx px pastebin",
  plain: "co cov pdb",
  values: {
    o: PYTEST_SETTING,
    "override-ini": PYTEST_SETTING,
    p: /^ ?no:/,
    "import-mode": /^(prepend|append|importlib)$/,
  },
  valued: "krmnW",
  files:
    "c config-file rootdir confcutdir basetemp junitxml junit-xml log-file report-log resultlog debug rsyncdir html cov-config cov-report",
  // A file with further arguments.
  operand: /^@/,
  opens: true,
};

/** Servers and task runners that import the project's own modules. */
const importing: ProgramOptionTable = {
  files: "A app app-dir c config chdir pythonpath workdir env-file e log-config",
  valued: "bhklpwt",
};

const checker: ProgramOptionTable = { files: "c config config-file rcfile cache-dir cache-file output-file o output" };

export const PYTHON: Readonly<Record<string, ProgramOptionTable>> = {
  alembic: { files: "c config" },
  black: { ...checker, opens: true, takes: "code line-length target-version", valued: "clt", files: "config" },
  celery: importing,
  conda: { files: "p prefix f file" },
  coverage: {
    files: "rcfile data-file o d directory",
    commands: { run: { opens: true, ends: "m", operands: 1, takes: "source omit include concurrency" } },
  },
  flask: importing,
  gunicorn: importing,
  isort: { files: "settings-path settings-file sp settings", opens: true, takes: "profile line-length p project" },
  jupyter: {
    opens: true,
    files: "config output-dir template template-file TemplateExporter.extra_template_basedirs",
    long: "preprocessors",
  },
  flake8: { files: "config append-config output-file", inspect: wordMatching(/^--(format|require-plugins)=.*[/\\]/) },
  mypy: {
    long: "python-executable install-types",
    files:
      "config-file cache-dir junit-xml html-report txt-report xml-report any-exprs-report linecount-report cobertura-xml-report custom-typeshed-dir shadow-file",
  },
  nox: { files: "f noxfile envdir" },
  pip,
  poetry: {
    files: "C directory P project o output",
    commands: { add: { opens: true }, self: { whole: true } },
  },
  "pre-commit": { files: "c config", commands: { "try-repo": { whole: true } } },
  pylint: {
    long: "init-hook load-plugins import-graph ext-import-graph int-import-graph",
    files: "rcfile output",
  },
  pyright: { long: "pythonpath", files: "p project v venvpath typeshedpath" },
  pytest,
  ruff: checker,
  tox: {
    short: "x",
    long: "override",
    files: "c conf workdir root installpkg discover",
    valued: "ekfl",
    commands: { exec: { whole: true } },
  },
  uv: {
    files:
      "python p directory project config-file cache-dir env-file with-requirements with-editable o output-file out-dir t target prefix install-dir",
    commands: {
      add: installing,
      pip: { commands: { install: installing } },
      init: { opens: true },
      venv: { opens: true },
    },
  },
  uvicorn: importing,
};
