import { hostname } from 'node:os';
import { pid } from 'node:process';
import type { Platform } from '../platform/open-platform.ts';
import type { Worker } from 'node:worker_threads';
import { EngineHost, type EngineHostOptions } from './engine-host.ts';
import { EngineHosts, sharedMetrics } from './engine-hosts.ts';
import { carryEventsOver } from '../records/event-ranges/carry-over.ts';

export interface DecideContext
  extends
    Platform,
    Pick<EngineHostOptions, 'metrics' | 'residentBytesMax' | 'onDecided' | 'onActionsDue' | 'onStatus' | 'onCrash'> {
  /** Loaded, not begun. */
  readonly threads: readonly Worker[];
}

/** The deciding threads, which hear of every append of this process. */
export function openDecide(context: DecideContext): EngineHosts {
  const { database, master, log, stages, threads, metrics, logger } = context;
  carryOver(context);
  const { residentBytesMax, onDecided, onActionsDue, onStatus, onCrash } = context;
  const metricsOfNext = sharedMetrics(metrics, (workspaceId) => hosts.decides(workspaceId));
  const all = threads.map(
    (thread, place) =>
      new EngineHost({
        thread,
        logger,
        metrics: metricsOfNext(),
        residentBytesMax,
        onDecided,
        onActionsDue,
        onStatus,
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
  log.onAppend((...grown) => hosts.appended(...grown));
  return hosts;
}

function carryOver({ database, logger, stages }: DecideContext): void {
  const stop = new AbortController();
  const moving = carryEventsOver({ connection: database.connection, logger, stop: stop.signal });
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
