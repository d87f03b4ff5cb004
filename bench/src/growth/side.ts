import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { assert } from '@ringfence/contract';
import type { Grown, GrownOptions } from './grown.ts';

/** Messages from the process of a side. */
export type Told = { readonly text: string } | { readonly isTurnOver: true } | { readonly result: Grown };

const program = fileURLToPath(new URL('growth-process.ts', import.meta.url));

/** This many clients in their own process, which steps on request. */
export class Side {
  readonly #process: ChildProcess;
  /** Resolves when the process is ready for its first turn; the last turn ends with the result. */
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

  /** Steps one part of its events. */
  async turn(): Promise<void> {
    await this.#over.promise;
    this.#over = Promise.withResolvers();
    this.#process.send('turn');
    await this.#over.promise;
  }

  /** Its measurements, after its last turn. */
  async end(): Promise<Grown> {
    if (this.#process.exitCode === null) await once(this.#process, 'exit');
    assert(this.#result !== undefined, 'its last turn is over');
    return this.#result;
  }
}
