import { NetworkSet, parseNetwork } from '../../values/networks.ts';
import { definer, type FunctionDefinition, prepared } from './definition.ts';

const define = definer('addresses');

/** Functions of IP addresses. A set of ranges belongs in a list: `publicIp in lists.office`. */
export const addresses: readonly FunctionDefinition[] = [
  define('string.inNetwork(string): bool', {
    doc: 'Whether the IP address is in a range, given as a literal such as `203.0.113.0/24` or `2001:db8::/32`. A text that is not an address is in no range.',
    example: 'publicIp.inNetwork("203.0.113.0/24")',
    apply: prepared,
    prepare: (literal) => {
      const network = parseNetwork(literal);
      if (network === undefined)
        return {
          wrong: `"${literal}" is not an address range`,
          suggestion: 'such as "203.0.113.0/24" or "2001:db8::/32"',
        };
      const set = new NetworkSet([network]);
      return { apply: (address: string) => set.has(address), cost: 60 };
    },
    isLiteral: true,
  }),
];
