import { Problem } from '@ringfence/contract';
import { type Caller, nameOf } from '../../access/caller.ts';

/**
 * The author of a change: for a person the logged-in account, whatever the body claims; for a program the person that
 * it names, or else its token.
 *
 * @throws Problem `request.invalid` if a program with the admin token names no one
 */
export function authorOf(caller: Caller, given: string | undefined): string {
  if (caller.kind === 'person') return nameOf(caller);
  if (given !== undefined) return given;
  if (caller.kind === 'token') return nameOf(caller);
  const expected = 'a name of 1 to 100 characters';
  throw new Problem('request.invalid', 'A program must name the person it acts for.', {
    errors: [{ pointer: '/author', detail: 'author is missing', expected }],
  });
}
