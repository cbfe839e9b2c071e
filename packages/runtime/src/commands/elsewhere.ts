// Commands of compatible programs that need a screen or a service of their vendor: one sentence on what to do instead.

const SCREEN = "needs an interactive session";
const SERVICE = "belongs to a service that Keelson does not offer";
const FORK = "Start Keelson with --resume <session> --fork-session to continue in a copy of a session";

const ADVICE: Readonly<Record<string, string>> = {
  autocompact: "Automatic compaction is a setting: /config autoCompactEnabled false turns it off",
  branch: FORK,
  bug: "Report problems in the issue tracker of Keelson",
  doctor: "Run `keelson doctor` in a shell to check the installation and the settings",
  exit: "End the input, or send the control request end_session, to end this session",
  fast: "Fast mode is not supported; choose a faster model with /model <model>",
  feedback: "Report problems in the issue tracker of Keelson",
  fork: FORK,
  login: "Run `keelson auth login [provider]` in a shell to store a key, or set a variable such as ANTHROPIC_API_KEY",
  logout: "Run `keelson auth logout [provider]` in a shell to remove a stored key, or unset its variable",
  plugin: "Plugins are changed outside a session: see `keelson plugin --help`",
  quit: "End the input, or send the control request end_session, to end this session",
  resume: "Start Keelson with --resume <session> to continue another session, or with --continue for the latest",
  rewind: "Start Keelson with --resume <session> --resume-session-at <message> to go back in the conversation",
  sandbox: "The sandbox is a setting: run `keelson config set sandbox.enabled true`, and start again",
  stop: "Send the control request interrupt to stop a run, and stop_task to stop a background task",
  web: "Run `keelson web` in a shell: it shows all sessions on a page in the browser, this one too",
  upgrade: "Keelson has no plans to upgrade to: requests are billed by the provider of the model",
};

const WITH_SCREEN =
  "background btw color copy diff focus ide keybindings output-style recap scroll-speed statusline tasks terminal-setup theme tui vim voice".split(
    " ",
  );
const VENDOR =
  "artifacts autofix-pr chrome design-sync desktop install-github-app install-slack-app mobile passes privacy-settings radio remote-control remote-env stickers team-onboarding teleport usage-credits web-setup".split(
    " ",
  );

const NOT_SUPPORTED = "advisor deep-research heapdump import insights powerup subtask workflows".split(" ");

/** Undefined if there is nothing to say about this name. */
export function elsewhere(name: string): string | undefined {
  if (Object.hasOwn(ADVICE, name)) return ADVICE[name];
  if (WITH_SCREEN.includes(name)) return `/${name} ${SCREEN}`;
  if (NOT_SUPPORTED.includes(name)) return `/${name} is not supported`;
  return VENDOR.includes(name) ? `/${name} ${SERVICE}` : undefined;
}
