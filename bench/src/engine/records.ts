import type { EpochMs } from '@ringfence/contract';
import { defaultSettings, type EngineRecord, type EngineSettings } from '@ringfence/engine';
import type { Policy } from '@ringfence/policy';
import type { HistoryEvent } from '../handbook/history.ts';

/** The records before the first event of a log: settings, which may override the defaults, and the policy. */
export function firstRecords(
  policy: Policy,
  atMs: number,
  settings: Partial<EngineSettings> = {},
): readonly EngineRecord[] {
  const logTimeMs = atMs as EpochMs;
  return [
    { kind: 'settings', offset: 0, logTimeMs, settings: { ...defaultSettings, deliver: 'live', ...settings } },
    { kind: 'policy', offset: 1, logTimeMs, version: 1, policy },
  ];
}

/** As opened by the host: parsed from JSON, so that every text is a plain string. */
export function recordOf({ atMs, ...told }: HistoryEvent, offset: number): EngineRecord {
  const { event, enrichment, subject, bodyHash } = JSON.parse(JSON.stringify(told)) as Omit<HistoryEvent, 'atMs'>;
  return { kind: 'event', offset, logTimeMs: atMs, event, enrichment, subject, bodyHash, retryOf: undefined };
}
