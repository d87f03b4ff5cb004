/** The load generator, in a process of its own: it gets one plan and sends back one result. */
import { generate, type LoadPlan } from './generate.ts';

process.once('message', (plan: LoadPlan) => {
  generate(plan).then(
    (result) => process.send?.({ result }, () => process.disconnect?.()),
    (error: unknown) => process.send?.({ error: String(error) }, () => process.disconnect?.()),
  );
});
