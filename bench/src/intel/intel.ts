import { assert } from '@ringfence/contract';
import { loadPolicy, type Policy } from '@ringfence/policy';
import { starterPolicyFiles } from '../product/bench-policy.ts';
import type { Bar } from '../report/bars.ts';
import { figure, median, table } from '../report/table.ts';
import { addressesPerSecond, bareTokensPerSecond, tokensPerSecond } from './door.ts';
import { eventsPerSecond, recognise } from './engine-work.ts';

export interface IntelOptions {
  readonly rounds: number;
  readonly tokens: number;
  readonly addresses: number;
  readonly devices: number;
  readonly logins: number;
  readonly visits: number;
}

/** The cost of devices and networks in ingestion and in the engine, each on one core. */
export async function intel(options: IntelOptions, print: (text: string) => void): Promise<readonly Bar[]> {
  const policy = await starterPolicy();
  const rounds = <Result>(measure: () => Result): readonly Result[] => Array.from({ length: options.rounds }, measure);
  // In alternating rounds, so that both run at the same machine speed.
  const opened = rounds(() => [bareTokensPerSecond(options.tokens), tokensPerSecond(options.tokens)] as const);
  const bare = median(opened.map(([first]) => first));
  const tokens = median(opened.map(([, second]) => second));
  const share = median(opened.map(([first, second]) => second / first));
  const addresses = median(rounds(() => addressesPerSecond(options.addresses)));
  const recognised = recognise(policy, options.devices, options.logins);
  const pairs = rounds(
    () => [eventsPerSecond(policy, options.visits, false), eventsPerSecond(policy, options.visits, true)] as const,
  );
  const without = median(pairs.map(([first]) => first));
  const withFacts = median(pairs.map(([, second]) => second));
  print(
    table([
      ['', 'measured', ''],
      ['device tokens opened', figure(tokens), '/s of one core'],
      ['nothing but their cryptography', figure(bare), '/s of one core'],
      ['of that, tokens opened', share.toFixed(2), ''],
      ['addresses looked up', figure(addresses), '/s of one core'],
      [`a login among ${figure(recognised.devices)} devices, median`, recognised.p50Ms.toFixed(3), 'ms'],
      [`a login among ${figure(recognised.devices)} devices, p99`, recognised.p99Ms.toFixed(3), 'ms'],
      ['events decided without these facts', figure(without), '/s'],
      ['events decided with them', figure(withFacts), '/s'],
    ]),
  );
  return [
    { what: 'device tokens opened per second and core', measured: tokens, bar: 5_000, must: 'reach', unit: '' },
    { what: 'addresses looked up per second and core', measured: addresses, bar: 300_000, must: 'reach', unit: '' },
    { what: 'a login recognised, p99', measured: recognised.p99Ms, bar: 5, must: 'stay below', unit: 'ms' },
    {
      what: 'throughput with these facts, as a share of that without',
      measured: withFacts / without,
      bar: 0.8,
      must: 'reach',
      unit: '',
    },
  ];
}

async function starterPolicy(): Promise<Policy> {
  const loaded = loadPolicy(await starterPolicyFiles());
  assert(loaded.ok, 'the starter policy checks');
  return loaded.policy;
}
