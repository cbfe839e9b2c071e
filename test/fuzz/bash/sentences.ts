// Whole bash command lines: lists, pipelines, compound commands, functions, and damage done to what came out.
// Most of a sentence is something people run every day, so that the gate lets many of them through; what is strange in
// it is added in small doses, because a gate that asks about everything would never be tested.

import { lines, type Dice } from "./dice.ts";
import { assignment, simpleCommand } from "./programs.ts";
import { redirection } from "./redirections.ts";
import { filled, payload, strangeWord, variable, word } from "./words.ts";

export function sentence(dice: Dice): string {
  const draw = dice.roll(100);
  dice.spice = draw < 22 ? 0 : draw < 68 ? 1 : draw < 88 ? 2 : 4;
  let text = listOf(dice, 0);
  // What was not used up is thrown in somewhere.
  if (dice.spice > 0 && dice.chance(0.6)) text = damaged(dice, text);
  if (dice.chance(0.04)) text = damaged(dice, text);
  if (dice.chance(0.04)) text = continued(dice, text);
  return text;
}

const JOINTS = [" && ", " && ", "; ", "; ", " || ", " | ", " | ", "\n", ";", "|", "&&", " \\\n&& ", " |\n", " # c\n"];
const STRANGE_JOINTS = [
  " & ",
  " |& ",
  "&",
  "|&",
  " ;; ",
  " ;& ",
  "&|",
  "&!",
  "\r\n",
  "\n\n",
  " \\\n",
  "\t;\t",
  ")",
  " }",
];

function listOf(dice: Dice, depth: number): string {
  let text = command(dice, depth);
  const more = depth > 1 ? dice.roll(2) : dice.pick([0, 0, 0, 1, 1, 2]);
  for (let count = 0; count < more; count++) {
    const joint = dice.strange(0.1) ? dice.pick(STRANGE_JOINTS) : dice.pick(JOINTS);
    text += joint + command(dice, depth);
  }
  return text;
}

/** L is a list, S a simple command, W a word, C code, V a variable's name. */
const USUAL_COMPOUNDS = lines(`
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

const STRANGE_COMPOUNDS = lines(`
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
`);

function command(dice: Dice, depth: number): string {
  if (depth < 3) {
    if (dice.strange(0.16)) return compound(dice, dice.pick(STRANGE_COMPOUNDS), depth);
    if (dice.chance(0.12)) return compound(dice, dice.pick(USUAL_COMPOUNDS), depth);
  }
  return simpleCommand(dice, depth);
}

function compound(dice: Dice, template: string, depth: number): string {
  const structure = template.replaceAll(/(?<![A-Za-z$])[LSRA](?![A-Za-z])/g, (slot) => {
    if (slot === "L") return listOf(dice, depth + 1);
    if (slot === "S") return simpleCommand(dice, depth + 1);
    if (slot === "A") return assignment(dice, depth + 1);
    return redirection(dice, depth + 1).trimStart();
  });
  return filled(dice, structure, depth + 1);
}

/** Signs and pieces that change how the rest is read. */
const PIECES = [
  ..."'\"\\`$(){}[]<>|&;#!~*?=%^@+-,:/",
  "\\\n",
  "\\\n",
  "\\\n",
  "\n",
  " ",
  "\t",
  "\r",
  "\u00a0",
  "\u2028",
  "\f",
  "\v",
  "''",
  '""',
  "$'",
  '$"',
  "${",
  "$((",
  "$[",
  "((",
  "))",
  "[[",
  "]]",
  "&&",
  "||",
  "|&",
  ";;",
  ">&",
  "<&",
  "&>",
  "<>",
  ">|",
  "<<",
  "<<<",
  " # ",
  " ! ",
  "@(",
  "!(",
  "E\n",
  "\nE\n",
  "~+",
  "..",
  "{,}",
  "{fd}",
  "3",
];

function damaged(dice: Dice, text: string): string {
  let result = text;
  const blows = 1 + dice.roll(3);
  for (let count = 0; count < blows; count++) {
    const at = dice.roll(result.length + 1);
    const drop = dice.pick([0, 0, 0, 0, 1, 2]);
    result = result.slice(0, at) + splinter(dice) + result.slice(at + drop);
  }
  return result;
}

/** A line continuation beside a sign: bash removes it before it reads most signs, and keeps it in some quotes. */
function continued(dice: Dice, text: string): string {
  const signs = [...text.matchAll(/[$<>{}()[\]'"&|;=!#~@:*?`-]/g)].map(({ index }) => index);
  if (signs.length === 0) return text;
  const at = dice.pick(signs) + dice.roll(2);
  return `${text.slice(0, at)}\\\n${text.slice(at)}`;
}

function splinter(dice: Dice): string {
  switch (dice.roll(8)) {
    case 0:
      return strangeWord(dice, 3);
    case 1:
      return redirection({ ...dice, strange: () => true }, 3);
    case 2:
      return ` ${word(dice, 3)} `;
    case 3:
      return `${dice.pick([";", "\n", "|", "&", "$(", "`", "<("])}${payload(dice)}${dice.pick(["", ")", "`", "\n", ";"])}`;
    case 4:
      return dice.pick(["\\\n", `{${variable(dice)}}<`, `${variable(dice)}=`]);
    default:
      return dice.pick(PIECES);
  }
}
