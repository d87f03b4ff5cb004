import { once } from 'node:events';
import { setFlagsFromString } from 'node:v8';
import { Worker, workerData, parentPort } from 'node:worker_threads';
import { assert } from '@ringfence/contract';
import { v8Flags, youngGenerationMb } from '@ringfence/engine/thread-tuning';

type Message = { readonly text: string } | { readonly isTurnOver: true } | { readonly result: unknown };

/** Reports the end of a turn, and resolves when the next one begins. */
export type TurnOver = () => Promise<void>;

/** The output of a measurement while it runs. */
export interface Hearing {
  readonly print: (text: string) => void;
  /** For a measurement that takes turns with others. */
  readonly turnOver?: TurnOver;
}

/**
 * Runs a measurement in its own thread, with the memory options of the host's deciding thread.
 * @returns its result
 */
export async function inThread<Result>(module: URL, options: object, hearing: Hearing): Promise<Result> {
  const { print, turnOver } = hearing;
  for (const flag of v8Flags) setFlagsFromString(flag);
  const worker = new Worker(module, {
    workerData: options,
    resourceLimits: { maxYoungGenerationSizeMb: youngGenerationMb, maxOldGenerationSizeMb: 8_192 },
  });
  let result: unknown;
  worker.on('message', (message: Message) => {
    if ('text' in message) print(message.text);
    else if ('result' in message) ({ result } = message);
    else void turnOver?.().then(() => worker.postMessage('turn'));
  });
  const [exitCode] = (await once(worker, 'exit')) as [number];
  assert(exitCode === 0, 'the thread that measures ends well');
  assert(result !== undefined, 'it says what it has measured');
  return result as Result;
}

/** The counterpart inside the thread: runs the measurement of the module with its input. */
export async function measureHere(
  measure: (options: never, print: (text: string) => void, turnOver: TurnOver) => Promise<unknown>,
): Promise<void> {
  assert(parentPort !== null, 'runs in its own thread');
  const port = parentPort;
  const send = (message: Message): void => port.postMessage(message);
  const turnOver = async (): Promise<void> => {
    send({ isTurnOver: true });
    await once(port, 'message');
  };
  send({ result: await measure(workerData as never, (text) => send({ text }), turnOver) });
}
