// Builtins that take code or names, or change what later words mean, and what may stand before a command.
// C is code, W any word.

import { lines } from "./dice.ts";

/** Builtins that take code, take names, or change what later words mean. */
export const BUILTINS = lines(`
  eval C
  eval 'C'
  eval "echo $(C)"
  trap C EXIT
  trap 'C' EXIT
  trap -- 'C' EXIT
  trap 'C' DEBUG
  trap -- 'C' ERR; false
  trap 'C' RETURN
  mapfile -C 'C;:' -c 1 x < a.txt
  mapfile -t x < a.txt
  mapfile -t 'x[$(C)]' < a.txt
  readarray -C evil -c 1 x < a.txt
  readarray PATH <<< .
  hash -p ./d/ls ls; ls
  hash -p ./ls cat
  hash -r
  enable -f ./x y
  enable -n echo
  enable -n test; test a
  complete -C evil ls
  compgen -C evil x
  compgen -W '$(C)' x
  compgen -F f
  compgen -G '*'
  read x < a.txt
  read PATH <<< ./d
  read -r 'a[$(C)]' <<< 1
  read -a x <<< 'a b'
  read -p W x
  declare x=1
  declare PATH=./d
  declare 'x=$(C)'
  declare x=$(C)
  declare -n r=PATH
  declare -i x='a[$(C)]'
  declare -a 'x=($(C))'
  declare -A x=([$(C)]=1)
  declare -x A=1
  declare -f
  declare -p
  declare "x[$(C)]=1"
  typeset x=1
  local x=1
  readonly x=1
  readonly 'x=$(C)'
  export PATH=./d
  export A=1
  export -f ls
  unset PATH
  unset 'a[$(C)]'
  unset -f ls
  let x=1
  let 'a[$(C)]=1'
  let x=$(C)
  alias ls=evil
  alias ls=evil; ls
  shopt -s expand_aliases
  shopt -s extglob
  shopt -s nullglob
  shopt -s globstar dotglob
  set -x
  set -o posix
  set -f
  set -- a b
  set -eo pipefail
  set +e
  set -k
  source script.sh
  . script.sh
  . ./script.sh
  . /dev/stdin <<< C
  source /dev/stdin <<< 'C'
  source <(echo C)
  . <(C)
  coproc C
  coproc x { C; }
  wait -n
  wait -p 'a[$(C)]'
  wait 'a[$(C)]'
  getopts a: 'x[$(C)]' -a
  getopts a: x
  bind -x '"a": evil'
  fc -s
  fc -e evil
  history -s evil
  history -w x
  history -c
  jobs -x evil
  jobs
  kill -0 $$
  ulimit -f 0
  umask 0
  umask
  cd -
  cd ~-
  cd sub; cd ../..; cat outside/secret
  cd; cat secret
  cd ../outside; cat secret
  cd ln-dir; cat secret
  cd sub && cat ../ln-file
  cd nested; git status
  cd bare && git log
  cd -- sub; cat ../../outside/secret
  cd ./sub/..; cat a.txt
  cd -P ln-dir; cat secret
  pushd sub; popd; cat W
  test a -a -v 'x[$(C)]'
  test ! -v 'x[$(C)]'
  test '(' -v 'x[$(C)]' ')'
  [ a = a -o -v 'x[$(C)]' ]
  [ W -ef W ]
  [[ a -ef ../outside/secret ]]
  [[ a || -v x[$(C)] ]]
  [[ ! ( 'x[$(C)]' -lt 1 ) ]]
  [[ a =~ ^(a|$(C))$ ]]
  [[ $x =~ [[:space:]]*(C) ]]
  printf -- '%n' 'x[$(C)]'
  printf '%b' '\\x24(C)'
  printf '%q' "$(C)"
  printf '%s' {-v,x} W
  printf '%2$n' x
  echo -e '\\x24(C)'
  read -ra 'x[$(C)]' <<< 1
  read -u 3 x 3< ln-file
  read -t 0 -i "$(C)" x
  mapfile -O 'a[$(C)]' x < a.txt
  mapfile -d '' -t x < ln-file; echo "\${x[0]}"
  declare -g x=1
  declare -I x
  declare -u x='$(C)'
  declare x+=$(C)
  declare -n r='x[$(C)]'; echo $r
  export -n PATH
  export "x[$(C)]"
  readonly -f ls
  unset -n 'x[$(C)]'
  local -
  shift 'x[$(C)]'
  return 'x[$(C)]'
  suspend
  times
  type -a W
  command -V W
  command -pV ls
  command -v -- W
  builtin cd ..
  builtin . script.sh
  builtin printf -v PATH ./d
  enable
  shopt -p
  set -o
  set -u; echo W
  caller
  dirs -p
  disown
  logout
  complete -p
  compopt -o nospace
  BASH_ENV=script.sh bash
  ENV=script.sh sh
  BASH_FUNC_ls%%='() { C; }' bash -c ls
  SHELLOPTS=xtrace ls
  BASH_XTRACEFD=1 ls
  BASH_CMDS[ls]=evil; ls
  BASH_ALIASES[ls]=evil; ls
  DIRSTACK[0]=.. ; cat ~0/outside/secret
  EXECIGNORE=* ls
  GLOBIGNORE=a* ; cat *
  FUNCNEST=0 ls
  OPTIND='x[$(C)]'; getopts a x
  RANDOM='x[$(C)]'
  SECONDS='x[$(C)]'
  LINENO='x[$(C)]'
  HISTCMD='x[$(C)]'
  COMP_WORDBREAKS=x ls
  TIMEFORMAT='$(C)'; time ls
  MAILPATH='a.txt?$(C)' ls
  PS0='$(C)' ls
  PS1='$(C)' bash -i
  cd -P ln-dir
  cd -- ln-dir
  cd "$x"
  cd *
  cd ln-*
  CDPATH=.. cd outside; cat secret
  pushd ../outside; cat secret
  pushd nested; git status
  popd
  dirs
  type -a ls
  times
  caller
  shift
  return
  return 'a[$(C)]'
  disown -a
  suspend
  logout
  help W
  command -v evil
  command -p ls
  command -pv ls
  command cd ../outside
  time C
  time -p ls
  ! C
`);

export const ASSIGNMENTS = lines(`
  LANG=C
  LC_ALL=C
  TZ=UTC
  NO_COLOR=1
  CI=1
  x=1
  x=
  x=W
  x+=1
  x=$(C)
  x=\`C\`
  x='$(C)'
  x=<(C)
  x=(a b)
  x=(a $(C))
  x=(a $(C))b
  x=([0]=a [$(C)]=b)
  x[1]=2
  x[$(C)]=2
  x['$(C)']=2
  x[a[$(C)]]=2
  x+=($(C))
  x[$(C)]+=1
  x={a,$(C)}
  x=~/secret
  x=~$(C)
  x=*
  PATH=.
  PATH=./d
  PATH=./d:$PATH
  PATH+=:.
  path=./d
  IFS=x
  PS4='$(C)'
  BASH_ENV=script.sh
  ENV=script.sh
  PAGER=evil
  GIT_PAGER=evil
  GIT_EXTERNAL_DIFF=evil
  GIT_DIR=bare
  GIT_CONFIG_COUNT=1
  GIT_SSH_COMMAND=evil
  LD_PRELOAD=./x
  POSIXLY_CORRECT=1
  SHELLOPTS=xtrace
  BASHOPTS=x
  HOME=..
  HOME=.
  CDPATH=..
  OLDPWD=..
  PWD=..
  GLOBIGNORE=*
  TMPDIR=.
  MANPAGER=evil
  GREP_OPTIONS=-f
  JQ_COLORS=x
  LC_ALL=$(C)
  LANG='$(C)'
  TZ=../outside/secret
  TERM=../x
  DEBUG=1
  PORT=$(C)
  1=2
  a-b=1
  functions=(a)
  LINENO='a[$(C)]'
  RANDOM='a[$(C)]'
  SECONDS='a[$(C)]'
  HISTFILE=x
  PROMPT_COMMAND=evil
  BASH_CMDS[ls]=./d/ls
  BASH_ALIASES[ls]=evil
  DIRSTACK[0]=..
`);

export const WRAPPERS = lines(`
  env
  env A=1
  env -i
  env -u A
  timeout 5
  timeout -s KILL 5
  timeout -k 1 5
  nice
  nice -n 5
  nohup
  stdbuf -oL
  command
  command -p
  builtin
  exec
  exec -a x
  time
  time -p
  setsid
  ionice -c 3
  xargs
  xargs -n1
  xargs -0
  sudo
  sudo -u root
  busybox
  bash -c
  sh -c
  eval
  !
  coproc
  watch
  script -c
`);
