/** Takes out of a text what must not leave this machine in a file for support. Pure. */

/** Names of values that are secret wherever they stand, in JSON or as `NAME=value`. */
const SECRET_NAME = String.raw`[\w-]*(?:password|passwd|passphrase|secret|token|cookie|authorization|api[_-]?key|private[_-]?key|session)[\w-]*`;

const RULES: readonly (readonly [RegExp, string])[] = [
  [/-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]*?(?:-----END [A-Z ]*PRIVATE KEY-----|$)/g, '[private key]'],
  [new RegExp(String.raw`("${SECRET_NAME}"\s*:\s*)("(?:[^"\\]|\\.)*"|[^\s,}\]]+)`, 'gi'), '$1"[hidden]"'],
  [new RegExp(String.raw`\b(${SECRET_NAME})=("[^"]*"|[^\s;,&"]+)`, 'gi'), '$1=[hidden]'],
  [/\b(Bearer|Basic)\s+[\w.~+/=-]+/gi, '$1 [hidden]'],
  [/\b([a-z][a-z\d+.-]*:\/\/)[^\s/@"]+@/gi, '$1[hidden]@'],
  [/[\w.+-]+@[\w-]+(?:\.[\w-]+)+/g, '[e-mail]'],
];

/** @param home the user's home folder, which names a person */
export function redact(text: string, home: string): string {
  const hidden = RULES.reduce((rest, [pattern, replacement]) => rest.replace(pattern, replacement), text);
  return home.length > 1 ? hidden.replaceAll(home, '~') : hidden;
}
