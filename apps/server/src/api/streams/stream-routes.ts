import { joinStreams, readStreamStates, type StreamState } from '../../platform/observability/stream-state.ts';
import { Type } from 'typebox';
import { count, flag, instant, list, nonPersonalWord, seldom } from '../server/members.ts';
import { type Route, route } from '../server/operation.ts';

const lag = 'Seconds that something has waited to leave, beyond the interval of files. 0: nothing does.';

const streamSchema = Type.Object(
  {
    name: nonPersonalWord('As in the configuration file.', 'lake'),
    target: nonPersonalWord('Where it goes to.', 'kafka kafka-1.bank.example:9092 ringfence.*'),
    running: flag('Whether a process with it in its configuration has looked at it lately.'),
    lagSeconds: count(lag, 0),
    failingSince: seldom(instant('Since when the receiver has not taken it.')),
    error: seldom(nonPersonalWord('Why the last attempt failed.', 'There is no topic ringfence.decisions in Kafka.')),
    lostAt: seldom(instant('When retention last removed something that had not left.')),
    kinds: list(
      Type.Object(
        {
          kind: nonPersonalWord('`decisions`, `alerts`, `actions`, `outcomes` or `audit`.', 'decisions'),
          sent: count('Messages that have left.', 4_200),
          lagSeconds: count(lag, 0),
        },
        { title: 'StreamedKind' },
      ),
      'What it consists of.',
    ),
  },
  { title: 'Stream', description: 'Decisions and what follows from them, on their way to other systems.' },
);

function printStream({ isRunning, lagMs, failingSinceMs, error, lostAtMs, ...stream }: StreamState) {
  const seconds = (ms: number): number => Math.ceil(ms / 1_000);
  return {
    name: stream.name,
    target: stream.target,
    running: isRunning,
    lagSeconds: seconds(lagMs),
    ...(failingSinceMs === undefined ? {} : { failingSince: new Date(failingSinceMs).toISOString() }),
    ...(error === undefined ? {} : { error }),
    ...(lostAtMs === undefined ? {} : { lostAt: new Date(lostAtMs).toISOString() }),
    kinds: stream.kinds.map(({ kind, sent, lagMs: late }) => ({ kind, sent, lagSeconds: seconds(late) })),
  } satisfies Type.Static<typeof streamSchema>;
}

const listRoute = route(
  {
    id: 'listStreams',
    method: 'GET',
    path: '/streams',
    tag: 'service',
    needs: 'see',
    summary: 'Streams to other systems, and how far they are behind',
    answer: {
      status: 200,
      description: 'Read from the database, for all processes. Streams are declared in the configuration file.',
      schema: Type.Object({ items: list(streamSchema, 'By name.') }),
    },
    problems: [],
  },
  async ({ pool, cells, now }) => {
    const pools = cells?.pools() ?? [pool];
    const states = await Promise.all(pools.map((one) => readStreamStates(one, now())));
    return { items: joinStreams(states).map(printStream) };
  },
);

export const streamRoutes: readonly Route[] = [listRoute];
