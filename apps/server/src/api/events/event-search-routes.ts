import { Problem } from '@ringfence/contract';
import { factsReadInPart, type Rule } from '@ringfence/policy';
import { isPersonalRead } from '../../access/audit/personal.ts';
import { outcomesOf } from '../../console/event-outcomes.ts';
import type { Searched } from '../../backtest/queries/search-log.ts';
import { policyWith } from '../../backtest/queries/search-log.ts';
import { type Found, topKinds } from '../../backtest/queries/search-tally.ts';
import type { Workspace } from '../../tenancy/workspaces/workspace.ts';
import { parseEventId } from '../../records/event-id.ts';
import type { RequestContext } from '../server/request-context.ts';
import { findWorkspace } from '../server/find-workspace.ts';
import type { ManagementDeps } from '../server/management-deps.ts';
import { noteAudit } from '../server/note-audit.ts';
import { type Route, route } from '../server/operation.ts';
import {
  eventSearchBody,
  eventSearchEvents,
  eventSearchExample,
  exportBody,
  exportSchema,
  type FoundAnswer,
} from './event-search-schema.ts';
import { inWorkspace } from '../server/members.ts';
import { type Sent, streamInquiry } from '../server/stream-query.ts';
import { readTimeRange } from '../server/time-range.ts';
import { decideMasking } from '../server/masking.ts';

/** Events shown while the search is running: one screen. */
const previewMax = 50;
/** Events decrypted per batch. */
const openedTogether = 200;

const searchRoute = route(
  {
    id: 'searchEvents',
    method: 'POST',
    path: '/workspaces/{workspace}/events/search',
    tag: 'events',
    needs: 'see',
    isRead: true,
    summary: 'Find the events of the log that match a condition',
    description:
      'The log is replayed as in a backtest of the live policy, with the condition as an additional shadow rule: features and sessions are as of each event. It runs in a background thread; close the stream to cancel. Two such queries run at a time, for two people if two are waiting; while others wait, each runs for at most five minutes. The condition is sent in the body because URLs end up in the logs of proxies. While personal data is masked, the condition may compare it only with whole values, by `==`, `!=` or `in`; such a query is audited.',
    params: inWorkspace,
    body: eventSearchBody,
    example: eventSearchExample,
    answer: {
      status: 200,
      description: 'Events `progress` and `found`, then `done` or `problem`.',
      isStream: true,
      events: eventSearchEvents,
    },
    problems: ['thing.unknown', 'policy.invalid', 'right.missing'],
  },
  async (deps, { params, body: { condition, from, to, show } }, exchange) => {
    const workspace = await findWorkspace(deps, params);
    const range = readTimeRange({ ...(from === undefined ? {} : { from }), ...(to === undefined ? {} : { to }) });
    // Errors of the condition are reported before the replay.
    const { rule } = await policyWith(deps.pool, workspace, condition);
    const view = await decideMasking(deps, exchange, { workspace, show, what: 'events' });
    if (view.isMasked) await askMasked(deps, exchange, { workspace, rule });
    const wanted = { condition, fromMs: range.fromMs, toMs: range.toMs };
    const by = { deps, workspace };
    const inquiry = { kind: 'search', wanted } as const;
    streamInquiry(deps, { workspace, exchange, view, inquiry, events: eventSearchEvents }, async (heard) => {
      if (heard.kind === 'found') return [{ event: 'found', data: await printFound(by, heard.found, previewMax) }];
      return heard.kind === 'searched' ? [await printDone(by, heard)] : [];
    });
  },
);

/**
 * A caller who sees masked values may query whole values only, which is audited: otherwise a value could be guessed
 * character by character.
 *
 * @throws Problem `right.missing`
 */
async function askMasked(
  deps: ManagementDeps,
  exchange: RequestContext,
  { workspace, rule }: { readonly workspace: Workspace; readonly rule: Rule },
): Promise<void> {
  const inPart = factsReadInPart(rule).filter(isPersonalRead);
  if (inPart.length > 0) {
    const names = inPart.map(({ path }) => path).join(', ');
    throw new Problem(
      'right.missing',
      `Personal data is masked, so it can only be compared as a whole, by == or in: the condition reads parts of ${names}. Show personal data to compare parts; this needs the right "show".`,
    );
  }
  const facts = rule.reads.filter(isPersonalRead).map(({ path }) => path);
  if (facts.length === 0) return;
  await noteAudit(deps, exchange, { action: 'events.search', workspaceId: workspace.id, detail: { facts } });
}

interface By {
  readonly deps: ManagementDeps;
  readonly workspace: Workspace;
}

async function printDone(by: By, { found, notes }: Searched): Promise<Sent> {
  return { event: 'done', data: { found: await printFound(by, found), notes }, isLast: true };
}

async function printFound(by: By, found: Found, eventsMax = Infinity): Promise<FoundAnswer> {
  const { counts, money, bucketMs, series, tops, newest } = found;
  const printTop = (kind: (typeof topKinds)[number]): FoundAnswer['tops']['client'] =>
    tops[kind].map(({ value, ref, count }) => ({
      value,
      ...(ref === undefined ? {} : { ref }),
      count,
    }));
  return {
    counts,
    money,
    bucketSeconds: bucketMs / 1_000,
    series: series.map(({ atMs, count }) => ({ at: new Date(atMs).toISOString(), count })),
    tops: Object.fromEntries(topKinds.map((kind) => [kind, printTop(kind)])) as FoundAnswer['tops'],
    events: await listAt(by, newest.slice(0, eventsMax)),
  };
}

async function listAt({ deps, workspace }: By, offsets: readonly number[]): Promise<FoundAnswer['events']> {
  const events: FoundAnswer['events'][number][] = [];
  for (let at = 0; at < offsets.length; at += openedTogether) {
    const listed = await deps.events.listAt(workspace, offsets.slice(at, at + openedTogether));
    events.push(...listed.map(({ summary }) => summary));
  }
  return events;
}

const exportRoute = route(
  {
    id: 'exportEvents',
    method: 'POST',
    path: '/workspaces/{workspace}/events/export',
    tag: 'events',
    needs: 'see',
    isRead: true,
    summary: 'Export events from the console',
    description: 'The answer contains what the caller may see. The export and the number of events are audited.',
    params: inWorkspace,
    body: exportBody,
    example: { events: ['evt_1795256130_42'] },
    answer: { status: 200, description: 'The events.', schema: exportSchema },
    problems: ['thing.unknown', 'right.missing'],
  },
  async (deps, { params, body: { events, show } }, exchange) => {
    const workspace = await findWorkspace(deps, params);
    const offsets = events.map((id) => parseEventId(id, workspace).offset).toSorted((a, b) => b - a);
    const view = await decideMasking(deps, exchange, { workspace, show, what: 'events' });
    const wanted = new Set(events);
    const listed = await listAt({ deps, workspace }, offsets);
    const labelled = await outcomesOf(deps.pool, workspace.id, offsets);
    const items = listed
      .filter(({ id }) => wanted.has(id))
      .map((event): FoundAnswer['events'][number] => {
        const label = labelled.get(parseEventId(event.id, workspace).offset)?.label;
        return label === undefined ? event : { ...event, label };
      });
    await noteAudit(deps, exchange, {
      action: 'events.export',
      workspaceId: workspace.id,
      detail: { events: items.length, masked: view.isMasked },
    });
    return { items };
  },
);

/** Search of events by a condition, and export of events. */
export const eventSearchRoutes: readonly Route[] = [searchRoute, exportRoute];
