import { unreachable } from '@ringfence/contract';
import fc from 'fast-check';
import type { CheckpointEntity } from '../src/store/checkpoint/checkpoint.ts';
import type { EntityStates } from '../src/store/checkpoint/entity-states.ts';
import { entitySource, type OpenedStates } from './entity-states-harness.ts';

/** Few, so that most are stored repeatedly. */
export const historyKeys = ['s/one', 's/two', 's/three', 'c/ana', '0/payee'];
const subjects = ['ana', 'bob', 'cleo'];

type Move =
  | { readonly kind: 'save' | 'saveOther'; readonly entities: readonly CheckpointEntity[] }
  | { readonly kind: 'removeSubjects'; readonly subjects: readonly string[] }
  | { readonly kind: 'removeExpired'; readonly logTimeMs: number }
  | { readonly kind: 'replaceBy' };

const entity: fc.Arbitrary<CheckpointEntity> = fc
  .record({
    key: fc.constantFrom(...historyKeys),
    subject: fc.option(fc.constantFrom(...subjects), { nil: undefined }),
    bytes: fc.option(fc.uint8Array({ minLength: 1, maxLength: 3 }), { nil: undefined, freq: 4 }),
    expiresAtMs: fc.option(fc.nat({ max: 20 }), { nil: undefined, freq: 2 }),
  })
  .map((one) => (one.bytes === undefined ? { ...one, subject: undefined, expiresAtMs: 0 } : one));

/** A checkpoint names an entity once. */
const entities = fc.uniqueArray(entity, { selector: ({ key }) => key, maxLength: historyKeys.length });

const move: fc.Arbitrary<Move> = fc.oneof(
  { weight: 5, arbitrary: fc.record({ kind: fc.constantFrom('save', 'save', 'saveOther'), entities }) },
  {
    weight: 2,
    arbitrary: fc.record({ kind: fc.constant('removeSubjects'), subjects: fc.subarray(subjects) }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('removeExpired'), logTimeMs: fc.nat({ max: 20 }) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('replaceBy') }) },
);

/** One call, on either of the two stores. */
export async function play<Connection, States extends EntityStates<Connection>>(
  { states, other, on }: Pick<OpenedStates<Connection, States>, 'states' | 'other' | 'on'>,
  one: Move,
): Promise<void> {
  switch (one.kind) {
    case 'save':
      return states.save(entitySource(one.entities), on);
    case 'saveOther':
      return other.save(entitySource(one.entities), on);
    case 'removeSubjects':
      return states.removeSubjects(one.subjects, on);
    case 'removeExpired':
      return states.removeExpired(one.logTimeMs, on);
    case 'replaceBy':
      return states.replaceBy(other, on);
    default:
      return unreachable(one);
  }
}

/** Consecutive calls. */
export const history = fc.array(move, { minLength: 4, maxLength: 24 });
