// npm and similar tools, and tools of JavaScript projects. The project's own configuration and plugins belong to the
// user; those from elsewhere are not covered.

import { wordMatching, type ProgramOptionTable } from "../program-options.ts";

/** `--script-shell` and `--node-options` affect every script; another prefix is another project. */
const packageManager: ProgramOptionTable = {
  oneDash: true,
  long: "script-shell node-options shell globalconfig userconfig onload-script init-module editor viewer browser git",
  plain: "global workspace workspaces",
  files:
    "modules-folder cache-folder nodedir node-gyp python C prefix cwd dir cache workspace-root pack-destination modules-dir virtual-store-dir store-dir",
};

/** `npm config set` and `npm set`. */
const SETTING =
  /^(script-shell|node-options|shell|editor|viewer|browser|git|prefix|globalconfig|userconfig|onload-script|init-module|registry|.*_auth.*)(=|$)/;

/** A package from a folder has its own install scripts. */
const adding: ProgramOptionTable = { opens: true, operand: /^(?:[^/]*@)?(?:file|link|portal):(?:\/|~|.*\.\.(?:\/|$))/ };

const ADDING: ProgramOptionTable["commands"] = {
  add: adding,
  i: adding,
  install: adding,
  link: adding,
  publish: adding,
};

const npm: ProgramOptionTable = { ...packageManager, commands: { ...ADDING, set: { operand: SETTING } } };

/** Inline configuration can name any file to load. */
const jest: ProgramOptionTable = {
  files:
    "c config rootDir globalSetup globalTeardown resolver runner testRunner testEnvironment env transform setupFiles setupFilesAfterEnv reporters snapshotResolver snapshotSerializers testSequencer testResultsProcessor dependencyExtractor prettierPath preset projects watchPlugins moduleDirectories modulePaths outputFile cacheDirectory coverageDirectory roots filter",
  inspect: wordMatching(/^(-c|--config)?=?\s*\{/),
  opens: true,
};

const configured: ProgramOptionTable = {
  files:
    "c config config-file configPlugin r require import loader plugin plugins parser resolver reporter preset extends babelrc ignore-path cache-location cache-file cache-dir outdir outDir outfile outputFile o output output-path out-file out-dir output-file d dir f format formatter rulesdir resolve-plugins-relative-to plugin-search-dir custom-syntax config-basedir project p root globalSetup environment pool runner tsconfig metafile servedir entry inject",
};

/** They load the configuration of the folder in which the files are. */
const byFolder: ProgramOptionTable = { ...configured, opens: true, takes: "ignore-pattern ip global rule" };

/** What a test process is started with, and modules that are named in a dotted setting. */
const VITEST_CODE = /^--([\w.]*\.)?(execArgv|customProviderModule|provider)=.*\//;

export const JAVASCRIPT: Readonly<Record<string, ProgramOptionTable>> = {
  ava: configured,
  babel: configured,
  cdk: { short: "a", long: "app plugin", files: "o output c context", values: { a: /^cdk\.out/, app: /^cdk\.out/ } },
  cypress: { files: "P project C config-file r reporter", long: "browser", short: "b" },
  esbuild: { ...configured, inspect: wordMatching(/^--(inject|alias):/) },
  firebase: { files: "c config", commands: { "emulators:exec": { whole: true } } },
  eslint: byFolder,
  jest,
  mocha: { ...configured, opens: true },
  next: { opens: true, valued: "pH" },
  netlify: { files: "dir functions", commands: { "dev:exec": { whole: true }, dev: { short: "c", long: "command" } } },
  nodemon: { short: "x", long: "exec", files: "config", operands: 1 },
  npm,
  playwright: { files: "c config o output reporter global-timeout", commands: { codegen: { whole: true } } },
  pnpm: { ...npm, long: `${packageManager.long} config.script-shell config.node-options pnpmfile global-pnpmfile` },
  prettier: byFolder,
  rollup: configured,
  stylelint: byFolder,
  tsc: {
    files:
      "p project b build outDir outFile declarationDir rootDir baseUrl tsBuildInfoFile generateTrace generateCpuProfile",
    operand: /^@/,
  },
  tsx: { narrowed: { short: "er", long: "eval require import loader", valued: "C", operands: 1 } },
  vite: { ...configured, opens: true, takes: "base" },
  vitest: { ...configured, opens: true, takes: "base", inspect: wordMatching(VITEST_CODE) },
  webpack: configured,
  yarn: {
    ...packageManager,
    long: `${packageManager.long} use-yarnrc`,
    commands: {
      ...ADDING,
      config: {
        commands: {
          set: { operand: /^(yarnPath|plugins|nodeLinker|script-shell|unsafeHttpWhitelist|npmRegistryServer)/ },
        },
      },
      plugin: { commands: { import: { whole: true } } },
      set: { operand: /[/:]/ },
    },
  },
};
