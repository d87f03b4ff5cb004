const quote = 0x22;
const backslash = 0x5c;

/**
 * Finds a member whose object has another one of the same name. `JSON.parse` would silently keep the last one, and a
 * proxy that checks requests may have read the first. The reader of events in `packages/contract` refuses them as well,
 * but has bounds for depth, keys and numbers that a policy or a list would exceed.
 *
 * @param text valid JSON
 * @returns the position of its name; `undefined` if all names are unique
 */
export function duplicateMember(text: string): number | undefined {
  /** The names of each open object, innermost last; `undefined` for an array. */
  const open: (Set<string> | undefined)[] = [];
  let names: Set<string> | undefined;
  let isName = false;
  for (let at = 0; at < text.length; at++) {
    switch (text.charCodeAt(at)) {
      case quote: {
        const end = stringEnd(text, at);
        if (isName && names !== undefined) {
          const name = nameOf(text.slice(at, end + 1));
          if (names.has(name)) return at;
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

/** The position of the quote that ends the string which begins at `start`. */
function stringEnd(text: string, start: number): number {
  let end = text.indexOf('"', start + 1);
  while (isEscaped(text, end)) end = text.indexOf('"', end + 1);
  return end;
}

function isEscaped(text: string, at: number): boolean {
  let first = at;
  while (text.charCodeAt(first - 1) === backslash) first--;
  return (at - first) % 2 === 1;
}

function nameOf(quoted: string): string {
  return quoted.includes('\\') ? (JSON.parse(quoted) as string) : quoted.slice(1, -1);
}
