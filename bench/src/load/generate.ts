import { Histogram } from '../measure/histogram.ts';
import { Connection } from './connection.ts';
import { referenceOf, RequestWriter, type Traffic } from './traffic.ts';

/**
 * `closed`: every connection sends its next request when it has its response. `open`: requests are due at a fixed rate,
 * whether or not earlier ones were answered, and latency counts from the moment a request was due, so that requests
 * delayed by a stalled server count in full (no coordinated omission). Timers tick every millisecond, so up to a
 * millisecond of an open latency is due to the generator.
 */
export interface LoadPlan {
  readonly target: { readonly host: string; readonly port: number };
  readonly traffic: Traffic;
  readonly connections: number;
  readonly ratePerSecond: number | 'closed';
  /** Sent but not measured. */
  readonly warmUpMs: number;
  readonly durationMs: number;
}

export interface LoadResult {
  /** Responses within the measured time. */
  readonly answers: number;
  readonly perSecond: number;
  readonly statuses: Readonly<Record<string, number>>;
  /** Responses within the measured time that contain a decision; 0 if no request asks for it. */
  readonly decided: number;
  readonly latency: { readonly counts: readonly number[]; readonly maxUs: number };
  /** The responses among them that say "pending"; none if no request asks for a decision. */
  readonly pendingLatency: LoadResult['latency'];
  /** Of these, the ones that tell how far decisions are behind. */
  readonly pendingWithLag: number;
  /** When marked operations were accepted, by their reference: milliseconds since the Unix epoch, with fractions. */
  readonly markedAtMs: Readonly<Record<string, number>>;
  /** Requests that were due but not sent at the end; 0 for closed loads. */
  readonly unsent: number;
  /** All requests sent, including the warm-up. */
  readonly sent: number;
  /** Processor time of the generator per request. */
  readonly cpuUsEach: number;
}

/**
 * Requests that may wait for a free connection: 20 s at 5,000/s. Beyond it the run is aborted, because the server
 * cannot keep up.
 */
const waitingMax = 100_000;
/** The resolution of Node's timers. */
const tickMs = 1;

/** Sends the planned load from this process and measures it. @throws when a connection breaks */
export function generate(plan: LoadPlan): Promise<LoadResult> {
  return new Run(plan).go();
}

class Run {
  readonly #plan: LoadPlan;
  readonly #writer: RequestWriter;
  readonly #latency = new Histogram();
  readonly #pendingLatency = new Histogram();
  readonly #statuses = new Map<number, number>();
  readonly #idle: Connection[] = [];
  #startUs = 0;
  #countFromUs = 0;
  #endUs = 0;
  readonly #markedAtMs: Record<string, number> = {};
  #sent = 0;
  #answers = 0;
  #decided = 0;
  #pendingWithLag = 0;
  #failure: Error | undefined;

  constructor(plan: LoadPlan) {
    this.#plan = plan;
    this.#writer = new RequestWriter(plan.traffic);
  }

  async go(): Promise<LoadResult> {
    const connections = await this.#connect();
    this.#idle.push(...connections);
    this.#startUs = nowUs();
    this.#countFromUs = this.#startUs + this.#plan.warmUpMs * 1_000;
    this.#endUs = this.#countFromUs + this.#plan.durationMs * 1_000;

    const cpuBefore = process.cpuUsage();
    while (nowUs() < this.#endUs && this.#failure === undefined) {
      this.#sendDue();
      await new Promise((resolve) => setTimeout(resolve, tickMs));
    }
    const cpu = process.cpuUsage(cpuBefore);

    for (const connection of connections) connection.close();
    if (this.#failure !== undefined) throw this.#failure;
    return this.#result(cpu.user + cpu.system);
  }

  #connect(): Promise<Connection[]> {
    const open = (): Promise<Connection> =>
      Connection.open(this.#plan.target, {
        onAnswer: (status, connection, answer) => this.#answered(status, connection, answer),
        onEnd: (error) => (this.#failure ??= error),
      });
    return Promise.all(Array.from({ length: this.#plan.connections }, open));
  }

  /** Requests that should have been sent by now. A closed load sends one on every free connection. */
  #due(): number {
    const { ratePerSecond } = this.#plan;
    if (ratePerSecond === 'closed') return this.#sent + this.#idle.length;
    return Math.floor(((Math.min(nowUs(), this.#endUs) - this.#startUs) * ratePerSecond) / 1e6);
  }

  #sendDue(): void {
    const due = this.#due();
    if (due - this.#sent > waitingMax)
      throw new Error(`${due - this.#sent} requests wait: the server does not keep up`);
    while (this.#sent < due) {
      const connection = this.#idle.shift(); // the longest idle one: servers close idle connections
      if (connection === undefined) return;
      this.#send(connection);
    }
  }

  #send(connection: Connection): void {
    const { ratePerSecond } = this.#plan;
    const serial = this.#sent++;
    const dueUs = ratePerSecond === 'closed' ? nowUs() : this.#startUs + (serial * 1e6) / ratePerSecond;
    connection.send({ serial, dueUs }, (into) => this.#writer.fill(into, serial, Date.now()));
  }

  #answered(status: number, connection: Connection, answer: Buffer): void {
    const now = nowUs();
    if (now >= this.#endUs) return;
    if (now >= this.#countFromUs) {
      this.#answers++;
      this.#statuses.set(status, (this.#statuses.get(status) ?? 0) + 1);
      this.#latency.record(now - connection.request.dueUs);
      if (this.#plan.traffic.waitSeconds !== undefined) this.#noteWaited(now - connection.request.dueUs, answer);
      this.#noteMarked(connection.request.serial, now);
    }
    if (this.#plan.ratePerSecond === 'closed') this.#send(connection);
    else this.#idle.push(connection);
  }

  #noteWaited(latencyUs: number, answer: Buffer): void {
    if (answer.includes('"status":"decided"')) this.#decided++;
    if (!answer.includes('"status":"pending"')) return;
    this.#pendingLatency.record(latencyUs);
    if (/^ringfence-lag: (?!0\.0\r)/im.test(answer.toString('latin1'))) this.#pendingWithLag++;
  }

  #noteMarked(serial: number, answeredUs: number): void {
    if (!this.#writer.isMarked(serial)) return;
    this.#markedAtMs[referenceOf(this.#plan.traffic.run, serial)] = performance.timeOrigin + answeredUs / 1_000;
  }

  #result(cpuUs: number): LoadResult {
    return {
      answers: this.#answers,
      perSecond: (this.#answers * 1_000) / this.#plan.durationMs,
      statuses: Object.fromEntries(this.#statuses),
      decided: this.#decided,
      latency: this.#latency.toParts(),
      pendingLatency: this.#pendingLatency.toParts(),
      pendingWithLag: this.#pendingWithLag,
      markedAtMs: this.#markedAtMs,
      unsent: this.#plan.ratePerSecond === 'closed' ? 0 : Math.max(0, this.#due() - this.#sent),
      sent: this.#sent,
      cpuUsEach: cpuUs / Math.max(1, this.#sent),
    };
  }
}

function nowUs(): number {
  return performance.now() * 1_000;
}
