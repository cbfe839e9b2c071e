// A small process that outlives us: when our end of its pipe closes, however we died, it ends what our commands left
// running, cleans up, and exits.

import type { CleanupProcess } from "../../sandbox/watch/crash-cleanup.ts";
import { lockLimitStart } from "../../programs/lock-limit.ts";
import type { GroupWatcher } from "./groups.ts";
import { runningProcess } from "./process-table.ts";

export interface Reaper extends GroupWatcher, CleanupProcess {
  readonly pid: number;
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
    pid: child.pid,
    added: (pgid) => tell(`+${pgid}:${runningProcess(pgid)?.began ?? ""}`),
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

/**
 * A process gets a signal if it has one of our marks, and its parent either has one too or is the process that adopted us and
 * the reaper when we ended. A group gets it if its leader is the one that we started, or if such a process is in it. The time
 * at which a process began shows whether its number was reused: it is read before the marks, and again before the signal. The
 * value of a variable may contain our mark, as that of a program which keeps the environment of another.
 */
const SCRIPT = `
trap '' TERM INT HUP
{ ulimit -S -w unlimited || ulimit -S -x unlimited; } 2>/dev/null
token=$1
mounted="^([^ ]+ ){4}[^ ]*/keelson-$1 "
limited="^Max file locks +([^ ]+ +)?$2[0-9]{5} "
groups=
leftovers=
folders=
pristine=
armed=
while IFS= read -r line; do
  case $line in
    +*) groups="$groups \${line#+}" ;;
    -*) left=
        for each in $groups; do [ "\${each%%:*}" = "\${line#-}" ] || left="$left $each"; done
        groups=$left ;;
    '>'*) leftovers="$leftovers\${line#>}
" ;;
    '~'*) folders="$folders\${line#'~'}
" ;;
    '!'*) pristine=\${line#!} ;;
    '^'*) armed=\${line#^} ;;
  esac
done
has_variable() {
  tr '\\n\\0' '\\1\\n' <"$1"/environ | grep -qa -- "^KEELSON_SHELL=$token[.]"
}
has_mark() {
  has_variable "$1" || grep -qsE -- "$mounted" "$1"/mountinfo || grep -qsE -- "$limited" "$1"/limits
}
look_at() {
  line=
  while IFS= read -r part || [ -n "$part" ]; do line="$line$part "; done <"/proc/$1/stat" || return
  set -- \${line##*") "}
  state=$1 parent=$2 group=$3 threads=\${18} began=\${20}
  [ -n "$began" ]
}
find_targets() {
  targets=
  for each in $groups; do
    leader=\${each%%:*}
    if [ -e /proc/self/stat ]; then
      look_at "$leader" && [ "$began" = "\${each#*:}" ] && targets="$targets -$leader:$each"
    else
      kill -s 0 -- "-$leader" && targets="$targets -$leader::"
    fi
  done
  look_at $$ || return
  adopter=$parent
  for folder in $({ grep -lsa -- "KEELSON_SHELL=$token[.]" /proc/[0-9]*/environ
    grep -lsE -- "$mounted" /proc/[0-9]*/mountinfo
    grep -lsE -- "$limited" /proc/[0-9]*/limits; } | sed 's,/[^/]*$,,' | sort -u); do
    pid=\${folder#/proc/}
    look_at "$pid" && { [ "$state" != Z ] || [ "$threads" -gt 1 ]; } && has_mark "$folder" || continue
    [ "$parent" = "$adopter" ] || has_mark "/proc/$parent" || continue
    case "$groups " in
      *" $group:"*) targets="$targets -$group:$pid:$began" ;;
      *) targets="$targets $pid:$pid:$began" ;;
    esac
  done
  look_at $$ && [ "$parent" = "$adopter" ] || find_targets
} 2>/dev/null
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
  for each in $targets; do
    who=\${each#*:}
    [ "$who" = : ] || { look_at "\${who%%:*}" && [ "$began" = "\${who#*:}" ]; } || continue
    kill -s "$1" -- "\${each%%:*}"
  done
} 2>/dev/null
find_targets
signal TERM
for round in 1 2 3 4 5; do
  [ -n "$targets" ] || exit 0
  sleep 0.1
  find_targets
done
for round in 1 2 3 4 5; do
  [ -n "$targets" ] || exit 0
  signal KILL
  sleep 0.05
  find_targets
done
`;
