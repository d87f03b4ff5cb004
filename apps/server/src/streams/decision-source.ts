import { clientOf } from '@ringfence/contract';
import type { EventLog } from '@ringfence/log';
import type { Pool } from 'pg';
import { findEventsFrom } from '../api/events/event-query.ts';
import type { EventRow } from '../api/events/event-filter.ts';
import { printRow } from '../api/events/print-event.ts';
import { queriesOver } from '../platform/database/tables.ts';
import { eventId } from '../records/event-id.ts';
import { openDecision, openEvents, type ClientKeys, type OpenedEvent } from '../records/event-opener.ts';
import { exactJson } from '../records/exact-json.ts';
import { subjectsIn } from '../tenancy/subjects/client-seal.ts';
import type { SubjectKeys } from '../tenancy/subjects/subject-keys.ts';
import type { Workspace } from '../tenancy/workspaces/workspace.ts';
import { type Fact, type FactPage, type FactSource, nothingFound, workspaceText } from './fact.ts';
import { keyOfClient } from './message-key.ts';
import type { DecisionMessage } from './message-schemas.ts';

export interface SourceDeps {
  readonly pool: Pool;
  readonly log: Pick<EventLog, 'read'>;
  readonly subjects: Pick<SubjectKeys, 'bySubject'>;
}

/**
 * Decided events, in the order of the log. An operation that waits for its login holds up those behind it, for at most
 * the grace of its workspace: so the offset alone is the cursor.
 */
export function decisionSource(deps: SourceDeps): FactSource {
  const database = queriesOver(deps.pool);
  return {
    async read(workspace, from, limit): Promise<FactPage> {
      const to = workspace && (await decidedTo(deps.pool, workspace.id, from));
      if (workspace === undefined || to === undefined || to.end <= from) return nothingFound(from);
      const begin = Math.max(from, to.start);
      const rows = await findEventsFrom(database, workspace.id, { from: begin, to: to.end, limit });
      const keys = await deps.subjects.bySubject(workspace, subjectsIn(rows));
      const opened = await openEvents(deps.log, workspace, { offsets: rows.map(({ offset }) => offset), keys });
      const isMore = rows.length === limit;
      return {
        facts: rows.map((row) => factOf(workspace, row, { opened: opened.get(row.offset), keys })),
        next: isMore ? rows.at(-1)!.offset + 1 : to.end,
        isMore,
      };
    },
  };
}

/** The first offset that is kept, and the one behind the last event before which all are decided. */
async function decidedTo(
  pool: Pool,
  workspaceId: string,
  from: number,
): Promise<{ readonly start: number; readonly end: number } | undefined> {
  const found = await pool.query<{ start: number; end: number }>({
    name: 'stream_decided_to',
    text: `select l.start_offset as start,
                  least(e.next_offset, (select min(v."offset") from event v
                                         where v.workspace_id = $1 and v."offset" >= $2
                                           and v.status <> 'decided' and v.status = 'waiting')) as end
             from engine_position e join log_partition l on l.partition = e.workspace_id where e.workspace_id = $1`,
    values: [workspaceId, from],
  });
  return found.rows[0];
}

function factOf(
  workspace: Workspace,
  row: EventRow,
  { opened, keys }: { readonly opened: OpenedEvent | undefined; readonly keys: ClientKeys },
): Fact {
  const decision = openDecision(workspace, row, keys);
  const { epoch, offset, logged_at: loggedAt, decided_at: decidedAt } = row;
  const client = keyOfClient(workspace, opened && clientOf(opened.event));
  const message = {
    id: eventId(row, workspace),
    kind: 'decisions',
    workspace: workspaceText(workspace),
    sequence: offset,
    at: (decidedAt ?? loggedAt).toISOString(),
    epoch,
    offset,
    ...(client === undefined ? {} : { client }),
    event: {
      ...printRow(workspace, row, { opened, keys }),
      ...(opened === undefined ? {} : { received: exactJson(opened.bodyText), derived: opened.facts }),
      rules: decision?.fired ?? [],
      missing: decision?.missing ?? [],
      score: decision?.score ?? 0,
    },
  } satisfies DecisionMessage;
  return { position: offset, atMs: loggedAt.getTime(), key: client ?? workspace.id, message };
}
