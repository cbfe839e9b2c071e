// What looks like a secret: by the name of a file, and by what it contains. A file too many left out costs less than one
// shared by mistake. Pure.

const NAMES =
  /(?:^|\/)(?:\.env(?:\..*|rc)?|\.npmrc|\.yarnrc(?:\.yml)?|\.pypirc|\.netrc|_netrc|\.git-credentials|\.dockercfg|\.htpasswd|\.pgpass|\.my\.cnf|id_(?:rsa|dsa|ecdsa|ed25519)(?:_sk)?|credentials(?:\..*)?|secrets?(?:\..*)?|service-account.*\.json|.*\.(?:pem|key|p12|pfx|jks|keystore|kdbx|asc|gpg|ovpn|tfstate|tfvars))$/i;
const FOLDERS = /(?:^|\/)(?:\.git|\.ssh|\.aws|\.gnupg|\.kube|\.docker|\.azure|\.claude|secrets?)\//i;

export function isSecretName(path: string): boolean {
  const name = path.replaceAll("\\", "/");
  // Examples are there to be shared.
  if (/\.(?:example|sample|template|dist)$/i.test(name)) return FOLDERS.test(name);
  return NAMES.test(name) || FOLDERS.test(name);
}

const CONTENT = [
  /-----BEGIN [A-Z ]*PRIVATE KEY-----/,
  /\b(?:AKIA|ASIA)[0-9A-Z]{16}\b/,
  /\bgh[pousr]_[A-Za-z0-9]{30,}/,
  /\bgithub_pat_[A-Za-z0-9_]{40,}/,
  /\bglpat-[A-Za-z0-9_-]{20,}/,
  /\bsk-(?:ant-|proj-)?[A-Za-z0-9_-]{24,}/,
  /\bxox[abprs]-[A-Za-z0-9-]{20,}/,
  /\bAIza[A-Za-z0-9_-]{35}\b/,
  /\bnpm_[A-Za-z0-9]{36}\b/,
  /\beyJ[A-Za-z0-9_-]{10,}\.eyJ[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{10,}/,
  /:\/\/[^\s:/@]{1,100}:[^\s:/@]{6,200}@/,
];

export function containsSecret(bytes: Uint8Array): boolean {
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString("latin1");
  return CONTENT.some((pattern) => pattern.test(text));
}
