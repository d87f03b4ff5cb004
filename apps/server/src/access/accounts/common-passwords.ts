/** What people choose when twelve characters are asked for: a word and what fills it up. In small letters, without accents. */
const words = [
  'administrador',
  'administrator',
  'admin',
  'bienvenido',
  'changeme',
  'contrasena',
  'default',
  'football',
  'iloveyou',
  'letmein',
  'login',
  'master',
  'passphrase',
  'password',
  'passwort',
  'qwerty',
  'ringfence',
  'secret',
  'superman',
  'test',
  'user',
  'welcome',
] as const;

/** What lies side by side, on a keyboard or in the head. */
const rows = ['abcdefghijklmnopqrstuvwxyz', '01234567890', 'qwertyuiop', 'qwertzuiop', 'asdfghjkl', 'zxcvbnm'].flatMap(
  (row) => [row, Array.from(row).toReversed().join('')],
);

/** So many signs that follow each other in a row are no choice. */
const rowMin = 4;
/** So many signs beside words and rows are soon tried out. */
const restMax = 5;
const differentMin = 5;

const letters: Readonly<Record<string, string>> = {
  '0': 'o',
  '1': 'i',
  '3': 'e',
  '4': 'a',
  '5': 's',
  '7': 't',
  '@': 'a',
  $: 's',
  '!': 'i',
};

/**
 * Whether a password is among those that are tried first: few different signs, the same again and again, or words and rows
 * of keys with a few signs beside them. Source: NIST SP 800-63B-4, 3.1.1.2 (a blocklist; this is one by rule).
 */
export function isGuessedEarly(password: string): boolean {
  const plain = password.normalize('NFKD').replaceAll(/\p{M}/gu, '').toLowerCase();
  if (new Set(plain).size < differentMin) return true;
  if (/^(.{1,11}?)\1+$/su.test(plain)) return true;
  const read = Array.from(plain, (sign) => letters[sign] ?? sign).join('');
  return [plain, read].some((text) => restOf(text).length <= restMax);
}

/** What is left of a text without the words and rows in it. */
function restOf(text: string): string {
  const withoutWords = words.reduce((rest, word) => rest.replaceAll(word, ''), text);
  return rows.reduce(withoutRow, withoutWords);
}

function withoutRow(text: string, row: string): string {
  let rest = '';
  for (let at = 0; at < text.length;) {
    let length = 0;
    while (at + length < text.length && row.includes(text.slice(at, at + length + 1))) length++;
    if (length < rowMin) rest += text[at++]!;
    else at += length;
  }
  return rest;
}
