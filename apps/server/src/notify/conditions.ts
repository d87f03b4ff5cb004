/**
 * What is the case in a workspace right now, as far as a destination wants to know it. Each condition has a key: while
 * it stays, it is not told again. What was told is over only at half of its threshold, so that a value around the
 * threshold does not make a message each minute.
 */
import { dayMs, hourMs, minuteMs, secondMs } from '@ringfence/contract';
import { stabilityAlarms } from '@ringfence/models';
import type { ClientBase } from 'pg';
import { overdueSinceMs } from '../console/alerts/due-time.ts';
import { type ModelDrift, readNewestDrift } from '../decide/model-days.ts';
import type { Facts, Note } from '../notifications/notification-outbox.ts';
import type { DestinationSettings, NotificationEvent } from '../notifications/notification-settings.ts';
import type { Backlog } from '../platform/observability/backlog.ts';
import type { Workspace } from '../tenancy/workspaces/workspace.ts';
import { expectedFirings, isSpike, type RuleCounts } from './rule-spike.ts';

export interface Condition extends Pick<Note, 'event' | 'subject' | 'facts'> {
  readonly key: string;
}

/** Events that are conditions of the whole workspace; the others come from sources. */
export type ConditionEvent = Exclude<NotificationEvent, 'alert' | 'mention' | 'assignment'>;

interface Looked {
  readonly client: ClientBase;
  readonly workspace: Pick<Workspace, 'id' | 'settings'>;
  readonly nowMs: number;
  readonly backlogs: () => Promise<readonly Backlog[]>;
}

/** Most conditions of one kind: more are one fault. */
const conditionsMax = 100;
/** Fewer answers say nothing about a share. */
const answersMin = 10;
/** An alert waits too long after this where neither the destination nor the workspace says when. */
const dueMinutesDefault = 60;

/** The conditions of one workspace; what several destinations ask for is read once. */
export class WorkspaceConditions {
  readonly #looked: Looked;
  readonly #known = new Map<string, Promise<unknown>>();
  #drift: Promise<readonly ModelDrift[]> | undefined;

  constructor(looked: Looked) {
    this.#looked = looked;
  }

  /** @param told the keys that were told and are not over */
  async of(events: DestinationSettings['events'], told: ReadonlySet<string>): Promise<readonly Condition[]> {
    const found: (readonly Condition[])[] = [];
    if (events.queueAge !== undefined) found.push(await this.#queueAge(events.queueAge, told));
    if (events.ruleSpike !== undefined) found.push(await this.#spikes(events.ruleSpike, told));
    if (events.modelDrift !== undefined) found.push(await this.#drifts(events.modelDrift.hundredths / 100, told));
    if (events.webhook !== undefined) found.push(await this.#webhook(events.webhook.notExecutedPercent, told));
    if (events.engineLag !== undefined) found.push(await this.#engineLag(events.engineLag.seconds, told));
    if (events.approval !== undefined) found.push(await this.approvals());
    if (events.hold !== undefined) found.push(await this.#holds(events.hold.minutes));
    if (events.resolution !== undefined) found.push(await this.#resolutions(events.resolution.minutes));
    return found.flat();
  }

  /** Policies that wait for a second person; those that decide already, in an emergency, say until when. */
  async approvals(): Promise<readonly Condition[]> {
    const rows = await this.#read<ApprovalRow>(
      `select id, version, asked_by, emergency_by, expires_at, state from policy_request
        where workspace_id = $1 and state in ('open', 'emergency') order by seq limit ${conditionsMax}`,
    );
    return rows.map(({ id, version, asked_by: asked, emergency_by, expires_at, state }) =>
      state === 'open'
        ? condition('approval', id, { request: id, version, by: asked })
        : // Another condition than its request, which may have been told before.
          condition('approval', `${id}:emergency`, {
            request: id,
            version,
            by: emergency_by ?? asked,
            until: expires_at?.toISOString() ?? '',
          }),
    );
  }

  /** The oldest alert has waited for its minutes, of which only those in business hours count. */
  async #queueAge({ minutes }: { minutes?: number }, told: ReadonlySet<string>): Promise<readonly Condition[]> {
    const { nowMs, workspace } = this.#looked;
    const { timezone, alerts } = workspace.settings;
    const dueMinutes = limit(minutes ?? alerts?.dueMinutes ?? dueMinutesDefault, told.has('queueAge'));
    const overdueMs = overdueSinceMs({ timezone, alerts: { ...alerts, dueMinutes } }, nowMs);
    const [row] = await this.#read<{ open: number; oldest: Date | null }>(
      `select count(*)::integer as open, min(opened_at) as oldest from alert where workspace_id = $1 and state = 'open'`,
    );
    if (row === undefined || row.oldest === null) return [];
    if (overdueMs === undefined || row.oldest.getTime() > overdueMs) return [];
    const waited = Math.floor((nowMs - row.oldest.getTime()) / minuteMs);
    return [condition('queueAge', '', { minutes: waited, open: row.open })];
  }

  async #spikes(
    { window, factor, minimum }: NonNullable<DestinationSettings['events']['ruleSpike']>,
    told: ReadonlySet<string>,
  ): Promise<readonly Condition[]> {
    const windowMinutes = window === '1h' ? 60 : 5;
    const counts = await this.#ruleCounts(windowMinutes);
    return [...counts].flatMap(([rule, of]) => {
      const isTold = told.has(`ruleSpike:${rule}`);
      if (!isSpike(of, { windowMinutes, factor, minimum, isTold })) return [];
      const expected = Math.round(expectedFirings(of, windowMinutes) * 10) / 10;
      return [condition('ruleSpike', rule, { rule: Number(rule), count: of.count, minutes: windowMinutes, expected })];
    });
  }

  /** Counts of every rule that fired in the window, by its reason; none in the first day of a workspace. */
  async #ruleCounts(windowMinutes: number): Promise<ReadonlyMap<string, RuleCounts>> {
    const { nowMs } = this.#looked;
    const [first] = await this.#read<{ at: Date | null }>(
      `select min(at) as at from console_count where workspace_id = $1 and span = 3600`,
    );
    const days = Math.min(7, Math.floor((nowMs - (first?.at?.getTime() ?? nowMs)) / dayMs));
    if (days < 1) return new Map();
    const minute = Math.floor(nowMs / minuteMs) * minuteMs;
    const recent = await this.#read<{ key: string; count: number }>(
      `select key, sum(count)::integer as count from console_count
        where workspace_id = $1 and span = 60 and at > $2 and at <= $3 and name = 'rule' group by key`,
      [new Date(minute - windowMinutes * minuteMs), new Date(minute)],
    );
    if (recent.length === 0) return new Map();
    const hours = await this.#hoursOfWeek(days);
    return new Map(
      recent.map(({ key, count }) => {
        const of = (step: number): number => hours.get(`${key} ${step}`) ?? 0;
        return [key, { count, days, hours: [of(-1), of(0), of(1)] as const }];
      }),
    );
  }

  /** Firings by rule and hour of the day (-1, 0, 1 around now), summed over the last days. */
  async #hoursOfWeek(days: number): Promise<ReadonlyMap<string, number>> {
    const hour = Math.floor(this.#looked.nowMs / hourMs) * hourMs;
    const steps = [-1, 0, 1].flatMap((step) =>
      Array.from({ length: days }, (_, day) => ({ step, at: new Date(hour + step * hourMs - (day + 1) * dayMs) })),
    );
    const rows = await this.#read<{ key: string; step: number; count: number }>(
      `select c.key, s.step, sum(c.count)::integer as count
         from unnest($2::integer[], $3::timestamptz[]) as s(step, at)
         join console_count c on c.workspace_id = $1 and c.span = 3600 and c.at = s.at and c.name = 'rule'
        group by c.key, s.step`,
      [steps.map(({ step }) => step), steps.map(({ at }) => at)],
    );
    return new Map(rows.map(({ key, step, count }) => [`${key} ${step}`, count]));
  }

  /** The input, or the result, of each model that is farthest from its training. An alarm follows a warning. */
  async #drifts(threshold: number, told: ReadonlySet<string>): Promise<readonly Condition[]> {
    const { client, workspace, nowMs } = this.#looked;
    this.#drift ??= readNewestDrift(client, { workspaceIds: [workspace.id], nowMs });
    return (await this.#drift).flatMap(({ model, day, inputs }) => {
      const most = inputs.reduce((a, b) => (b.index > a.index ? b : a));
      const alarm = `${model}:alarm`;
      const isAlarm = most.index >= limit(Math.max(threshold, stabilityAlarms), told.has(`modelDrift:${alarm}`));
      if (!isAlarm && most.index < limit(threshold, told.has(`modelDrift:${model}`))) return [];
      const input = most.input === '' ? {} : { input: most.input };
      const facts = { model, day, index: Math.round(most.index * 1_000) / 1_000, ...input };
      return [condition('modelDrift', isAlarm ? alarm : model, { ...facts, level: isAlarm ? 'alarm' : 'warning' })];
    });
  }

  async #webhook(percent: number, told: ReadonlySet<string>): Promise<readonly Condition[]> {
    const found: Condition[] = [];
    const [breaker] = await this.#read<{ state: string }>(
      `select state from endpoint where workspace_id = $1 and state <> 'closed'`,
    );
    if (breaker !== undefined) found.push(condition('webhook', 'failing', { state: breaker.state }));
    const counts = await this.#read<{ key: string; count: number }>(
      `select key, sum(count)::integer as count from console_count
        where workspace_id = $1 and span = 60 and at > $2 and name = 'action' and key in ('executed', 'notExecuted')
        group by key`,
      [new Date(this.#looked.nowMs - hourMs)],
    );
    const of = new Map(counts.map(({ key, count }) => [key, count]));
    const declined = of.get('notExecuted') ?? 0;
    const answered = declined + (of.get('executed') ?? 0);
    const isTold = told.has('webhook:declined');
    if (answered >= answersMin && (100 * declined) / answered >= limit(percent, isTold)) {
      found.push(condition('webhook', 'declined', { declined, answered }));
    }
    return found;
  }

  async #engineLag(seconds: number, told: ReadonlySet<string>): Promise<readonly Condition[]> {
    const all = await this.#looked.backlogs();
    const lagMs = all.find(({ id }) => id === this.#looked.workspace.id)?.lagMs ?? 0;
    if (lagMs < limit(seconds, told.has('engineLag')) * secondMs) return [];
    return [condition('engineLag', '', { seconds: Math.round(lagMs / secondMs) })];
  }

  async #holds(minutes: number): Promise<readonly Condition[]> {
    const rows = await this.#read<HoldRow>(
      `select id, subject, amount, currency, due_at from hold
        where workspace_id = $1 and state = 'open' and due_at <= $2 and kept_because is null
        order by due_at limit ${conditionsMax}`,
      [new Date(this.#looked.nowMs + minutes * minuteMs)],
    );
    return rows.map(({ id, subject, amount, currency, due_at: due }) => ({
      ...condition('hold', id, { hold: id, ends: due.toISOString(), ...moneyOf(amount, currency) }),
      subject,
    }));
  }

  async #resolutions(minutes: number): Promise<readonly Condition[]> {
    const rows = await this.#read<{ id: string; subject: string | null; resolves: string; state: string }>(
      `select id, subject, resolves, state from action
        where workspace_id = $1 and resolves is not null
          and state in ('waiting', 'due', 'leased', 'notExecuted', 'dead', 'expired') and decided_at <= $2
        order by seq limit ${conditionsMax}`,
      [new Date(this.#looked.nowMs - minutes * minuteMs)],
    );
    return rows.map(({ id, subject, resolves, state }) => ({
      ...condition('resolution', id, { action: id, hold: resolves, state }),
      subject: subject ?? undefined,
    }));
  }

  #read<Row extends object>(text: string, values: readonly unknown[] = []): Promise<readonly Row[]> {
    const asked = JSON.stringify([text, values]);
    const known = this.#known.get(asked) as Promise<readonly Row[]> | undefined;
    if (known !== undefined) return known;
    const { client, workspace } = this.#looked;
    const reading = client.query<Row>(text, [workspace.id, ...values]).then(({ rows }) => rows);
    this.#known.set(asked, reading);
    return reading;
  }
}

interface ApprovalRow {
  readonly id: string;
  readonly version: number;
  readonly asked_by: string;
  readonly emergency_by: string | null;
  readonly expires_at: Date | null;
  readonly state: 'open' | 'emergency';
}

interface HoldRow {
  readonly id: string;
  readonly subject: string;
  readonly amount: string | null;
  readonly currency: string | null;
  readonly due_at: Date;
}

function condition(event: ConditionEvent, what: string, facts: Facts): Condition {
  return { event, key: what === '' ? event : `${event}:${what}`, facts };
}

function limit(threshold: number, isTold: boolean): number {
  return isTold ? threshold / 2 : threshold;
}

/** An amount with its currency, if there is one. Amounts are not personal. */
export function moneyOf(amount: string | null, currency: string | null): Facts {
  return { ...(amount === null ? {} : { amount }), ...(currency === null ? {} : { currency }) };
}
