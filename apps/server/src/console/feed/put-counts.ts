import type { ClientBase } from 'pg';
import type { WarningCode } from '../event-index/event-warnings.ts';

/** The events of a batch: a range of offsets, and others that had waited for their login. */
export interface FedRange {
  readonly workspaceId: string;
  /** The first offset, and the one after the last. */
  readonly from: number;
  readonly to: number;
  readonly late: readonly number[];
  /** Configured channels. */
  readonly channels: readonly number[];
}

const keyLengthMax = 64;
/** Channels kept for a workspace in addition to the configured ones: a sender's mistake must not fill the table. */
const unknownChannelsMax = 256;
const unknownChannel: WarningCode = 'channel.unknown';
const unmatchedSession: WarningCode = 'session.unmatched';

/** Notes the channels of the batch in `channel_seen`. */
const seenChannel = `
  insert into channel_seen as s (workspace_id, channel_id, configured, first_seen_at, last_seen_at, events)
  select $1, channel_id, channel_id = any ($5::integer[]), min(first_at), max(last_at), sum(count)
    from alike
   where channel_id is not null
     and (channel_id = any ($5::integer[])
          or channel_id in (select channel_id from channel_seen where workspace_id = $1)
          or (select count(*) from channel_seen where workspace_id = $1) < ${unknownChannelsMax})
   group by channel_id order by channel_id
  on conflict (workspace_id, channel_id) do update
    set configured = excluded.configured, last_seen_at = excluded.last_seen_at, events = s.events + excluded.events`;

const columns = `kind, channel_id, logged_at, "offset", epoch, status, fired, shadow, mismatch, warnings, session_index is not null as names_session`;
const minute = `date_bin('1 minute', logged_at, 'epoch')`;
const decision = `
  case when status = 'repeat' then 'repeat' when status <> 'decided' then 'aside' when fired <> '{}' then 'fired'
       when shadow <> '{}' then 'shadow' else 'quiet' end`;

/**
 * Adds a batch to the counts by minute and by hour, and stores the last event of each warning and of each channel. The
 * database counts, so the cost does not grow with the content of events. All batches change counts in the same order,
 * so that they cannot deadlock.
 *
 *   event     kind
 *   channel   number
 *   country   of a login's address, ISO 3166
 *   device    platform of a login's device
 *   decision  fired, shadow, quiet, repeat, aside
 *   rule      reason of a live rule that fired
 *   shadow    reason of a shadow rule that fired
 *   mismatch  why an operation found no session
 *   warning   what an integrator should correct
 *   action    state of an action decided in that period, `open` while it is under way; see console-feed.ts
 */
export async function putCounts(client: ClientBase, range: FedRange): Promise<void> {
  await client.query({
    name: 'feed_counts',
    // Most events of a batch are alike, so what every event has is counted once, for all names together.
    text: `with came as materialized (
             select ${columns} from event where workspace_id = $1 and "offset" >= $2 and "offset" < $3
           ), alike as materialized (
             select kind, channel_id, status <> 'waiting' as is_decided, ${decision} as decision, ${minute} as at,
                    count(*) as count, min(logged_at) as first_at, max(logged_at) as last_at
               from came group by 1, 2, 3, 4, 5
           ), late as materialized (
             select ${columns} from event where workspace_id = $1 and "offset" = any($4::bigint[])
           ), decided as materialized (
             select * from came where status <> 'waiting' and (fired <> '{}' or shadow <> '{}' or mismatch is not null)
             union all
             select * from late
           ), warned as materialized (
             select w.code, c.logged_at, c."offset", c.epoch
               from came c cross join unnest(c.warnings) as w(code) where c.warnings is not null
             union all
             select '${unknownChannel}', logged_at, "offset", epoch from came where channel_id <> all ($5::integer[])
             union all
             select '${unmatchedSession}', logged_at, "offset", epoch from decided
              where mismatch is not null and names_session and kind = 'operation'
           ), seen as (
             delete from console_seen where workspace_id = $1 and "offset" >= $2 and "offset" < $3 returning at, name, key, count
           ), last_warned as (
             insert into console_warning as w (workspace_id, code, at, "offset", epoch)
             select distinct on (code) $1, code, logged_at, "offset", epoch from warned order by code, "offset" desc
             on conflict (workspace_id, code) do update
               set at = excluded.at, "offset" = excluded."offset", epoch = excluded.epoch where excluded.at >= w.at
           ), seen_channel as (${seenChannel}
           ), counted as materialized (
             select 'event' as name, kind as key, at, count from alike
             union all
             select 'channel', channel_id::text, at, count from alike where channel_id is not null
             union all
             select 'decision', decision, at, count from alike where is_decided
             union all
             select 'decision', ${decision}, ${minute}, 1 from late
             union all
             select name, left(key, ${keyLengthMax}), at, count from seen
             union all
             select 'rule', r::text, ${minute}, count(*) from decided, unnest(fired) r group by 2, 3
             union all
             select 'shadow', r::text, ${minute}, count(*) from decided, unnest(shadow) r group by 2, 3
             union all
             select 'mismatch', mismatch, ${minute}, count(*) from decided where mismatch is not null group by 2, 3
             union all
             select 'warning', code, ${minute}, count(*) from warned group by 2, 3
           )
           insert into console_count as c (workspace_id, span, at, name, key, count)
           select $1, s.span, date_bin(make_interval(secs => s.span), counted.at, 'epoch'), name, key, sum(count)
             from counted, (values (60), (3600)) as s(span)
            group by 2, 3, 4, 5 order by 2, 3, 4, 5
           on conflict (workspace_id, span, at, name, key) do update set count = c.count + excluded.count`,
    values: [range.workspaceId, range.from, range.to, range.late, range.channels],
  });
}
