import type { FactReader } from './wire-facts.ts';

/** What names the device of a token: a token that was used before names none. */
const naming = ['device.id', 'device.key', 'device.idFresh'];

/** Door facts of a token, as they are once it is known whether it came before. */
export const deviceFacts: Readonly<Record<string, FactReader>> = {
  'device.state': ({ arrival, tokenRepeats }) =>
    tokenRepeats && arrival.record.door.facts['device.state'] === 'present'
      ? 'replayed'
      : arrival.record.door.facts['device.state'],
  ...Object.fromEntries(
    naming.map((path): [string, FactReader] => [
      path,
      ({ arrival, tokenRepeats }) => (tokenRepeats ? undefined : arrival.record.door.facts[path]),
    ]),
  ),
};
