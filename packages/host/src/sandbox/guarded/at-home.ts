// What is in the home and runs code, or says what runs, by being there: in the user's next shell, at the next log-in, or when
// a program of the user starts. It runs outside the shield then, whoever wrote it.

import { basename, dirname } from "node:path";

/** Of shells: in the home, and in a project that is used as one. */
export const START_FILES =
  ".bashrc .bash_profile .bash_login .bash_aliases .bash_logout .profile .zshrc .zprofile .zshenv .zlogin .zlogout".split(
    " ",
  );

/**
 * The programs that hooks use read these at home: what is in `.curlrc` could write any file. So do editors. Every program has
 * its own, so there is no list.
 */
export const isStartFile = (name: string) => /^\.[\w-]+rc$|^\.jq$/.test(name);

/** The folders above are held in place while a command runs. */
export const AT_HOME = [
  ".gitconfig .config/git .claude.json",
  ".npmrc .yarnrc .yarnrc.yml .bunfig.toml .cargo/config .cargo/config.toml .ripgreprc",
]
  .flatMap((line) => line.split(" "))
  .concat(START_FILES);

const lines = (folder: string, text: string) => text.split(" ").map((name) => folder + name);
const EMACS = "init.el init.elc early-init.el early-init.elc custom.el site-lisp lisp";

/**
 * These too, but much else is in the folders above, and package managers rename and link in and out of it. Whole folders, where
 * only people, editors and installers of applications write.
 */
const IN_FOLDERS = [
  ...lines(".ssh/", "rc config config.d authorized_keys authorized_keys2 environment"),
  // Log-in, desktop, mail.
  ...lines(
    ".",
    "login logout pam_environment xprofile xsession Xsession xinit xserver Xclients forward bash_completion",
  ),
  ...lines(".", "bash_completion.d bash_profile.d bashrc.d profile.d zshrc.d zfunc mailcap inputrc.d"),
  ...lines(
    ".config/",
    "systemd environment.d autostart autostart-scripts plasma-workspace bash zsh fish nushell xonsh",
  ),
  ...lines(".config/", "elvish powershell i3 sway hypr awesome bspwm sxhkd openbox qtile river niri polybar waybar"),
  ...lines(".", "i3 xmonad fluxbox"),
  ...lines(".local/share/", "systemd dbus-1 applications bash-completion xsessions wayland-sessions"),
  ...lines(".local/share/", "fish/vendor_conf.d fish/vendor_functions.d fish/vendor_completions.d nushell/vendor"),
  ...lines(
    ".local/share/",
    "gnome-shell/extensions nautilus/scripts nautilus-python kio plasma nemo caja thumbnailers",
  ),
  ...lines(".config/", "user-dirs.dirs labwc wayfire.ini xmonad dunst mako eww rofi"),
  ...lines(".", "xscreensaver xsessionrc fvwm icewm dwm"),
  ...lines("Library/", "LaunchAgents Scripts Services"),
  // Terminals and what runs in them.
  ...lines(".", "tmux.conf tmux wezterm.lua hyper.js dir_colors lessfilter lesskey"),
  ...lines(".config/", "tmux zellij kitty wezterm alacritty ghostty foot starship.toml direnv lf ranger yazi nnn"),
  // Editors.
  ...lines(".", "vim emacs emacs.el emacs.elc spacemacs doom.d SpaceVim.d nano vscode vscode-server cursor ideavim"),
  ...lines(".emacs.d/", EMACS),
  ...lines(".config/emacs/", EMACS),
  ...lines(".config/", "nvim vim helix kak micro nano zed doom lvim Code/User VSCodium/User Cursor/User"),
  ...lines(".local/share/nvim/", "site"),
  ...lines("Library/Application Support/", "Code/User Cursor/User VSCodium/User"),
  // Programs that take commands or code from their settings.
  ...lines(".config/", "hg jj tig lazygit gh/config.yml gdb pip/pip.conf pip.conf ripgrep npm/npmrc pnpm/rc"),
  ...lines(".", "jjconfig.toml gdbinit lldbinit pip/pip.conf docker/cli-plugins ghci Rprofile Renviron perldb"),
  ...lines(".gradle/", "init.gradle init.gradle.kts init.d gradle.properties"),
  ...lines(".m2/", "settings.xml extensions.xml"),
  ...lines(".ipython/", "profile_default/startup profile_default/ipython_config.py"),
  ...lines(".julia/config/", "startup.jl"),
  // They name programs that the agent starts when it is asked for a key, also by a command.
  ...lines(".gnupg/", "gpg-agent.conf scdaemon.conf dirmngr.conf gpg.conf"),
  // Keelson itself runs the `credential_process` that these name.
  ...lines(".aws/", "config credentials"),
];

/** The names in each folder; `.` is the home itself. */
export const IN_HOME_FOLDERS: ReadonlyMap<string, readonly string[]> = new Map(
  [...Map.groupBy(IN_FOLDERS, dirname)].map(([folder, paths]) => [folder, paths.map((path) => basename(path))]),
);

/** Variables that move a folder of the home. */
const MOVED: Readonly<Record<string, string>> = {
  XDG_CONFIG_HOME: ".config",
  XDG_DATA_HOME: ".local/share",
  GNUPGHOME: ".gnupg",
};

/** Of the user's service manager and session bus, until the next log-in. */
const AT_RUNTIME = ["systemd", "dbus-1"];

type Env = Readonly<Record<string, string | undefined>>;

/** The names in each folder: in the home, and where the environment moves a part of it. */
export function foldersAtHome(
  home: string,
  env: Env,
): readonly (readonly [folder: string, names: readonly string[]])[] {
  const own = [...IN_HOME_FOLDERS].map(([name, names]) => [name === "." ? home : `${home}/${name}`, names] as const);
  const moved = Object.entries(MOVED).flatMap(([variable, name]) => {
    const to = env[variable]?.replace(/\/+$/, "");
    const from = `${home}/${name}`;
    if (!to?.startsWith("/") || to === from) return [];
    return own.flatMap(([folder, names]) =>
      folder === from || folder.startsWith(`${from}/`) ? [[to + folder.slice(from.length), names] as const] : [],
    );
  });
  const runtime = env["XDG_RUNTIME_DIR"]?.replace(/\/+$/, "") || `/run/user/${process.getuid?.()}`;
  return [...own, ...moved, [runtime, AT_RUNTIME]];
}
