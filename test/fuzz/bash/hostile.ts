// Each program's ways to run another, to write a file, or to read names from one. C is code, F a file, W any word.

import { lines } from "./dice.ts";

/** What is written in manuals under "runs a program", "writes to a file", "reads names from a file". */
export const HOSTILE = lines(`
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
  sed -i s,a*,b, F
  sed -i 1* F
  sed -i p* F
  sed -Ei s,b* F
  sed -i -e 1* F
  sed -i -e1* F
  sed -n --expression=1* F
  sed --expression=s,a*,b, F
  sed -n -e p --exp=1* F
  sed -i '' s,a*,b, F
  sed -i {1e,p}* F
  sed -n [1]* F
  sed -n ?e* F
  awk B* F
  awk --source=B* F
  jq .* c.json
  make C*
  bash -c 1*
  find . -print0 | xargs -0 sed -n
  find . -print0 | xargs -0 sed -i
  find . -name a.txt | xargs -I{} sed -n 's/a/{}/' F
  find . -name a.txt -exec sed -n 's/a/{}/p' F \\;
  find . -name a.txt -exec sed -n '{}' F \\;
  find . -name a.txt -exec cat * \\;
  ls | xargs sed -i
  tar cf out/x *
  tar cf out/x -- *
  sort *
  rg a *
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
  git diff --dirstat a.txt ../outside/secret
  git diff --no-index W W
  sort --debug ../outside/secret
  grep --initial-tab a ../outside/secret
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
  printf 'a%n' PATH; ls
  printf '%.0s%n' a PATH; cat
  printf * PATH; ls
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
  cat .env
  cat ln-env
  grep -r KEELSON .
  grep -r KEELSON . --include=.env
  git grep --no-index KEELSON
  git diff --no-index a.txt .env
  diff -r . sub
  find . -name .env
  head -n 1 .e*
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
