import { Type } from 'typebox';
import { count, instant, word } from './members.ts';

export const placeSchema = Type.Object(
  {
    country: word('Two letters of ISO 3166-1.', 'MX'),
    operator: Type.Optional(count('Number of the operator of the network (ASN).', 8151)),
    events: count('Logins and logouts from there.', 12),
    fired: count('Of them with a live rule that fired.', 0),
    firstAt: instant('The first of them.'),
    lastAt: instant('The last of them.'),
  },
  { title: 'Place' },
);
