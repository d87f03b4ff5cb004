const quote = 0x22;
const backslash = 0x5c;

/** Ten times what the largest request has, a list of a thousand labels. A million bytes of them take half a second. */
export const membersMax = 50_000;

export interface MemberMistake {
  readonly kind: 'duplicate' | 'tooMany';
  /** The position of the member's name. */
  readonly at: number;
}

/**
 * Finds a member whose object has another one of the same name, or the first one beyond `membersMax`. `JSON.parse` would
 * silently keep the last of a name, and a proxy that checks requests may have read the first. The reader of events in
 * `packages/contract` refuses both as well, but has bounds for depth, keys and numbers that a policy or a list would
 * exceed.
 *
 * @param text JSON; in another text, only what comes before its mistake is looked at
 * @returns `undefined` if all names are unique
 */
export function memberMistake(text: string): MemberMistake | undefined {
  let count = 0;
  /** The names of each open object, innermost last; `undefined` for an array. */
  const open: (Set<string> | undefined)[] = [];
  let names: Set<string> | undefined;
  let isName = false;
  for (let at = 0; at < text.length; at++) {
    switch (text.charCodeAt(at)) {
      case quote: {
        const end = stringEnd(text, at);
        if (end === -1) return undefined;
        if (isName && names !== undefined) {
          const name = nameOf(text.slice(at, end + 1));
          if (names.has(name)) return { kind: 'duplicate', at };
          if (++count > membersMax) return { kind: 'tooMany', at };
          names.add(name);
        }
        isName = false;
        at = end;
        break;
      }
      case 0x7b: // {
        open.push((names = new Set()));
        isName = true;
        break;
      case 0x5b: // [
        open.push((names = undefined));
        isName = false;
        break;
      case 0x7d: // }
      case 0x5d: // ]
        open.pop();
        names = open.at(-1);
        break;
      case 0x2c: // ,
        isName = names !== undefined;
        break;
      default:
    }
  }
  return undefined;
}

/** The position of the quote that ends the string which begins at `start`; -1 if none does. */
function stringEnd(text: string, start: number): number {
  let end = text.indexOf('"', start + 1);
  while (end !== -1 && isEscaped(text, end)) end = text.indexOf('"', end + 1);
  return end;
}

function isEscaped(text: string, at: number): boolean {
  let first = at;
  while (text.charCodeAt(first - 1) === backslash) first--;
  return (at - first) % 2 === 1;
}

/** With its escapes, if they are not valid. */
function nameOf(quoted: string): string {
  if (!quoted.includes('\\')) return quoted.slice(1, -1);
  try {
    return JSON.parse(quoted) as string;
  } catch {
    return quoted;
  }
}
