/** Removes from a text what must not leave this machine in a support file. Pure. */

/** Names whose values are secret, in JSON or as `NAME=value`. */
const SECRET = 'password|passwd|passphrase|secret|token|cookie|authorization|api[_-]?key|private[_-]?key|session';
/** A whole name that contains such a word. The lookahead stays within the name, so that no part is read again. */
const SECRET_NAME = String.raw`(?=[\w-]*?(?:${SECRET}))[\w-]+`;

/** Each starts only at the beginning of a run of its letters, so that the cost is linear in the text. */
const RULES: readonly (readonly [RegExp, string])[] = [
  [/-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]*?(?:-----END [A-Z ]*PRIVATE KEY-----|$)/g, '[private key]'],
  [new RegExp(String.raw`("${SECRET_NAME}"\s*:\s*)("(?:[^"\\]|\\.)*"|[^\s,}\]]+)`, 'gi'), '$1"[hidden]"'],
  [new RegExp(String.raw`(?<![\w-])(${SECRET_NAME})=("[^"]*"|[^\s;,&"]+)`, 'gi'), '$1=[hidden]'],
  [/\b(Bearer|Basic)\s+[\w.~+/=-]+/gi, '$1 [hidden]'],
  [/(?<![a-z\d+.-])([a-z\d+.-]+:\/\/)[^\s/@"]+@/gi, '$1[hidden]@'],
  [/(?<![\w.+-])[\w.+-]+@[\w-]+(?:\.[\w-]+)+/g, '[e-mail]'],
];

/** @param home the user's home folder, which contains the user's name */
export function redact(text: string, home: string): string {
  const hidden = RULES.reduce((rest, [pattern, replacement]) => rest.replace(pattern, replacement), text);
  return home.length > 1 ? hidden.replaceAll(home, '~') : hidden;
}
