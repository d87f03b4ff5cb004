import type { EpochMs } from '@ringfence/contract';
import type { EngineSettings, ListChange } from '@ringfence/engine';
import { HistoryWriter } from './history-bytes.ts';
import { type HistoryDeps, readHistory } from './read-history.ts';
import type { Segment } from './segments.ts';
import { engineSettings } from '../tenancy/workspaces/settings.ts';
import type { Workspace } from '../tenancy/workspaces/workspace.ts';
import { type PackedBatch, packPackedEvent, packRecord } from './record-codec.ts';

/** The content of live lists, and a note about it. */
interface ListsBefore {
  readonly changes: readonly ListChange[];
  readonly note: string | undefined;
}

export interface HistorySourceDeps extends HistoryDeps {
  /** The content of live lists from the first event on. */
  readonly lists?: ListsBefore;
}

/** Events of an imported history, numbered from 0 in time order, under the workspace's current settings. */
export class HistorySource {
  readonly total: number;
  readonly labelsAtOnce = true;
  readonly settings: EngineSettings;
  readonly #deps: HistorySourceDeps;
  readonly #workspace: Workspace;
  readonly #segment: Segment;
  readonly #lists: ListsBefore | undefined;

  constructor(deps: HistorySourceDeps, workspace: Workspace, segment: Segment) {
    this.#lists = deps.lists;
    this.#deps = deps;
    this.#workspace = workspace;
    this.#segment = segment;
    this.total = segment.events;
    this.settings = settingsOf(workspace, segment);
  }

  get lists(): readonly ListChange[] {
    return this.#lists?.changes ?? [];
  }

  /** The last batch is a tick, so that operations that still wait for their login are decided. */
  async *batches(): AsyncGenerator<PackedBatch> {
    const writer = new HistoryWriter();
    let offset = 0;
    let logTimeMs = 0 as EpochMs;
    for await (const events of readHistory(this.#deps, this.#workspace, this.#segment)) {
      const first = { offset, logTimeMs: events[0]!.atMs };
      for (const { atMs, kind, subject, packed } of events) {
        const place = { offset, logTimeMs: atMs, subject, retryOf: undefined };
        if (packed === undefined) packRecord(writer, { ...place, kind: 'unreadable', event: kind }, undefined);
        else packPackedEvent(writer, place, packed);
        logTimeMs = atMs;
        offset += 1;
      }
      yield { ...first, records: events.length, bytes: writer.take() };
    }
    const endMs = (logTimeMs + this.settings.sessionGraceMs) as EpochMs;
    packRecord(writer, { kind: 'tick', offset, logTimeMs: endMs }, undefined);
    yield { offset, logTimeMs: endMs, records: 0, bytes: writer.take() };
  }

  notes(): readonly string[] {
    const { logins } = this.#segment.totals;
    return [...(logins > 0 ? [] : [withoutLogins]), ...(this.#lists?.note === undefined ? [] : [this.#lists.note])];
  }
}

const withoutLogins =
  'The history has no logins, so no operation of it is expected to belong to a session, whatever the channels say.';

/** Actions are decided as if they were sent, so that the caps of rules apply. */
function settingsOf({ settings, channels }: Workspace, segment: Segment): EngineSettings {
  const present = engineSettings({ settings: { ...settings, deliver: 'live' }, channels: [...channels.values()] });
  return historySettings(present, segment);
}

/** Settings for stepping a history: without any login, no operation is expected to have a session. */
export function historySettings(present: EngineSettings, { totals }: Segment): EngineSettings {
  if (totals.logins > 0) return present;
  return {
    ...present,
    sessionGraceMs: 0,
    sessionDefaults: { ...present.sessionDefaults, sessions: 'optional' },
    channels: Object.fromEntries(
      Object.entries(present.channels).map(([id, channel]) => [id, { ...channel, sessions: 'optional' }]),
    ),
  };
}
