// Git configuration as text: reads a file's settings, and says which of them make git run a program or contact another
// host. Pure; it never opens a file or starts git.

/** One setting. Section and key are lower case, as git compares them; the subsection is as written. */
export interface GitSetting {
  readonly section: string;
  readonly subsection?: string;
  readonly key: string;
  /** Null for a key without "=", which git reads as true. */
  readonly value: string | null;
  /** `section.subsection.key`, as `git config` prints it. */
  readonly name: string;
  /** The setting's place in the text: from the first character of its key to the end of its last line. */
  readonly from: number;
  readonly to: number;
}

export interface GitConfigText {
  readonly settings: readonly GitSetting[];
  /** Git would refuse the file; `settings` ends at the broken line. */
  readonly broken: boolean;
}

/**
 * When a setting is dangerous.
 * looking: read-only commands run it (`git status`, `git diff`, `git log`), or its effect is unknown.
 * fetching: commands that contact a remote run it, as does any command in a partial clone.
 * acting: only other commands run it (`git commit`, `git merge`, aliases).
 * redirecting: runs nothing, but changes whom git contacts, what it trusts, or where it writes.
 */
export type GitSettingDanger = "looking" | "fetching" | "acting" | "redirecting";

export function dangerOf({ section, subsection, key, value }: GitSetting): GitSettingDanger | undefined {
  // Git itself ignores unknown sections; git extensions may not.
  const known: Section = Object.hasOwn(SECTIONS, section) ? SECTIONS[section]! : { other: "acting" };
  const name = subsection === undefined ? key : `<>.${key}`;
  const found = CLASSES.find((each) => known[each]?.split(/\s+/).includes(name)) ?? known.other ?? "harmless";
  const danger = found === "harmless" ? undefined : found;
  const byValue = Object.hasOwn(BY_VALUE, `${section}.${name}`) ? BY_VALUE[`${section}.${name}`] : undefined;
  if (byValue) return byValue(value) ? undefined : (danger ?? "fetching");
  if (section === "url" && isRemoteHelper(subsection ?? null)) return "fetching";
  return section === "pager" && (value === null || isBoolean(value)) ? undefined : danger;
}

/** Whether git would start a program that this setting names. */
export function runsPrograms(setting: GitSetting): boolean {
  const danger = dangerOf(setting);
  return danger !== undefined && danger !== "redirecting";
}

const CLASSES = ["harmless", "looking", "fetching", "acting", "redirecting"] as const;

/** Keys by class; `<>.` stands for a subsection. `other` is the class of all other keys, harmless if absent. */
type Section = Readonly<
  Partial<Record<(typeof CLASSES)[number], string>> & { readonly other?: (typeof CLASSES)[number] }
>;

const ALL_HARMLESS: Section = {};

/** From `git help --config`, plus keys of newer versions, git-lfs and common editors. */
const SECTIONS: Readonly<Record<string, Section>> = {
  ...Object.fromEntries(
    `add advice am apply attr author blame checkout clean clone color column commit commitgraph committer
    completion extensions fastimport feature fsck fsmonitor gui i18n index log lsrefs mailinfo mailmap maintenance
    notes pack pretty promisor push rebase receive reftable remotes repack rerere revert safe showbranch sparse
    splitindex ssh stash status tag uploadarchive uploadpackfilter user versionsort worktree`
      .split(/\s+/)
      .map((name) => [name, ALL_HARMLESS]),
  ),
  alias: { other: "acting" },
  branch: { acting: "<>.mergeoptions" },
  bundle: { other: "redirecting" },
  core: {
    harmless: `abbrev alternaterefsprefixes attributesfile autocrlf bare bigfilethreshold checkroundtripencoding
      checkstat commentchar commentstring commitgraph compression createobject deltabasecachelimit eol excludesfile
      filemode filesreflocktimeout fscache fsmonitorhookversion fsync fsyncmethod fsyncobjectfiles hidedotfiles
      ignorecase ignorestat logallrefupdates longpaths loosecompression maxtreedepth multipackindex notesref
      packedgitlimit packedgitwindowsize packedrefstimeout precomposeunicode prefersymlinkrefs preloadindex quotepath
      repositoryformatversion restrictinheritedhandles safecrlf sharedrepository sparsecheckout sparsecheckoutcone
      splitindex symlinks trustctime unsetenvvars untrackedcache usereplacerefs warnambiguousrefs whitespace`,
    fetching: "alternaterefscommand askpass gitproxy sshcommand",
    acting: "editor hookspath pager",
    redirecting: "protecthfs protectntfs worktree",
    other: "looking",
  },
  credential: {
    harmless: `interactive protectprotocol sanitizeprompt usehttppath username
      <>.interactive <>.protectprotocol <>.sanitizeprompt <>.usehttppath <>.username`,
    other: "fetching",
  },
  diff: {
    harmless: `algorithm autorefreshindex colormoved colormovedws context dirstat ignoresubmodules indentheuristic
      interhunkcontext mnemonicprefix noprefix orderfile relative renamelimit renames statgraphwidth statnamewidth
      submodule suppressblankempty trustexitcode wordregex wserrorhighlight dstprefix srcprefix
      <>.algorithm <>.binary <>.cachetextconv <>.funcname <>.trustexitcode <>.wordregex <>.xfuncname`,
    acting: "guitool tool",
    other: "looking",
  },
  difftool: { harmless: "prompt trustexitcode", other: "acting" },
  fetch: { redirecting: "bundleuri bundlecreationtoken" },
  filter: { harmless: "<>.required", other: "looking" },
  format: { redirecting: "outputdirectory" },
  gc: { acting: "recentobjectshook" },
  gpg: { harmless: "format mintrustlevel <>.allowedsignersfile <>.revocationfile", other: "looking" },
  grep: ALL_HARMLESS,
  help: { harmless: "autocorrect format", other: "acting" },
  hook: { other: "looking" },
  http: {
    harmless: `emptyauth lowspeedlimit lowspeedtime maxrequests maxretries maxretrytime minsessions noepsv postbuffer
      retryafter version <>.emptyauth <>.lowspeedlimit <>.lowspeedtime <>.postbuffer <>.version`,
    other: "redirecting",
  },
  include: { other: "looking" },
  includeif: { other: "looking" },
  init: { harmless: "defaultbranch defaultobjectformat defaultrefformat", other: "acting" },
  interactive: { harmless: "singlekey", other: "acting" },
  lfs: {
    harmless: `activitytimeout allowincompletepush batch concurrenttransfers dialtimeout fetchexclude fetchinclude
      fetchrecentalways fetchrecentcommitsdays fetchrecentrefsdays fetchrecentremoterefs keepalive locksverify
      pruneoffsetdays repositoryformatversion setlockablereadonly skipdownloaderrors tlstimeout
      <>.access <>.locksverify`,
    redirecting: "pushurl url <>.pushurl <>.url",
    other: "looking",
  },
  merge: { acting: "guitool tool <>.driver" },
  mergetool: {
    harmless: `hideresolved keepbackup keeptemporaries prompt writetotemp <>.hasoutput <>.hideresolved <>.layout
      <>.trustexitcode <>.useautomerge`,
    other: "acting",
  },
  pager: { other: "acting" },
  protocol: { harmless: "version", other: "fetching" },
  pull: { acting: "octopus twohead" },
  remote: {
    harmless: `pushdefault <>.fetch <>.followremotehead <>.gh-resolved <>.mirror <>.partialclonefilter <>.promisor
      <>.prune <>.prunetags <>.push <>.pushurl <>.serveroption <>.skipdefaultupdate <>.skipfetchall <>.tagopt <>.url`,
    redirecting: "<>.proxy <>.proxyauthmethod",
    other: "fetching",
  },
  submodule: { acting: "<>.update" },
  tar: { harmless: "umask", other: "acting" },
  trace2: { other: "redirecting" },
  trailer: {
    harmless: "ifexists ifmissing separators where <>.ifexists <>.ifmissing <>.key <>.where",
    other: "acting",
  },
  transfer: { redirecting: "bundleuri" },
  uploadpack: { acting: "packobjectshook" },
  url: { other: "redirecting" },
};

const isBoolean = (value: string) => /^(|true|false|yes|no|on|off|[+-]?\d+)$/i.test(value);
/** `ext::sh -c …`, or a scheme git does not support itself: the part before the colon is a program. */
const isRemoteHelper = (address: string | null) =>
  /^[^/:]*::/.test(address ?? "") ||
  /^(?!(https?|ftps?|ssh|git|file|git\+ssh|ssh\+git):)[^/:]*:\/\//i.test(address ?? "");
const isPlainAddress = (value: string | null) => !isRemoteHelper(value);
/** What `git lfs install --local` writes. */
const isLfs = (value: string | null) =>
  /^git-lfs (clean -- %f|smudge (--skip )?-- %f|filter-process( --skip)?)$/.test(value ?? "");

/** Keys where the value decides: true if the value is harmless. */
const BY_VALUE: Readonly<Record<string, (value: string | null) => boolean>> = {
  // True is git's built-in daemon; anything else is a program.
  "core.fsmonitor": (value) => value === null || isBoolean(value),
  "core.pager": (value) => value === "cat" || value === "",
  "credential.helper": (value) => value === "",
  "credential.<>.helper": (value) => value === "",
  "filter.<>.clean": isLfs,
  "filter.<>.smudge": isLfs,
  "filter.<>.process": isLfs,
  "remote.<>.url": isPlainAddress,
  "remote.<>.pushurl": isPlainAddress,
  "branch.<>.remote": isPlainAddress,
  "branch.<>.pushremote": isPlainAddress,
  "remote.pushdefault": isPlainAddress,
  "submodule.<>.url": isPlainAddress,
  "submodule.<>.update": (value) => !value?.trimStart().startsWith("!"),
};

const HEADER = /\[([A-Za-z0-9.-]+)(\]|[ \t\r]+")/y;
const KEY = /([A-Za-z][A-Za-z0-9-]*)[ \t]*/y;
const SPACE_OR_COMMENT = /[ \t\r\n]+|[#;][^\n]*/y;
/** The UTF-8 byte order mark, which git skips at the start of a file; also as raw bytes. */
const BYTE_ORDER_MARK = /^(?:\ufeff|\u00ef\u00bb\u00bf)/;

/** Reads as git does: sections, quotes, escapes, comments and continued lines. In linear time. */
export function parseGitConfig(text: string): GitConfigText {
  const settings: GitSetting[] = [];
  let section: Pick<GitSetting, "section" | "subsection"> | undefined;
  let at = BYTE_ORDER_MARK.exec(text)?.[0].length ?? 0;
  const take = (pattern: RegExp) => {
    pattern.lastIndex = at;
    const found = pattern.exec(text);
    if (found) at = pattern.lastIndex;
    return found;
  };
  for (;;) {
    while (take(SPACE_OR_COMMENT));
    if (at === text.length) return { settings, broken: false };
    const header = take(HEADER);
    if (header) {
      const quoted = header[2] === "]" ? { to: at } : readSubsection(text, at);
      if (!quoted) return { settings, broken: true };
      section = sectionOf(header[1]!, quoted.value);
      at = quoted.to;
      continue;
    }
    const from = at;
    const key = section && take(KEY)?.[1]!.toLowerCase();
    if (!section || !key) return { settings, broken: true };
    const value = text[at] === "=" ? readValue(text, at + 1) : { value: null, to: at };
    if (!value || !/^[\r\n#;]?$/.test(text[value.to] ?? "")) return { settings, broken: true };
    at = value.to;
    const name = [section.section, section.subsection, key].filter((part) => part !== undefined).join(".");
    settings.push({ ...section, key, value: value.value, name, from, to: value.to });
  }
}

/** `[section "sub"]`, or the old `[section.sub]`, where the subsection is lower case too. */
function sectionOf(name: string, quoted: string | undefined): Pick<GitSetting, "section" | "subsection"> {
  const lower = name.toLowerCase();
  if (quoted !== undefined) return { section: lower, subsection: quoted };
  const dot = lower.indexOf(".");
  return dot < 0 ? { section: lower } : { section: lower.slice(0, dot), subsection: lower.slice(dot + 1) };
}

/**
 * The text between the quotes of a header, and where the header ends. Written by hand: a regular expression would take
 * quadratic time.
 */
function readSubsection(text: string, from: number): { value?: string; to: number } | undefined {
  const parts: string[] = [];
  for (let at = from; at < text.length && text[at] !== "\n"; at++) {
    if (text[at] === '"') return text[at + 1] === "]" ? { value: parts.join(""), to: at + 2 } : undefined;
    if (text[at] === "\\") at++;
    if (text[at] === "\n") return undefined;
    parts.push(text[at] ?? "");
  }
  return undefined;
}

const ESCAPES: Readonly<Record<string, string>> = { n: "\n", t: "\t", b: "\b", '"': '"', "\\": "\\" };

/** The value that starts here, and where its line ends. Undefined if git would not read it. */
function readValue(text: string, from: number): { value: string; to: number } | undefined {
  const parts: string[] = [];
  let quoted = false;
  let spaces = "";
  let at = from;
  const push = (piece: string) => {
    if (parts.length > 0) parts.push(spaces);
    spaces = "";
    parts.push(piece);
  };
  for (; at < text.length; at++) {
    const character = text[at]!;
    if (character === "\n" || (character === "\r" && text[at + 1] === "\n")) {
      if (quoted) return undefined;
      break;
    }
    if (!quoted && (character === "#" || character === ";")) {
      while (at < text.length && text[at] !== "\n") at++;
      break;
    }
    if (!quoted && /[ \t\r]/.test(character)) spaces += character;
    else if (character === '"') quoted = !quoted;
    else if (character !== "\\") push(character);
    else {
      const width = text.startsWith("\r\n", at + 1) ? 2 : 1;
      const escaped = text.slice(at + 1, at + 1 + width);
      if (!/^\r?\n?$/.test(escaped)) {
        if (!Object.hasOwn(ESCAPES, escaped)) return undefined;
        push(ESCAPES[escaped]!);
      }
      at += width;
    }
  }
  return quoted ? undefined : { value: parts.join(""), to: at };
}
