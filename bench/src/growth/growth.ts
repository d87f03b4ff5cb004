import type { Bar } from '../report/bars.ts';
import { figure, table } from '../report/table.ts';
import type { Grown } from './grown.ts';
import { turnCount } from './run.ts';
import { Side } from './side.ts';

export interface GrowthOptions {
  readonly clients: number;
  /** Events per client, on average. */
  readonly each: number;
  readonly seed: number;
}

/** The number of clients of the other side, and the events until both have warmed up. */
const fewClients = 10_000;
const fewEvents = 1_000_000;
const rssGbMax = 1.5;
const shareMin = 0.5;
const stopMsMax = 50;
const restartMsMax = 5_000;

/**
 * How the engine scales with its state: many clients, of whom few are busy, with ten features each, compared with ten
 * thousand.
 */
export async function growth(options: GrowthOptions, print: (text: string) => void): Promise<readonly Bar[]> {
  const { clients, each, seed } = options;
  const sides = [
    new Side({ clients, events: clients * each, seed }, print),
    new Side({ clients: fewClients, events: fewEvents, seed }, print),
  ] as const;
  // In alternating turns, because the machine's speed changes from minute to minute.
  for (let turn = 0; turn < turnCount; turn++) for (const side of sides) await side.turn();
  const [many, few] = [await sides[0].end(), await sides[1].end()];
  const gb = (bytes: number): number => bytes / 1e9;
  const row = (name: string, of: Grown): readonly string[] => [
    name,
    figure(of.perSecond),
    figure(gb(of.rssBytesMax)),
    `${figure(of.stopMsMax)} ms`,
    `${figure(of.stopCpuMsMax)} ms`,
    figure(of.resident),
    figure(of.stored),
    figure(of.asked),
    `${figure(of.restartMs)} ms`,
  ];
  print(
    table([
      [
        'clients',
        'per processor second',
        'RSS GB',
        'longest stop',
        'its processor time',
        'in memory',
        'stored',
        'asked for',
        'restart',
      ],
      row(figure(fewClients), few),
      row(figure(clients), many),
    ]),
  );
  const bar = (what: string, measured: number, rest: Pick<Bar, 'bar' | 'must' | 'unit'>): Bar => ({
    what,
    measured,
    ...rest,
  });
  return [
    bar('memory', gb(many.rssBytesMax), { bar: rssGbMax, must: 'stay below', unit: 'GB RSS' }),
    bar(`beside ${figure(fewClients)} clients`, many.perSecond / few.perSecond, {
      bar: shareMin,
      must: 'reach',
      unit: 'of the throughput',
    }),
    bar('longest stop, checkpoints on, processor time', many.stopCpuMsMax, {
      bar: stopMsMax,
      must: 'stay below',
      unit: 'ms',
    }),
    bar('first decision after a restart', many.restartMs, { bar: restartMsMax, must: 'stay below', unit: 'ms' }),
  ];
}
