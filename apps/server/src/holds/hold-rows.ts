import { formatDecimal, type Decimal } from '@ringfence/contract';
import { actionId } from '@ringfence/delivery';
import type { HoldEffect, HoldJoined, HoldKept, HoldLeft, HoldOpened, HoldResolved } from '@ringfence/engine';
import type { ClientBase } from 'pg';
import { notifyHolds } from './hold-channel.ts';

/** What happened to a hold, with the epochs of the events that it names by their offsets. */
export interface HoldRow {
  readonly effect: HoldEffect;
  readonly epochs: ReadonlyMap<number, number>;
}

/** Writes what happened to holds, in order, in the transaction of the batch. */
export async function writeHolds(client: ClientBase, workspaceId: string, rows: readonly HoldRow[]): Promise<void> {
  for (const { effect, epochs } of rows) {
    switch (effect.kind) {
      case 'holdOpened':
        await open(client, workspaceId, { effect, epochs });
        break;
      case 'holdJoined':
        await join(client, workspaceId, { effect, epochs });
        break;
      case 'holdKept':
        await keep(client, workspaceId, effect);
        break;
      case 'holdLeft':
        await leave(client, workspaceId, effect);
        break;
      case 'holdResolved':
        await resolve(client, workspaceId, { effect, epochs });
        break;
    }
  }
  await notifyHolds(client, workspaceId);
}

interface Of<Effect extends HoldEffect> {
  readonly effect: Effect;
  readonly epochs: ReadonlyMap<number, number>;
}

async function open(client: ClientBase, workspaceId: string, { effect, epochs }: Of<HoldOpened>): Promise<void> {
  const { hold, subject, channelId, amount, currency, otherwise, atMs, dueMs } = effect;
  const epoch = epochs.get(hold.offset)!;
  const id = actionId({ workspaceId, epoch, ...hold });
  await client.query({
    name: 'hold_open',
    text: `with opened as (
             insert into hold (workspace_id, id, epoch, "offset", reason, position, subject, channel_id, amount, currency,
                               otherwise, opened_at, due_at)
             values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, to_timestamp($12 / 1000.0), to_timestamp($13 / 1000.0))
             on conflict do nothing)
           insert into hold_member (workspace_id, hold_id, "offset", epoch, webhook_id, joined_at)
           values ($1, $2, $4, $3, $2, to_timestamp($12 / 1000.0)) on conflict do nothing`,
    values: [
      workspaceId,
      id,
      epoch,
      hold.offset,
      hold.reason,
      hold.position,
      subject,
      channelId,
      amount === undefined ? null : formatDecimal(amount as Decimal),
      currency ?? null,
      otherwise,
      atMs,
      dueMs,
    ],
  });
}

/** Open holds of the same events exist once: a restore takes the rows back with the log. */
const openHold = `workspace_id = $1 and "offset" = $2 and reason = $3 and position = $4 and state = 'open'`;

function keyOf(workspaceId: string, { hold }: HoldEffect): readonly unknown[] {
  return [workspaceId, hold.offset, hold.reason, hold.position];
}

async function join(client: ClientBase, workspaceId: string, { effect, epochs }: Of<HoldJoined>): Promise<void> {
  const { member, otherwise, atMs, dueMs } = effect;
  const epoch = epochs.get(member.offset)!;
  await client.query({
    name: 'hold_join',
    text: `with joined as (
             update hold set otherwise = $5, due_at = to_timestamp($6 / 1000.0) where ${openHold} returning id)
           insert into hold_member (workspace_id, hold_id, "offset", epoch, webhook_id, joined_at)
           select $1, id, $7, $8, $9, to_timestamp($10 / 1000.0) from joined on conflict do nothing`,
    values: [
      ...keyOf(workspaceId, effect),
      otherwise,
      dueMs,
      member.offset,
      epoch,
      actionId({ workspaceId, epoch, ...member }),
      atMs,
    ],
  });
}

/** A payment that would have been released by now needs a person. */
async function keep(client: ClientBase, workspaceId: string, effect: HoldKept): Promise<void> {
  await client.query({
    name: 'hold_keep',
    text: `update hold set kept_because = $5, due_at = to_timestamp($6 / 1000.0), alerted = ($5 = 'policy')
            where ${openHold}`,
    values: [...keyOf(workspaceId, effect), effect.because, effect.dueMs],
  });
}

async function leave(client: ClientBase, workspaceId: string, effect: HoldLeft): Promise<void> {
  await client.query({
    name: 'hold_leave',
    text: `update hold_member m set resolution = $5, ended_at = to_timestamp($6 / 1000.0)
             from hold h
            where h.workspace_id = $1 and h."offset" = $2 and h.reason = $3 and h.position = $4 and h.state = 'open'
              and m.hold_id = h.id and m."offset" = $7 and m.resolution is null`,
    values: [...keyOf(workspaceId, effect), effect.resolution, effect.atMs, effect.member.offset],
  });
}

/**
 * Ends a hold with its members. A decision that waits for a second person is over; if the bank did not wait for it, the
 * hold says so.
 */
async function resolve(client: ClientBase, workspaceId: string, { effect, epochs }: Of<HoldResolved>): Promise<void> {
  const { resolution, by, author, atMs, actions } = effect;
  const sent = actions.map(({ offset, reason, position }) => {
    const epoch = epochs.get(offset)!;
    return { offset, id: actionId({ workspaceId, epoch, offset, reason, position }) };
  });
  await client.query({
    name: 'hold_resolve',
    text: `with ended as (
             update hold
                set state = $5, resolved_by = $6, author = $7, resolved_at = to_timestamp($8 / 1000.0),
                    bypassed = ($6 = 'bank' and exists (
                      select 1 from hold_decision d where d.hold_id = hold.id and d.state = 'second'))
              where ${openHold} returning id),
           over as (
             update hold_decision d set state = 'refused' from ended
              where d.hold_id = ended.id and d.state in ('undoable', 'second'))
           update hold_member m
              set resolution = $5, ended_at = to_timestamp($8 / 1000.0), resolved_with = s.id
             from ended, hold_member all_members
             left join unnest($9::bigint[], $10::text[]) as s ("offset", id) on s."offset" = all_members."offset"
            where all_members.hold_id = ended.id and m.hold_id = ended.id and m."offset" = all_members."offset"
              and m.resolution is null`,
    values: [
      ...keyOf(workspaceId, effect),
      resolution,
      by,
      author ?? null,
      atMs,
      sent.map(({ offset }) => offset),
      sent.map(({ id }) => id),
    ],
  });
}
