#!/usr/bin/env bash
# Installs the system packages that tests need: bubblewrap and socat for the shield and the sandbox, zsh for the shell
# tests, PostgreSQL and Redis for the session stores, Chromium for the page in the browser and for an MCP server that drives one,
# nginx for the page behind a proxy, poppler for pages of PDFs, tmux for the terminal in it, strace and ip to see what runs outside
# the shield. Without root or apt-get it only lists what is missing.
set -euo pipefail

missing=()
command -v bwrap >/dev/null || missing+=(bubblewrap)
command -v socat >/dev/null || missing+=(socat)
command -v zsh >/dev/null || missing+=(zsh)
command -v chromium >/dev/null || missing+=(chromium)
command -v pdftoppm >/dev/null || missing+=(poppler-utils)
command -v tmux >/dev/null || missing+=(tmux)
command -v strace >/dev/null || missing+=(strace)
command -v ip >/dev/null || missing+=(iproute2)
command -v nginx >/dev/null || [ -x /usr/sbin/nginx ] || missing+=(nginx)
command -v redis-server >/dev/null || missing+=(redis-server)
command -v postgres >/dev/null || compgen -G '/usr/lib/postgresql/*/bin/postgres' >/dev/null || missing+=(postgresql)
[ ${#missing[@]} -gt 0 ] || exit 0

if [ "$(id -u)" -ne 0 ] || ! command -v apt-get >/dev/null; then
  echo "Missing: ${missing[*]}. Install them with your package manager." >&2
  exit 0
fi
export DEBIAN_FRONTEND=noninteractive
apt-get install --yes --no-install-recommends "${missing[@]}" >/dev/null 2>&1 ||
  { apt-get update --quiet >/dev/null && apt-get install --yes --no-install-recommends "${missing[@]}" >/dev/null; }
