/** Words that people choose and pad when twelve characters are required. In lower case, without accents. */
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

/** Sequences on a keyboard or in the alphabet. */
const rows = ['abcdefghijklmnopqrstuvwxyz', '01234567890', 'qwertyuiop', 'qwertzuiop', 'asdfghjkl', 'zxcvbnm'].flatMap(
  (row) => [row, Array.from(row).toReversed().join('')],
);

/** Minimum length of a run of such a sequence. */
const rowMin = 4;
/** Up to this many characters besides words and runs are quickly guessed. */
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
 * Whether a password is easily guessed: few different characters, repetitions, or words and keyboard runs with a few
 * other characters. Source: NIST SP 800-63B-4, 3.1.1.2 (a blocklist; this one is rule-based).
 */
export function isCommonPassword(password: string): boolean {
  const plain = password.normalize('NFKD').replaceAll(/\p{M}/gu, '').toLowerCase();
  if (new Set(plain).size < differentMin) return true;
  if (/^(.{1,11}?)\1+$/su.test(plain)) return true;
  const read = Array.from(plain, (sign) => letters[sign] ?? sign).join('');
  return [plain, read].some((text) => restOf(text).length <= restMax);
}

/** Removes the words and runs from a text. */
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
