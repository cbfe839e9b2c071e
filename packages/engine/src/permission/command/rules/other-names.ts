// Other names that programs give their own subcommands: `npm i` is `npm install`, `docker container rm` is `docker rm`.
// For deny and ask rules, which match what a command means.

const NPM =
  "install=i,in,ins,inst,insta,instal,isnt,isnta,isntal,isntall,add run=run-script,rum,urn test=t,tst exec=x uninstall=un,unlink,remove,rm,r update=up,upgrade,udpate config=c link=ln ci=clean-install,ic,install-clean,isntall-clean view=v,info,show create=init,innit";

const LISTED: Readonly<Record<string, string>> = {
  brew: "uninstall=rm,remove list=ls upgrade=up",
  bun: "add=a install=i remove=rm create=c",
  cargo: "build=b check=c doc=d run=r test=t remove=rm",
  composer: "install=i update=u,upgrade require=r",
  gem: "install=i",
  gh: "codespace=cs extension=ext,extensions",
  git: "add=stage",
  helm: "uninstall=un,del,delete list=ls dependency=dep,dependencies",
  npm: NPM,
  pnpm: "install=i remove=rm,un,uninstall update=up,upgrade test=t run=run-script",
};

const SUBCOMMANDS: ReadonlyMap<string, ReadonlyMap<string, string>> = new Map(
  Object.entries(LISTED).map(([program, text]) => [
    program,
    new Map(
      text
        .split(" ")
        .filter(Boolean)
        .flatMap((entry) => {
          const [name, others] = entry.split("=");
          return others!.split(",").map((other) => [other, name!] as const);
        }),
    ),
  ]),
);

/** The management commands of docker, and what their subcommands are called on their own. */
const DOCKER: Readonly<Record<string, string>> = {
  "container ls": "ps",
  "container list": "ps",
  "container ps": "ps",
  container: "",
  "image ls": "images",
  "image list": "images",
  "image rm": "rmi",
  "image remove": "rmi",
  image: "",
  builder: "",
  buildx: "",
};

/** The same words with the main name of the subcommand, for every word that may be it: others may be values of options. */
export function withMainNames<T extends { readonly value: string }>(words: readonly T[]): (readonly T[])[] {
  const program = words[0]?.value ?? "";
  const found: (readonly T[])[] = [];
  for (let at = 1; at < words.length; at++) {
    const { value } = words[at]!;
    if (isOption(value)) continue;
    if (isKnown(program, value)) found.push(renamed(words, at));
    if (!/^-[^=]*$/.test(words[at - 1]!.value)) break;
  }
  return found;
}

function renamed<T extends { readonly value: string }>(words: readonly T[], at: number): readonly T[] {
  const program = words[0]!.value;
  const word = words[at]!;
  const put = (value: string, dropped: number) => words.toSpliced(at, dropped, ...(value ? [{ ...word, value }] : []));
  if (!isDocker(program)) return put(SUBCOMMANDS.get(program)!.get(word.value)!, 1);
  const pair = DOCKER[`${word.value} ${words[at + 1]?.value}`];
  return pair === undefined ? put("", 1) : put(pair, 2);
}

const isOption = (word: string) => /^[-+]/.test(word);
const isDocker = (program: string) => /^(docker|podman|nerdctl)$/.test(program);

function isKnown(program: string, word: string): boolean {
  return isDocker(program) ? Object.hasOwn(DOCKER, word) : (SUBCOMMANDS.get(program)?.has(word) ?? false);
}
