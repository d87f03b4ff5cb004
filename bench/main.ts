/**
 * The benchmarks. Each measures a baseline in the same run.
 *
 *     npm run bench                      lists the benchmarks
 *     npm run bench -- ingest --help
 *
 * Exits with code 1 if a bar is missed, 2 if the command is invalid. Writes nothing outside a temporary folder.
 */
import { parseArgs } from 'node:util';
import { backtest } from './src/backtest/backtest.ts';
import { console } from './src/console/console.ts';
import { flow } from './src/flow/flow.ts';
import { growth } from './src/growth/growth.ts';
import { handbook } from './src/handbook/handbook.ts';
import { hostile } from './src/hostile/hostile.ts';
import { ingest } from './src/ingest.ts';
import { kafka } from './src/kafka/kafka.ts';
import { largest } from './src/largest/largest.ts';
import { inThread } from './src/measure/in-thread.ts';
import { others } from './src/others/others.ts';
import { type Bar, isMet, printBar } from './src/report/bars.ts';
import { machine } from './src/report/machine.ts';
import { neighbour } from './src/neighbour.ts';
import { payments } from './src/payments.ts';
import { scale } from './src/scale/scale.ts';
import { status } from './src/status.ts';
import { wait } from './src/wait.ts';

/** Options of a benchmark with their defaults; a boolean is a flag. */
type Usual = Readonly<Record<string, number | boolean>>;
/** The options as given on the command line. */
type Given<Options extends Usual> = {
  readonly [Name in keyof Options]: Options[Name] extends boolean ? boolean : number;
};

interface Bench {
  readonly about: string;
  readonly usual: Usual;
  readonly run: (options: Usual) => Promise<readonly Bar[]>;
}

const rulesThread = new URL('./src/rules/rules-thread.ts', import.meta.url);
const intelThread = new URL('./src/intel/intel-thread.ts', import.meta.url);
const engineThread = new URL('./src/engine/engine-thread.ts', import.meta.url);
const loginsThread = new URL('./src/logins/logins-thread.ts', import.meta.url);
const shardsThread = new URL('./src/shards/shards-thread.ts', import.meta.url);
const modelsThread = new URL('./src/models/models-thread.ts', import.meta.url);

const print = (text: string): void => void process.stdout.write(text);

const benches: Readonly<Record<string, Bench>> = {
  ingest: bench(
    'durable ingest compared with a bare Fastify handler under the same load',
    { connections: 64, seconds: 8, rounds: 3, profile: false },
    (options) => ingest(options, print),
  ),
  flow: bench(
    'accept, decide and record at fixed rates: payments, then mixed events; then the latency from acceptance to webhook',
    { seconds: 60, payments: 1_500, rate: 5_000, connections: 64, profile: false },
    (options) => flow(options, print),
  ),
  payments: bench(
    'payments as fast as they are accepted, until decided: the cost of an event; then callers that wait beside a load',
    { seconds: 45, connections: 32, profile: false },
    (options) => payments(options, print),
  ),
  wait: bench(
    'the latency of a 200 that waits for the decision, at a fixed rate',
    { seconds: 20, rate: 500, connections: 128 },
    (options) => wait(options, print),
  ),
  neighbour: bench(
    'callers of a production workspace that wait for their decision, beside a development workspace of its dearest policy',
    { seconds: 30, rate: 20, noise: 100 },
    (options) => neighbour(options, print),
  ),
  largest: bench(
    'every operation of both listeners at its largest input, several callers at once, beside events at a low rate',
    { events: 100_000, rate: 100, seconds: 20, callers: 4, rounds: 2 },
    (options) => largest(options, print),
  ),
  status: bench(
    'the latency of a question for a status, at a fixed rate, beside as many events',
    { seconds: 20, rate: 500, connections: 64 },
    (options) => status(options, print),
  ),
  backtest: bench(
    'forty rules over the card operations of the handbook, imported and backtested by the command line',
    { seed: 1 },
    (options) => backtest(options, print),
  ),
  handbook: bench(
    'how well scores find fraud: the protocol of the Fraud Detection Handbook, and the cost of writing scores; --train: of a model too; --test: also the test folds; --check: every feature is equal to one by hand',
    { seed: 1, rounds: 2, train: false, test: false, check: false },
    (options) => handbook(options, print),
  ),
  console: bench(
    'every list and filter of the console with a million events and 50,000 alerts, over HTTP',
    { events: 1_000_000, alerts: 50_000, ranges: 0, rounds: 40 },
    (options) => console(options, print),
  ),
  engine: bench(
    'the engine alone, on one core, over the card operations of the Fraud Detection Handbook',
    { events: 0, again: 1_000_000, seed: 1, forty: false, profile: false },
    (options) => inThread(engineThread, options, { print }),
  ),
  models: bench(
    'what a model costs the engine: forty rules with 150 trees of depth 6, and without',
    { events: 300_000, rounds: 3, trees: 150, depth: 6, seed: 1 },
    (options) => inThread(modelsThread, options, { print }),
  ),
  logins: bench(
    "how many attacks on logins are found without labels: how surprising a login is, flags of what is new, and Freeman's score",
    { clients: 2_400, judged: 22_925, attacks: 2_290, rounds: 5, seed: 1 },
    (options) => inThread(loginsThread, options, { print }),
  ),
  growth: bench(
    'how the engine scales with its state: a million clients and ten thousand; memory, pauses, restart',
    { clients: 1_000_000, each: 20, seed: 1 },
    (options) => growth(options, print),
  ),
  rules: bench(
    'how the engine slows down with the number of rules: 1,000 and 100',
    { events: 200_000, rounds: 3, seed: 1 },
    (options) => inThread(rulesThread, options, { print }),
  ),
  intel: bench(
    'device tokens opened, addresses looked up, devices recognised, and the cost of their facts in the engine',
    { rounds: 3, tokens: 3_000, addresses: 200_000, devices: 100_000, logins: 50_000, visits: 40_000 },
    (options) => inThread(intelThread, options, { print }),
  ),
  scale: bench(
    'how throughput and processor time grow with processes, workspaces and databases, each with a small grant of processor time; the machines for large rates',
    { percent: 20, seconds: 6, rounds: 3, connections: 64, kafka: false },
    (options) => scale(options, print),
  ),
  kafka: bench(
    'appends with the bytes of the log in Kafka, and with a synchronous standby, beside PostgreSQL alone; a broker that is killed; the whole service with and without Kafka',
    { seconds: 6, rounds: 5, callers: 1_024, connections: 768, partitions: 1 },
    (options) => kafka(options, print),
  ),
  shards: bench(
    'one workspace in shards, simulated with real engines: equal decisions, what one more hop costs, how cost grows',
    { events: 100_000, apart: 150, rounds: 3, seed: 1 },
    (options) => inThread(shardsThread, options, { print }),
  ),
  hostile: bench(
    'the longest time that hostile rules or a crowded entity keep the engine busy with one event',
    { each: 1_000, events: 100, crowd: 300_000 },
    (options) => hostile(options, print),
  ),
  others: bench(
    'the same rules over the same facts in other rule engines for Node',
    { rules: 40, rounds: 5, ms: 400, seed: 1 },
    (options) => others(options, print),
  ),
};

const [name = '', ...rest] = process.argv.slice(2);
const asked = benches[name];
if (asked === undefined) {
  for (const [known, { about }] of Object.entries(benches)) print(`npm run bench -- ${known.padEnd(9)} ${about}\n`);
  process.exit(name === '' || name === '--help' ? 0 : 2);
}
const options = readOptions(name, asked, rest);
print(`${name}: ${asked.about}\n${machine()}\n\n`);
const bars = await asked.run(options);
print(`\n${bars.map(printBar).join('')}`);
process.exitCode = bars.every(isMet) ? 0 : 1;

function bench<const Options extends Usual>(
  about: string,
  usual: Options,
  run: (options: Given<Options>) => Promise<readonly Bar[]>,
): Bench {
  return { about, usual, run: (options) => run(options as Given<Options>) };
}

/** The options from the command line. Prints the help or an error and exits if they are invalid. */
function readOptions(of: string, { about, usual }: Bench, args: readonly string[]): Usual {
  const all = Object.entries(usual);
  const config = Object.fromEntries(
    all.map(([name, value]) => [name, { type: typeof value === 'boolean' ? 'boolean' : 'string' } as const]),
  );
  const usage = all.map(([name, value]) => `  --${name}${typeof value === 'boolean' ? '' : ` ${value}`}`);
  const help = `${about}\n\nnpm run bench -- ${of}\n${usage.join('\n')}\n`;
  if (args.includes('--help')) {
    print(help);
    process.exit(0);
  }
  try {
    const { values } = parseArgs({ args: [...args], options: config });
    return Object.fromEntries(
      all.map(([name, value]) => [
        name,
        typeof value === 'boolean' ? values[name] === true : Number(values[name] ?? value),
      ]),
    );
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n\n${help}`);
    return process.exit(2);
  }
}
