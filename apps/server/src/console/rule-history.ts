import type { Pool } from 'pg';
import { labelsMax } from './rule-health.ts';

/** What a rule did on one day, in the time zone of the workspace. */
export interface RuleDay {
  readonly atMs: number;
  /** Events on which it fired live, also within its cooldown; in shadow. */
  readonly fired: number;
  readonly shadow: number;
  /** Events of this day on which it fired, by label. */
  readonly fraud: number;
  readonly legitimate: number;
}

/** What a rule did under one version, as of the last checkpoint. */
export interface RuleVersion {
  readonly version: number;
  readonly fired: number;
  readonly shadow: number;
  readonly suppressed: number;
  readonly missing: number;
  readonly fraud: number;
  readonly legitimate: number;
}

export interface RuleHistory {
  readonly reason: number;
  /** Days with any activity, oldest first. */
  readonly days: readonly RuleDay[];
  /** Newest first. */
  readonly versions: readonly RuleVersion[];
}

export interface HistoryRange {
  readonly fromMs: number;
  readonly toMs: number;
  /** Days begin at midnight here. */
  readonly timezone: string;
}

/** Versions whose figures are read. */
export const versionsMax = 20;

/**
 * Every rule over time, by its number. It reads the hours in which the console counted the rule, the totals of each
 * version, and the newest labels; so the cost depends on the rules and the days, not on the number of events.
 */
export async function readRuleHistory(
  pool: Pool,
  workspaceId: string,
  range: HistoryRange,
): Promise<readonly RuleHistory[]> {
  const [versions, labels] = await Promise.all([readVersions(pool, workspaceId), readLabels(pool, workspaceId, range)]);
  const reasons = [...new Set([...versions, ...labels].map(({ reason }) => reason))].toSorted((a, b) => a - b);
  const counts = await readCounts(pool, workspaceId, { ...range, reasons });
  const [byReason, countsOf, labelsOf] = [versions, counts, labels].map((rows) =>
    Map.groupBy<number, { readonly reason: number }>(rows, ({ reason }) => reason),
  ) as [Map<number, VersionRow[]>, Map<number, CountRow[]>, Map<number, LabelRow[]>];
  return reasons.map((reason) => {
    const told = labelsOf.get(reason) ?? [];
    return {
      reason,
      days: daysOf(countsOf.get(reason) ?? [], told, range),
      versions: (byReason.get(reason) ?? []).map(({ version, fired, shadow, suppressed, missing }) => ({
        version,
        fired,
        shadow,
        suppressed,
        missing,
        ...labelled(told.filter((one) => one.version === version)),
      })),
    };
  });
}

interface VersionRow {
  readonly reason: number;
  readonly version: number;
  readonly fired: number;
  readonly shadow: number;
  readonly suppressed: number;
  readonly missing: number;
}

async function readVersions(pool: Pool, workspaceId: string): Promise<readonly VersionRow[]> {
  const { rows } = await pool.query<VersionRow>(
    `select reason, policy_version as version, fired, shadow, suppressed, missing from rule_health
      where workspace_id = $1 and policy_version in (
        select distinct policy_version from rule_health where workspace_id = $1
         order by policy_version desc limit ${versionsMax})
      order by reason, policy_version desc`,
    [workspaceId],
  );
  return rows;
}

interface CountRow {
  readonly reason: number;
  readonly day: Date;
  readonly fired: number;
  readonly shadow: number;
}

/** By rule: its hours are one range of an index, however many other things were counted in them. */
async function readCounts(
  pool: Pool,
  workspaceId: string,
  { reasons, fromMs, toMs, timezone }: HistoryRange & { readonly reasons: readonly number[] },
): Promise<readonly CountRow[]> {
  const { rows } = await pool.query<CountRow>(
    `select r.reason, date_trunc('day', c.at, $5) as day,
            coalesce(sum(c.count) filter (where c.name = 'rule'), 0)::bigint as fired,
            coalesce(sum(c.count) filter (where c.name = 'shadow'), 0)::bigint as shadow
       from unnest($2::integer[]) as r(reason)
       join console_count c on c.workspace_id = $1 and c.span = 3600 and c.name in ('rule', 'shadow')
        and c.key = r.reason::text and c.at >= $3 and c.at < $4
      group by r.reason, day order by r.reason, day`,
    [workspaceId, reasons, new Date(fromMs), new Date(toMs), timezone],
  );
  return rows;
}

interface LabelRow {
  readonly reason: number;
  readonly day: Date;
  readonly version: number;
  readonly fraud: number;
  readonly legitimate: number;
}

async function readLabels(pool: Pool, workspaceId: string, { timezone }: HistoryRange): Promise<readonly LabelRow[]> {
  const { rows } = await pool.query<LabelRow>(
    `with told as (
       select distinct on ("offset") "offset", label
         from (select "offset", label, record_offset from label
                where workspace_id = $1 order by record_offset desc limit ${labelsMax}) newest
        order by "offset", record_offset desc
     )
     select r.reason, date_trunc('day', e.logged_at, $2) as day, e.policy_version as version,
            count(*) filter (where told.label = 'fraud') as fraud,
            count(*) filter (where told.label = 'legitimate') as legitimate
       from told
       join event e on e.workspace_id = $1 and e."offset" = told."offset"
      cross join unnest(e.fired || e.shadow) as r(reason)
      group by r.reason, day, version`,
    [workspaceId, timezone],
  );
  return rows;
}

function labelled(rows: readonly LabelRow[]): { readonly fraud: number; readonly legitimate: number } {
  return {
    fraud: rows.reduce((sum, { fraud }) => sum + fraud, 0),
    legitimate: rows.reduce((sum, { legitimate }) => sum + legitimate, 0),
  };
}

function daysOf(
  counts: readonly CountRow[],
  labels: readonly LabelRow[],
  { fromMs, toMs }: HistoryRange,
): readonly RuleDay[] {
  const counted = new Map(counts.map((row) => [row.day.getTime(), row]));
  const told = Map.groupBy(labels, ({ day }) => day.getTime());
  const all = [...new Set([...counted.keys(), ...told.keys()])].toSorted((a, b) => a - b);
  return all
    .filter((atMs) => atMs < toMs && (atMs >= fromMs || counted.has(atMs)))
    .map((atMs) => {
      const { fired = 0, shadow = 0 } = counted.get(atMs) ?? {};
      return { atMs, fired, shadow, ...labelled(told.get(atMs) ?? []) };
    });
}
