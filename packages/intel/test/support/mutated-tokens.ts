/** Tokens modified in many ways. */
const characters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.=+/ \n\0é';

/** A small generator of our own, so that a failing round can be run again. Source: mulberry32. */
export function seeded(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below;
  };
}

type Mutation = (token: string, random: (below: number) => number) => string;

const mutations: readonly Mutation[] = [
  (token, random) => replaceAt(token, random(token.length), characters[random(characters.length)]!),
  (token, random) => token.slice(0, random(token.length)),
  (token, random) => token.slice(1 + random(token.length - 1)),
  (token, random) => replaceAt(token, random(token.length), characters[random(characters.length)]!.repeat(random(9))),
  (token, random) => `${token}${characters[random(characters.length)]!}`,
  (token, random) => shuffled(token.split('.'), random).join('.'),
  (token, random) => changedHeader(token, random),
  (_, random) => Array.from({ length: random(400) }, () => characters[random(characters.length)]!).join(''),
];

function replaceAt(text: string, at: number, by: string): string {
  return text.slice(0, at) + by + text.slice(at + 1);
}

function shuffled(parts: readonly string[], random: (below: number) => number): readonly string[] {
  return parts.toSorted(() => random(3) - 1);
}

/** Changes one member of the header, which the tag authenticates. */
function changedHeader(token: string, random: (below: number) => number): string {
  const [head, ...rest] = token.split('.');
  const header = JSON.parse(Buffer.from(head!, 'base64url').toString()) as Record<string, unknown>;
  const names = [...Object.keys(header), 'zip', 'crit', 'jwk', 'apu', 'x5c'];
  const values = ['DEF', 'none', 'dir', 'A128KW', '', null, 7, [], {}, header.epk, ['exp']];
  header[names[random(names.length)]!] = values[random(values.length)];
  return [Buffer.from(JSON.stringify(header)).toString('base64url'), ...rest].join('.');
}

/** This number of tokens, none of which is empty or one of the originals. The same ones at each call. */
export function* mutatedTokens(
  originals: readonly string[],
  count: number,
): Generator<{ round: number; token: string }> {
  const random = seeded(1);
  const known = new Set(originals);
  let tried = 0;
  for (let round = 0; tried < count; round++) {
    const token = mutations[round % mutations.length]!(originals[random(originals.length)]!, random);
    if (token === '' || known.has(token)) continue;
    tried++;
    yield { round, token };
  }
}
