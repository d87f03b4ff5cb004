/**
 * Measured comparisons, each beside a baseline of the same run.
 *
 *     npm run bench                      lists them
 *     npm run bench -- ingest --help
 *
 * Exit code 1 when a bar is missed, 2 when the command is wrong. Writes nothing outside a temporary folder.
 */
import { parseArgs } from 'node:util';
import { backtest } from './src/backtest/backtest.ts';
import { console } from './src/console/console.ts';
import { flow } from './src/flow/flow.ts';
import { growth } from './src/growth/growth.ts';
import { hostile } from './src/hostile/hostile.ts';
import { ingest } from './src/ingest.ts';
import { inThread } from './src/measure/in-thread.ts';
import { others } from './src/others/others.ts';
import { type Bar, isMet, printBar } from './src/report/bars.ts';
import { machine } from './src/report/machine.ts';
import { wait } from './src/wait.ts';

interface Bench {
  readonly about: string;
  /** Options with their defaults; a boolean is a switch. */
  readonly options: Readonly<Record<string, number | boolean>>;
  readonly run: (options: Options) => Promise<readonly Bar[]>;
}

type Options = (name: string) => number;

const rulesThread = new URL('./src/rules/rules-thread.ts', import.meta.url);
const intelThread = new URL('./src/intel/intel-thread.ts', import.meta.url);
const engineThread = new URL('./src/engine/engine-thread.ts', import.meta.url);

const print = (text: string): void => void process.stdout.write(text);

const benches: Readonly<Record<string, Bench>> = {
  ingest: {
    about: 'durable ingest beside a bare Fastify handler, same load',
    options: { connections: 64, seconds: 8, rounds: 3, profile: false },
    run: (option) =>
      ingest(
        {
          connections: option('connections'),
          seconds: option('seconds'),
          rounds: option('rounds'),
          profile: option('profile') === 1,
        },
        print,
      ),
  },
  flow: {
    about: 'accepted, decided and recorded at a fixed rate; then the time from accepted to webhook',
    options: { seconds: 60, rate: 5_000, connections: 64, profile: false },
    run: (option) =>
      flow(
        {
          seconds: option('seconds'),
          rate: option('rate'),
          connections: option('connections'),
          profile: option('profile') === 1,
        },
        print,
      ),
  },
  wait: {
    about: 'the time to a 200 that waits for the decision, at a fixed rate',
    options: { seconds: 20, rate: 500, connections: 128 },
    run: (option) =>
      wait({ seconds: option('seconds'), rate: option('rate'), connections: option('connections') }, print),
  },
  backtest: {
    about: 'forty rules over the card operations of the handbook, imported and tried by the command line',
    options: { seed: 1 },
    run: (option) => backtest({ seed: option('seed') }, print),
  },
  console: {
    about: 'every list and filter of the console among a million events and 50,000 alerts, over HTTP',
    options: { events: 1_000_000, alerts: 50_000, rounds: 40 },
    run: (option) => console({ events: option('events'), alerts: option('alerts'), rounds: option('rounds') }, print),
  },
  engine: {
    about: 'the engine alone, on one core, over the card operations of the Fraud Detection Handbook',
    options: { events: 0, again: 1_000_000, seed: 1, forty: false, profile: false },
    run: (option) =>
      inThread(
        engineThread,
        {
          events: option('events'),
          again: option('again'),
          seed: option('seed'),
          forty: option('forty') === 1,
          profile: option('profile') === 1,
        },
        { print },
      ),
  },
  growth: {
    about: 'how the engine grows with its state: a million clients beside ten thousand, memory, stops, restart',
    options: { clients: 1_000_000, each: 20, seed: 1 },
    run: (option) => growth({ clients: option('clients'), each: option('each'), seed: option('seed') }, print),
  },
  rules: {
    about: 'how the engine slows down with the number of rules: 1,000 beside 100',
    options: { events: 200_000, rounds: 3, seed: 1 },
    run: (option) =>
      inThread(rulesThread, { events: option('events'), rounds: option('rounds'), seed: option('seed') }, { print }),
  },
  intel: {
    about: 'device tokens opened, addresses looked up, devices recognised, and what their facts cost the engine',
    options: { rounds: 3, tokens: 3_000, addresses: 200_000, devices: 100_000, logins: 50_000, visits: 40_000 },
    run: (option) =>
      inThread(
        intelThread,
        {
          rounds: option('rounds'),
          tokens: option('tokens'),
          addresses: option('addresses'),
          devices: option('devices'),
          logins: option('logins'),
          visits: option('visits'),
        },
        { print },
      ),
  },
  hostile: {
    about: 'the longest that rules which mean harm, or a crowded entity, keep the engine busy with one event',
    options: { each: 20, events: 200, crowd: 300_000 },
    run: (option) => hostile({ each: option('each'), events: option('events'), crowd: option('crowd') }, print),
  },
  others: {
    about: 'the same rules over the same facts by other engines for rules in Node',
    options: { rules: 40, rounds: 5, ms: 400, seed: 1 },
    run: (option) =>
      others({ rules: option('rules'), rounds: option('rounds'), ms: option('ms'), seed: option('seed') }, print),
  },
};

const [name = '', ...rest] = process.argv.slice(2);
const bench = benches[name];
if (bench === undefined) {
  for (const [known, { about }] of Object.entries(benches)) print(`npm run bench -- ${known.padEnd(9)} ${about}\n`);
  process.exit(name === '' || name === '--help' ? 0 : 2);
}
const options = readOptions(name, bench, rest);
print(`${name}: ${bench.about}\n${machine()}\n\n`);
const bars = await bench.run(options);
print(`\n${bars.map(printBar).join('')}`);
process.exitCode = bars.every(isMet) ? 0 : 1;

/** Whole numbers from the command line; a switch is 0 or 1. Prints the help, or what is wrong, and ends. */
function readOptions(of: string, { about, options: defaults }: Bench, args: readonly string[]): Options {
  const config = Object.fromEntries(
    Object.entries(defaults).map(([option, usual]) => [
      option,
      { type: typeof usual === 'boolean' ? 'boolean' : 'string' } as const,
    ]),
  );
  const usage = Object.entries(defaults).map(
    ([option, usual]) => `  --${option}${typeof usual === 'boolean' ? '' : ` ${usual}`}`,
  );
  const help = `${about}\n\nnpm run bench -- ${of}\n${usage.join('\n')}\n`;
  if (args.includes('--help')) {
    print(help);
    process.exit(0);
  }
  try {
    const { values } = parseArgs({ args: [...args], options: config });
    return (option) => Number(values[option] ?? defaults[option]);
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n\n${help}`);
    return process.exit(2);
  }
}
