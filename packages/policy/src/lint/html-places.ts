/** A value in a place of an HTML template where its escaping does not hold it. */
export interface OpenPlace {
  readonly index: number;
  readonly message: string;
  readonly suggestion: string;
}

/** Stands for every character of a placeholder: what is written in one is no HTML. A private character, which nobody types. */
const mark = '\ue000';

/** A comment, a script or a style with what is in it, or a tag. */
const pieces =
  /<!--[^]*?(?:-->|$)|<(script|style)\b[^]*?(?:<\/\1\s*>|$)|<\/?[a-z\ue000][^\s"'>]*(?:"[^"]*"|'[^']*'|[^"'>])*/gi;

const attributes = /([^\s"'=<>/]+)\s*=\s*("[^"]*"|'[^']*'|[^\s"'>]+)/g;

/** Attributes that hold an address: what is filled in may be one of its own, or a script. */
const links = /^(?:href|src|srcset|action|formaction|background|poster|cite|data|xlink:href)$/i;

/**
 * Where values of a template are not safe although they are escaped: an attribute without quotes, a script, a style, a link.
 * For each placeholder at most one place.
 *
 * @param placeholders as they stand in the template, from the first to the last
 */
export function openPlaces(template: string, placeholders: readonly RegExpExecArray[]): readonly OpenPlace[] {
  let html = '';
  for (const { index, 0: whole } of placeholders) {
    html += template.slice(html.length, index) + mark.repeat(whole.length);
  }
  html += template.slice(html.length);
  const places = [...html.matchAll(pieces)].filter(([piece]) => piece.includes(mark)).map(readPiece);
  return placeholders.flatMap(({ index }) => {
    const wrong = places.find(({ from, to }) => from <= index && index < to)?.wrongAt(index);
    return wrong === undefined ? [] : [{ index, ...wrong }];
  });
}

type Wrong = Pick<OpenPlace, 'message' | 'suggestion'>;

interface Place {
  readonly from: number;
  readonly to: number;
  readonly wrongAt: (index: number) => Wrong | undefined;
}

function readPiece(match: RegExpExecArray): Place {
  const [piece, element] = match;
  const [from, to] = [match.index, match.index + piece.length];
  if (piece.startsWith('<!--')) return { from, to, wrongAt: () => undefined };
  if (element !== undefined)
    return { from, to, wrongAt: () => part(/^style$/i.test(element) ? 'a style' : 'a script') };
  const known = [...piece.matchAll(attributes)].map(({ index, 0: whole, 1: name = '', 2: value = '' }) => ({
    end: from + index + whole.length,
    start: from + index,
    wrong: wrongValue(name, value),
  }));
  return {
    from,
    to,
    wrongAt: (index) => {
      const attribute = known.find(({ start, end }) => start <= index && index < end);
      return attribute === undefined ? part('a tag') : attribute.wrong;
    },
  };
}

function wrongValue(name: string, value: string): Wrong | undefined {
  if (name.includes(mark)) return part('a tag');
  if (/^on/i.test(name)) return part('a script');
  if (/^style$/i.test(name)) return part('a style');
  if (links.test(name)) return part('a link');
  if (/^["']/.test(value)) return undefined;
  return { message: `the value of ${name} has no quotes: a blank in it ends it`, suggestion: `${name}="{{…}}"` };
}

function part(of: string): Wrong {
  return { message: `a value is part of ${of}: escaping does not hold it there`, suggestion: 'show it as text' };
}
