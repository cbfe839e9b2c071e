// Containers, clusters and databases.

import { wordMatching, type ProgramOptionTable } from "../program-options.ts";

const WHOLE: ProgramOptionTable = { whole: true };

/** A named volume or a folder inside the working directories. */
const VOLUME = /^(?![/~]|.*\.\.)/;

/** A mount exposes files outside the working directories to the container; the other options expose the machine. */
const run: ProgramOptionTable = {
  short: "v",
  long: "privileged device cap-add security-opt pid userns cgroup-parent volumes-from mount uts ipc volume",
  plain: "user",
  valued: "aceghlmpuw",
  files: "env-file cidfile label-file runtime",
  values: {
    v: VOLUME,
    volume: VOLUME,
    mount: /^(?=.*type=(volume|tmpfs))(?!.*(device|o=))/,
    "security-opt": /^no-new-privileges/,
    "cap-add": /^(NET_BIND_SERVICE|CHOWN)$/i,
    ipc: /^(private|shareable|none)$/,
    pid: /^container:/,
  },
};

const compose: ProgramOptionTable = {
  files: "f file project-directory env-file",
  commands: {
    cp: { opens: true },
    run: { short: "v", long: "volume", values: { v: VOLUME, volume: VOLUME }, valued: "ewup" },
  },
};

const docker: ProgramOptionTable = {
  short: "Hc",
  long: "config context host tlscacert tlscert tlskey",
  plain: "tls",
  valued: "l",
  // Another host is chosen before the subcommand.
  operands: 1,
  commands: {
    bake: { files: "f file metadata-file" },
    build: {
      files: "o output iidfile metadata-file f file build-context",
      long: "allow secret ssh",
      valued: "t",
      opens: true,
      takes: "build-arg cache-from cache-to label network platform progress tag target",
    },
    compose,
    context: { commands: { create: WHOLE, import: WHOLE, update: WHOLE, use: WHOLE } },
    cp: { opens: true },
    create: run,
    exec: { long: "privileged" },
    export: { files: "o output" },
    import: { opens: true },
    load: { files: "i input" },
    plugin: { commands: { create: WHOLE, enable: WHOLE, install: WHOLE, set: WHOLE, upgrade: WHOLE } },
    run,
    save: { files: "o output" },
    stack: { files: "c compose-file" },
    volume: { commands: { create: { short: "o", long: "opt" } } },
  },
};

/** A kubeconfig can name a program that fetches credentials. */
const kubectl: ProgramOptionTable = {
  short: "s",
  long: "kubeconfig server token as as-group as-uid client-key client-certificate certificate-authority exec-command enable-alpha-plugins enable-exec helm-command load-restrictor profile-output auth-provider insecure-skip-tls-verify",
  plain: "client profile",
  valued: "fklnLcp",
  files: "f filename k kustomize cache-dir output-directory o output from-file from-env-file patch-file",
  commands: {
    config: { long: "raw" },
    cp: { opens: true },
    // They run a program in a container, with all that it may read there.
    debug: WHOLE,
    exec: WHOLE,
  },
};

const terraform: ProgramOptionTable = {
  single: true,
  long: "plugin-dir from-module",
  files: "chdir out state state-out backup generate-config-out var-file backend-config config",
  commands: {
    apply: { single: true, opens: true },
    fmt: { single: true, opens: true },
    login: WHOLE,
    mirror: { single: true, opens: true },
    push: { single: true, opens: true },
  },
};

/**
 * In psql and mysql, `\!` runs a command and other escapes read and write files; so does SQL with a program or an
 * outfile.
 */
const SQL_ESCAPE =
  /\\(!|[.TP]|(o|out|w|write|i|ir|include\w*|copy|e|ef|ev|edit|s|setenv|cd|gexec|lo_\w+)\b|g\w*\s*[|/.~]|gx?\s+\w)|\bprogram\b|\b(outfile|dumpfile|load_file|lo_(export|import)|pg_read_file|pg_ls_dir|xp_cmdshell)\b|(^|[;\n])\s*(system|source|pager|tee|edit)\s/i;

/** Prompts can run commands. */
const PSQL_VARIABLE = /^(?!prompt|editor|histfile)\w+=[\w.-]*$/i;

/** Dot commands other than read-only ones. */
const SQLITE_ESCAPE =
  /^\s*\.(?!(tables?|schema|headers?|mode|indexes|indices|databases|dump|width|nullvalue|show|stats|timer|explain|fullschema|dbinfo|eqp|limit|help|exit|quit)\b)|\n\s*\.|load_extension|writefile|readfile|fts3_tokenizer|\bedit\s*\(|\battach\b/i;

export const SERVICES: Readonly<Record<string, ProgramOptionTable>> = {
  docker,
  "docker-compose": compose,
  helm: {
    long: "post-renderer post-renderer-args kubeconfig kube-apiserver kube-token kube-as-user registry-config repository-config",
    plain: "repo",
    files: "f values d destination output-dir set-file untardir",
    commands: { create: { opens: true }, plugin: { commands: { install: WHOLE, update: WHOLE } } },
  },
  kubectl,
  kustomize: { long: "enable-alpha-plugins enable-exec helm-command load-restrictor", files: "o output" },
  mysql: {
    long: "pager tee init-command defaults-file defaults-extra-file plugin-dir default-auth login-path",
    valued: "euhPDS",
    // Of mysqldump.
    files: "r result-file T tab",
    inspect: wordMatching(SQL_ESCAPE),
  },
  psql: {
    values: { v: PSQL_VARIABLE, variable: PSQL_VARIABLE, set: PSQL_VARIABLE },
    short: "foLv",
    long: "file output log-file variable set",
    inspect: wordMatching(SQL_ESCAPE),
    valued: "cdhpUFPRT",
  },
  "redis-cli": {
    long: "eval rdb functions-rdb pipe",
    inspect: wordMatching(/^(config|module|eval|evalsha|function|script|debug|slaveof|replicaof|shutdown)$/i),
  },
  sqlite3: { single: true, long: "init cmd A archive append unsafe-testing", inspect: wordMatching(SQLITE_ESCAPE) },
  terraform,
};
