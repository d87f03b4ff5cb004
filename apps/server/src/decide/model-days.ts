/** What models read and said on each day, beside what they were trained on. */
import { dayMs } from '@ringfence/contract';
import { type PopulationBins, stabilityIndex, stabilityValuesMin } from '@ringfence/models';
import type { ClientBase, Pool } from 'pg';
import { type Columns, QueryParameters } from '../platform/database/query-parameters.ts';
import type { ModelDayCount } from './model-counts.ts';

export const modelDaysSchema = `
-- Values of each input of a model by bins, with those of its training. Moves only with the checkpoint, so it is exact.
create table model_day (
  workspace_id text not null,
  model        text not null,
  day          date not null,
  sha256       text not null,
  -- '' for the result
  input        text not null,
  edges        double precision[] not null,
  expected     double precision[] not null,
  counts       double precision[] not null,
  primary key (workspace_id, day, model, sha256, input)
);
`;

/** Two years, as a trend is read; the counts name no client. */
const keptMs = 730 * dayMs;

const columns: Columns<ModelDayCount> = {
  model: ['text', ({ model }) => model],
  day_ms: ['float8', ({ dayAtMs }) => dayAtMs],
  sha256: ['text', ({ sha256 }) => sha256],
  input: ['text', ({ input }) => input],
  edges: ['text', ({ population }) => arrayText(population.edges)],
  expected: ['text', ({ population }) => arrayText(population.counts)],
  counts: ['text', ({ counts }) => arrayText([...counts])],
};

/** `unnest` flattens arrays of arrays. */
function arrayText(numbers: readonly number[]): string {
  return `{${numbers.join(',')}}`;
}

/** Adds counts to their days, in the transaction of the checkpoint that covers them. */
export async function addModelCounts(
  client: ClientBase,
  workspaceId: string,
  rows: readonly ModelDayCount[],
): Promise<void> {
  if (rows.length === 0) return;
  const parameters = new QueryParameters();
  await client.query({
    name: 'model_counts',
    text: `insert into model_day as d (workspace_id, model, day, sha256, input, edges, expected, counts)
           select ${parameters.add(workspaceId)}, r.model, (to_timestamp(r.day_ms / 1000.0) at time zone 'UTC')::date, r.sha256,
                  r.input, r.edges::double precision[], r.expected::double precision[], r.counts::double precision[]
             from ${parameters.table('r', columns, rows)}
           on conflict (workspace_id, day, model, sha256, input) do update
             set counts = array(select a + b from unnest(d.counts, excluded.counts) with ordinality as x(a, b, place)
                                 order by place)`,
    values: parameters.values,
  });
}

/**
 * Removes the days since the base of the log. When a checkpoint is lost, their records are stepped and counted again;
 * of the first day, those before the base are not.
 */
export async function forgetModelDays(client: ClientBase, workspaceId: string): Promise<void> {
  // Nearly every workspace: without a wait for the events of a batch that is still being written.
  const counted = await client.query('select 1 from model_day where workspace_id = $1 limit 1', [workspaceId]);
  if (counted.rowCount === 0) return;
  await client.query(
    `delete from model_day
      where workspace_id = $1 and day >= (
        select (logged_at at time zone 'UTC')::date from event
         where workspace_id = $1
           and "offset" >= coalesce((select next_offset from log_base where workspace_id = $1), 0)
         order by "offset" limit 1)`,
    [workspaceId],
  );
}

/** Removes days that are too old, of a workspace. */
export async function removeModelDays(pool: Pool, workspaceId: string, nowMs: number): Promise<void> {
  await pool.query(
    `delete from model_day where workspace_id = $1 and day < ($2::timestamptz at time zone 'UTC')::date`,
    [workspaceId, new Date(nowMs - keptMs)],
  );
}

/** One input, or the result, of a model on one day. */
export interface ModelDay {
  readonly workspaceId: string;
  readonly model: string;
  readonly sha256: string;
  /** `2026-11-29`, UTC. */
  readonly day: string;
  /** "" for the result. */
  readonly input: string;
  /** What it was trained on. */
  readonly population: PopulationBins;
  readonly counts: readonly number[];
}

/** Of which days are read. */
export interface ModelDaysWanted {
  readonly workspaceIds: readonly string[];
  /** From the day that begins here to before the other. */
  readonly fromMs: number;
  readonly toMs: number;
  readonly model?: string;
  /** "" for the results alone. */
  readonly input?: string;
}

/** The newest day first; then by model, artifact and input. */
export async function readModelDays(
  database: Pool | ClientBase,
  { workspaceIds, fromMs, toMs, model, input }: ModelDaysWanted,
): Promise<readonly ModelDay[]> {
  const { rows } = await database.query<
    Omit<ModelDay, 'population'> & { readonly edges: readonly number[]; readonly expected: readonly number[] }
  >(
    `select workspace_id as "workspaceId", model, sha256, day::text, input, edges, expected, counts from model_day
      where workspace_id = any ($1) and ($4::text is null or model = $4) and ($5::text is null or input = $5)
        and day >= ($2::timestamptz at time zone 'UTC')::date and day < ($3::timestamptz at time zone 'UTC')::date
      order by day desc, model, sha256, input`,
    [workspaceIds, new Date(fromMs), new Date(toMs), model ?? null, input ?? null],
  );
  return rows.map(({ edges, expected, ...row }) => ({ ...row, population: { edges, counts: expected } }));
}

export function valuesOf({ counts }: Pick<ModelDay, 'counts'>): number {
  return counts.reduce((sum, count) => sum + count, 0);
}

/**
 * How far the values of a day are from those of the training: the population stability index. `undefined` for a day with
 * too few values, of which chance alone would make one.
 */
export function stabilityOf(of: Pick<ModelDay, 'population' | 'counts'>): number | undefined {
  return valuesOf(of) < stabilityValuesMin(of.counts.length)
    ? undefined
    : stabilityIndex(of.population.counts, of.counts);
}

/** The newest whole day of a model on which it was evaluated often enough, with the index of each input. */
export interface ModelDrift {
  readonly workspaceId: string;
  readonly model: string;
  readonly day: string;
  /** "" for the result. */
  readonly inputs: readonly { readonly input: string; readonly index: number }[];
}

/** A model that was evaluated too seldom on all of these whole days has no drift. */
const lookedMs = 7 * dayMs;

/** The drift of each model that the workspaces have used lately; of two artifacts of a day, that which was used more. */
export async function readNewestDrift(
  database: Pool | ClientBase,
  { workspaceIds, nowMs }: Pick<ModelDaysWanted, 'workspaceIds'> & { readonly nowMs: number },
): Promise<readonly ModelDrift[]> {
  const toMs = nowMs - (nowMs % dayMs);
  const results = await readModelDays(database, { workspaceIds, fromMs: toMs - lookedMs, toMs, input: '' });
  const often = results.filter((one) => stabilityOf(one) !== undefined);
  const drifts: ModelDrift[] = [];
  for (const ofModel of Map.groupBy(often, ({ workspaceId, model }) => `${workspaceId} ${model}`).values()) {
    const newest = ofModel.filter(({ day }) => day === ofModel[0]!.day);
    const { workspaceId, model, day, sha256 } = newest.reduce((a, b) => (valuesOf(b) > valuesOf(a) ? b : a));
    const fromMs = Date.parse(day);
    const rows = await readModelDays(database, {
      workspaceIds: [workspaceId],
      fromMs,
      toMs: fromMs + dayMs,
      model,
    });
    const inputs = rows.flatMap((row) => {
      const index = row.sha256 === sha256 ? stabilityOf(row) : undefined;
      return index === undefined ? [] : [{ input: row.input, index }];
    });
    drifts.push({ workspaceId, model, day, inputs });
  }
  return drifts;
}
