import { isPauseOf } from '@ringfence/delivery';
import { readOpenNumbers } from '../../console/alerts/alert-rows.ts';
import { wholeNumber, exactly } from '../../platform/shapes/shape.ts';
import { Type } from 'typebox';
import { entriesMax, isKept, type NumberedEntry, readLive } from '../../console/live/live-log.ts';
import type { EventStream } from '../../console/live/event-stream.ts';
import type { Workspace } from '../../tenancy/workspaces/workspace.ts';
import type { RequestContext } from '../server/request-context.ts';
import { findWorkspace } from '../server/find-workspace.ts';
import type { ManagementDeps } from '../server/management-deps.ts';
import { isStreamAuthorized } from '../server/stream-authorization.ts';
import { type Route, route } from '../server/operation.ts';
import { inWorkspace } from '../server/members.ts';

/**
 * Interval of the numbers, of the session check, and of the heartbeat that keeps proxies from closing the connection.
 */
const beatMs = 5_000;

const liveQuery = exactly({
  after: Type.Optional(
    wholeNumber({
      minimum: 0,
      maximum: Number.MAX_SAFE_INTEGER,
      description: 'The last event id received, for clients that cannot send the header `Last-Event-ID`.',
    }),
  ),
});

const liveRoute = route(
  {
    id: 'followWorkspace',
    method: 'GET',
    path: '/workspaces/{workspace}/live',
    tag: 'console',
    needs: 'see',
    summary: 'Live activity, as server-sent events',
    description:
      'Events `decision` (a rule fired), `action` (one was finished) and `alert` (opened or changed) have ids: reconnect with `Last-Event-ID` within an hour and nothing is missed. `moved`: more events were decided, possibly without a rule firing. `hold`: held payments were opened, decided, undone or ended; it is also sent after a reconnect. `gap`: too much was missed, reload the page. `numbers` are sent every 5 seconds. `end`: the session has ended. An account has at most 20 open streams per process.',
    params: inWorkspace,
    query: liveQuery,
    answer: { status: 200, description: 'A stream that ends with the session.', isStream: true },
    problems: ['thing.unknown'],
  },
  async (deps, { params, query }, exchange) => {
    const workspace = await findWorkspace(deps, params);
    const given = exchange.lastEventId ?? query.after;
    await follow(deps, { workspace, exchange, after: given });
  },
);

async function follow(
  deps: ManagementDeps,
  of: { readonly workspace: Workspace; readonly exchange: RequestContext; readonly after: number | undefined },
): Promise<void> {
  const { workspace, exchange, after } = of;
  /** Received while missed entries are still being read. */
  let early: NumberedEntry[] | undefined = [];
  let sent = after ?? 0;
  let stream: EventStream | undefined;
  const tell = (entries: readonly NumberedEntry[]): void => {
    for (const { seq, kind, data } of entries) {
      if (seq <= sent) continue;
      sent = seq;
      stream?.send({ event: kind, data, id: seq });
    }
  };
  const leave = await deps.live.enter(workspace.id, {
    owner: exchange.caller.kind === 'person' ? exchange.caller.session.account.id : undefined,
    hear: (entries) => (early === undefined ? tell(entries) : void early.push(...entries)),
    signal: (event) => void stream?.send({ event, data: {} }),
    end: () => stream?.end(),
  });
  try {
    const missed = after === undefined ? [] : await readLive(deps.pool, workspace.id, after);
    const isGap = after !== undefined && after > 0 && !(await isKept(deps.pool, workspace.id, after));
    stream = exchange.openStream();
    stream.onClose(leave);
    if (isGap || missed.length === entriesMax) stream.send({ event: 'gap', data: {} });
    // Changes of holds during the absence have no entries.
    if (after !== undefined) stream.send({ event: 'hold', data: {} });
    tell(missed);
    tell(early);
    early = undefined;
  } catch (error) {
    leave();
    throw error;
  }
  const opened = stream;
  const beat = (): Promise<void> =>
    beatOnce(deps, { workspace, exchange, stream: opened }).catch((error: unknown) => {
      deps.logger.warn({ err: error }, 'sending the live numbers to a page failed');
    });
  opened.every(beatMs, () => void beat());
  await beat();
}

async function beatOnce(
  deps: ManagementDeps,
  of: { readonly workspace: Workspace; readonly exchange: RequestContext; readonly stream: EventStream },
): Promise<void> {
  const { workspace, exchange, stream } = of;
  if (!(await isStreamAuthorized(deps, { workspace, exchange, needs: 'see' }))) {
    stream.send({ event: 'end', data: {} });
    stream.end();
    return;
  }
  const accountId = exchange.caller.kind === 'person' ? exchange.caller.session.account.id : undefined;
  const [alerts, backlogs, queued, pauses] = await Promise.all([
    readOpenNumbers(deps.pool, workspace.id, { nowMs: deps.now(), accountId }),
    deps.backlogs(),
    deps.queued(),
    deps.deliveries.pauses(),
  ]);
  const { behind = 0, lagMs = 0, paused } = backlogs.find(({ id }) => id === workspace.id) ?? {};
  const data = {
    alerts: {
      open: alerts.open,
      claimed: alerts.claimed,
      mine: alerts.mine,
      ...(alerts.newestAt === null ? {} : { newestAt: alerts.newestAt.toISOString() }),
    },
    behind,
    lagMs,
    paused: pauses.some((pause) => isPauseOf(pause, workspace.id)),
    ...(paused === undefined ? {} : { refusedPolicy: paused }),
    queued: Object.fromEntries(queued),
  };
  stream.send({ event: 'numbers', data });
}

/** The live stream of an open page. */
export const liveRoutes: readonly Route[] = [liveRoute];
