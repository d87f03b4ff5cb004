import { Type } from 'typebox';
import { count, instant, nonPersonalWord } from '../server/members.ts';

export const placeSchema = Type.Object(
  {
    country: nonPersonalWord('Two letters of ISO 3166-1.', 'MX'),
    city: Type.Optional(
      Type.Object(
        {
          name: nonPersonalWord('As named by the location database.', 'Monterrey'),
          latitude: degrees('North of the equator.', 25.67),
          longitude: degrees('East of Greenwich.', -100.31),
        },
        { title: 'City', description: 'Present if the operator configured a city database.' },
      ),
    ),
    operator: Type.Optional(count('Number of the operator of the network (ASN).', 8151)),
    events: count('Logins and logouts from there.', 12),
    fired: count('Those on which a live rule fired.', 0),
    firstAt: instant('The first of these events.'),
    lastAt: instant('The last of these events.'),
  },
  { title: 'Place' },
);

function degrees(description: string, example: number): Type.TUnsafe<number> {
  return Type.Unsafe<number>(Type.Number({ description, examples: [example] }));
}
