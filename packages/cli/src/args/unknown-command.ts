// Recognizes a mistyped command, and one that does not exist here, so that `keelson conifg list` and `keelson update` are
// not sent to a model as a prompt.

import { asPrompt, nearest, wordsBeforeFlags } from "./nearest.ts";

const notYet = (name: string) => `command "${name}" is not available in this version yet`;
const noLogin = (name: string) => `there is no command "${name}"; to store an API key, run: keelson auth login`;
const NO_UPDATES = "there is no updater; in your clone of Keelson, run: git pull && npm ci && npm run build";

/** Commands of compatible programs that do not exist here, and the message for each. */
const MISSING: Readonly<Record<string, string>> = {
  "auto-mode": notYet("auto-mode"),
  gateway: notYet("gateway"),
  install: NO_UPDATES,
  login: noLogin("login"),
  logout: 'there is no command "logout"; to remove a stored API key, run: keelson auth logout',
  project: notYet("project"),
  purge: notYet("purge"),
  "setup-token": noLogin("setup-token"),
  update: NO_UPDATES,
  upgrade: NO_UPDATES,
};

/** The subcommands of each command, and how many words may follow them. */
export const SUBCOMMANDS: Readonly<Record<string, Readonly<Record<string, number>>>> = {
  config: { list: 0, get: 1, set: 2, path: 0, resolve: 0 },
  trust: {},
  permissions: { explain: 2, test: 1, list: 0 },
  instructions: { list: 0, approve: 0 },
  skills: { list: 0, show: 1, validate: 1, new: 1 },
  agents: { list: 0, show: 1, validate: 1, new: 1, runs: 1 },
  hooks: { list: 1, test: 1, trace: 1 },
  mcp: {
    add: 20,
    "add-json": 2,
    "add-from-claude-desktop": 0,
    list: 0,
    get: 1,
    remove: 1,
    approve: 1,
    login: 1,
    logout: 1,
    test: 1,
    serve: 0,
    "reset-project-choices": 0,
  },
  acp: {},
  web: {},
  serve: { token: 1, tokens: 0, revoke: 1, users: 0, link: 1, backup: 1 },
  routines: { list: 0, create: 0, run: 1, logs: 1, export: 1, import: 1 },
  models: {},
  auth: { login: 1, status: 1, logout: 1 },
  plugin: {
    install: 5,
    i: 5,
    uninstall: 1,
    remove: 1,
    enable: 5,
    disable: 5,
    update: 5,
    list: 0,
    details: 1,
    configure: 3,
    prune: 0,
    autoremove: 0,
    validate: 1,
    new: 1,
    init: 1,
    tag: 1,
    marketplace: 2,
  },
  sessions: { list: 0, show: 1, rename: 20, rm: 20 },
  export: {},
  trace: {},
  doctor: {},
  help: {
    config: 0,
    trust: 0,
    permissions: 0,
    instructions: 0,
    skills: 0,
    agents: 0,
    hooks: 0,
    mcp: 0,
    acp: 0,
    web: 0,
    serve: 0,
    routines: 0,
    models: 0,
    auth: 0,
    plugin: 0,
    sessions: 0,
    export: 0,
    trace: 0,
    doctor: 0,
  },
};

/**
 * The error for a first word that was meant as a command; undefined when the words are a prompt. A close match alone
 * is not enough, because `hook up the login form` starts with one: what follows must also fit that command.
 */
export function unknownCommand(argv: readonly string[]): string | undefined {
  const [first, ...rest] = argv;
  if (first === undefined || !/^[\w-]+$/.test(first) || first.startsWith("-") || isPrint(rest)) return undefined;
  if (Object.hasOwn(MISSING, first)) return `${MISSING[first]}\n${asPrompt(wordsBeforeFlags(argv))}`;
  const others = Object.keys(SUBCOMMANDS).filter((name) => name !== first);
  const name = nearest(first, others, first.length > 5 ? 2 : 1);
  const words = wordsBeforeFlags(rest);
  if (name === undefined || !fits(words, name)) return undefined;
  return `unknown command "${first}"; did you mean "${name}"?\n${asPrompt([first, ...words])}`;
}

/** With `-p`, also as one of several short flags, the words are a prompt. */
function isPrint(words: readonly string[]): boolean {
  const end = words.indexOf("--");
  return (end < 0 ? words : words.slice(0, end)).some((word) => word === "--print" || /^-[a-z]*p/.test(word));
}

/** Whether the words could follow this command. */
function fits([next, ...more]: readonly string[], command: string): boolean {
  if (next === undefined) return true;
  if (command === "trust") return more.length === 0 && /[./~]/.test(next);
  const known = SUBCOMMANDS[command]!;
  return Object.hasOwn(known, next) && more.length <= known[next]!;
}
