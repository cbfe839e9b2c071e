// Every expansion, quote and pattern as a word, with code in each place where bash would run it.
// C is code, W another word, V a variable's name.

import { lines } from "./dice.ts";

export const EXPANSIONS = lines(`
  $(C)
  "$(C)"
  \`C\`
  "\`C\`"
  a$(C)b
  $( C )
  $(< a.txt)
  $(C # )
  $(case x in x) C;; esac)
  $(cat <<'E'⏎C⏎E⏎)
  "$(cat <<'E'⏎$(C)⏎E⏎)"
  "$(cat <<E⏎$(C)⏎E⏎)"
  \${ C; }
  \${| C; }
  <(C)
  >(C)
  a<(C)
  <(C)b
  3<(C)
  {V}<(C)
  "<(C)"
  =(C)
  $V
  \${V}
  "$V"
  "\${V}"
  $@
  "$@"
  $*
  $?
  $#
  $$
  $!
  $-
  $_
  $0
  $1
  $HOME
  $HOME/secret
  "$HOME"/secret
  \${HOME}/secret
  $PWD
  $OLDPWD
  $RANDOM
  $BASH
  \${V:-W}
  \${V-W}
  \${V:-$(C)}
  \${V:=W}
  \${V=W}
  \${V:=$(C)}
  \${V:?W}
  \${V:+$(C)}
  \${V+W}
  \${#V}
  \${#V[@]}
  \${#V[$(C)]}
  \${!V}
  \${!V@}
  \${!V*}
  \${!V[@]}
  \${!V:-$(C)}
  \${V@P}
  \${V@E}
  \${V@A}
  \${V@Q}
  \${V@a}
  "\${V@P}"
  \${V[0]}
  \${V[@]}
  \${V[$(C)]}
  \${V['$(C)']}
  \${V["$(C)"]}
  \${V[\`C\`]}
  \${V[a[$(C)]]}
  \${V[$(C)}]}
  \${V:1}
  \${V:1:2}
  \${V: -1}
  \${V:$(C)}
  \${V:a[$(C)]}
  \${V:$((1))}
  \${V#W}
  \${V##$(C)}
  \${V%W}
  \${V%%$(C)}
  \${V/a/W}
  \${V//a/$(C)}
  \${V/#$(C)/W}
  \${V/%a/$(C)}
  \${V^}
  \${V^^$(C)}
  \${V,}
  \${V,,$(C)}
  \${@:1:$(C)}
  \${PS4@P}
  \${V:-'$(C)'}
  "\${V:-'$(C)'}"
  \${V:-"$(C)"}
  \${V:-\`C\`}
  \${V:-<(C)}
  \${V:-}\\}$(C)}
  $((1+1))
  $((V))
  $((V=1))
  $((a[$(C)]))
  $((V[$(C)]=1))
  $(($(C)))
  $((\`C\`))
  $(( 'a[$(C)]' ))
  $[1]
  $[$(C)]
  $[a[$(C)]]
  $((1)
  $((C))
  $((C) )
  *
  *.txt
  a*
  ?.txt
  [a-c].txt
  [!a]*
  [$(C)]*
  [a"$(C)"]
  */*
  sub/*
  ln-dir/*
  ln-*/*
  .gi*/config
  .cl*/*
  .e*
  .[e]nv
  ./.en?
  .*
  ln-e*
  out/*
  out/../*
  out/ln-dir/*
  ~/*
  ../*
  ../out*/secret
  {a.txt,b.txt}
  {a,b}{c,d}
  {1..3}
  {a..c}
  {a,$(C)}
  {$(C),b}
  {-o,x}
  {--output=x,a}
  {..,.}/outside/secret
  a{,.txt}
  {a}
  {,}
  {evil,x}
  @(a|b)
  ?(a)
  *(a|$(C))
  +([a-z])
  !(a)
  @($(C))
  ~
  ~/x
  ~root
  ~+
  ~-
  ~$(C)
  a:~/secret
  'a'$'\\n''b'
  $'\\x24(C)'
  $'a\\'; C; \\''
  $'\\c'; C; '
  $'\\u0024(C)'
  $"$(C)"
  $"a"
  "a$(C)b\${V:=W}"
  "$((a[$(C)]))"
  "\\"; C; \\""
  "a\\\\"$(C)"b"
  \\$(C)
  \\\`C\`
  a\\ b
  a;C
  a&C
  a|C
  a⏎C
  a#;C
  a #;C
  #
  'a
  "a
  (C)
  a(C)
  x=(a $(C))
  x=(a $(C))b
  x=([$(C)]=1)
  x[$(C)]=1
  V=$(C)
  V=<(C)
  V=~/x
  --file=<(C)
  --x=$(C)
  -o$(C)
  @list
  @ln-file
  /dev/stdin
  /dev/fd/0
  /proc/self/environ
  /proc/self/cwd/../outside/secret
  /proc/self/root/etc/passwd
  /etc/passwd
  \${V@U}
  \${V@k}
  \${V~~$(C)}
  \${!V[*]}
  \${V[-1]}
  \${V[*]:1}
  \${10}
  \${*:1:a[$(C)]}
  \${V:-\${V:-$(C)}}
  "\${V:+"$(C)"}"
  "\${V:-\${V:-"$(C)"}}"
  \${V/\\}/$(C)}
  "\${V/\\"/$(C)}"
  \${V#'}'}$(C)
  "\${V%"}"}$(C)"
  \${V:-{a,$(C)}}
  \${V:-~/secret}
  $((0x1,a[$(C)]))
  $((V?1:a[$(C)]))
  $((⏎1⏎))
  $((1 # 2))
  $((16#a[$(C)]))
  $(( "a[$(C)]" ))
  $(((1)))
  $(((C)))
  $((C); (C))
  $(C;)
  $(C⏎)
  $(C)$(C)
  $(<ln-file)
  "$(<ln-env)"
  $(<a.txt;C)
  $(<a.txt)*
  \`echo \\\`C\\\`\`
  "\`echo \\"C\\"\`"
  "$(echo "$(C)")"
  $(echo ')'; C)
  $(echo \\) C)
  $'\\0'$(C)
  $'a\\0b'
  $'\\e\\a\\?'
  $'\\101\\x41'
  $'\\cA'
  $'\\'$(C)
  {x,{y,$(C)}}
  {a,b}$(C)
  {1..3..$(C)}
  {a..c}{..,.}/outside/secret
  {~/secret,a}
  "{a,b}"
  {a\\,b}
  {a,b'}'$(C)}
  !(a|@(b|$(C)))
  @(a|../outside/secret)
  ?(../outside/)secret
  [[:alpha:]].txt
  [[.a.]]*
  [^]$(C)]*
  [a/b]
  ~root/secret
  ~+/a.txt
  a=~/secret
  x:~:$(C)
  a\\⏎$(C)
  '\\'$(C)
  "\\\\"$(C)
  "$"$(C)
  $$(C)
  $\\(C)
  "$(C)"\`C\`
  a␍$(C)
  ''$(C)
  -$(C)
  --$(C)
`);
