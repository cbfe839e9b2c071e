// Whether PowerShell and bash read a command the same way: one program and its words, with nothing that either treats
// specially. Only such a command can be allowed by a rule with a star, because only then is it certain that it holds no
// second command and no hidden option.

const PROGRAM = "[A-Za-z_./][A-Za-z0-9_./-]*";
/** Without `, ; | & $ % # ( ) { } [ ] < > ^ !`, backslash and backtick. `@` may follow a letter, as in `pkg@1.0`. */
const WORD = "(?:[A-Za-z0-9_./:=+~*-]|(?<=[A-Za-z0-9])@(?=[A-Za-z0-9]))+";
/** A whole word, because a quote inside one begins another word in PowerShell. No `&`: a batch file would run the rest. */
const QUOTED = ["'", '"'].map((quote) => `${quote}[A-Za-z0-9 _./:=+~@?*,-]*${quote}`).join("|");
const PLAIN = new RegExp(`^${PROGRAM}(?: +(?:${WORD}|${QUOTED}))*$`);

/** Longer commands are not worth a rule. */
const LONGEST = 10_000;

export function isPlain(command: string): boolean {
  return command.length <= LONGEST && PLAIN.test(command.trim());
}
