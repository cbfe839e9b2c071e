// Which words of a command are code that is not all written there. The commands are text; none is run.

import { expect, test } from "bun:test";
import { analyseCommand } from "../command/analysis/command.ts";
import { openCode } from "./code-words.ts";

const found = (command: string, way: "look" | "rule" | "trust" = "rule") => {
  const [first] = analyseCommand(command).commands.flatMap((part) => openCode(part, way) ?? []);
  return first && `${first.by}: ${first.word.text}`;
};

test.each([
  ["sed s,a*,b, f", "names: s,a*,b,"],
  ["sed -n -e p -e s* f", "names: s*"],
  ["sed -ns* f", "names: -ns*"],
  ["sed -i '' s* f", "names: s*"],
  ["sed ~/p f", "names: ~/p"],
  ["sed {p,d} f", "names: {p,d}"],
  ["gsed s* f", "names: s*"],
  ["sed -if s* f", "names: s*"],
  ["sed -i.f s* f", "names: s*"],
  ["awk -Ff p* f", "names: p*"],
  ["/usr/bin/sed s* f", "names: s*"],
  ["awk -v x=1 -F : p* f", "names: p*"],
  ["awk -- p* f", "names: p*"],
  ["bash -xc p*", "names: p*"],
  ["bash -c -x p*", "names: p*"],
  ["python3.12 -c p*", "names: p*"],
  ["node --ev=p*", "names: --ev=p*"],
  ["timeout 5 sudo sed s* f", "names: s*"],
  ["bash -c 'sed s* f'", "names: s*"],
  ["xargs sed -n", "added: sed"],
  ["xargs sed -e p -e", "added: sed"],
  ["xargs sed -i", "added: sed"],
  ["xargs -0 -n 1 sed -i -E", "added: sed"],
  ["xargs sed -i --regexp-extended", "added: sed"],
  ["xargs make -iI lib", "added: make"],
  ["xargs -I% sed -i % f", "added: %"],
  ["xargs -I% sed s/a/%/ f", "added: s/a/%/"],
  ["xargs -i sed s/a/{}/ f", "added: s/a/{}/"],
  ["xargs --replace=@ awk @ f", "added: @"],
  ["find . -exec awk '{}' f ';'", "added: '{}'"],
  ["fd -x sed -n 's/{.}/a/' f", "added: 's/{.}/a/'"],
])("%s has open code", (command, expected) => {
  expect(found(command)).toBe(expected);
});

test.each([
  "sed -n 's,a*,b,' *.ts",
  "sed -e 's,a*,b,' *.ts",
  "sed -e p -- *.ts",
  "sed --expression='s,a*,b,' *.ts",
  "awk '/a*/' *.ts",
  "awk -f x.awk *.ts",
  "sed -nf x.sed *.ts",
  "sed --file=x.sed *.ts",
  "jq --from-file x.jq *.json",
  "bash -c 'ls \"$@\"' _ *.ts",
  "bash run.sh *.ts",
  "python3 -c 'x' *.py",
  "xargs sed -n 's/{}/a/p'",
  "xargs -I% sed -n p %",
  "xargs -I% sed -i s/a/b/ %",
  "xargs sed -i s/a/b/",
  "find . -exec sed -n p {} +",
  "find . -name '*.ts' -exec grep -l x {} ';'",
  "ls *",
  "make -C sub -j 4 test CC=gcc",
])("%s has none", (command) => {
  expect(found(command)).toBeUndefined();
});

test.each([
  ['sed -e "$x" -e s,a*,b, f', "names: s,a*,b,"],
  ['sed s,"$x"*,b, f', 'names: s,"$x"*,b,'],
  ["find . -exec sed s,a*,b, {} +", "names: s,a*,b,"],
  ["xargs sed s,a*,b,", "names: s,a*,b,"],
  ["node -pe a*b", "names: a*b"],
  ["pypy3 -c a*b", "names: a*b"],
  ["tcsh -c a*b", "names: a*b"],
  ["pwsh -Command a*b", "names: a*b"],
  ["tsx -e a*b", "names: a*b"],
  ['sed "$x*" f', undefined],
  ["sed ${x:-*} f", undefined],
  ['sed -e "$x" -e p *.txt', undefined],
])("if all commands are allowed, file names still do not complete the code of %s", (command, expected) => {
  expect(found(command, "trust")).toBe(expected);
});

test("what only reads, and words that are not only code, matter in fewer ways", () => {
  const ways = (command: string) => (["look", "rule", "trust"] as const).filter((way) => found(command, way));
  expect([ways("sed s* f"), ways("make C*"), ways("jq .a[0] f")]).toEqual([
    ["look", "rule", "trust"],
    ["look", "rule"],
    ["look"],
  ]);
});
