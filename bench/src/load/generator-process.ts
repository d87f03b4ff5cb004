/** The load generator in its own process: it receives plans and returns the result of each. */
import { generate, type LoadPlan } from './generate.ts';

process.once('message', (plans: readonly LoadPlan[]) => {
  Promise.all(plans.map(generate)).then(
    (results) => process.send?.({ results }, () => process.disconnect?.()),
    (error: unknown) => process.send?.({ error: String(error) }, () => process.disconnect?.()),
  );
});
