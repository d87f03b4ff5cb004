/**
 * The whole script of the worker that the option `worker` of `collect` wants: it tells what the browser says of itself
 * inside a worker, to whoever asks with a port.
 */
import { scopeTraits } from './scope-traits.ts';

addEventListener('message', ({ data, ports }) => {
  if (data === 'ringfence') ports[0]?.postMessage(scopeTraits(globalThis));
});
