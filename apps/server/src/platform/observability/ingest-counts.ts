import type { PoolUse } from './pool-use.ts';

/** What one thread that takes events has counted, in the form in which `Metrics` adds up several. */
export interface CountedMetric {
  readonly name: string;
  readonly help: string;
  readonly type: 'counter' | 'gauge' | 'histogram';
  readonly aggregator: 'sum' | 'max';
  readonly values: readonly {
    readonly labels: Readonly<Record<string, string | number>>;
    readonly value: number;
    readonly metricName?: string;
  }[];
}

/** How long an event loop was blocked at most. */
export interface LongestTurn {
  /** By the clock. */
  readonly clockMs: number;
  /** By its own work. */
  readonly processorMs: number;
}

/** Their 503s are there from the start: to Prometheus a series that begins at 1 has not grown. */
const routes = ['login', 'logout', 'operation', 'other'];

/**
 * The metrics of a thread that takes events: plain numbers, because Prometheus' own counters would cost a microsecond
 * for each request. Labels are routes, states and workspace ids: never anything about a client.
 */
export class IngestCounts {
  readonly #longestTurn: () => LongestTurn;
  readonly #pool: () => PoolUse;
  readonly #isStoreDegraded: () => boolean;
  readonly #requests = new Map(routes.map((route): [string, number] => [`${route} 503`, 0]));
  readonly #requestSeconds = new Durations();
  readonly #appendSeconds = new Durations();
  readonly #pendingForLag = new Map<string, number>();
  readonly #refusedForLag = new Map<string, number>();
  #connectionsRefused = 0;

  /**
   * @param longestTurn of the thread's event loop over the last second
   * @param pool the thread's database connections
   * @param isStoreDegraded whether Kafka does not confirm appends in time, so that PostgreSQL stores their bytes
   */
  constructor(longestTurn: () => LongestTurn, pool: () => PoolUse, isStoreDegraded: () => boolean) {
    this.#longestTurn = longestTurn;
    this.#pool = pool;
    this.#isStoreDegraded = isStoreDegraded;
  }

  answered(answer: { readonly route: string; readonly status: number; readonly durationMs: number }): void {
    addOne(this.#requests, `${answer.route} ${answer.status}`);
    this.#requestSeconds.add(answer.durationMs);
  }

  appended(durationMs: number): void {
    this.#appendSeconds.add(durationMs);
  }

  pendingForLag(workspaceId: string): void {
    addOne(this.#pendingForLag, workspaceId);
  }

  refusedForLag(workspaceId: string): void {
    addOne(this.#refusedForLag, workspaceId);
  }

  connectionRefused(): void {
    this.#connectionsRefused += 1;
  }

  read(): readonly CountedMetric[] {
    return [
      counter('ringfence_requests_total', 'Requests answered, by route and status.', [...this.#requests].map(ofRoute)),
      counter(
        'ringfence_connections_refused_total',
        'Connections of the public listener that were refused because their address, or all together, had too many.',
        [{ labels: {}, value: this.#connectionsRefused }],
      ),
      this.#requestSeconds.read(
        'ringfence_request_duration_seconds',
        'Time from the first byte of a request to its answer.',
      ),
      this.#appendSeconds.read('ringfence_append_duration_seconds', 'Time until an event is durable in the log.'),
      counter(
        'ringfence_pending_for_lag_total',
        'Requests answered as pending before their time, because the engine is too far behind to decide in time.',
        [...this.#pendingForLag].map(ofWorkspace),
      ),
      counter(
        'ringfence_refused_for_lag_total',
        'Events refused because the engine is further behind than `lagMax` of the workspace.',
        [...this.#refusedForLag].map(ofWorkspace),
      ),
      gauge('ringfence_ingest_loop_delay_seconds', {
        help: 'Longest delay of the event loop of the threads that take events, over the last second.',
        aggregator: 'max',
        value: this.#longestTurn().clockMs / 1_000,
      }),
      gauge('ringfence_ingest_loop_busy_seconds', {
        help: 'Of such delays, the longest that the thread computed itself, over the last second.',
        aggregator: 'max',
        value: this.#longestTurn().processorMs / 1_000,
      }),
      ...poolGauges(this.#pool()),
      gauge('ringfence_log_store_degraded', {
        help: '1 while Kafka does not confirm appends in time, and PostgreSQL stores their bytes; else 0.',
        aggregator: 'max',
        value: this.#isStoreDegraded() ? 1 : 0,
      }),
    ];
  }
}

function poolGauges({ busy, limit, waiting }: PoolUse): readonly CountedMetric[] {
  const sum = (name: string, help: string, value: number): CountedMetric =>
    gauge(name, { help, aggregator: 'sum', value });
  return [
    sum('ringfence_ingest_pool_busy', 'Database connections of the threads that take events in use.', busy),
    sum('ringfence_ingest_pool_limit', 'Database connections that the threads that take events may open.', limit),
    sum('ringfence_ingest_pool_waiting', 'Requests for events that wait for a database connection.', waiting),
  ];
}

function addOne(counts: Map<string, number>, key: string): void {
  counts.set(key, (counts.get(key) ?? 0) + 1);
}

function ofRoute([key, value]: [string, number]): CountedMetric['values'][number] {
  const [route = '', status = ''] = key.split(' ');
  return { labels: { route, status }, value };
}

function ofWorkspace([workspace, value]: [string, number]): CountedMetric['values'][number] {
  return { labels: { workspace }, value };
}

function counter(name: string, help: string, values: CountedMetric['values']): CountedMetric {
  return { name, help, type: 'counter', aggregator: 'sum', values };
}

function gauge(
  name: string,
  { help, aggregator, value }: Pick<CountedMetric, 'help' | 'aggregator'> & { readonly value: number },
): CountedMetric {
  return { name, help, type: 'gauge', aggregator, values: [{ labels: {}, value }] };
}

/** Upper bounds in seconds: a group commit takes 1 to 10 ms, and after 5 s callers have given up. */
const bounds = [0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5];

/** A histogram. */
class Durations {
  /** By the first bound that is not exceeded; the last is for longer ones. */
  readonly #counts: number[] = Array.from({ length: bounds.length + 1 }, () => 0);
  #sum = 0;

  add(durationMs: number): void {
    const seconds = durationMs / 1_000;
    let at = 0;
    while (at < bounds.length && seconds > bounds[at]!) at++;
    this.#counts[at]! += 1;
    this.#sum += seconds;
  }

  read(name: string, help: string): CountedMetric {
    let count = 0;
    const buckets = [...bounds, '+Inf'].map((le, at) => {
      count += this.#counts[at]!;
      return { labels: { le }, value: count, metricName: `${name}_bucket` };
    });
    const sums = [
      { labels: {}, value: this.#sum, metricName: `${name}_sum` },
      { labels: {}, value: count, metricName: `${name}_count` },
    ];
    return { name, help, type: 'histogram', aggregator: 'sum', values: [...buckets, ...sums] };
  }
}
