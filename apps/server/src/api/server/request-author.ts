import { Problem } from '@ringfence/contract';
import { type Caller, nameOf } from '../../access/accounts/caller.ts';

/**
 * Who something is by: a person is who is logged in, whoever they say they are; a program says whom it acts for.
 *
 * @throws Problem `request.invalid` when a program does not
 */
export function authorOf(caller: Caller, given: string | undefined): string {
  if (caller.kind !== 'machine') return nameOf(caller);
  if (given !== undefined) return given;
  const expected = 'a name of 1 to 100 characters';
  throw new Problem('request.invalid', 'A program has to say whom it acts for.', {
    errors: [{ pointer: '/author', detail: 'author is missing', expected }],
  });
}
