import type { Type } from 'typebox';
import { type AuditFilter, listAudit } from '../../audit/audit-log.ts';
import { settleIntents } from '../../audit/audit-intent.ts';
import { findWorkspace } from '../find-workspace.ts';
import type { ManagementDeps } from '../management-deps.ts';
import { type Operation, type Route, route } from '../operation.ts';
import { type Page, pageOf, readCursor } from '../page.ts';
import { auditEntrySchema, auditQuery, printAuditEntry } from '../schemas/audit-schema.ts';
import { inWorkspace, pageSchema } from '../schemas/members.ts';
import { readTimeRange } from '../time-range.ts';

const common = {
  method: 'GET',
  tag: 'audit',
  needs: 'administer',
  query: auditQuery,
  answer: { status: 200, description: 'One page.', schema: pageSchema(auditEntrySchema) },
} as const satisfies Partial<Operation>;

const listAllRoute = route(
  {
    ...common,
    id: 'listAudit',
    path: '/audit',
    summary: 'Who did what in the whole installation',
    description: 'By person, operation, target and time. `ringfence audit verify` proves that nothing was changed.',
    problems: ['right.missing'],
  },
  (deps, { query }) => pageOfAudit(deps, {}, query),
);

const listRoute = route(
  {
    ...common,
    id: 'listWorkspaceAudit',
    path: '/workspaces/{workspace}/audit',
    summary: 'Who did what in a workspace',
    params: inWorkspace,
    problems: ['right.missing', 'thing.unknown'],
  },
  async (deps, { params, query }) => pageOfAudit(deps, { workspaceId: (await findWorkspace(deps, params)).id }, query),
);

async function pageOfAudit(
  { pool }: ManagementDeps,
  of: Pick<AuditFilter, 'workspaceId'>,
  query: Type.Static<typeof auditQuery>,
): Promise<Page<Type.Static<typeof auditEntrySchema>>> {
  await settleIntents(pool);
  const { limit, cursor, actor, action, target, ...range } = query;
  const filter = { ...of, actor, action, target, ...readTimeRange(range) };
  const rows = await listAudit(pool, filter, { limit: limit + 1, before: readCursor('audit', cursor) });
  const page = pageOf('audit', rows, { limit, keyOf: ({ seq }) => seq });
  return { ...page, items: page.items.map(printAuditEntry) };
}

/** The audit log: append-only, every entry tied to the one before. */
export const auditRoutes: readonly Route[] = [listAllRoute, listRoute];
