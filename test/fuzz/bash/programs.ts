// Simple commands: what people run every day, and each program's ways to run another or to write a file.

import { lines, list, type Dice } from "./dice.ts";
import { filled, payload, quoted, variable, word } from "./words.ts";
import { redirection } from "./redirections.ts";

/** F is a file, W any word. Most of them only look. */
const USUAL = lines(`
  ls
  ls -la F
  ls W
  ls W W
  cat F
  cat F F
  cat W
  cat -n W
  head -n 3 F
  tail -1 F
  wc -l W
  grep -n a F
  grep -r W .
  grep W W
  grep -E W F
  grep -c W < F
  rg W
  rg -n W F
  find . -name W
  find . -type f
  find W -maxdepth 1
  find W W
  sed -n 1p F
  sed -n W F
  sed W F
  sed s/a/W/ F
  sort F
  sort -n W
  sort W W
  uniq F
  uniq -c W
  uniq W W
  echo W
  echo W W
  echo "W"
  echo -n W
  echo -e W
  printf W
  printf '%s' W
  printf '%s\\n' W W
  printf "%d" W
  printf W W
  test -f W
  test W = W
  test W -eq 1
  [ -f W ]
  [ W = W ]
  [ -n W ]
  [ W -eq 1 ]
  [ -t W ]
  [ -v W ]
  [[ W == W ]]
  [[ -n W ]]
  [[ -f W && W =~ W ]]
  [[ W -eq 1 ]]
  [[ -v W ]]
  pwd
  true
  :
  : W
  cd sub
  cd W
  cd nested
  cd bare
  cd ln-dir
  git status
  git log
  git log --oneline W
  git log W
  git log -n 1
  git diff
  git diff W
  git show HEAD
  git show W
  git branch
  git branch W
  git grep W
  git grep W W
  git ls-files
  git ls-files W
  git rev-parse HEAD
  git cat-file -p W
  git stash list
  git describe W
  git blame F
  cut -d, -f1 F
  cut W F
  tr a b
  tr W W
  diff F F
  diff W W
  cmp F F
  stat F
  stat -c W F
  file F
  file W
  basename W
  dirname W
  realpath W
  readlink W
  date
  date +%s
  date W
  seq 3
  seq W
  expr 1 + 1
  expr W : W
  nl F
  tac F
  rev F
  paste F F
  comm F F
  column -t F
  fold -w 9 F
  od -c F
  md5sum F
  base64 F
  base64 W
  strings F
  strings W
  jq . c.json
  jq W c.json
  tree
  tree W
  du -sh W
  df W
  id
  whoami
  hostname
  hostname W
  uname -a
  which W
  type W
  command -v W
  ps
  ps W
  sleep 0
  man W
  exit 0
  exit W
  history
  set -e
  set -x
  set W
  tar tf x.tar
  tar cf - F
  tar W W
  tar xf x.tar
  sed -i s/a/b/ F
  rm F
  rm W
  cp F x
  cp W W
  mv W W
  mkdir x
  mkdir W
  touch W
  rmdir W
`);

/** What is written in manuals under "runs a program", "writes to a file", "reads names from a file". */
const HOSTILE = lines(`
  sed -n '1e C' F
  sed 's/a/C/e' F
  sed -n 'w x' F
  sed -n 's/a/b/w x' F
  sed -n '1{w x⏎}' F
  sed --expression='1e C' F
  sed -n -e 1p -e '1e C' F
  sed -f script.sh F
  sed -s -i p F
  sed -n '$!{$!N};1e C' F
  sed -ne '1e C' F
  sed '1eC' F
  sed --in-place=.b p F
  sed -n "1p;1e C" F
  sed 's,a,C,e' F
  sed 's/a/b/ge' F
  sed 'y/a/b/;1e C' F
  sed 1~2eevil F
  sed '/a/Ie C' F
  sort -o x F
  sort -ox F
  sort -no x F
  sort --output=x F
  sort --out x F
  sort --compress-program=evil -S 1k F
  sort --compr evil F
  sort --files0-from=ln-file
  sort -T . F
  sort F -o x
  sort -k1 -t, -ox F
  git log --output=x
  git log --outp x
  git log -p --ext-diff
  git log -c core.pager=evil
  git -c core.pager=evil log
  git -c core.fsmonitor=evil status
  git -c alias.x='!C' x
  git -C nested status
  git -C nested log
  git --git-dir=bare log
  git --git-dir bare status
  git --exec-path=. log
  git --work-tree=.. status
  git -p log
  git --paginate log
  git --no-pager log
  git grep -O W
  git grep -Oevil a
  git grep --open-files-in-pager=evil a
  git diff --no-index a.txt ../outside/secret
  git diff --output=x
  git diff --ext-diff
  git diff --textconv
  git show --output=x
  git rebase -x evil HEAD
  git rebase --exec=evil HEAD
  git bisect run evil
  git submodule foreach evil
  git fetch ext::evil
  git clone ext::evil x
  git ls-remote --upload-pack=evil .
  git archive --output=x HEAD
  git archive --exec=evil --remote=. HEAD
  git format-patch -o x HEAD
  git bundle create x HEAD
  git config core.pager evil
  git config -l
  git branch x
  git branch -D main
  git tag x
  git remote add x y
  git stash
  git reflog expire --all
  git worktree add x
  git difftool -x evil
  git difftool --extcmd=evil
  git cat-file --textconv HEAD:a.txt
  git blame --contents ../outside/secret a.txt
  git log --format=W
  git hook run pre-commit
  git credential fill
  git var GIT_EDITOR
  git help -w log
  git maintenance run
  find . -exec C \\;
  find . -exec evil {} +
  find . -execdir evil {} \\;
  find . -ok evil {} \\;
  find . -delete
  find . -fprint x
  find . -fprintf x %p
  find . -fls x
  find . -files0-from ln-file
  find . -name W -exec evil \\;
  find -L .
  find . -newerXY F
  uniq F x
  uniq -c F x
  uniq - x
  uniq -- F x
  tar cf x F
  tar cIf evil x F
  tar -I evil -cf x F
  tar cf x --checkpoint=1 --checkpoint-action=exec=evil F
  tar cf x --checkpoint=1 --checkpoint-a=exec=evil F
  tar xf x.tar --to-command=evil
  tar xf x.tar --to-c evil
  tar cf x --use-compress-program=evil F
  tar --use-c evil -cf x F
  tar cf x --rmt-command=evil F
  tar cf h:x --rsh-command=evil F
  tar cMf x -F evil F
  tar cf x --new-volume-script=evil F
  tar cf x --info-script=evil F
  tar xOf x.tar
  tar -xf x.tar -C ../outside
  date -s W
  date --set=W
  date -f ln-file
  date --file=ln-file
  hostname -F a.txt
  hostname -b evil
  jq -f script.sh c.json
  jq --from-file ln-file c.json
  jq 'input_filename' ln-file
  jq -n env
  jq -n '$ENV.PATH'
  jq --slurpfile a ln-file . c.json
  jq --rawfile a ln-file . c.json
  jq 'include "x"; .' c.json
  jq -L .. . c.json
  rg --pre evil a
  rg --pre=evil a
  rg --hostname-bin=evil a
  rg --search-zip a
  rg -f ln-file .
  grep -f ln-file a.txt
  grep --file=ln-file a.txt
  grep -R secret .
  grep -r OUTSIDE ..
  grep -rOUTSIDE ln-dir
  grep --directories=recurse a ln-dir
  cat ln-dir/secret
  cat sub/../../outside/secret
  cat ln-dir/../outside/secret
  cat ~/secret
  cat ~+/../outside/secret
  cat < ln-file
  cat /etc/passwd
  diff a.txt ../outside/secret
  diff -r . ../outside
  diff --from-file=ln-file a.txt
  diff --to-file=../outside/secret a.txt
  cmp a.txt ln-file
  comm a.txt ln-file
  head -c 99 ln-file
  tail -f a.txt
  wc --files0-from=ln-file
  du --files0-from=ln-file
  du -X ln-file
  ls -R ..
  ls -L ln-dir
  ls -I W
  stat -f W
  stat --printf=W a.txt
  od ln-file
  file -f ln-file
  file -C -m a.txt
  file -m ln-file a.txt
  file --files-from ln-file
  strings @ln-file
  strings @@list
  column -t ln-file
  paste ln-file
  tac ln-file
  rev ln-file
  nl ln-file
  base64 -d ln-file
  base64 -o x a.txt
  cut -b1-99 ln-file
  fold ln-file
  expand ln-file
  md5sum -c a.txt
  md5sum --check ../outside/sums
  sha256sum ln-file
  shasum ln-file
  tree -o x
  tree --fromfile ln-file
  tree -l .
  lsof -D b
  man -P evil ls
  man -H evil ls
  man ./script.sh
  man -C ln-file ls
  xargs evil
  xargs -a a.txt echo
  xargs -I{} evil {}
  xargs -n1 sh -c
  tr < ln-file a b
  seq -f W 3
  printf -v PATH ./d
  printf -v 'a[$(C)]' 1
  printf '%n' x
  printf '%n' 'a[$(C)]'
  printf '%d' 'a[$(C)]'
  printf '%(%s)T' 'a[$(C)]'
  printf '%*d' 'a[$(C)]' 1
  test -v 'a[$(C)]'
  [ -v 'a[$(C)]' ]
  [ 'a[$(C)]' -eq 0 ]
  [ 1 -eq 'a[$(C)]' ]
  [ -t 'a[$(C)]' ]
  [ -R a ]
  [[ 'a[$(C)]' -eq 0 ]]
  [[ a -eq 0 ]]
  [[ -v 'a[$(C)]' ]]
  [[ -v a[$(C)] ]]
  [[ a =~ $(C) ]]
  [[ a == $(C) ]]
  [[ $(C) ]]
  [[ -t 'a[$(C)]' ]]
  [[ -f <(C) ]]
  exit 'a[$(C)]'
  break 'a[$(C)]'
  sleep 0 W
  awk 'BEGIN{system("evil")}'
  awk '{print > "x"}' F
  echo W | sh
  echo evil | sh
  echo evil | bash
  echo evil | xargs -I{} {}
  bash -c C
  bash -c 'C'
  sh -c 'C'
  bash script.sh
  bash < script.sh
  bash <<< C
  bash -s <<< C
  env
  env W
  env evil
  env -i evil
  env -S 'evil a'
  env PATH=. ls
  timeout 5 evil
  nice evil
  nohup evil
  stdbuf -oL evil
  setsid evil
  sudo evil
  command evil
  command ls
  builtin echo a
  builtin eval C
  exec evil
  exec ls
  exec > x
  exec 3<> x
  exec {x}> x
`);

/** Builtins that take code, take names, or change what later words mean. */
const BUILTINS = lines(`
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

const ASSIGNMENTS = lines(`
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

const WRAPPERS = lines(`
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

const FILES = list("a.txt a.txt b.txt sub/x.txt in ./a.txt c.json *.txt sub/* 'a.txt' ln-file");

export function simpleCommand(dice: Dice, depth: number): string {
  if (dice.strange(0.12)) return filled(dice, dice.pick(BUILTINS), depth);
  const template = dice.strange(0.12) ? dice.pick(HOSTILE) : dice.pick(USUAL);
  let text = filled(
    dice,
    template.replaceAll(/\bF\b/g, () => dice.pick(FILES)),
    depth,
  );
  if (dice.chance(0.06)) text = disguised(dice, text);
  if (dice.chance(0.12)) text += redirection(dice, depth);
  if (dice.strange(0.08)) text = redirection(dice, depth).trimStart() + " " + text;
  if (dice.strange(0.08)) text = text.replace(" ", `${redirection(dice, depth)} `);
  if (dice.strange(0.1)) text = `${dice.pick(WRAPPERS)} ${text}`;
  if (dice.chance(0.04)) text = `${dice.pick(ASSIGNMENTS.slice(0, 5))} ${text}`;
  if (dice.strange(0.12)) text = `${assignment(dice, depth)}${dice.pick([" ", "; ", "\n", " && "])}${text}`;
  return text;
}

export function assignment(dice: Dice, depth: number): string {
  return filled(dice, dice.pick(ASSIGNMENTS), depth);
}

/** The first word, spelled differently. */
function disguised(dice: Dice, text: string): string {
  const name = /^[a-z]+/.exec(text)?.[0];
  return name === undefined ? text : quoted(dice, name) + text.slice(name.length);
}

export { payload, variable, word };
