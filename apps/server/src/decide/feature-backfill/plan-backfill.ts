import { Problem } from '@ringfence/contract';
import type { EventLog } from '@ringfence/log';
import type { Pool } from 'pg';
import { queriesOver } from '../../platform/database/tables.ts';
import { firstOffset } from '../../records/first-offset.ts';
import { findSegment, type Segment } from '../../history/segments.ts';
import type { PlannedBackfill } from '../../tenancy/workspaces/backfill-rows.ts';
import { engineSettings } from '../../tenancy/workspaces/settings.ts';
import type { Workspace } from '../../tenancy/workspaces/workspace.ts';

/** The history that new features should begin with. */
export interface WarmFrom {
  /** The log from the first record at this instant on; `undefined`: all that is kept. */
  readonly sinceMs: number | undefined;
  /** Names of imported histories, whose events precede the log. */
  readonly history: readonly string[];
}

/**
 * Determines the history that new features begin with, for the switch's record to name. Without a history there is no
 * backfill.
 *
 * @throws Problem `thing.unknown` for an unknown history, `request.invalid` for two that overlap
 */
export async function planBackfill(
  deps: { readonly pool: Pool; readonly log: Pick<EventLog, 'head' | 'read'> },
  workspace: Workspace,
  from: WarmFrom | undefined,
): Promise<PlannedBackfill | undefined> {
  if (from === undefined) return undefined;
  const { sinceMs, history } = from;
  const segments = await Promise.all(history.map((name) => findSegment(deps.pool, workspace.id, name)));
  const ordered = segments.toSorted((a, b) => a.fromMs - b.fromMs);
  refuseOverlap(ordered);
  const { start, end } = await deps.log.head(workspace.id);
  const since =
    sinceMs === undefined ? start : await firstOffset(queriesOver(deps.pool), workspace.id, new Date(sinceMs));
  const fromOffset = Math.max(start, Math.min(since, end));
  const [first] = fromOffset < end ? await deps.log.read(workspace.id, fromOffset, 1) : [];
  return {
    history: {
      fromOffset,
      sinceMs: ordered[0]?.fromMs ?? first?.logTimeMs ?? 0,
      segments: ordered.map(({ id }) => id),
      settings: engineSettings({ settings: workspace.settings, channels: [...workspace.channels.values()] }),
    },
    total: ordered.reduce((sum, { events }) => sum + events, end - fromOffset),
  };
}

function refuseOverlap(ordered: readonly Segment[]): void {
  ordered.forEach((segment, at) => {
    const before = ordered[at - 1];
    if (before === undefined || before.toMs <= segment.fromMs) return;
    const detail = `The histories "${before.name}" and "${segment.name}" overlap.`;
    throw new Problem('request.invalid', detail, {
      errors: [{ pointer: '/warmFrom/history', detail, expected: 'histories that do not overlap' }],
    });
  });
}

/** Milliseconds of an instant with a time zone, or of a date in UTC; `undefined` for any other text. */
export function instantMs(text: string): number | undefined {
  const isInstant = /^\d{4}-\d{2}-\d{2}(T\d{2}:\d{2}(:\d{2}(\.\d{1,3})?)?(Z|[+-]\d{2}:\d{2}))?$/.test(text);
  const atMs = isInstant ? Date.parse(text) : Number.NaN;
  return Number.isNaN(atMs) ? undefined : atMs;
}
