import type { Type } from 'typebox';
import { type AuditFilter, listAudit } from '../../access/audit/audit-log.ts';
import { readAudit, verifyAudit } from '../../access/audit/verify-audit.ts';
import { settleIntents } from '../../access/audit/audit-intent.ts';
import type { RequestContext } from '../server/request-context.ts';
import { findWorkspace } from '../server/find-workspace.ts';
import type { ManagementDeps } from '../server/management-deps.ts';
import { noteAudit } from '../server/note-audit.ts';
import { type Operation, type Route, route } from '../server/operation.ts';
import { type Page, pageOf, readCursor } from '../server/page.ts';
import { auditEntrySchema, auditExportQuery, auditQuery, auditVerdictSchema, printAuditEntry } from './audit-schema.ts';
import { inWorkspace, pageSchema } from '../server/members.ts';
import { readTimeRange } from '../server/time-range.ts';

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
    description: 'By person, operation, target and time. `ringfence audit verify` proves that no entry was changed.',
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
  deps: ManagementDeps,
  of: Pick<AuditFilter, 'workspaceId'>,
  query: Type.Static<typeof auditQuery>,
): Promise<Page<Type.Static<typeof auditEntrySchema>>> {
  await settleIntents(deps);
  const { limit, cursor, actor, action, target, ...range } = query;
  const filter = { ...of, actor, action, target, ...readTimeRange(range) };
  const rows = await listAudit(deps.pool, filter, { limit: limit + 1, before: readCursor('audit', cursor) });
  const page = pageOf('audit', rows, { limit, keyOf: ({ seq }) => seq });
  return { ...page, items: page.items.map(printAuditEntry) };
}

const verifyRoute = route(
  {
    id: 'verifyAudit',
    method: 'GET',
    path: '/audit/verify',
    tag: 'audit',
    needs: 'administer',
    summary: 'Recompute the hash chain of the audit log',
    description: 'From the first entry to the last: a million entries take a few seconds.',
    answer: {
      status: 200,
      description: 'Whether an entry was changed, removed or inserted.',
      schema: auditVerdictSchema,
    },
    problems: ['right.missing'],
  },
  async (deps) => {
    await settleIntents(deps);
    const { entries, head, broken } = await verifyAudit(deps.pool, deps.master);
    return { entries, head, ...(broken === undefined ? {} : { broken }) };
  },
);

const exportCommon = {
  method: 'GET',
  tag: 'audit',
  needs: 'administer',
  description: 'Oldest first, one entry per line, with its hash. The export is recorded as an entry too.',
  query: auditExportQuery,
  answer: { status: 200, description: 'A file.', isFile: true },
} as const satisfies Partial<Operation>;

const exportAllRoute = route(
  {
    ...exportCommon,
    id: 'exportAudit',
    path: '/audit/export',
    summary: 'Export the audit log of the whole installation as lines of JSON',
    problems: ['right.missing'],
  },
  (deps, { query }, exchange) => sendAudit(deps, exchange, { of: {}, query }),
);

const exportRoute = route(
  {
    ...exportCommon,
    id: 'exportWorkspaceAudit',
    path: '/workspaces/{workspace}/audit/export',
    summary: 'Export the audit log of a workspace as lines of JSON',
    params: inWorkspace,
    problems: ['right.missing', 'thing.unknown'],
  },
  async (deps, { params, query }, exchange) => {
    const of = { workspaceId: (await findWorkspace(deps, params)).id };
    return sendAudit(deps, exchange, { of, query });
  },
);

async function sendAudit(
  deps: ManagementDeps,
  exchange: RequestContext,
  {
    of,
    query,
  }: { readonly of: Pick<AuditFilter, 'workspaceId'>; readonly query: Type.Static<typeof auditExportQuery> },
): Promise<void> {
  const { actor, action, target, ...range } = query;
  const filter = { ...of, actor, action, target, ...readTimeRange(range) };
  await settleIntents(deps);
  await noteAudit(deps, exchange, { action: 'exportAudit', ...of, detail: { filter: query } });
  await exchange.sendFile('ringfence-audit.jsonl', printLines(deps, filter));
}

async function* printLines({ pool }: ManagementDeps, filter: AuditFilter): AsyncGenerator<string> {
  for await (const row of readAudit(pool, filter)) yield `${JSON.stringify(printAuditEntry(row))}\n`;
}

/** The audit log: append-only, every entry chained to the one before by its hash. */
export const auditRoutes: readonly Route[] = [listAllRoute, listRoute, verifyRoute, exportAllRoute, exportRoute];
