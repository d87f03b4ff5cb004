import { Type } from 'typebox';
import { refKinds } from '../../console/entity-ref.ts';
import { countMax } from '../../console/search.ts';
import { exactly, oneOf, text } from '../../platform/shapes/shape.ts';
import { choice, count, inWorkspace, instant, list, word } from '../server/members.ts';

const ref = word('Names it without telling it: `about=KIND:REF` of the events.', 'abcdefghabcdefgh');

export const searchBody = exactly({
  text: text({
    maxLength: 256,
    description:
      'A client, a session, a device, an address, an account (`bank/number`, or the number alone), a payee, a reference, or the id of an event: exactly, nothing finds a part.',
    expected: 'what to look for',
  }),
});

export const searchSchema = Type.Object(
  {
    items: list(
      Type.Object(
        {
          kind: choice([...refKinds, 'event', 'action'], 'What was found.', 'client'),
          ref: word('Names it: for `about=KIND:REF`, or the id of the event or action.', 'abcdefghabcdefgh'),
          events: count(`Events that name it; ${countMax} stands for that many or more.`, 42),
          lastAt: instant('The last of them.'),
        },
        { title: 'SearchHit' },
      ),
      'At most one of each kind, but for accounts.',
    ),
  },
  { title: 'SearchHits' },
);

export const inEntity = exactly({
  ...inWorkspace.properties,
  kind: oneOf(refKinds, { description: 'What it is.' }),
  ref: text({
    maxLength: 64,
    description: 'As an event, a link or a search names it.',
    expected: 'the name of an entity',
  }),
});

const value = Type.Optional(word('What it is: masked unless shown. Absent when it can be read no more.', 'an•••'));

export const entitySchema = Type.Object(
  {
    kind: choice(refKinds, 'What it is.'),
    ref,
    value,
    events: count(`Events that name it; ${countMax} stands for that many or more.`, 42),
    firstAt: instant('The first of its newest 500 events.'),
    lastAt: instant('The last one.'),
    links: list(
      Type.Object(
        {
          kind: choice(refKinds, 'What it is.', 'ip'),
          ref: word('Names it.', 'n4bQgYhMfWWaL-qgxVrQFQ'),
          value,
          events: count('Of the newest 500 events, those that name both.', 12),
          fired: count('Of them with a live rule that fired.', 1),
          firstAt: instant('The first of them.'),
          lastAt: instant('The last of them.'),
        },
        { title: 'EntityLink' },
      ),
      'What stands in the same events: twelve of each kind, those with the most events first.',
    ),
  },
  {
    title: 'Entity',
    description: 'A client, session, device, address, account, payee or reference, and its neighbours.',
  },
);
