import { collectOnce, tell } from './collect.ts';
import type { CollectOptions } from './collect-options.ts';
import { limits } from './limits.ts';

/** The person uses the form. */
const presence = ['focusin', 'input', 'pointerdown'] as const;

/**
 * Keeps a form field, usually a hidden one, filled with a fresh token: now, and again when the person comes back to the
 * form after a minute, after it was sent, or if the last token was incomplete. The form is sent as usual, with "" in
 * the field as long as there is no token. Never throws. Returns a function that stops it.
 */
export function fillField(field: HTMLInputElement | null, options: CollectOptions): () => void {
  if (typeof field?.value !== 'string') {
    tell(options, new Error('fillField: expected the input element of a form'));
    return () => undefined;
  }
  const form: EventTarget = field.form ?? document;
  let filledAtMs = -Infinity;
  /** Also at the start: a page restored from the history contains the text that its form was sent with. */
  let isSpent = true;
  let againLeft: number = limits.fieldAgainMax;
  let ageMsMax: number = limits.fieldAgeMsMax;
  const fill = async (): Promise<void> => {
    // By the clock in the token: a monotonic clock stops while a computer sleeps.
    if (Math.abs(Date.now() - filledAtMs) < ageMsMax) return;
    filledAtMs = Date.now();
    ageMsMax = limits.fieldAgeMsMax;
    // If it were sent again before the new token is ready, a used token would look stolen.
    if (isSpent) field.value = '';
    isSpent = false;
    const { token, isWhole } = await collectOnce(options);
    if (token !== '') field.value = token;
    if (!isWhole && againLeft-- > 0) filledAtMs = -Infinity;
  };
  const refill = (): void => void fill();
  // A token can be used once: a form that stays, or is restored from the history, needs another one.
  const spend = (): void => {
    isSpent = true;
    filledAtMs = -Infinity;
  };
  // `form.submit()` of a script fires no `submit` event, only this one; but scripts also read forms that they do not
  // send.
  const read = (): void => {
    ageMsMax = limits.readAgeMsMax;
  };
  const comeBack = ({ persisted }: PageTransitionEvent): void => {
    // A single-page application may have removed the form.
    if (!persisted || !field.isConnected) return;
    spend();
    refill();
  };
  for (const event of presence) form.addEventListener(event, refill, { passive: true });
  form.addEventListener('submit', spend);
  form.addEventListener('formdata', read);
  addEventListener('pageshow', comeBack);
  refill();
  return () => {
    for (const event of presence) form.removeEventListener(event, refill);
    form.removeEventListener('submit', spend);
    form.removeEventListener('formdata', read);
    removeEventListener('pageshow', comeBack);
  };
}
