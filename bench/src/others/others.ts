import { assert } from '@ringfence/contract';
import type { Bar } from '../report/bars.ts';
import { figure, table } from '../report/table.ts';
import { type Ask, celJs, jsonRulesEngine, type Prepare, ringfence, zenEngine } from './engines.ts';
import { makeFacts, makeRules } from './rules.ts';

export interface OthersOptions {
  readonly rules: number;
  readonly rounds: number;
  /** Minimum duration of one engine's round, ms. */
  readonly ms: number;
  readonly seed: number;
}

/** Events that every engine evaluates repeatedly. */
const eventCount = 500;
/** Required speed as a multiple of the parser's own evaluator. */
const timesParserMin = 5;

const engines: Readonly<Record<string, Prepare>> = {
  ringfence,
  '@marcbachmann/cel-js': celJs,
  'json-rules-engine': jsonRulesEngine,
  '@gorules/zen-engine': zenEngine,
};

/** The same rules over the same facts in other rule engines for Node. All must find the same number of matches. */
export async function others(options: OthersOptions, print: (text: string) => void): Promise<readonly Bar[]> {
  const rules = makeRules(options.rules, options.seed);
  const events = makeFacts(eventCount, options.seed);
  const asks = Object.entries(engines).map(([name, prepare]) => ({ name, ask: prepare(rules, events) }));
  const holding = await asks[0]!.ask();
  for (const { name, ask } of asks) assert((await ask()) === holding, `${name} finds the same matches`);
  print(
    `${options.rules} rules, ${eventCount} events, ${holding} of ${rules.length * eventCount} match in each engine\n`,
  );

  const rates = new Map<string, number[]>(asks.map(({ name }) => [name, []]));
  for (let round = 0; round < options.rounds; round++) {
    for (const { name, ask } of asks)
      rates.get(name)!.push((await timesPerSecond(ask, options.ms)) * eventCount * rules.length);
  }
  const middle = (name: string): number => rates.get(name)!.toSorted((a, b) => a - b)[Math.floor(options.rounds / 2)]!;
  const own = middle('ringfence');
  const names = Object.keys(engines);
  print(
    table([
      ['engine', 'rules evaluated/s', 'ringfence is'],
      ...names.map((name) => [name, figure(middle(name)), `${figure(own / middle(name))} x`]),
    ]),
  );
  return names.slice(1).map((name) => ({
    what: `rules evaluated, as a multiple of ${name}`,
    measured: own / middle(name),
    bar: name === '@marcbachmann/cel-js' ? timesParserMin : 1,
    must: 'reach',
    unit: 'times as many',
  }));
}

async function timesPerSecond(ask: Ask, ms: number): Promise<number> {
  const began = performance.now();
  let times = 0;
  while (performance.now() - began < ms) {
    await ask();
    times++;
  }
  return (times * 1_000) / (performance.now() - began);
}
