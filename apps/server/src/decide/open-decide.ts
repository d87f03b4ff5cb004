import { hostname } from 'node:os';
import { pid } from 'node:process';
import type { Platform } from '../platform/open-platform.ts';
import type { MessagePort, Worker } from 'node:worker_threads';
import { EngineHost, type EngineHostOptions, type HostMetrics } from './engine-host.ts';
import { EngineHosts } from './engine-hosts.ts';
import { carryEventsOver } from '../records/event-ranges/carry-over.ts';

export interface DecideContext
  extends Platform, Pick<EngineHostOptions, 'residentBytesMax' | 'weights' | 'onActionsDue' | 'onCrash'> {
  /** Makes the metrics of each thread. */
  readonly metricsOfNext: () => HostMetrics;
  /** Loaded, not begun. */
  readonly threads: readonly Worker[];
  /** The ports of each thread to those that take events. */
  readonly ingest: readonly (readonly MessagePort[])[];
}

/** The deciding threads. */
export function openDecide(context: DecideContext): EngineHosts {
  const { database, master, stages, threads, metricsOfNext, logger } = context;
  carryOver(context);
  const { residentBytesMax, weights, onActionsDue, onCrash } = context;
  const all = threads.map(
    (thread, place) =>
      new EngineHost({
        thread,
        ingest: context.ingest[place] ?? [],
        logger,
        metrics: metricsOfNext(),
        residentBytesMax,
        weights,
        onActionsDue,
        onCrash,
        database: database.connection,
        master: master.source,
        process: nameOf(place),
        retains: place === 0,
      }),
  );
  const hosts = new EngineHosts(all);
  stages.started(
    'engine host',
    () => hosts.stop(),
    () => hosts.cut(),
  );
  return hosts;
}

function carryOver({ pool, logger, stages }: DecideContext): void {
  const stop = new AbortController();
  const moving = carryEventsOver({ pool, logger, stop: stop.signal });
  stages.started('carry-over of events', async () => {
    stop.abort();
    await moving;
  });
}

/** The name of a thread in the table of owners: the first one has that of the process. */
function nameOf(place: number): string {
  const process = `${hostname()}:${pid}`;
  return place === 0 ? process : `${process}/${place + 1}`;
}
