import type { Transport, TransportAnswer, TransportRequest } from '../src/transport.ts';

/** The response to a request: a status, parts of a response, an error, or nothing yet. */
export type Reply = number | Partial<TransportAnswer> | Error | 'hang';

export interface FakeTransport extends Transport {
  readonly requests: readonly TransportRequest[];
  /** The highest number of concurrent requests. */
  readonly parallelSeen: number;
  /** Answers all hanging requests. */
  release(reply: Exclude<Reply, 'hang'>): void;
}

/** A scripted service: `reply` is called for each request, with its number from 0 on. */
export function fakeTransport(reply: (request: TransportRequest, number: number) => Reply): FakeTransport {
  const requests: TransportRequest[] = [];
  let hanging: ((reply: Exclude<Reply, 'hang'>) => void)[] = [];
  let underWay = 0;
  let parallelSeen = 0;
  return {
    requests,
    get parallelSeen() {
      return parallelSeen;
    },
    send: async (request) => {
      const said = reply(request, requests.push(request) - 1);
      parallelSeen = Math.max(parallelSeen, ++underWay);
      const final = said === 'hang' ? await new Promise<Exclude<Reply, 'hang'>>((go) => hanging.push(go)) : said;
      await Promise.resolve();
      underWay -= 1;
      if (final instanceof Error) throw final;
      const parts = typeof final === 'number' ? { status: final } : final;
      return { status: 200, retryAfter: undefined, requestId: undefined, body: '', ...parts };
    },
    release: (reply) => {
      const waiting = hanging;
      hanging = [];
      for (const go of waiting) go(reply);
    },
    close: () => undefined,
  };
}
