/**
 * The management API over several databases. A route about one workspace is answered from the dependencies of the
 * database in which that workspace lies; the others, about the installation, from these: people, tokens and the audit
 * log of the home database, and lists over all.
 */
import { Problem } from '@ringfence/contract';
import { homeDatabase, nameOfDatabase } from '../../platform/database/cell.ts';
import { readPlaces } from '../../tenancy/cells/workspace-places.ts';
import type { ManagementCells, ManagementDeps } from './management-deps.ts';

interface Databases {
  /** Of the databases that are open, the home database first. */
  readonly all: () => readonly ManagementDeps[];
  /** The names of the further ones. */
  readonly databases: readonly string[];
}

export function depsOfAll(home: ManagementDeps, { all, databases }: Databases): ManagementDeps {
  const cells: ManagementCells = {
    ofWorkspace: (id) => ({ ...(all().find(({ registry }) => registry.byId(id)) ?? home), cells }),
    named: (name) => all().find((one) => nameOfDatabase(one) === name) ?? refuseDatabase(name, databases),
    deliveries: () => all().map(({ deliveries }) => deliveries),
    pools: () => all().map(({ pool }) => pool),
    explainAbsent: (named) => refuseAway(home, named),
  };
  return {
    ...home,
    registry: registryOfAll(all),
    backlogs: async () => (await Promise.all(all().map((one) => one.backlogs()))).flat().toSorted(byName),
    queued: async () => added(await Promise.all(all().map((one) => one.queued()))),
    live: {
      enter: (...given) => home.live.enter(...given),
      close: () => all().forEach(({ live }) => live.close()),
    },
    cells,
  };
}

function registryOfAll(all: Databases['all']): ManagementDeps['registry'] {
  const first = <Found>(find: (registry: ManagementDeps['registry']) => Found | undefined): Found | undefined => {
    for (const { registry } of all()) {
      const found = find(registry);
      if (found !== undefined) return found;
    }
    return undefined;
  };
  return {
    authenticate: (token, environment) => first((registry) => registry.authenticate(token, environment)),
    byId: (id) => first((registry) => registry.byId(id)),
    sendingKey: (id) => first((registry) => registry.sendingKey(id)),
    all: () =>
      all()
        .flatMap(({ registry }) => registry.all())
        .toSorted(byName),
    onChange: (listener) => {
      const stops = all().map(({ registry }) => registry.onChange(listener));
      return () => stops.forEach((stop) => stop());
    },
    refresh: async () => {
      await Promise.all(all().map(({ registry }) => registry.refresh()));
    },
  };
}

interface Named {
  readonly name: string;
  readonly environment: string;
}

function byName(a: Named, b: Named): number {
  return a.name.localeCompare(b.name) || a.environment.localeCompare(b.environment);
}

function added(counts: readonly ReadonlyMap<string, number>[]): ReadonlyMap<string, number> {
  const sum = new Map<string, number>();
  for (const [name, count] of counts.flatMap((one) => [...one])) sum.set(name, (sum.get(name) ?? 0) + count);
  return sum;
}

/** @throws Problem `request.invalid` for an unknown name, `database.unavailable` */
function refuseDatabase(name: string, databases: readonly string[]): never {
  if (databases.includes(name)) throw away(name);
  throw unknownDatabase(name, [homeDatabase, ...databases]);
}

export function unknownDatabase(name: string, known: readonly string[]): Problem {
  return new Problem('request.invalid', `There is no database "${name}".`, {
    errors: [{ pointer: '/database', detail: 'database is not known', expected: known.join(' or ') }],
  });
}

/** @throws Problem `database.unavailable` if the workspace lies in a database that is not open */
async function refuseAway(home: ManagementDeps, named: string): Promise<void> {
  const place = (await readPlaces(home.pool)).find(({ id, name, environment }) =>
    [id, `${name}:${environment}`, `${name}/${environment}`].includes(named),
  );
  if (place !== undefined && place.database !== homeDatabase) throw away(place.database);
}

function away(name: string): Problem {
  return new Problem('database.unavailable', `The database "${name}" cannot be reached at the moment.`, {
    retryAfterSeconds: 5,
  });
}
