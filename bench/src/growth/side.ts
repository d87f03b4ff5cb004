import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { assert } from '@ringfence/contract';
import type { Grown, GrownOptions } from './grown.ts';

/** What the process of a side tells. */
export type Told = { readonly text: string } | { readonly isTurnOver: true } | { readonly result: Grown };

const program = fileURLToPath(new URL('growth-process.ts', import.meta.url));

/** So many clients in a process of their own, which steps when it is told to. */
export class Side {
  readonly #process: ChildProcess;
  /** Its first turn begins when it says that it is ready; the last ends with the result. */
  #over = Promise.withResolvers<void>();
  #result: Grown | undefined;

  constructor(of: GrownOptions, print: (text: string) => void) {
    this.#process = fork(program, [JSON.stringify(of)], { execArgv: [] });
    this.#process.on('message', (told: Told) => {
      if ('text' in told) {
        print(told.text);
        return;
      }
      if ('result' in told) this.#result = told.result;
      this.#over.resolve();
    });
    this.#process.once('exit', (exitCode) => {
      if (this.#result === undefined)
        this.#over.reject(new Error(`The process that steps them ended with ${exitCode}.`));
    });
  }

  /** Steps some of its events. */
  async turn(): Promise<void> {
    await this.#over.promise;
    this.#over = Promise.withResolvers();
    this.#process.send('turn');
    await this.#over.promise;
  }

  /** What it has measured, after its last turn. */
  async end(): Promise<Grown> {
    if (this.#process.exitCode === null) await once(this.#process, 'exit');
    assert(this.#result !== undefined, 'its last turn is over');
    return this.#result;
  }
}
