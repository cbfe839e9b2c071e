import { expect, test } from "bun:test";
import { mayFolderSet } from "./env.ts";

test.each([
  [
    "never",
    "LD_PRELOAD ld_preload DYLD_INSERT_LIBRARIES BASH_ENV ENV NODE_OPTIONS BUN_OPTIONS BASH_FUNC_ls%% PERL5OPT",
  ],
  ["if trusted", "ANTHROPIC_BASE_URL HTTPS_PROXY https_proxy PATH SHELL GIT_SSH_COMMAND PYTHONPATH KEELSON_RG"],
  ["if trusted", "MANPAGER TAR_OPTIONS RSYNC_RSH OPENSSL_CONF PYTEST_PLUGINS SHELLOPTS GTK_MODULES SBT_OPTS"],
  ["yes", "FOO DATABASE_URL NODE_ENV BASH_DEFAULT_TIMEOUT_MS ANTHROPIC_MODEL CLAUDE_CODE_DISABLE_THINKING LANG"],
] as const)("mayFolderSet(): %s: %s", (verdict, names) => {
  const answers = names.split(" ").map((name) => [name, mayFolderSet(name)]);
  expect(answers).toEqual(names.split(" ").map((name) => [name, verdict]));
});
