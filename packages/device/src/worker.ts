/**
 * The whole script of the worker for the option `worker` of `collect`: it reports the browser's properties inside a
 * worker to anyone who sends a port.
 */
import { scopeTraits } from './scope-traits.ts';

addEventListener('message', ({ data, ports }) => {
  if (data === 'ringfence') ports[0]?.postMessage(scopeTraits(globalThis));
});
