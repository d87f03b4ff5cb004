import { collect } from './collect.ts';
import type { CollectOptions } from './collect-options.ts';
import { limits } from './limits.ts';

/**
 * Keeps a field of a form, as a rule a hidden one, filled with a fresh token: now, and again when the person comes back
 * to the form after a minute. The form is sent as any other, with "" in the field as long as there is no token.
 * Answers the function that ends it.
 */
export function fillField(field: HTMLInputElement, options: CollectOptions): () => void {
  const events = ['focusin', 'input', 'pointerdown'] as const;
  const form: EventTarget = field.form ?? document;
  let filledAtMs = -Infinity;
  const fill = async (): Promise<void> => {
    if (performance.now() - filledAtMs < limits.fieldAgeMsMax) return;
    filledAtMs = performance.now();
    field.value = await collect(options);
  };
  const refill = (): void => void fill();
  for (const event of events) form.addEventListener(event, refill, { passive: true });
  refill();
  return () => {
    for (const event of events) form.removeEventListener(event, refill);
  };
}
