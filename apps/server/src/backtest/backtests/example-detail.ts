import type { EventKind } from '@ringfence/contract';
import type { Label } from '@ringfence/engine';
import type { Policy } from '@ringfence/policy';
import type { Pool } from 'pg';
import { eventId } from '../../records/event-id.ts';
import { openUndamaged, type Place, seal } from '../../platform/secrets/seal.ts';
import { clientPlace, keyAmong, subjectsIn } from '../../tenancy/subjects/client-seal.ts';
import type { SubjectKeys } from '../../tenancy/subjects/subject-keys.ts';
import type { Workspace } from '../../tenancy/workspaces/workspace.ts';
import type { StoredExample } from './backtest-rows.ts';
import type { Example, ExampleList } from './examples.ts';
import { type ExplainedRule, explainExample } from './explain-example.ts';

/** One event of a backtest, with the reasons why its rules fired. */
export interface ExampleDetail {
  readonly list: ExampleList;
  readonly reason: number | undefined;
  /** Its id in the live log, or its number in the history. */
  readonly event: string;
  readonly kind: EventKind;
  readonly at: string;
  readonly client: string | undefined;
  readonly label: Label | undefined;
  readonly amount: string | undefined;
  readonly currency: string | undefined;
  readonly rules: readonly ExplainedRule[];
}

interface SealDeps {
  readonly pool: Pool;
  readonly subjects: Pick<SubjectKeys, 'bySubject'>;
}

interface OfBacktest {
  readonly workspace: Workspace;
  readonly backtest: number;
}

/** The policy for a list of examples: events that are no longer flagged were flagged by the live one. */
type PolicyOf = (list: ExampleList) => Policy;

/**
 * Explains examples and encrypts each under the key of its client. Omits those of clients that were erased meanwhile.
 */
export async function sealExamples(
  deps: SealDeps,
  of: OfBacktest & { readonly isLog: boolean; readonly policyOf: PolicyOf },
  examples: readonly Example[],
): Promise<readonly StoredExample[]> {
  const { workspace, policyOf } = of;
  const names = of.isLog ? await eventNames(deps.pool, workspace, examples) : undefined;
  const keys = await deps.subjects.bySubject(workspace, subjectsIn(examples.map(({ event }) => event)));
  const sealed: StoredExample[] = [];
  for (const example of examples) {
    const { list, reason, event } = example;
    const key = keyAmong(keys, workspace, event.subject);
    if (key === undefined) continue;
    const name = names?.get(event.offset) ?? String(event.offset);
    const detail = Buffer.from(JSON.stringify(detailOf(example, name, policyOf(list))));
    const row = { place: sealed.length + 1, subject: event.subject ?? null };
    const place = examplePlace({ workspace, backtest: of.backtest }, row);
    sealed.push({ ...row, list, reason: reason ?? null, detail: seal(key, detail, place) });
  }
  return sealed;
}

export function examplePlace(
  { workspace, backtest }: OfBacktest,
  { place, subject }: Pick<StoredExample, 'place' | 'subject'>,
): Place {
  return clientPlace('backtest', { workspaceId: workspace.id, subject }, `${backtest}:${place}`);
}

/** Decrypts examples, in their order. Omits those of clients that were erased since. */
export async function openExamples(
  { subjects }: Pick<SealDeps, 'subjects'>,
  of: OfBacktest,
  stored: readonly StoredExample[],
): Promise<readonly ExampleDetail[]> {
  const keys = await subjects.bySubject(of.workspace, subjectsIn(stored));
  return stored.flatMap((row) => {
    const key = keyAmong(keys, of.workspace, row.subject);
    const opened = key && openUndamaged(key, row.detail, examplePlace(of, row));
    return opened === undefined ? [] : [JSON.parse(opened.toString()) as ExampleDetail];
  });
}

function detailOf({ list, reason, event }: Example, name: string, policy: Policy): ExampleDetail {
  const { event: kind, atMs, client, label, amount, currency } = event;
  return {
    list,
    reason,
    event: name,
    kind,
    at: new Date(atMs).toISOString(),
    client,
    label,
    amount,
    currency,
    rules: explainExample(event, policy),
  };
}

/** Ids of events of the live log, by offset. */
async function eventNames(
  pool: Pool,
  workspace: Workspace,
  examples: readonly Example[],
): Promise<ReadonlyMap<number, string>> {
  const found = await pool.query<{ offset: number; epoch: number }>(
    `select "offset", epoch from event where workspace_id = $1 and "offset" = any($2)`,
    [workspace.id, examples.map(({ event }) => event.offset)],
  );
  return new Map(found.rows.map((row) => [row.offset, eventId(row, workspace)]));
}
