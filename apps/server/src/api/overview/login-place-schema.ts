import { Type } from 'typebox';
import { count, instant, word } from '../server/members.ts';

export const placeSchema = Type.Object(
  {
    country: word('Two letters of ISO 3166-1.', 'MX'),
    city: Type.Optional(
      Type.Object(
        {
          name: word('As the database calls it.', 'Monterrey'),
          latitude: degrees('North of the equator.', 25.67),
          longitude: degrees('East of Greenwich.', -100.31),
        },
        { title: 'City', description: 'Where the operator gave a database of cities.' },
      ),
    ),
    operator: Type.Optional(count('Number of the operator of the network (ASN).', 8151)),
    events: count('Logins and logouts from there.', 12),
    fired: count('Of them with a live rule that fired.', 0),
    firstAt: instant('The first of them.'),
    lastAt: instant('The last of them.'),
  },
  { title: 'Place' },
);

function degrees(description: string, example: number): Type.TUnsafe<number> {
  return Type.Unsafe<number>(Type.Number({ description, examples: [example] }));
}
