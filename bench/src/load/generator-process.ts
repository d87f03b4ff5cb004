/** The load generator in its own process: it receives one plan and returns one result. */
import { generate, type LoadPlan } from './generate.ts';

process.once('message', (plan: LoadPlan) => {
  generate(plan).then(
    (result) => process.send?.({ result }, () => process.disconnect?.()),
    (error: unknown) => process.send?.({ error: String(error) }, () => process.disconnect?.()),
  );
});
