import type { About } from '../reference/about.ts';
import { differences, type ScopeTraits, scopeTraits } from '../scope-traits.ts';
import { type Signal, type SignalContext, unsupported } from '../signal.ts';

export const about: About = {
  what: 'Properties of the browser that differ between the page and a worker. Only with the option `worker`.',
  purpose: 'Tools that imitate another browser often ignore workers.',
  stability: 'visit',
  schema: { type: 'array', items: { type: 'string', maxLength: 512 }, maxItems: 64 },
  source: 'https://html.spec.whatwg.org/multipage/workers.html#the-workernavigator-object',
};

/** Queries the worker once. If it never answers, the signal becomes `timeout`. */
export async function workerMismatch({ worker }: SignalContext): Promise<Signal<readonly string[]>> {
  if (worker === undefined) return unsupported;
  const traits = await new Promise<ScopeTraits>((resolve) => {
    const { port1, port2 } = new MessageChannel();
    port1.addEventListener('message', ({ data }) => {
      port1.close();
      resolve(data as ScopeTraits);
    });
    port1.start();
    worker.postMessage('ringfence', [port2]);
  });
  return { value: differences(scopeTraits(window), traits) };
}
