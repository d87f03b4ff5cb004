/** Languages with two letters. Source: ISO 639-1. */
const languages: ReadonlySet<string> = new Set(
  `aa ab ae af ak am an ar as av ay az ba be bg bi bm bn bo br bs ca ce ch co cr cs cu cv cy da de dv dz ee el en eo es
   et eu fa ff fi fj fo fr fy ga gd gl gn gu gv ha he hi ho hr ht hu hy hz ia id ie ig ii ik io is it iu ja jv ka kg ki
   kj kk kl km kn ko kr ks ku kv kw ky la lb lg li ln lo lt lu lv mg mh mi mk ml mn mr ms mt my na nb nd ne ng nl nn no
   nr nv ny oc oj om or os pa pi pl ps pt qu rm rn ro ru rw sa sc sd se sg si sk sl sm sn so sq sr ss st su sv sw ta te
   tg th ti tk tl tn to tr ts tt tw ty ug uk ur uz ve vi vo wa wo xh yi yo za zh zu`.split(/\s+/),
);

/** A language, possibly with a script and a region: `es`, `es-MX`, `zh-Hant-TW`, `es-419`. */
const grammar = /^([a-z]{2,3})(?:-[A-Z][a-z]{3})?(?:-(?:[A-Z]{2}|\d{3}))?$/;

/** Names that people write instead of a tag. */
const named: Readonly<Record<string, string>> = {
  english: 'en',
  spanish: 'es',
  español: 'es',
  castellano: 'es',
  sp: 'es',
  portuguese: 'pt',
  french: 'fr',
  german: 'de',
  italian: 'it',
};

/**
 * What is expected instead, if the text is not a language tag of BCP 47 in its usual letters; `undefined` if it is one.
 * Languages of three letters are not looked up.
 */
export function languageMistake(tag: string): string | undefined {
  if (isLanguageTag(tag)) return undefined;
  return named[asciiLower(tag)] ?? usual(tag) ?? 'a tag of BCP 47, such as en, es or pt-BR';
}

/** The tag in its usual letters, if only those are wrong: `es_mx` is `es-MX`. */
function usual(tag: string): string | undefined {
  const parts = tag.split(/[-_]/).map((part, at) => {
    const small = asciiLower(part);
    if (at === 0) return small;
    return part.length === 4 ? asciiUpper(small.slice(0, 1)) + small.slice(1) : asciiUpper(small);
  });
  const meant = parts.join('-');
  return meant !== tag && isLanguageTag(meant) ? meant : undefined;
}

function isLanguageTag(tag: string): boolean {
  const language = grammar.exec(tag)?.[1];
  return language !== undefined && (language.length === 3 || languages.has(language));
}

function asciiLower(text: string): string {
  return text.replaceAll(/[A-Z]/g, (letter) => String.fromCharCode(letter.charCodeAt(0) + 32));
}

function asciiUpper(text: string): string {
  return text.replaceAll(/[a-z]/g, (letter) => String.fromCharCode(letter.charCodeAt(0) - 32));
}
