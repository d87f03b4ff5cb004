import { collectOnce, tell } from './collect.ts';
import type { CollectOptions } from './collect-options.ts';
import { limits } from './limits.ts';

/** When the person is at the form. */
const presence = ['focusin', 'input', 'pointerdown'] as const;

/**
 * Keeps a field of a form, as a rule a hidden one, filled with a fresh token: now, and again when the person comes back
 * to the form after a minute, after it was sent, or after the browser was too busy for a whole token. The form is sent
 * as any other, with "" in the field as long as there is no token. Never throws. Answers the function that ends it.
 */
export function fillField(field: HTMLInputElement | null, options: CollectOptions): () => void {
  if (typeof field?.value !== 'string') {
    tell(options, new Error('fillField: expected the input element of a form'));
    return () => undefined;
  }
  const form: EventTarget = field.form ?? document;
  let filledAtMs = -Infinity;
  /** At first too: a page that comes back out of the history brings the text that its form was sent with. */
  let isSpent = true;
  let againLeft: number = limits.fieldAgainMax;
  const fill = async (): Promise<void> => {
    if (performance.now() - filledAtMs < limits.fieldAgeMsMax) return;
    filledAtMs = performance.now();
    // Sent once more before the new one is there, a spent token would look stolen.
    if (isSpent) field.value = '';
    isSpent = false;
    const { token, isWhole } = await collectOnce(options);
    field.value = token;
    if (!isWhole && againLeft-- > 0) filledAtMs = -Infinity;
  };
  const refill = (): void => void fill();
  // A token is good once: a form that stays, or comes back out of the history, needs another one.
  const spend = (): void => {
    isSpent = true;
    filledAtMs = -Infinity;
  };
  for (const event of presence) form.addEventListener(event, refill, { passive: true });
  form.addEventListener('submit', spend);
  refill();
  return () => {
    for (const event of presence) form.removeEventListener(event, refill);
    form.removeEventListener('submit', spend);
  };
}
