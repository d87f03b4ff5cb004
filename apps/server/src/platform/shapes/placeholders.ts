/*
 * `[${KEY}]` is not YAML: braces end a plain value inside brackets. So the three punctuation characters of `${NAME}`
 * are replaced, one for one, by characters of Unicode's private use area before parsing; lines and columns stay right.
 * The values of the variables are inserted after parsing, so they cannot change the structure of the file.
 */
const hidden = { dollar: '\u{E000}', open: '\u{E001}', close: '\u{E002}' };
const written = /\$\{([A-Za-z_][A-Za-z0-9_]*)\}/g;
const hiddenPlaceholder = new RegExp(`${hidden.dollar}${hidden.open}(\\w+)${hidden.close}`, 'g');

export type Filled =
  | { readonly ok: true; readonly text: string; readonly interpolated: boolean }
  | { readonly ok: false; readonly message: string };

/** Hides `${NAME}` from a YAML parser. */
export function hidePlaceholders(text: string): string {
  return text.replaceAll(written, `${hidden.dollar}${hidden.open}$1${hidden.close}`);
}

/** The names of the variables that a text uses. */
export function placeholdersIn(text: string): ReadonlySet<string> {
  return new Set([...text.matchAll(written)].map(([, name]) => name!));
}

/** Reverses `hidePlaceholders`. */
export function showPlaceholders(text: string): string {
  return text.replaceAll(hiddenPlaceholder, '${$1}');
}

/** Inserts the values of the environment variables. Every named variable must be set. */
export function fillPlaceholders(text: string, environment: Readonly<Record<string, string | undefined>>): Filled {
  const missing: string[] = [];
  const filled = text.replaceAll(hiddenPlaceholder, (_, name: string) => {
    const value = environment[name];
    if (value === undefined) missing.push(name);
    return value ?? '';
  });
  if (missing.length > 0) {
    return { ok: false, message: `the environment variable ${missing.join(', ')} is not set` };
  }
  const interpolated = text.includes(hidden.dollar);
  if (!interpolated && text.includes('${')) {
    return { ok: false, message: `${shorten(text)}: expected \${NAME}, the name of an environment variable` };
  }
  return { ok: true, text: filled, interpolated };
}

/** Longest part of the file that a message repeats. */
const shownLengthMax = 40;

function shorten(text: string): string {
  return text.length > shownLengthMax ? `${text.slice(0, shownLengthMax)}…` : text;
}
