// How the worker runs git: never with configuration, hooks or helpers of a repository or of the machine, and with credentials for
// this one operation only. What an agent may have changed is read behind bubblewrap, where git sees nothing else.

import { killGroup } from "../processes.ts";

export interface GitCredential {
  readonly username: string;
  readonly password: string;
}

/** For one server: whoever it redirects to gets nothing. */
export interface OriginCredential extends GitCredential {
  /** `https://HOST:PORT` */
  readonly origin: string;
}

export interface GitOperation {
  readonly signal: AbortSignal;
  readonly credential?: OriginCredential | undefined;
  /** Of other programs, such as the agent and the known hosts of ssh. */
  readonly env?: Readonly<Record<string, string>>;
  readonly timeoutMs?: number;
  /** Where standard output goes instead. */
  readonly outputFile?: string;
}

export interface GitResult {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Git failed, and it is not known that trying again will not help. */
export class GitError extends Error {
  override readonly name = "GitError";
}

const TIMEOUT_MS = 600_000;
const MAX_TEXT = 1_000_000;

/** Also of what a parameter of the environment cannot reach. */
const SETTINGS: Readonly<Record<string, string>> = {
  "core.hooksPath": "/dev/null",
  "core.fsmonitor": "false",
  "core.attributesFile": "/dev/null",
  "core.excludesFile": "/dev/null",
  "protocol.allow": "never",
  "protocol.file.allow": "always",
  "protocol.http.allow": "always",
  "protocol.https.allow": "always",
  "protocol.ssh.allow": "always",
  "http.followRedirects": "initial",
  "fetch.fsckObjects": "true",
  "fetch.recurseSubmodules": "false",
  "submodule.recurse": "false",
  "transfer.bundleURI": "false",
  "gc.auto": "0",
  "maintenance.auto": "false",
  "credential.helper": "",
  "commit.gpgSign": "false",
  "advice.detachedHead": "false",
  "push.followTags": "false",
};

const HELPER = `!f() { [ "$1" = get ] && printf 'username=%s\\npassword=%s\\n' "$KEELSON_GIT_USER" "$KEELSON_GIT_PASSWORD"; }; f`;

/** Absolute paths of programs that agents cannot change. */
export interface GitPrograms {
  readonly git: string;
  readonly bwrap: string;
}

export interface Git {
  run(args: readonly string[], options: GitOperation): Promise<GitResult>;
  /** Throws GitError. */
  orThrow(args: readonly string[], options: GitOperation): Promise<string>;
  /**
   * Git in a folder that an agent could write to. Its configuration may name programs: they would find this folder, the system's
   * programs, and nothing else; no network, no files of ours, and nothing to write to.
   */
  inUntrusted(folder: string, args: readonly string[], options: GitOperation): Promise<GitResult>;
  /**
   * Options for a push to a repository of this machine. A run may have made it, with hooks and programs in its configuration, and git
   * starts them for whoever pushes: behind bubblewrap they find that repository and nothing else.
   */
  receiving(repository: string): readonly string[];
  /** Another program of the system, with nothing but these folders and files. */
  confined(command: readonly string[], seen: SeenPaths, options: GitOperation): Promise<GitResult>;
}

/** Paths outside, by their names inside. */
export interface SeenPaths {
  readonly readOnly?: Readonly<Record<string, string>>;
  readonly writable?: Readonly<Record<string, string>>;
}

export function createGit(programs: GitPrograms): Git {
  return {
    run: (args, options) => runGit(programs, args, options),
    async orThrow(args, options) {
      const { code, stdout, stderr } = await runGit(programs, args, options);
      if (code !== 0) throw new GitError(lastWords(stderr) || `"git ${args[0]}" failed with exit code ${code}`);
      return stdout;
    },
    inUntrusted(folder, args, options) {
      const command = [programs.git, "--no-pager", "-C", "/repository", ...args];
      return runConfined(programs, command, { readOnly: { "/repository": folder } }, options);
    },
    receiving(repository) {
      // Git finds it under either name.
      const names = [repository, `${repository}.git`].flatMap((path) => ["--bind-try", path, path]);
      const empty = ["/usr/bin/env", "-i", ...Object.entries(CONFINED_ENV).map(([name, value]) => `${name}=${value}`)];
      const command = [
        ...empty,
        ...confinement(programs),
        ...names,
        "--chdir",
        "/",
        "--",
        programs.git,
        "receive-pack",
      ];
      return [`--receive-pack=${command.map(quoted).join(" ")}`];
    },
    confined: (command, seen, options) => runConfined(programs, command, seen, options),
  };
}

async function runGit(programs: GitPrograms, args: readonly string[], options: GitOperation): Promise<GitResult> {
  const { credential, env = {} } = options;
  const settings: (readonly [string, string])[] = Object.entries(SETTINGS);
  if (credential !== undefined) settings.push([`credential.${credential.origin}.helper`, HELPER]);
  return run([programs.git, ...args], options, {
    HOME: process.env["HOME"] ?? "/",
    ...pick(
      "SSH_AUTH_SOCK",
      "SSL_CERT_FILE",
      "SSL_CERT_DIR",
      "HTTPS_PROXY",
      "HTTP_PROXY",
      "NO_PROXY",
      "https_proxy",
      "http_proxy",
      "no_proxy",
    ),
    ...env,
    GIT_SSH_COMMAND: "ssh -oBatchMode=yes -oPermitLocalCommand=no -oForwardAgent=no",
    GIT_SSH_VARIANT: "ssh",
    ...configVariables(settings),
    ...(credential === undefined
      ? {}
      : { KEELSON_GIT_USER: credential.username, KEELSON_GIT_PASSWORD: credential.password }),
  });
}

function runConfined(
  programs: GitPrograms,
  command: readonly string[],
  { readOnly = {}, writable = {} }: SeenPaths,
  options: GitOperation,
): Promise<GitResult> {
  const settings = Object.entries({ ...SETTINGS, "protocol.allow": "never", "safe.directory": "*" });
  return run(
    [
      ...confinement(programs),
      ...Object.entries(readOnly).flatMap(([inside, outside]) => ["--ro-bind", outside, inside]),
      ...Object.entries(writable).flatMap(([inside, outside]) => ["--bind", outside, inside]),
      ...["--chdir", "/", "--", ...command],
    ],
    options,
    { HOME: "/tmp", ...options.env, ...configVariables(settings), GIT_OPTIONAL_LOCKS: "0" },
  );
}

const SYSTEM = [
  ...["/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/nix/store", "/etc/alternatives", "/etc/ld.so.cache"],
];

/** The programs of the system, and nothing else. */
const confinement = ({ bwrap }: GitPrograms): readonly string[] => [
  bwrap,
  ...["--unshare-all", "--die-with-parent", "--new-session"],
  ...SYSTEM.flatMap((path) => ["--ro-bind-try", path, path]),
  ...["--proc", "/proc", "--dev", "/dev", "--tmpfs", "/tmp"],
];

const quoted = (word: string) => `'${word.replaceAll("'", "'\\''")}'`;

const SYSTEM_PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

/** Of git, whatever runs it. */
const QUIET = {
  PATH: SYSTEM_PATH,
  LC_ALL: "C.UTF-8",
  GIT_CONFIG_NOSYSTEM: "1",
  GIT_CONFIG_GLOBAL: "/dev/null",
  GIT_TERMINAL_PROMPT: "0",
  GIT_ASKPASS: "",
  SSH_ASKPASS: "",
};
const CONFINED_ENV = { ...QUIET, HOME: "/tmp" };

async function run(
  command: readonly string[],
  { signal, timeoutMs = TIMEOUT_MS, outputFile }: GitOperation,
  env: Readonly<Record<string, string>>,
): Promise<GitResult> {
  signal.throwIfAborted();
  const child = Bun.spawn([...command], {
    cwd: "/",
    env: { ...QUIET, ...env },
    stdin: "ignore",
    stdout: outputFile === undefined ? "pipe" : Bun.file(outputFile),
    stderr: "pipe",
    detached: true,
  });
  const stop = () => killGroup(child.pid);
  const timer = setTimeout(stop, timeoutMs);
  signal.addEventListener("abort", stop, { once: true });
  try {
    const [stdout, stderr, code] = await Promise.all([
      child.stdout instanceof ReadableStream ? bounded(child.stdout) : "",
      bounded(child.stderr),
      child.exited,
    ]);
    signal.throwIfAborted();
    return { code, stdout, stderr };
  } finally {
    clearTimeout(timer);
    signal.removeEventListener("abort", stop);
  }
}

/** The rest is read and dropped, so that the program does not wait. */
async function bounded(stream: ReadableStream<Uint8Array>): Promise<string> {
  const decoder = new TextDecoder();
  let text = "";
  for await (const chunk of stream) if (text.length < MAX_TEXT) text += decoder.decode(chunk, { stream: true });
  return text;
}

function configVariables(settings: readonly (readonly [string, string])[]): Record<string, string> {
  const numbered = settings.flatMap(([key, value], at) => [
    [`GIT_CONFIG_KEY_${at}`, key] as const,
    [`GIT_CONFIG_VALUE_${at}`, value] as const,
  ]);
  return { GIT_CONFIG_COUNT: String(settings.length), ...Object.fromEntries(numbered) };
}

function pick(...names: readonly string[]): Record<string, string> {
  return Object.fromEntries(names.flatMap((name) => (process.env[name] ? [[name, process.env[name]] as const] : [])));
}

/** What git says last is what it failed for. */
export function lastWords(stderr: string): string {
  const lines = stderr.split("\n").map((line) => line.replace(/^(?:fatal|error|remote): /, "").trim());
  return lines.findLast((line) => line !== "" && !line.startsWith("hint:"))?.slice(0, 500) ?? "";
}
