import { Type } from 'typebox';
import { homeDatabase } from '../platform/database/cell.ts';
import { exactly, text } from '../platform/shapes/shape.ts';
import { isDatabaseUrl, urlExpected } from './database-url.ts';

/** A database beside the home database. */
export interface FurtherDatabase {
  readonly name: string;
  /** With its password: never logged. */
  readonly url: string;
}

const namePattern = '^[a-z0-9][a-z0-9-]{0,31}$';
const nameExpected = 'a name of up to 32 lower-case letters, digits and "-", beginning with a letter or digit';

/** The name of a database, as a workspace or a command names it. */
export const databaseNameShape = text({
  maxLength: 32,
  expected: nameExpected,
  refine: (name) => (new RegExp(namePattern).test(name) ? undefined : nameExpected),
  description: 'The database that a new workspace is created in: a name of `databases`. Default: `home`.',
});

const databaseShape = exactly(
  {
    url: text({
      maxLength: 4_096,
      secret: true,
      expected: urlExpected,
      refine: (url) => (isDatabaseUrl(url) ? undefined : urlExpected),
      description: 'Take it from the environment: `${NORTH_DATABASE_URL}`.',
    }),
  },
  { expected: 'a mapping with url' },
);

/** Databases beside the one of `DATABASE_URL` or `home`, which is named `home`. */
export const databasesShape = Type.Unsafe<Readonly<Record<string, Type.Static<typeof databaseShape>>>>({
  type: 'object',
  patternProperties: { [namePattern]: databaseShape },
  additionalProperties: false,
  expected: `a mapping from name to database, with ${nameExpected}`,
  description:
    'Further databases for workspaces, by name. The one of `DATABASE_URL` or under `home` is named `home`, and also has people, roles, tokens and the audit log.',
});

/** The declared databases, sorted by name. @param wrong reports a mistake at a path of the file */
export function resolveDatabases(
  written: Type.Static<typeof databasesShape> = {},
  wrong: (path: readonly string[], message: string) => void,
): readonly FurtherDatabase[] {
  const urls = new Map<string, string>();
  for (const [name, { url }] of Object.entries(written)) {
    const path = ['databases', name];
    if (name === homeDatabase) {
      wrong(path, `databases.${name}: expected another name, because the one of DATABASE_URL has this name`);
    }
    const other = urls.get(url);
    if (other !== undefined) wrong(path, `databases.${name}: expected another database than ${other}`);
    urls.set(url, name);
  }
  return Object.entries(written)
    .map(([name, { url }]) => ({ name, url }))
    .toSorted((a, b) => (a.name < b.name ? -1 : 1));
}
