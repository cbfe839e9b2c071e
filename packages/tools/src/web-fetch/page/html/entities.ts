// Character references in HTML: all numeric ones, and the names that pages use.

const inOrder = (first: number, names: string): [string, string][] =>
  names.split(" ").map((name, index) => [name, String.fromCodePoint(first + index)]);

const NAMED: ReadonlyMap<string, string> = new Map([
  ...inOrder(
    160,
    "nbsp iexcl cent pound curren yen brvbar sect uml copy ordf laquo not shy reg macr deg plusmn sup2 sup3 acute micro para middot cedil sup1 ordm raquo frac14 frac12 frac34 iquest Agrave Aacute Acirc Atilde Auml Aring AElig Ccedil Egrave Eacute Ecirc Euml Igrave Iacute Icirc Iuml ETH Ntilde Ograve Oacute Ocirc Otilde Ouml times Oslash Ugrave Uacute Ucirc Uuml Yacute THORN szlig agrave aacute acirc atilde auml aring aelig ccedil egrave eacute ecirc euml igrave iacute icirc iuml eth ntilde ograve oacute ocirc otilde ouml divide oslash ugrave uacute ucirc uuml yacute thorn yuml",
  ),
  ...inOrder(913, "Alpha Beta Gamma Delta Epsilon Zeta Eta Theta Iota Kappa Lambda Mu Nu Xi Omicron Pi Rho"),
  ...inOrder(931, "Sigma Tau Upsilon Phi Chi Psi Omega"),
  ...inOrder(
    945,
    "alpha beta gamma delta epsilon zeta eta theta iota kappa lambda mu nu xi omicron pi rho sigmaf sigma tau upsilon phi chi psi omega",
  ),
  ...inOrder(8592, "larr uarr rarr darr harr"),
  ...Object.entries({
    amp: "&",
    lt: "<",
    gt: ">",
    quot: '"',
    apos: "'",
    ndash: "–",
    mdash: "—",
    lsquo: "‘",
    rsquo: "’",
    sbquo: "‚",
    ldquo: "“",
    rdquo: "”",
    bdquo: "„",
    dagger: "†",
    Dagger: "‡",
    bull: "•",
    hellip: "…",
    permil: "‰",
    prime: "′",
    Prime: "″",
    lsaquo: "‹",
    rsaquo: "›",
    euro: "€",
    trade: "™",
    lArr: "⇐",
    rArr: "⇒",
    hArr: "⇔",
    forall: "∀",
    part: "∂",
    exist: "∃",
    empty: "∅",
    nabla: "∇",
    isin: "∈",
    notin: "∉",
    prod: "∏",
    sum: "∑",
    minus: "−",
    radic: "√",
    infin: "∞",
    cap: "∩",
    cup: "∪",
    int: "∫",
    asymp: "≈",
    ne: "≠",
    equiv: "≡",
    le: "≤",
    ge: "≥",
    sub: "⊂",
    sup: "⊃",
    check: "✓",
    cross: "✗",
    star: "☆",
    lbrace: "{",
    rbrace: "}",
    lbrack: "[",
    rbrack: "]",
    lpar: "(",
    rpar: ")",
    colon: ":",
    comma: ",",
    period: ".",
    excl: "!",
    quest: "?",
    num: "#",
    dollar: "$",
    percnt: "%",
    ast: "*",
    plus: "+",
    equals: "=",
    sol: "/",
    bsol: "\\",
    vert: "|",
    grave: "`",
    lowbar: "_",
    commat: "@",
    semi: ";",
    Tab: "\t",
    NewLine: "\n",
    ensp: "\u2002",
    emsp: "\u2003",
    thinsp: "\u2009",
    zwnj: "\u200c",
    zwj: "\u200d",
  }),
]);

const REFERENCE = /&(?:#(\d{1,8})|#[xX]([\da-fA-F]{1,6})|([a-zA-Z][a-zA-Z\d]{1,30}));?/g;

/** Names without a semicolon are decoded only where every browser does so, and unknown names stay as they are. */
const WITHOUT_SEMICOLON = /^(?:amp|lt|gt|quot|nbsp|copy|reg)$/;

export function decodeEntities(text: string): string {
  if (!text.includes("&")) return text;
  return text.replace(REFERENCE, (whole, decimal?: string, hexadecimal?: string, name?: string) => {
    if (name === undefined) return character(decimal === undefined ? parseInt(hexadecimal!, 16) : Number(decimal));
    if (!whole.endsWith(";") && !WITHOUT_SEMICOLON.test(name)) return whole;
    return NAMED.get(name) ?? whole;
  });
}

function character(code: number): string {
  const isValid = code > 0 && code <= 0x10ffff && (code < 0xd800 || code > 0xdfff);
  return isValid ? String.fromCodePoint(code) : "\ufffd";
}
