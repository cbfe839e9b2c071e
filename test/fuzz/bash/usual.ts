// What people run every day, with slots: F is a file, W any word. Most of it only looks.

import { lines } from "./dice.ts";

/** F is a file, W any word. Most of them only look. */
export const USUAL = lines(`
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
