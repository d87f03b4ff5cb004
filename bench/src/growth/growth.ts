import { inThread } from '../measure/in-thread.ts';
import type { Bar } from '../report/bars.ts';
import { figure, table } from '../report/table.ts';
import type { Grown, GrownOptions } from './grown.ts';

export interface GrowthOptions {
  readonly clients: number;
  /** Events per client, on the average. */
  readonly each: number;
  readonly seed: number;
}

/** One for each run, so that none finds what another has left on its heap. */
const thread = new URL('growth-thread.ts', import.meta.url);
/** How many clients the others are compared with, and events until both have warmed up alike. */
const fewClients = 10_000;
const fewEvents = 1_000_000;
const rssGbMax = 1.5;
const shareMin = 0.5;
const stopMsMax = 50;
const restartMsMax = 5_000;

/** How the engine grows with its state: many clients of whom few are busy, ten features each, beside ten thousand. */
export async function growth(options: GrowthOptions, print: (text: string) => void): Promise<readonly Bar[]> {
  const { clients, each, seed } = options;
  const run = (of: GrownOptions): Promise<Grown> => inThread(thread, of, print);
  // First the one whose memory is told: what a thread has given back may stay with the process.
  const many = await run({ clients, events: clients * each, seed });
  const few = await run({ clients: fewClients, events: fewEvents, seed });
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
