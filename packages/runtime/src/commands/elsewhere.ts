// Commands of compatible programs that need a screen or a service of their vendor: one sentence on what to do instead.

const SCREEN = "needs an interactive session";
const SERVICE = "belongs to a service that Keelson does not offer";

const ADVICE: Readonly<Record<string, string>> = {
  bug: "Report problems in the issue tracker of Keelson",
  doctor: "Run `keelson doctor` in a shell to check the installation and the settings",
  exit: "End the input, or send the control request end_session, to end this session",
  feedback: "Report problems in the issue tracker of Keelson",
  login: "Keelson has no accounts: set ANTHROPIC_API_KEY, or another provider's key, before you start it",
  logout: "Keelson has no accounts: unset ANTHROPIC_API_KEY to stop using a key",
  plugin: "Plugins are changed outside a session: see `keelson plugin --help`",
  quit: "End the input, or send the control request end_session, to end this session",
  resume: "Start Keelson with --resume <session> to continue another session, or with --continue for the latest",
  rewind: "Start Keelson with --resume <session> --resume-session-at <message> to go back in the conversation",
  upgrade: "Keelson has no plans to upgrade to: requests are billed by the provider of the model",
};

const WITH_SCREEN =
  "color copy diff focus ide keybindings scroll-speed statusline terminal-setup theme tui vim voice".split(" ");
const VENDOR =
  "artifacts autofix-pr design-sync desktop install-github-app install-slack-app mobile passes privacy-settings radio remote-control remote-env stickers team-onboarding teleport usage-credits web-setup".split(
    " ",
  );

/** Undefined if there is nothing to say about this name. */
export function elsewhere(name: string): string | undefined {
  if (Object.hasOwn(ADVICE, name)) return ADVICE[name];
  if (WITH_SCREEN.includes(name)) return `/${name} ${SCREEN}`;
  return VENDOR.includes(name) ? `/${name} ${SERVICE}` : undefined;
}
