import { sessionLengthMax } from '@ringfence/contract';
import { Type } from 'typebox';
import { maskEntity } from '../../access/audit/personal.ts';
import { refKinds } from '../../console/entity-ref.ts';
import { countMax } from '../../console/search.ts';
import { exactly, oneOf, text } from '../../platform/shapes/shape.ts';
import { choice, count, instant, inWorkspace, list, nonPersonalWord, personal, word } from '../server/members.ts';

const ref = nonPersonalWord('Identifies it without revealing it: `about=KIND:REF` of the events.', 'abcdefghabcdefgh');

export const searchBody = exactly({
  text: text({
    maxLength: sessionLengthMax, // the longest of what is found
    description:
      'A client, a session, a device, an address, an account (`bank/number`, or the number alone), a payee, a reference, or the id of an event. Only exact matches are found.',
    expected: 'the text to search for',
  }),
});

export const searchSchema = Type.Object(
  {
    items: list(
      Type.Object(
        {
          kind: choice([...refKinds, 'event', 'action'], 'What was found.', 'client'),
          ref: nonPersonalWord(
            'Identifies it: for `about=KIND:REF`, or the id of the event or action.',
            'abcdefghabcdefgh',
          ),
          events: count(`Events that name it; ${countMax} means that many or more.`, 42),
          lastAt: instant('The last of these events.'),
        },
        { title: 'SearchHit' },
      ),
      'At most one of each kind, except accounts, and operations whose reference is stored with a card number masked.',
    ),
  },
  { title: 'SearchHits' },
);

export const inEntity = exactly({
  ...inWorkspace.properties,
  kind: oneOf(refKinds, { description: 'Its kind.' }),
  ref: text({
    maxLength: 64,
    description: 'As an event, a link or a search returns it.',
    expected: 'the name of an entity',
  }),
});

const value = Type.Optional(
  personal(
    word('The value itself: masked unless shown. Absent if it can no longer be read.', 'an•••'),
    (text, { kind }: { readonly kind: string }) => maskEntity(kind, text),
  ),
);

export const entitySchema = Type.Object(
  {
    kind: choice(refKinds, 'Its kind.'),
    ref,
    value,
    events: count(`Events that name it; ${countMax} means that many or more.`, 42),
    firstAt: instant('The first of its newest 500 events.'),
    lastAt: instant('The last one.'),
    blockedUntil: Type.Optional(
      instant(
        'Of a client whom a rule had blocked: until when. Absent if it is not blocked, or the engine did not answer.',
      ),
    ),
    links: list(
      Type.Object(
        {
          kind: choice(refKinds, 'Its kind.', 'ip'),
          ref: nonPersonalWord('Identifies it.', 'n4bQgYhMfWWaL-qgxVrQFQ'),
          value,
          events: count('How many of the newest 500 events name both.', 12),
          fired: count('Those on which a live rule fired.', 1),
          firstAt: instant('The first of them.'),
          lastAt: instant('The last of them.'),
        },
        { title: 'EntityLink' },
      ),
      'Entities in the same events: twelve of each kind, those with the most events first.',
    ),
  },
  {
    title: 'Entity',
    description: 'A client, session, device, address, account, payee or reference, with its related entities.',
  },
);
