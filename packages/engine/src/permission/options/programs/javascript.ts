// npm and similar tools, and tools of JavaScript projects. The project's own configuration and plugins belong to the
// user; those from elsewhere are not covered.

import { wordMatching, type ProgramOptionTable } from "../program-options.ts";

/** `--script-shell` and `--node-options` affect every script; another prefix is another project. */
const packageManager: ProgramOptionTable = {
  oneDash: true,
  long: "script-shell node-options shell globalconfig userconfig onload-script init-module editor viewer browser git",
  plain: "global workspace workspaces",
  files: "C prefix cwd dir cache workspace-root pack-destination modules-dir virtual-store-dir store-dir",
};

/** `npm config set` and `npm set`. */
const SETTING =
  /^(script-shell|node-options|shell|editor|viewer|browser|git|prefix|globalconfig|userconfig|onload-script|init-module|registry|.*_auth.*)(=|$)/;

const npm: ProgramOptionTable = { ...packageManager, commands: { set: { operand: SETTING } } };

/** Inline configuration can name any file to load. */
const jest: ProgramOptionTable = {
  files:
    "c config rootDir globalSetup globalTeardown resolver runner testRunner testEnvironment transform setupFiles setupFilesAfterEnv reporters snapshotResolver testSequencer outputFile cacheDirectory coverageDirectory roots filter",
  inspect: wordMatching(/^(-c|--config)?=?\s*\{/),
  opens: true,
};

const configured: ProgramOptionTable = {
  files:
    "c config r require import loader plugin plugins parser resolver reporter preset extends babelrc ignore-path cache-location cache-dir outdir outfile o output out-file out-dir output-file f format formatter rulesdir resolve-plugins-relative-to plugin-search-dir custom-syntax config-basedir project p root globalSetup",
};

export const JAVASCRIPT: Readonly<Record<string, ProgramOptionTable>> = {
  ava: configured,
  babel: configured,
  cypress: { files: "P project C config-file", long: "browser", short: "b" },
  esbuild: configured,
  eslint: configured,
  jest,
  mocha: { ...configured, opens: true },
  npm,
  playwright: { files: "c config o output reporter global-timeout", commands: { codegen: { whole: true } } },
  pnpm: { ...npm, long: `${packageManager.long} config.script-shell config.node-options pnpmfile global-pnpmfile` },
  prettier: configured,
  rollup: configured,
  stylelint: configured,
  tsc: { files: "p project outDir outFile declarationDir rootDir baseUrl" },
  tsx: { narrowed: { short: "er", long: "eval require import loader", valued: "C", operands: 1 } },
  vite: configured,
  vitest: { ...configured, opens: true },
  webpack: configured,
  yarn: {
    ...packageManager,
    long: `${packageManager.long} use-yarnrc`,
    commands: {
      config: {
        commands: {
          set: { operand: /^(yarnPath|plugins|nodeLinker|script-shell|unsafeHttpWhitelist|npmRegistryServer)/ },
        },
      },
    },
  },
};
