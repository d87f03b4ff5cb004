import { HighlightStyle, StreamLanguage, syntaxHighlighting } from '@codemirror/language';
import type { Extension } from '@codemirror/state';
import { tags } from '@lezer/highlight';

interface Place {
  /** The indent of a key whose text continues below it (`when: >-`); -1 outside of one. */
  block: number;
}

const operators = /^(?:&&|\|\||[<>=!]=|[<>!?:+\-*/%])/;
const words = new Set(['in', 'true', 'false', 'null', 'live', 'shadow', 'off', 'has', 'lists']);

/** Highlights policy YAML with CEL values: keys, comments, strings, numbers with units, operators. */
const language = StreamLanguage.define<Place>({
  name: 'policy',
  startState: () => ({ block: -1 }),
  token: (stream, place) => {
    if (stream.eatSpace()) return null;
    if (place.block >= 0 && stream.indentation() <= place.block && stream.column() === stream.indentation())
      place.block = -1;
    if (stream.match(/^#.*/)) return 'comment';
    if (stream.match(/^"(?:[^"\\]|\\.)*"?/) || stream.match(/^'(?:[^']|'')*'?/)) return 'string';
    if (place.block < 0 && stream.match(/^[A-Za-z_][\w.]*(?=:(?:\s|$))/)) {
      if (/^:\s*[>|][-+]?\s*$/.test(stream.string.slice(stream.pos))) place.block = stream.indentation();
      return 'propertyName';
    }
    if (stream.match(/^\+?\d+(?:\.\d+)?(?:d|h|ms|m|s)?\b/)) return 'number';
    if (stream.match(/^\{\{.*?\}\}/)) return 'keyword';
    if (stream.match(operators)) return 'operator';
    const word = stream.match(/^[A-Za-z_][\w.]*/);
    if (word !== null && typeof word === 'object') return words.has(word[0]) ? 'keyword' : 'variableName';
    stream.next();
    return null;
  },
  languageData: { commentTokens: { line: '#' } },
});

const look = HighlightStyle.define([
  { tag: tags.comment, color: 'var(--soft)', fontStyle: 'italic' },
  { tag: tags.propertyName, color: 'var(--fence)', fontWeight: '600' },
  { tag: tags.string, color: 'var(--warn)' },
  { tag: tags.number, color: 'var(--cool)' },
  { tag: tags.keyword, color: 'var(--watch)' },
  { tag: tags.operator, color: 'var(--bad)' },
]);

export const policyLanguage: Extension = [language, syntaxHighlighting(look)];
