import { once } from 'node:events';
import { assert } from '@ringfence/contract';
import { inThread } from '../measure/in-thread.ts';
import type { Grown, GrownOptions } from './grown.ts';
import type { Told } from './side.ts';

/** One side in its own process: it has its own memory, and is idle during the other side's turns. */
assert(process.send !== undefined, 'a process that was forked');
const send = process.send.bind(process);
const tell = (told: Told): void => void send(told);
const of = JSON.parse(process.argv[2]!) as GrownOptions;
const result = await inThread<Grown>(new URL('growth-thread.ts', import.meta.url), of, {
  print: (text) => tell({ text }),
  turnOver: async () => {
    tell({ isTurnOver: true });
    await once(process, 'message');
  },
});
tell({ result });
process.channel?.unref();
