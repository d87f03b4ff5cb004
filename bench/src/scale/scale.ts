import { startWebhookReceiver } from '@ringfence/e2e';
import { whyNoBrokers } from '../../../tools/testing/kafka/brokers.ts';
import type { Bar } from '../report/bars.ts';
import { figure, median, table } from '../report/table.ts';
import { startLogTopics } from './log-topics.ts';
import { measureSite, type SiteFigures, warmUp } from './measure-site.ts';
import { printMachines } from './print-machines.ts';
import { fillMachine, whyNoQuota } from './quota.ts';
import { type Site, startSite } from './site.ts';

export interface ScaleOptions {
  /** Of a core: for one process and its share of PostgreSQL. */
  readonly percent: number;
  readonly seconds: number;
  readonly rounds: number;
  /** For each workspace. */
  readonly connections: number;
  /** Also with the bytes of the log in Kafka, on three brokers without a limit. */
  readonly kafka: boolean;
}

interface Form {
  readonly processes: number;
  readonly databases: number;
  readonly isSpread?: true;
  readonly isKafka?: true;
}

/** One process, and the sites that are measured beside it. */
interface Comparison {
  readonly one: Form;
  /** A form that is spread is another load for the site of the form before it. */
  readonly others: readonly Form[];
}

const oneProcess: Form = { processes: 1, databases: 1 };
const usual: readonly Comparison[] = [
  { one: oneProcess, others: [{ processes: 2, databases: 1 }] },
  {
    one: oneProcess,
    others: [
      { processes: 4, databases: 1 },
      { processes: 4, databases: 1, isSpread: true },
    ],
  },
  { one: oneProcess, others: [{ processes: 2, databases: 2 }] },
  { one: oneProcess, others: [{ processes: 4, databases: 2 }] },
];
const withKafka: Comparison = {
  one: { processes: 1, databases: 1, isKafka: true },
  others: [{ processes: 4, databases: 1, isKafka: true }],
};
/** Of a grant: what an event costs the service, and PostgreSQL, in about these shares. */
const serviceShare = 2 / 3;
/** Every process, group and database of two sites has one. */
const listenersMax = 64;
const throughputMin = 3.2;
const processorTimeMax = 1.15;

/**
 * How throughput and processor time change with the number of processes and workspaces, when each has the same small
 * grant of processor time, and PostgreSQL that number of grants. Then the machines that follow from it.
 */
export async function scale(options: ScaleOptions, print: (text: string) => void): Promise<readonly Bar[]> {
  const why = await whyNoQuota();
  if (why !== undefined) {
    print(`Not measured: ${why}\n`);
    return [];
  }
  const whyNot = options.kafka ? await whyNoBrokers() : undefined;
  if (whyNot !== undefined) print(`Not measured with Kafka: ${whyNot}\n`);
  const comparisons = options.kafka && whyNot === undefined ? [...usual, withKafka] : usual;
  const measured = await measureInTurns(comparisons, options, print);
  print(`\n${table(shown(measured, options))}\n`);
  print(printMachines(measured.find(({ form }) => form.processes === 4)!.figures));
  return barsOf(measured);
}

/** One process has its turn before and after each of the others: the machine's speed changes. */
async function measureInTurns(
  comparisons: readonly Comparison[],
  options: ScaleOptions,
  print: (text: string) => void,
): Promise<readonly Measured[]> {
  const receiver = await startWebhookReceiver();
  const filler = await fillMachine();
  // A signal ends this process in order, so that what is frozen goes on and can end too.
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1));
  process.setMaxListeners(listenersMax);
  const isAnyKafka = comparisons.some(({ one }) => one.isKafka);
  const logTopics = isAnyKafka ? await startLogTopics() : undefined;
  const turns = new Map<Form, Turn[]>();
  try {
    for (const comparison of comparisons) {
      // Started for each comparison: the code of a process that has decided more events before is faster.
      const sites = new Map<Form, Site>();
      try {
        for (const form of [comparison.one, ...comparison.others]) {
          const known = form.isSpread === true ? [...sites.values()].at(-1) : undefined;
          const plan = { ...form, webhookUrl: receiver.url, logTopics: form.isKafka && logTopics };
          const site = known ?? (await startSite(plan));
          sites.set(form, site);
          if (known !== undefined) continue;
          await warmUp(site, options);
          site.freeze(true);
        }
        await alternate({ comparison, sites, turns }, options, print);
      } finally {
        for (const site of new Set(sites.values())) {
          site.freeze(false);
          await site.stop();
        }
      }
    }
    return [...turns].map(([form, ofForm]) => ({ form, turns: ofForm, figures: medianOf(ofForm) }));
  } finally {
    await logTopics?.close();
    await filler.stop();
    await receiver.close();
  }
}

interface Alternation {
  readonly comparison: Comparison;
  readonly sites: ReadonlyMap<Form, Site>;
  /** What is measured is added to it. */
  readonly turns: Map<Form, Turn[]>;
}

async function alternate(
  { comparison: { one, others }, sites, turns }: Alternation,
  { percent, seconds, rounds, connections }: ScaleOptions,
  print: (text: string) => void,
): Promise<void> {
  const grant = { serviceCores: (percent * serviceShare) / 100, databaseCores: (percent * (1 - serviceShare)) / 100 };
  let run = 1;
  const measure = async (form: Form): Promise<SiteFigures> => {
    const site = sites.get(form)!;
    site.freeze(false);
    const { isSpread = false } = form;
    const figures = await measureSite(site, { ...grant, seconds, connections, isSpread, run: run++ });
    site.freeze(true);
    const { perSecond, serviceUs, databaseUs } = figures;
    print(`${nameOf(form)}: ${figure(perSecond)}/s, ${figure(serviceUs)} + ${figure(databaseUs)} us\n`);
    return figures;
  };
  const add = (form: Form, turn: Turn): void => void turns.set(form, [...(turns.get(form) ?? []), turn]);
  let before = await measure(one);
  add(one, { figures: before, beside: [before] });
  for (let round = 1; round <= rounds; round++) {
    for (const form of others) {
      const figures = await measure(form);
      const after = await measure(one);
      add(form, { figures, beside: [before, after] });
      add(one, { figures: after, beside: [after] });
      before = after;
    }
  }
}

function nameOf({ processes, databases, isSpread, isKafka }: Form): string {
  const more = `${isSpread === true ? ', any door' : ''}${isKafka === true ? ', Kafka' : ''}`;
  return `${processes} process${processes === 1 ? '' : 'es'}, ${databases} database${databases === 1 ? '' : 's'}${more}`;
}

/** One measurement, and those of `one` of its comparison right before and after it. */
interface Turn {
  readonly figures: SiteFigures;
  readonly beside: readonly SiteFigures[];
}

interface Measured {
  readonly form: Form;
  readonly turns: readonly Turn[];
  /** Each figure's median over the turns. */
  readonly figures: SiteFigures;
}

function medianOf(turns: readonly Turn[]): SiteFigures {
  const rounds = turns.map(({ figures }) => figures);
  const of = (read: (figures: SiteFigures) => number): number => median(rounds.map(read));
  return {
    perSecond: of(({ perSecond }) => perSecond),
    events: of(({ events }) => events),
    serviceUs: of(({ serviceUs }) => serviceUs),
    databaseUs: of(({ databaseUs }) => databaseUs),
    brokersUs: of(({ brokersUs }) => brokersUs),
    idleShare: of(({ idleShare }) => idleShare),
    usedByServices: of(({ usedByServices }) => usedByServices),
    usedByDatabases: of(({ usedByDatabases }) => usedByDatabases),
    networkBytes: of(({ networkBytes }) => networkBytes),
    failed: rounds.reduce((sum, { failed }) => sum + failed, 0),
  };
}

function shown(measured: readonly Measured[], { percent }: ScaleOptions): readonly (readonly string[])[] {
  return [
    [
      '',
      'granted',
      'used, service',
      'used, PostgreSQL',
      'without events',
      'decided/s',
      'times',
      'processor time',
      '/s for a core',
      'service',
      'PostgreSQL',
      'brokers',
      'network',
    ],
    ...measured.map((own) => {
      const { form, figures } = own;
      const cores = (form.processes * percent) / 100;
      const shares = [figures.usedByServices, figures.usedByDatabases, figures.idleShare];
      const times = [figures.serviceUs, figures.databaseUs, figures.brokersUs];
      return [
        nameOf(form),
        `${figure(cores)} cores`,
        ...shares.map((share) => `${figure(100 * share)} %`),
        figure(figures.perSecond),
        figure(timesOf(own, ({ perSecond }) => perSecond)),
        figure(timesOf(own, usOf)),
        figure(figures.perSecond / cores),
        ...times.map((us) => (us === 0 ? '' : `${figure(us)} us`)),
        `${figure(figures.networkBytes)} bytes`,
      ];
    }),
  ];
}

/** The median of what is measured, relative to one process at the same time. */
function timesOf({ turns }: Measured, of: (figures: SiteFigures) => number): number {
  return median(
    turns.map(({ figures, beside }) => (of(figures) * beside.length) / beside.reduce((sum, one) => sum + of(one), 0)),
  );
}

/** Processor time of an event. */
function usOf({ serviceUs, databaseUs }: SiteFigures): number {
  return serviceUs + databaseUs;
}

/** Four processes beside one, with Kafka beside one with Kafka. */
function barsOf(measured: readonly Measured[]): readonly Bar[] {
  const failed = measured.reduce((sum, { figures }) => sum + figures.failed, 0);
  const four = measured.filter(({ form }) => form.processes === 4 && form.isSpread === undefined);
  return [
    { what: 'responses other than 200', measured: failed, bar: 0, must: 'stay below', unit: '' },
    ...four.flatMap((four): readonly Bar[] => {
      const { form } = four;
      return [
        {
          what: `${nameOf(form)}: throughput over one process`,
          measured: timesOf(four, ({ perSecond }) => perSecond),
          bar: throughputMin,
          must: 'reach',
          unit: 'x',
        },
        {
          what: `${nameOf(form)}: processor time an event over one process`,
          measured: timesOf(four, usOf),
          bar: processorTimeMax,
          must: 'stay below',
          unit: 'x',
        },
      ];
    }),
  ];
}
