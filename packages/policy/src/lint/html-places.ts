/** A value at a position of an HTML template where escaping does not contain it. */
export interface OpenPlace {
  readonly index: number;
  readonly message: string;
  readonly suggestion: string;
}

/**
 * Replaces every character of a placeholder, so that its content is not read as HTML. A private-use character, which
 * people don't type.
 */
const mark = '\ue000';

/** A comment, a script or a style with its content, or a tag. */
const pieces =
  /<!--[^]*?(?:-->|$)|<(script|style)\b[^]*?(?:<\/\1\s*>|$)|<\/?[a-z\ue000][^\s"'>]*(?:"[^"]*"|'[^']*'|[^"'>])*/gi;

const attributes = /([^\s"'=<>/]+)\s*=\s*("[^"]*"|'[^']*'|[^\s"'>]+)/g;

/** Attributes that contain a URL: the value could be a URL of its own, or a script. */
const links = /^(?:href|src|srcset|action|formaction|background|poster|cite|data|xlink:href)$/i;

/**
 * Positions of a template where values are unsafe although they are escaped: an attribute without quotes, a script, a
 * style, a link. At most one per placeholder.
 *
 * @param placeholders in the order of the template
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
  return {
    message: `the value of ${name} is not in quotes: a space in it would end it`,
    suggestion: `${name}="{{…}}"`,
  };
}

function part(of: string): Wrong {
  return { message: `a value is inside ${of}, where escaping does not protect it`, suggestion: 'show it as text' };
}
