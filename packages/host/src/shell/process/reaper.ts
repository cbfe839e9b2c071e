// A small process that outlives us: when our end of its pipe closes, however we died, it ends what our commands left
// running, cleans up, and exits.

import type { CleanupProcess } from "../../sandbox/watch/crash-cleanup.ts";
import { lockLimitStart } from "../../programs/lock-limit.ts";
import type { GroupWatcher } from "./groups.ts";

export interface Reaper extends GroupWatcher, CleanupProcess {
  /** Ends the reaper when there is nothing left to end. */
  dismiss(): Promise<void>;
}

/** Its name, in its fourth word; its token and limit follow. */
export const REAPER = "keelson-reaper";

/** It has no mark, neither in its environment nor as a limit, so neither we nor an outer session mistake it for a command. */
export function startReaper(token: string): Reaper {
  const child = Bun.spawn(["/bin/sh", "-c", SCRIPT, REAPER, token, lockLimitStart(token)], {
    cwd: "/",
    env: { PATH: "/usr/bin:/bin" },
    stdin: "pipe",
    stdout: "ignore",
    stderr: "ignore",
    detached: true,
  });
  child.unref();
  let isGone = false;
  let waiting = "";
  let timer: ReturnType<typeof setTimeout> | undefined;
  /** Does nothing if the reaper was dismissed or killed; that must not make us fail. */
  const tell = (line: string) => {
    clearTimeout(timer);
    timer = undefined;
    const lines = `${waiting}${line}\n`;
    waiting = "";
    if (isGone || child.exitCode !== null || child.signalCode !== null) return;
    const gone = () => void (isGone = true);
    try {
      child.stdin.write(lines);
      Promise.resolve(child.stdin.flush()).catch(gone);
    } catch {
      gone();
    }
  };
  /** With the next line, which is about to come, or a little later: each time the reaper wakes up, a command waits for it. */
  const tellSoon = (line: string) => {
    waiting += `${line}\n`;
    timer ??= setTimeout(() => tell(""), SOON_MS).unref();
  };
  return {
    added: (pgid) => tell(`+${pgid}`),
    removed: (pgid) => tellSoon(`-${pgid}`),
    leftover: (path) => path.includes("\n") || tell(`>${path}`),
    ownFolder: (path) => path.includes("\n") || tell(`~${path}`),
    restore: (list) => list.includes("\n") || tell(`!${list}`),
    arm: (isArmed) => tellSoon(isArmed ? "^1" : "^"),
    async dismiss() {
      isGone = true;
      clearTimeout(timer);
      child.kill("SIGKILL");
      await child.exited;
    },
  };
}

const SOON_MS = 5;

const SCRIPT = `
trap '' TERM INT HUP
{ ulimit -S -w unlimited || ulimit -S -x unlimited; } 2>/dev/null
token=$1
limit=$2
groups=
leftovers=
folders=
pristine=
armed=
while IFS= read -r line; do
  case $line in
    +*) groups="$groups \${line#+}" ;;
    -*) left=
        for group in $groups; do [ "$group" = "\${line#-}" ] || left="$left $group"; done
        groups=$left ;;
    '>'*) leftovers="$leftovers\${line#>}
" ;;
    '~'*) folders="$folders\${line#'~'}
" ;;
    '!'*) pristine=\${line#!} ;;
    '^'*) armed=\${line#^} ;;
  esac
done
targets() {
  for group in $groups; do kill -s 0 -- "-$group" 2>/dev/null && echo "-$group"; done
  for file in $(grep -ls -- "$token" /proc/[0-9]*/environ /proc/[0-9]*/mountinfo 2>/dev/null); do
    pid=\${file#/proc/}
    echo "\${pid%/*}"
  done
  for file in $(grep -lsE "^Max file locks +([^ ]+ +)?$limit[0-9]{5} " /proc/[0-9]*/limits 2>/dev/null); do
    pid=\${file#/proc/}
    read -r stat <"/proc/\${pid%/*}/stat" || continue
    case $stat in *') Z '*) ;; *) echo "\${pid%/*}" ;; esac
  done 2>/dev/null
}
tidy() {
  while IFS= read -r path; do
    if [ -d "$path" ]; then
      [ -k "$path" ] && ( flock -xn 9 && rmdir -- "$path" ) 9<"$path"
    elif [ -e "$path" ] && [ ! -s "$path" ]; then
      rm -f -- "$path"
    fi
  done 2>/dev/null <<END
$leftovers
END
  while IFS= read -r path; do
    [ -z "$path" ] || rm -rf -- "$path"
  done 2>/dev/null <<END
$folders
END
}
restore() {
  tab=$(printf '\\t')
  [ -n "$pristine" ] || return
  while IFS= read -r line; do
    copy=\${line%%"$tab"*}
    path=\${line#*"$tab"}
    [ -n "$path" ] || continue
    if [ -n "$armed" ] && [ -z "$copy" ]; then
      { [ -e "$path" ] || [ -L "$path" ]; } && [ -n "$(ls -Ad "$path"/* "$path"/.[!.]* 2>/dev/null)$(find "$path" -prune ! -type d)" ] &&
        { mv -- "$path" "$path.set-aside-$$" || { chmod u+rwx -- "\${path%/*}"; mv -- "$path" "$path.set-aside-$$"; }; }
    elif [ -n "$armed" ] && [ -d "\${path%/*}" ] && ! cmp -s -- "$copy" "$path"; then
      if [ -f "$path" ] && [ ! -L "$path" ]; then cp -p -- "$path" "$path.set-aside-$$"
      else mv -- "$path" "$path.set-aside-$$"; fi
      cat -- "$copy" >"$path.keelson-$$" && mv -- "$path.keelson-$$" "$path"
    fi
    [ -z "$copy" ] || rm -f -- "$copy"
  done 2>/dev/null <"$pristine"
}
trap 'restore; tidy' EXIT
signal() {
  for target in $(targets); do kill -s "$1" -- "$target" 2>/dev/null; done
}
signal TERM
for round in 1 2 3 4 5; do
  [ -n "$(targets)" ] || exit 0
  sleep 0.1
done
for round in 1 2 3 4 5; do
  [ -n "$(targets)" ] || exit 0
  signal KILL
  sleep 0.05
done
`;
