// Programs that talk to other machines.

import type { ProgramOptionTable } from "../program-options.ts";

/** ssh settings that name no program or file. */
const SSH_SETTING =
  /^(AddressFamily|BatchMode|CheckHostIP|Ciphers|Compression|ConnectionAttempts|ConnectTimeout|ExitOnForwardFailure|GSSAPIAuthentication|HashKnownHosts|HostKeyAlgorithms|HostName|IdentitiesOnly|IdentityFile|KbdInteractiveAuthentication|KexAlgorithms|LogLevel|MACs|NumberOfPasswordPrompts|PasswordAuthentication|Port|PreferredAuthentications|PubkeyAuthentication|RequestTTY|ServerAliveCountMax|ServerAliveInterval|StrictHostKeyChecking|TCPKeepAlive|UpdateHostKeys|User|UserKnownHostsFile(?=[ =]*\/dev\/null$)|VisualHostKey)[ =][\w.,:@/~+*-]*$/i;

const sshValues = { o: SSH_SETTING };

/** The host, then the remote command, which is what ssh is for. Options may come between the two. */
const ssh: ProgramOptionTable = {
  short: "oFI",
  valued: "BbcDeiJLlmOPpQRSWw",
  files: "E",
  values: sshValues,
  operands: 2,
};

const sshCopy: ProgramOptionTable = { short: "SoFDXb", valued: "BcilJPRs", values: sshValues };

/** At most a port: other ssh options may name a program. */
const RSH = /^(\/usr\/bin\/)?ssh( -p ?\d+| -4| -6| -q| -C)*$/;

const rsync: ProgramOptionTable = {
  short: "eM",
  long: "rsh rsync-path remote-option config daemon password-file early-input",
  valued: "BfT@",
  takes:
    "bwlimit chmod chown exclude exclude-from filter include include-from max-size min-size out-format port timeout",
  values: { e: RSH, rsh: RSH },
  opens: true,
  files: "T temp-dir log-file write-batch only-write-batch read-batch partial-dir backup-dir",
  plain: "backup partial",
};

/** Any text that does not start with the character for file content, or a file in the current folder. */
const unlessFile = (sign: string) =>
  new RegExp(`^(?!${sign})|^${sign}(\\./)?\\w[\\w.-]*(/\\w[\\w.-]*)*(;[\\w=/.-]+)*$`, "s");
const data = unlessFile("@");
const form = unlessFile("[^=]*=[@<]");

/** Cookies, or a file with cookies in the working directories. */
const COOKIE = /=|^(\.\/)?\w[\w.-]*(\/\w[\w.-]*)*$/s;

const curl: ProgramOptionTable = {
  short: "KbdFHJwQ",
  long: "config cookie data data-ascii data-binary data-urlencode form header proxy-header json remote-header-name write-out quote prequote postquote engine libcurl abstract-unix-socket variable netrc-file proto-default url-query",
  valued: "ACEemPrtUuXxYyz",
  files:
    "o output D dump-header c cookie-jar T upload-file stderr trace trace-ascii output-dir etag-save etag-compare hsts alt-svc unix-socket",
  plain: "cookie-jar head netrc",
  values: {
    b: COOKIE,
    cookie: COOKIE,
    d: data,
    data,
    "data-ascii": data,
    "data-binary": data,
    "data-urlencode": unlessFile("[^=]*@"),
    "url-query": unlessFile("[^=]*@"),
    F: form,
    form,
    H: data,
    header: data,
    "proxy-header": data,
    json: data,
    w: /^(?!@)(?!.*%output\{)/s,
    "write-out": /^(?!@)(?!.*%output\{)/s,
  },
  // With -O, the last part of the address becomes the file's name.
  // Braces and brackets may spell any scheme.
  operand: /^file:|^[^/:\s"%]*[{[][^/\s"]*:\/|\/\.[^/?#]*$/i,
};

const wget: ProgramOptionTable = {
  short: "ei",
  // The server may choose the file's name.
  long: "execute input-file input-metalink config use-askpass post-file body-file content-disposition trust-server-names default-page",
  valued: "AaBDIlQRTtUwX",
  files:
    "O output-document P directory-prefix o output-file a append-output save-cookies load-cookies warc-file hsts-file rejected-log",
  operand: /\/\.[^/?#]*$/,
};

/** Netcats that can start a program for the connection. */
const netcat: ProgramOptionTable = { short: "ec", long: "exec sh-exec lua-exec", valued: "giIOpPqswTXxVD" };

export const NETWORK: Readonly<Record<string, ProgramOptionTable>> = {
  aria2c: {
    long: "conf-path on-download-complete on-download-start on-download-error on-bt-download-complete on-download-stop on-download-pause input-file",
    short: "i",
    files: "d dir o out",
  },
  curl,
  ftp: { short: "N", operand: /\|/ },
  gpg: {
    long: "agent-program dirmngr-program exec-path keyboxd-program load-extension options photo-viewer homedir export-secret-keys export-secret-subkeys",
    files: "o output logger-file status-file",
    plain: "export",
    valued: "ru",
  },
  http: { files: "o output" },
  mosh: { long: "ssh client server" },
  nc: netcat,
  ncat: netcat,
  nmap: { long: "script datadir servicedb resume stylesheet" },
  openssl: {
    single: true,
    long: "engine engine_impl provider provider-path config extfile srp_lib",
    files: "out outfile keyout writerand CAserial keylogfile sess_out",
    // It loads engines.
    commands: { engine: { whole: true } },
  },
  openvpn: {
    long: "up down route-up ipchange client-connect auth-user-pass-verify tls-verify learn-address plugin config script-security",
  },
  rsync,
  scp: sshCopy,
  sftp: sshCopy,
  socat: { operand: /(^|[!:,])(exec|system|shell)(:|$)/i, files: "lf" },
  ssh,
  "ssh-keygen": { short: "DI", files: "f" },
  "ssh-add": { short: "se" },
  tcpdump: { short: "z", files: "w", valued: "BcCDEFGiIjmMrRsTWyZQV" },
  wget,
};
