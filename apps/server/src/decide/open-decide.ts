import { hostname } from 'node:os';
import type { Platform } from '../platform/open-platform.ts';
import { EngineHost, type EngineHostOptions } from './engine-host.ts';

export interface DecideContext
  extends
    Platform,
    Pick<
      EngineHostOptions,
      'thread' | 'metrics' | 'residentBytesMax' | 'onDecided' | 'onActionsDue' | 'onStatus' | 'onCrash'
    > {}

/** The deciding thread, which hears of every append of this process. */
export function openDecide(context: DecideContext): EngineHost {
  const { database, master, log, stages, thread, metrics, logger } = context;
  const { residentBytesMax, onDecided, onActionsDue, onStatus, onCrash } = context;
  const host = new EngineHost({
    thread,
    logger,
    metrics,
    residentBytesMax,
    onDecided,
    onActionsDue,
    onStatus,
    onCrash,
    database: database.connection,
    master: master.source,
    process: `${hostname()}:${process.pid}`,
  });
  stages.started(
    'engine host',
    () => host.stop(),
    () => host.cut(),
  );
  log.onAppend((...grown) => host.appended(...grown));
  return host;
}
