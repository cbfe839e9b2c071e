// Compound commands, functions, here-documents, and commands side by side.
// L is a list, S a simple command, R a redirection, A an assignment, W a word, C code, V a variable's name.

import { lines } from "./dice.ts";

export const USUAL_COMPOUNDS = lines(`
  if S; then L; fi
  if S; then L; else L; fi
  if S; then L; elif S; then L; else L; fi
  for x in W W; do L; done
  for f in *.txt; do S; done
  for x in a; do L; done
  while false; do L; done
  while S; do L; break; done
  until true; do L; done
  until S⏎do L; break⏎done
  case W in a|b) L;; *) S;; esac
  case W in (*) L;; esac
  { L; }
  ! S
  time S
  S | while S; do L; break; done
`);

export const STRANGE_COMPOUNDS = lines(`
  ( L )
  (L)
  ( L ) R
  { L; } R
  { L⏎} R
  f() { L; }
  f() { L; }; f
  ls() { C; }; ls
  ls () ( C )
  function ls { C; }⏎ls
  function ls() { C; }; ls
  cat() { C; } ; cat a.txt
  git () { C; }; git status
  command() { C; }; command -v ls
  cd() { C; }; cd sub
  coproc S
  coproc x { L; }
  time -p L
  time ! S
  ! time S
  ! ! S
  for V in W; do L; done
  for PATH in ./d; do ls; done
  for x in $(C); do L; done
  for x do L; done
  for x; do L; done
  for x in a; { L; }
  for ((i=0; i<1; i++)); do L; done
  for ((a[$(C)]; 0; )); do L; done
  for (( ; $(C)0; )); do L; done
  for (( 'a[$(C)]'; 0; )) { L; }
  select V in W; do L; break; done <<< 1
  select x in a; do C; break; done <<< 1
  while S; do L; break; done R
  while read x; do L; done < a.txt
  while read -r PATH; do ls; done <<< ./d
  if L; then L; fi R
  if [ W ]; then L; fi
  case W in W) L;& b) L;; esac
  case W in W) L;;& *) C;; esac
  case $(C) in a) L;; esac
  case a in $(C)) L;; esac
  case a in @(a|$(C))) L;; esac
  case a in "a)") C;; a) L;; esac
  case \${x:=a} in a) L;; esac
  case W in esac
  case a in a) L;; esac R
  ((1))
  ((x=1))
  ((a[$(C)]))
  (( $(C) ))
  (( 'a[$(C)]' ))
  ((a[\`C\`]++))
  ((1)) && L
  ((C) )
  ( (L) )
  [[ W == W ]]
  [[ W = W && -n W ]]
  [[ W < W ]]
  [[ ( W ) || ! -f W ]]
  [[ W =~ W ]]
  [[ W -nt W ]]
  [[ $(C) -eq 1 ]]
  [[ x -eq W ]]
  [[ -n W⏎&& W ]]
  L &
  S & S
  S |& S
  S <<< W
  R
  R S
  A
  A; S
  A A S
  alias V=C⏎S
  S; C
  S⏎C
  S # \\⏎C
  S \\⏎# C
  S #␍C
  S '⏎' C
  <<E S⏎$(C)⏎E
  <<'E' cat | sh⏎C⏎E
  cat <<E - a.txt⏎\${x:=$(C)}⏎E
  cat <<E <<F⏎E⏎$(C)⏎F
  cat <<-'E' && S⏎⇥C⏎⇥E
  cat <<E⏎\\⏎E⏎C⏎E
  cat <<"E"⏎E⏎C
  S <(L)
  S >(L)
  S < <(L)
  S 2> >(L)
  S | tee >(C)
  S | sh
  S | bash
  S | xargs W
  S | xargs S
  S | env S
  echo C | sh
  find . -exec S \\;
  xargs S < a.txt
  [ W ] && S
  test W || S
  x=W; S
  x='a[$(C)]'; echo $((x))
  x='$(C)'; echo "\${x@P}"
  x=a; echo \${!x}
  PS4='$(C)'; set -x; ls
  set -x; PS4='$(C)' ls
  set -x; ls $(C)
  x=PATH; read $x <<< ./d; ls
  IFS=/; x=../outside/secret; cat $x
  x=evil; $x
  x=e; \${x}vil
  exec 3< a.txt; cat <&3
  exec 3<(C)
  cat 3<(C)
  cat 3<(C) a.txt
  ls {fd}<(C)
  ls {PATH}<a.txt
  ls {x[$(C)]}<a.txt
  ls >&'x$(C)'
  ls >&"$x"
  ls <&"$(C)"
  ls > >(C)
  ls 2>&1 >&3- 3>&1
  time -- S
  ! { L; }
  if ((1)); then L; fi
  if [[ W ]]; then L; fi
  for x in; do L; done
  for x in W⏎do⏎L⏎done R
  case W in (a) ;; (*) L ;; esac
  case "$(C)" in *) L;; esac
  case a in a) L ;;& b) C ;; esac
  coproc { C; }
  f() ( C ) R; f
  f() { L; } > x; f
  f() [[ -f a.txt ]]; f
  function f for x in a; do C; done; f
  { L; } | { L; }
  { L; } && ( L )
  ( ( C ) )
  S |& { C; }
  S ;⏎S
  S &⏎C
  S &&⏎⏎C
  S ||# a⏎C
  # S⏎C
  S <<E | S <<F⏎a⏎E⏎$(C)⏎F
  S <<'E';C⏎a⏎E
  cat <<E⏎a $(C)\\⏎E⏎E
  cat <<'E⏎'⏎C⏎E
  cat <<''⏎a⏎⏎C
  cat <<E\\⏎F⏎$(C)⏎EF
  cat <<-E⏎⇥⇥$(C)⏎⇥E
  cat <<E "$(C)"⏎a⏎E
  cat <<<W <<<$(C)
  cat <<< "\${x:-$(C)}"
  cat 0<<E <a.txt⏎$(C)⏎E
  exec {x}<a.txt; cat <&$x
  S {x}>&- 
  S >&$x-
  S &>>x
  S >& x
  S >x$(C)
  S 2>x >&2
  S 1>&2 2>ln-dir/x
  S < a.txt > x
  x=1 y=$x S
  x=$(C) S
  x=\`C\` y=1
  x=(1 2); S "\${x[@]}"
  x=([0]=a [1]=$(C))
  declare -A x; x[$(C)]=1
  x+=(a); x+=$(C)
  x=~/secret; cat $x
  x=a.txt; cat "$x" W
  x='../outside/secret'; cat $x
  x=../outside; cd $x; cat secret
  for x in ../outside/*; do cat "$x"; done
  for x in -exec; do find . $x evil; done
  while IFS= read -r x; do $x; done <<< evil
  select x; do C; break; done
  until ! L; do C; break; done
`);
