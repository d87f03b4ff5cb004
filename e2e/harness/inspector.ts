/** The debugger of a running service: stops or asks one of its threads, which no signal can. */
import { once } from 'node:events';
import { eventually } from './eventually.ts';
import type { Service } from './service.ts';

/** The argument of Node with which a service must be started. */
export const inspectable: readonly string[] = ['--inspect=127.0.0.1:0'];

interface Reply {
  readonly id?: number;
  readonly method?: string;
  readonly params?: Readonly<Record<string, unknown>>;
  readonly result?: Readonly<Record<string, unknown>>;
  readonly error?: { readonly message: string };
}

export interface Inspector {
  /** Pauses or resumes the main thread. */
  pauseMain(): Promise<void>;
  resumeMain(): Promise<void>;
  /** Evaluates an expression in each thread of this name, and returns its values. */
  evaluateIn(threadName: string, expression: string): Promise<readonly unknown[]>;
  close(): void;
}

export async function openInspector(service: Service): Promise<Inspector> {
  const url = await eventually('the debugger listens', 10_000, async () =>
    /Debugger listening on (ws:\S+)/.exec(service.output())?.at(1),
  );
  const socket = new WebSocket(url);
  await once(socket, 'open');
  const main = new Session((text) => socket.send(text));
  const workers = new Map<string, { readonly name: string; readonly session: Session }>();
  socket.addEventListener('message', ({ data }) => {
    const { method, params = {}, ...reply } = JSON.parse(String(data)) as Reply;
    const sessionId = String(params['sessionId']);
    if (method === undefined) main.hear(reply);
    else if (method === 'NodeWorker.attachedToWorker') {
      const { title } = params['workerInfo'] as { readonly title: string };
      const send = (message: string): void => void main.call('NodeWorker.sendMessageToWorker', { sessionId, message });
      workers.set(sessionId, { name: title, session: new Session(send) });
    } else if (method === 'NodeWorker.receivedMessageFromWorker')
      workers.get(sessionId)?.session.hear(JSON.parse(String(params['message'])) as Reply);
  });
  await main.call('Debugger.enable');
  await main.call('NodeWorker.enable', { waitForDebuggerOnStart: false });
  return {
    pauseMain: async () => void (await main.call('Debugger.pause')),
    resumeMain: async () => void (await main.call('Debugger.resume')),
    evaluateIn: (threadName, expression) => {
      const threads = [...workers.values()].filter(({ name }) => name.includes(threadName));
      return Promise.all(
        threads.map(async ({ session }) => {
          const { result } = await session.call('Runtime.evaluate', { expression });
          return (result as { readonly value?: unknown }).value;
        }),
      );
    },
    close: () => socket.close(),
  };
}

/** Calls of one thread's debugger. */
class Session {
  readonly #send: (text: string) => void;
  readonly #open = new Map<number, PromiseWithResolvers<Readonly<Record<string, unknown>>>>();
  #id = 0;

  constructor(send: (text: string) => void) {
    this.#send = send;
  }

  call(method: string, params: object = {}): Promise<Readonly<Record<string, unknown>>> {
    const id = ++this.#id;
    const answer = Promise.withResolvers<Readonly<Record<string, unknown>>>();
    this.#open.set(id, answer);
    this.#send(JSON.stringify({ id, method, params }));
    return answer.promise;
  }

  hear({ id, result = {}, error }: Reply): void {
    const open = this.#open.get(id ?? 0);
    if (error === undefined) open?.resolve(result);
    else open?.reject(new Error(error.message));
  }
}
